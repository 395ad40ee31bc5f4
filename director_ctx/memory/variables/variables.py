"""The variables of a project, for commands and for agents' tools. What is hidden leaves only by
`reveal=True`.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.secrets import hides_value, redact
from director_ctx.base.text import plain
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables import entries
from director_ctx.memory.variables.display import (
    LONGEST_NAME,
    SEALED,
    SECRET,
    in_order,
    shown_name,
    visible,
)
from director_ctx.memory.variables.entries import hide_earlier, without
from director_ctx.memory.variables.sealing import (
    as_json,
    hidden_texts,
    in_file,
    sealer,
    was_asked,
)
from director_ctx.memory.variables.sealing import reveal as reveal_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.memory.store.engine import Writer
    from director_ctx.memory.store.open import Where
    from director_ctx.memory.store.store import Store
    from director_ctx.memory.variables.entries import Variable, VariableChange

    Setting = tuple[str, Any, str]
    """A variable's name, its new value, and why."""

LARGEST = 1_000_000
"""Characters of a value as JSON."""
NOT_GIVEN = "not given"
"""The reason of a change for which nobody gave one."""
DEEPEST = 100


class NoVariable(DctxError):
    """There is no variable of this name."""


def variables(project: Where, node: str | None = None) -> list[Variable]:
    """All of them, or those of one node, by name."""
    with open_store(project) as store:
        rows = entries.variables(store)
    if node is not None:
        # In the scope of `7` is node7.emails, in that of `1/2/3` is node1/2/3.route.
        number = node.removeprefix("node")
        rows = [row for row in rows if row.name.startswith((f"node{number}.", f"{number}."))]
    return in_order(rows)


def value_in(variable: Variable, reveal: bool = False) -> Any:
    """The whole value, with `[hidden]` for what is."""
    show = reveal_value if reveal else visible
    return show(variable.name, variable.stored)


def value_of(project: Where, name: str, reveal: bool = False) -> Any:
    """The whole value of one variable, with `[hidden]` for what is."""
    with open_store(project) as store:
        variable = entries.variable(store, name)
        if variable is None:
            raise _unknown(name, entries.variables(store))
    return value_in(variable, reveal)


def values_of(project: Where, node: str | None = None, reveal: bool = False) -> dict[str, Any]:
    """The values of all variables, or of those of one node, by name."""
    return {
        variable.name if reveal else shown_name(variable.name): value_in(variable, reveal)
        for variable in variables(project, node)
    }


def set_variable(
    project: Where,
    name: str,
    value: Any,
    reason: str,
    secret: bool = False,
) -> VariableChange:
    """Sets a variable to a JSON value. What was secret by request stays so until it is cleared."""
    return change_variable(project, (name, value, reason), secret)


def change_variable(
    project: Where,
    setting: Setting,
    secret: bool = False,
    expected: int | None = None,
) -> VariableChange:
    """The same; with `expected`, a number as `version_now` gives it, only if nobody changed the
    variable since.
    """
    name, value, reason = setting
    check_name(name)
    _check_value(value)
    reason = _checked_reason(reason)
    with open_store(project, write=True) as store:
        earlier = entries.variable(store, name)
        if earlier:
            reason = without(reason, hidden_texts(name, earlier.stored))
        told = (name, value, reason)
        changes = _put(store, told, secret, expected)
        # None: somebody asked for a secret before.
        if not changes:
            changes = _put(store, told, True, expected)
        return changes[0]


def _put(
    store: Store,
    setting: Setting,
    asked: bool,
    expected: int | None = None,
) -> list[VariableChange]:
    """The change; none where somebody asked for a secret before, and nobody does now.

    Only the transaction knows: two may set it at once, and a secret must not get back into the
    clear.
    """
    name, value, reason = setting
    seal = sealer(store)
    plain = in_file(value, asked)
    secrets = hidden_texts(name, plain)
    stored = seal(name, plain)

    def first(writer: Writer) -> bool:
        entries.expect(writer, store.workflow, name, expected)
        earlier = entries.stored_in(writer, store.workflow, name)
        asked_before = earlier is not None and was_asked(earlier)
        if asked_before:
            return asked
        # `--secret` often comes one change too late, and the history keeps every value.
        if asked:
            hide_earlier(writer, store.workflow, name, seal, secrets)
        return True

    return entries.put(store, {name: stored}, without(reason, secrets), first)


def version_now(project: Where) -> int:
    """What a change may name as the version that it was made from."""
    with open_store(project) as store:
        return entries.version_now(store)


def clear_variable(project: Where, name: str, reason: str, expected: int | None = None) -> None:
    said = _checked_reason(reason)
    # There is no store to be made for what is not there.
    if not variables(project):
        raise _unknown(name, [])
    with open_store(project, write=True) as store:
        variable = entries.variable(store, name)
        secrets = hidden_texts(name, variable.stored) if variable else []
        if not variable or not entries.clear(store, name, without(said, secrets), expected):
            raise _unknown(name, entries.variables(store))


def clear_variables(project: Where, reason: str, expected: int | None = None) -> int:
    """How many there were. With `expected`, only if nobody changed any since."""
    reason = _checked_reason(reason)
    if not variables(project):
        return 0
    with open_store(project, write=True) as store:
        rows = entries.variables(store)
        secrets = [text for row in rows for text in hidden_texts(row.name, row.stored)]
        return entries.clear_all(store, without(reason, secrets), expected)


def variable_history(
    project: Where, name: str | None = None, last: int = 0
) -> list[VariableChange]:
    """The newest changes, oldest first; all of them for 0."""
    with open_store(project) as store:
        return entries.changes(store, name, last)


def check_name(name: str) -> None:
    """A name is one word that anybody can type, and says nothing that is to be hidden."""
    # A name is printed as it is, and typed again.
    is_visible = plain(name) == name
    if not is_visible or [name] != name.split() or len(name) > LONGEST_NAME:
        raise DctxError(
            "That is not a name for a variable.",
            f"Take up to {LONGEST_NAME} characters without blanks, such as node7.emails.",
        )
    if hides_value(name):
        raise DctxError(
            "That name looks like a secret itself.", "A name is shown everywhere; choose another."
        )


def _unknown(name: str, known: Sequence[Variable]) -> NoVariable:
    # Only a mistake waits 5 ms for it.
    from difflib import get_close_matches

    names = [variable.name for variable in known]
    # Whoever leaves out the node means one of these.
    near = [known for known in names if known.rpartition(".")[2] == name]
    near = near or get_close_matches(name, names, 3, 0.6)
    hint = "`dctx vars` shows those that there are."
    if near:
        hint = f"Did you mean {' or '.join(map(plain, near))}?"
    return NoVariable(f"There is no variable {redact(plain(name[:LONGEST_NAME]))}.", hint)


def needed_reason(reason: str | None) -> str:
    """A reason on one line; nothing is changed without one."""
    one_line = plain(" ".join((reason or "").split()))
    if not one_line:
        raise UsageProblem(
            "The reason is empty.", "Say in a sentence why the variable changes: --reason TEXT."
        )
    return one_line


def _checked_reason(reason: str) -> str:
    reason = needed_reason(reason)
    if len(reason) > LARGEST // 100:
        raise DctxError("The reason is too long.", "A sentence will do.")
    return reason


def _check_value(value: Any) -> None:
    """Before anything is opened or made: a value has to be JSON, and of a size that can be shown."""
    if not _depth_left(value, DEEPEST):
        raise DctxError(
            f"The value is nested deeper than {DEEPEST} levels.",
            "--string keeps the value as text.",
        )
    try:
        text = as_json(value)
    except (ValueError, TypeError) as error:
        raise DctxError(
            "The value is not JSON: NaN and Infinity are not.", "--string keeps the value as text."
        ) from error
    if f'"{SECRET}":' in text or f'"{SEALED}":' in text:
        raise DctxError(
            f"{SECRET} and {SEALED} are what dctx calls a secret itself.", "Choose other keys."
        )
    if len(text) > LARGEST:
        raise DctxError(
            f"The value is too large: {len(text):,} characters of at most {LARGEST:,}.",
            "Keep it in a file, and its path here.",
        )


def _depth_left(value: Any, left: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    inside = value if isinstance(value, list) else []
    return left > 0 and all(_depth_left(inner, left - 1) for inner in inside)
