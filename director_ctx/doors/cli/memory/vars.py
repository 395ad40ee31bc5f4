"""`dctx vars`: what the steps of the work left for each other, listed, printed, set and cleared."""

from __future__ import annotations

import sys

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.secrets.find_shapes import HIDDEN
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.output import is_on_screen, put_json
from director_ctx.doors.cli.shared.output import put as put_text
from director_ctx.doors.cli.shared.speak import can_be_asked, say, speak
from director_ctx.doors.cli.shared.table import put_unstyled
from director_ctx.memory.store.open import project_here
from director_ctx.memory.variables.display import listing, shown, shown_name, variable_json
from director_ctx.memory.variables.variables import (
    LARGEST,
    NOT_GIVEN,
    clear_variable,
    clear_variables,
    needed_reason,
    set_variable,
    value_of,
    values_of,
    variables,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.variables.entries import VariableChange


def list_variables(values: dict[str, Any]) -> int:
    rows = variables(project_here(values["root"]), values["node"])
    if values["json"]:
        put_json([variable_json(variable) for variable in rows])
    elif rows:
        put_text(listing(rows) + "\n")
    elif values["node"] is None:
        say("No variable is set.")
    else:
        say(f"No variable of node {shown_name(values['node'])} is set.")
    return OK


def get(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    name, node = values["name"], values["node"]
    ways = [name is not None, values["all"], node is not None]
    if ways.count(True) != 1:
        raise UsageProblem(
            "Name a variable, or say --all or --node N.", "`dctx vars list` shows what there is."
        )
    if name is None:
        put_json(values_of(project, node, values["reveal"]))
        return OK

    value = value_of(project, name, values["reveal"])
    if not values["reveal"] and HIDDEN in str(value):
        say("What is hidden is shown by --reveal.")
    if values["json"] or not isinstance(value, str):
        put_json(value)
    # A terminal obeys what stands in a text; a program behind a pipe gets it as it is.
    elif is_on_screen():
        put_unstyled(value.split("\n"))
    else:
        put_text(value + "\n")
    return OK


def put(values: dict[str, Any]) -> int:
    text = values["value"]
    is_piped_in = text == "-"
    reason = _reason(values, may_ask=not is_piped_in)
    # A command line is seen by every process of the machine, so a secret comes in by a pipe.
    if is_piped_in:
        text = _standard_input()
    value = text
    if not values["string"]:
        value = _typed_value(text)
    project = project_here(values["root"])
    change = set_variable(project, values["name"], value, reason, values["secret"])
    return _put_change(values, change)


def _reason(values: dict[str, Any], may_ask: bool = True) -> str:
    """Why something is changed: as the option says, else as whoever sits at the terminal says."""
    if values["reason"] is not None:
        return needed_reason(values["reason"])
    if may_ask and can_be_asked():
        speak("Why this change? (kept with it; Enter for no reason) ")
        line = sys.stdin.readline()
        if not line:
            raise DctxError("Nothing was changed, because the question had no answer.")
        return needed_reason(line.strip() or NOT_GIVEN)

    say(f"The reason is kept as {NOT_GIVEN!r}.", "--reason TEXT keeps why the variable changed.")
    return NOT_GIVEN


def _put_change(values: dict[str, Any], change: VariableChange) -> int:
    line = shown(change.name, change.stored or "")
    if values["json"]:
        put_json(
            {"name": change.name, "shown": line, "reason": change.reason, "number": change.number}
        )
    else:
        put_text(f"- {change.name} = {line}\n")
    return OK


def _typed_value(text: str) -> Any:
    # Whoever only reads a variable does without JSON.
    from director_ctx.memory.variables.typed import typed_value

    return typed_value(text)


def clear(values: dict[str, Any]) -> int:
    if values["all"] == bool(values["name"]):
        raise UsageProblem("One variable is cleared, or all of them.", "Give its name, or --all.")
    if values["all"]:
        return _clear_all(values)
    reason = _reason(values)
    clear_variable(project_here(values["root"]), values["name"], reason)
    if values["json"]:
        put_json({"cleared": 1})
    else:
        put_text(f"Cleared {shown_name(values['name'])}.\n")
    return OK


def _clear_all(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    count = len(variables(project))
    if count and not values["yes"] and not says_yes(f"Clear {_number_of(count)}?"):
        say("Nothing was cleared.")
        return OK
    if count:
        reason = _reason(values)
        # What was set while somebody was asked is cleared, too, and counted.
        count = clear_variables(project, reason)
    if values["json"]:
        put_json({"cleared": count})
    else:
        put_text(f"Cleared {_number_of(count)}.\n")
    return OK


def _number_of(count: int) -> str:
    if count == 1:
        return "1 variable"
    return f"{count} variables"


def _standard_input() -> str:
    """The text byte for byte, but for the line end that comes after it: a secret is not to be
    mended.
    """
    if sys.stdin is None:
        raise DctxError(
            "There is no standard input.", "Give the value as an argument, or pipe it in."
        )
    # More bytes than the largest value takes in any script; the store refuses it with a sentence.
    data = sys.stdin.buffer.read(4 * LARGEST + 1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DctxError(
            "What came in is not text in UTF-8.", "Encode it first, for example with base64."
        ) from error
    return text.removesuffix("\n").removesuffix("\r")
