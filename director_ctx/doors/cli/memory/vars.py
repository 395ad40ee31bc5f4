"""`dctx vars`: what the steps of the work left for each other, shown, set and cleared."""

from __future__ import annotations

import sys

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.secrets.find_shapes import HIDDEN
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.output import is_on_screen, put_json
from director_ctx.doors.cli.shared.output import put as put_text
from director_ctx.doors.cli.shared.speak import can_be_asked, say, speak
from director_ctx.doors.cli.shared.table import (
    most_rows,
    put_lines,
    put_table,
    put_unstyled,
    rows_wanted,
)
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.memory.store.open import project_here
from director_ctx.memory.variables.display import (
    change_json,
    listing,
    shown,
    shown_name,
    variable_json,
)
from director_ctx.memory.variables.variables import (
    LARGEST,
    NOT_GIVEN,
    clear_variable,
    clear_variables,
    needed_reason,
    set_variable,
    value_in,
    value_of,
    variable_history,
    variables,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project

    Values = dict[str, Any]


def show(values: Values) -> int:
    project = project_here(values["root"])
    name, node, reveal = values["name"], values["node"], values["reveal"]
    other = "NAME" if name is not None else "--history" if values["history"] else ""
    if other and node is not None:
        raise UsageProblem(f"{other} and --node exclude each other.", "Give one of them.")
    if values["history"]:
        return _show_changes(project, values)
    if name is not None:
        return _show_whole(value_of(project, name, reveal), reveal, values["json"])

    rows = variables(project, node)
    if values["json"]:
        put_json([{**variable_json(row), "value": value_in(row, reveal)} for row in rows])
    elif reveal:
        raise UsageProblem("--reveal shows one variable.", "Give its NAME, or --json for all.")
    elif rows:
        put_text(listing(rows) + "\n")
    else:
        say(f"No variable of node {shown_name(node)} is set." if node else "No variable is set.")
    return OK


def _show_whole(value: Any, reveal: bool, as_json: bool) -> int:
    """One value alone, fit for a script."""
    if not reveal and HIDDEN in str(value):
        say("What is hidden is shown by --reveal.")
    if as_json or not isinstance(value, str):
        put_json(value)
    # A terminal obeys what stands in a text; a program behind a pipe gets it as it is.
    elif is_on_screen():
        put_unstyled(value.split("\n"))
    else:
        put_text(value + "\n")
    return OK


def _show_changes(project: Project | None, values: Values) -> int:
    name, as_json = values["name"], values["json"]
    last = rows_wanted(values["last"])
    most = most_rows(last, as_json)
    # One more than is shown, so that it is known whether there are more.
    changes = variable_history(project, name, most + 1 if most else 0)
    rows = [change_json(change) for change in changes[-most:]]
    if as_json:
        put_json(rows)
    elif rows:
        table = []
        for row in rows:
            value = "cleared" if row["shown"] is None else row["shown"]
            time = local_time(row["time"])
            table.append([str(row["number"]), time, row["name"], value, row["reason"]])
        put_table([">Number", "Time", "Name", "Value", "Why"], table)
        if len(changes) > len(rows) and not last:
            put_lines([(f"The last {most}; --last N or --json shows more.", "dim")])
    else:
        say("No variable was ever set." if name is None else f"{shown_name(name)} was never set.")
    return OK


def put(values: Values) -> int:
    text = values["value"]
    is_piped_in = text == "-"
    reason = _reason(values, may_ask=not is_piped_in)
    # A command line is seen by every process of the machine, so a secret comes in by a pipe.
    if is_piped_in:
        text = _standard_input()
    value = text
    if not values["string"]:
        # Whoever only reads a variable does without JSON.
        from director_ctx.memory.variables.typed import typed_value

        value = typed_value(text)
    project = project_here(values["root"])
    change = set_variable(project, values["name"], value, reason, values["secret"])
    line = shown(change.name, change.stored or "")
    if values["json"]:
        put_json(
            {"name": change.name, "shown": line, "reason": change.reason, "number": change.number}
        )
    else:
        put_text(f"- {change.name} = {line}\n")
    return OK


def _reason(values: Values, may_ask: bool = True) -> str:
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


def clear(values: Values) -> int:
    if values["all"] == bool(values["name"]):
        raise UsageProblem("One variable is cleared, or all of them.", "Give its name, or --all.")
    project = project_here(values["root"])
    count = 1
    what = shown_name(values["name"] or "")
    if not values["all"]:
        clear_variable(project, values["name"], _reason(values))
    else:
        count = len(variables(project))
        if count and not values["yes"] and not says_yes(f"Clear {_number_of(count)}?"):
            say("Nothing was cleared.")
            return OK
        # What was set while somebody was asked is cleared, too, and counted.
        count = clear_variables(project, _reason(values)) if count else 0
        what = _number_of(count)
    if values["json"]:
        put_json({"cleared": count})
    else:
        put_text(f"Cleared {what}.\n")
    return OK


def _number_of(count: int) -> str:
    return "1 variable" if count == 1 else f"{count} variables"


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
