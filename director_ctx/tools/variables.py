"""The variables, shown and changed."""

from __future__ import annotations

from director_ctx.base.answer_pages import call
from director_ctx.base.errors import DctxError
from director_ctx.base.strict_json import strict_json
from director_ctx.memory.variables import variables as store
from director_ctx.memory.variables.display import is_cut, listing, shown, shown_name
from director_ctx.tools.needed import expect, expect_version, version_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.memory.variables.entries import Variable
    from director_ctx.project.project import Project

    Whole = tuple[str, Mapping[str, str], str]
    """A tool, its arguments, and what it calls the name of a variable."""

WHOLE: Whole = ("plan", {"action": "variables"}, "name")
"""The call that shows a variable as a whole."""


def variables(project: Project, values: dict[str, Any]) -> str:
    """All of them in a line each, or one as a whole."""
    # Asked for first: a change in between makes it too old, and never too new.
    version = store.version_now(project)
    if not values["name"]:
        text = _listed(store.variables(project), values.get("whole") or WHOLE)
        return f"{text}\n\n{_version(version)}\n"
    try:
        text = as_text(store.value_of(project, values["name"]))
    except store.NoVariable as missing:
        if "dctx" not in missing.hint:
            raise
        hint = 'plan {"action":"variables"} shows those that there are.'
        raise DctxError(missing.message, hint) from missing
    return f"{text}\n\n{_version(version)}\n"


def _listed(known: Sequence[Variable], whole: Whole) -> str:
    """Where a value was cut, the call for the whole of it stands below."""
    text = listing(known) or "No variable is set."
    for variable in known:
        if is_cut(shown(variable.name, variable.stored)):
            tool, arguments, name = whole
            example = call(tool, {**arguments, name: shown_name(variable.name)})
            return f"{text}\n\nA value as a whole: {example}"
    return text


def _version(number: int) -> str:
    return f"Version {number} of the variables."


def as_text(value: object) -> str:
    """A text as it is, and anything else as JSON that can be read."""
    return value if isinstance(value, str) else strict_json(value, indent=2)


def set_variable(project: Project, values: dict[str, Any]) -> str:
    expect(values, "name", "value", "reason")
    _expect_version(project, values)
    setting = (values["name"], values["value"], values["reason"])
    change = store.change_variable(project, setting, expected=version_seen(values))
    line = shown(change.name, change.stored or "")
    return f"- {change.name} = {line}\n\n{_version(change.number)}\n"


def clear_variable(project: Project, values: dict[str, Any]) -> str:
    expect(values, "name", "reason")
    _expect_version(project, values)
    name = values["name"]
    store.clear_variable(project, name, values["reason"], version_seen(values))
    return f"Cleared {shown_name(name)}.\n\n{_version(store.version_now(project))}\n"


def _expect_version(project: Project, values: dict[str, Any]) -> None:
    """A variable that is not there yet cannot be seen, so it needs none."""

    def newest() -> int:
        is_there = store.variable_history(project, values["name"], last=1)
        return store.version_now(project) if is_there else 0

    expect_version(values, "the variables are", newest)
