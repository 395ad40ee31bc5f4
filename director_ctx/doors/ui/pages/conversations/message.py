"""One message in full: what is folded in its conversation, and the address of what was said."""

from __future__ import annotations

from director_ctx.doors.ui.pages.conversations.entries import MOST_TEXT
from director_ctx.doors.ui.pages.conversations.read_sessions import (
    address_of,
    read_session,
    session_json,
)
from director_ctx.doors.ui.visit import NotThere, number_in
from director_ctx.history.sessions.told import row_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Json = dict[str, Any]


def data(visit: Visit) -> Json:
    """With the result of what it called, or the call that it is the result of."""
    number = number_in(visit.parts["number"], "the number of a message")
    read = read_session(visit)
    rows: list[Json] = []
    level = 0
    archived = False
    for entry in read.told.entries:
        if number in [row.message for row in entry.rows]:
            rows += [row_json(row, MOST_TEXT) for row in entry.rows]
            level = entry.level
            archived = entry.archived
    if not rows:
        raise NotThere(f"This conversation has no message {number}.", "Its numbers begin with 1.")
    return {
        "session": session_json(read.session),
        "number": number,
        "mark": visit.asked("mark").strip(),
        "level": level,
        "archived": archived,
        "rows": rows,
        "messages": len(read.told.filled),
    }


def view(data: Json) -> Json:
    return {"message": data, "address": address_of(data["session"]["id"])}
