"""`dctx vars history`: every change of a variable, with its reason."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import most_rows, put_lines, put_table, rows_wanted
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.memory.store.open import project_here
from director_ctx.memory.variables.display import (
    change_json,
    change_reason,
    change_value,
    shown_name,
)
from director_ctx.memory.variables.variables import variable_history

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.variables.entries import VariableChange

CLEARED = "cleared"


def history(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    most = most_rows(last, values["json"])
    # One more than is shown, so that it is known whether there are more.
    asked = 0
    if most:
        asked = most + 1
    changes = variable_history(project_here(values["root"]), values["name"], asked)
    more = bool(most) and len(changes) > most
    changes = changes[-most:]

    if values["json"]:
        put_json([change_json(change) for change in changes])
    elif changes:
        rows = [_row(change) for change in changes]
        put_table([">Number", "Time", "Name", "Value", "Why"], rows)
        if more and not last:
            put_lines([(f"The last {most}; --last N or --json shows more.", "dim")])
    elif values["name"] is None:
        say("No variable was ever set.")
    else:
        say(f"{shown_name(values['name'])} was never set.")
    return OK


def _row(change: VariableChange) -> list[str]:
    value = change_value(change)
    return [
        str(change.number),
        local_time(change.changed_at),
        shown_name(change.name),
        CLEARED if value is None else value,
        change_reason(change),
    ]
