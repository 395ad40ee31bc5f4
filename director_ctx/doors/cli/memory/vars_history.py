"""`dctx vars history`: every change of a variable, with its reason."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.base.secrets import redact
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import MOST_SHOWN, put_lines, put_table, rows_wanted
from director_ctx.memory.store.open import project_here
from director_ctx.memory.variables.display import shown, shown_name
from director_ctx.memory.variables.variables import variable_history

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.variables.entries import Change

CLEARED = "cleared"


def history(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    most = last or (0 if values["json"] else MOST_SHOWN)
    found = variable_history(project_here(values["root"]), values["name"], most + 1 if most else 0)
    more, found = bool(most) and len(found) > most, found[-most:]
    if values["json"]:
        put_json([_json(one) for one in found])
    elif not found:
        say(
            "No variable was ever set."
            if values["name"] is None
            else f"{shown_name(values['name'])} was never set."
        )
    else:
        put_table([">Number", "Time", "Name", "Value", "Why"], [_row(one) for one in found])
        if more and not last:
            put_lines([(f"The last {most}; --last N or --json shows more.", "dim")])
    return OK


def _row(one: Change) -> list[str]:
    from director_ctx.doors.cli.contexts.budget_history import local

    return [str(one.number), local(one.changed_at), shown_name(one.name), _value(one), _reason(one)]


def _json(one: Change) -> dict[str, Any]:
    return {
        "number": one.number,
        "time": one.changed_at,
        "name": shown_name(one.name),
        "shown": None if one.sealed is None else shown(one.name, one.sealed),
        "reason": _reason(one),
    }


def _value(one: Change) -> str:
    return CLEARED if one.sealed is None else shown(one.name, one.sealed)


def _reason(one: Change) -> str:
    return redact(plain(one.reason))
