"""The variables, shown and changed."""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.doors.mcp.tools.needed import needed, reason_of, version_seen
from director_ctx.memory.variables import variables as store
from director_ctx.memory.variables.display import listing, shown, shown_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project

NONE_SET = "No variable is set."


def variables(project: Project, values: dict[str, Any]) -> str:
    """All of them in a line each, or one as a whole."""
    # Asked for first: a change in between makes it too old, and never too new.
    version = store.version_now(project)
    name = values["name"]
    if name:
        text = as_text(_value_of(project, name))
    else:
        text = listing(store.variables(project)) or NONE_SET
    return f"{text}\n\n{_version(version)}\n"


def _value_of(project: Project, name: str) -> object:
    try:
        return store.value_of(project, name)
    except store.NoVariable as missing:
        if "dctx" not in missing.hint:
            raise
        hint = 'plan {"action":"variables"} shows those that there are.'
        raise DctxError(missing.message, hint) from missing


def _version(number: int) -> str:
    return f"Version {number} of the variables."


def as_text(value: object) -> str:
    """A text as it is, and anything else as JSON that can be read."""
    if isinstance(value, str):
        return value
    return json.dumps(value, indent=2, ensure_ascii=False)


def set_variable(project: Project, values: dict[str, Any]) -> str:
    name = needed(values, "name")
    value = values["value"]
    if value is None:
        raise UsageProblem("What is it to be? value is missing.", "clear_variable takes it away.")
    setting = (name, value, reason_of(values))
    change = store.change_variable(project, setting, expected=version_seen(values))
    line = shown(change.name, change.sealed or "")
    return f"- {change.name} = {line}\n\n{_version(change.number)}\n"


def clear_variable(project: Project, values: dict[str, Any]) -> str:
    name = needed(values, "name")
    store.clear_variable(project, name, reason_of(values), version_seen(values))
    return f"Cleared {shown_name(name)}.\n\n{_version(store.version_now(project))}\n"
