"""What was said in a chat, turn by turn, as a page shows it; pure."""

from __future__ import annotations

from director_ctx.base.record import as_dict
from director_ctx.chat.display import tool_line
from director_ctx.chat.exchange import ToolUse, TurnUsage, usage_in
from director_ctx.chat.state import ANSWERED, ASSISTANT, CALLED, USER, is_taken, turns_of
from director_ctx.history.sessions.told import shown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.chat.state import ChatState
    from director_ctx.memory.conversations.chat_records import ChatRow

    Json = dict[str, Any]

MOST_RESULT = 8_000
"""Characters of what a tool answered."""


def turns_json(state: ChatState) -> list[Json]:
    """Without what was taken back."""
    cursor = state.cursor
    rows = [row for row in state.rows if not is_taken(cursor, row.place)]
    turns: list[Json] = []
    for number, said in enumerate(turns_of(rows), 1):
        usage = TurnUsage()
        for row in said:
            if row.usage:
                usage = usage.plus(usage_in(row.usage))
        turn = {
            "number": number,
            "place": said[0].place,
            "summed": said[-1].place <= cursor.since,
            "entries": _entries(said),
            "usage": as_dict(usage),
        }
        turns.append(turn)
    return turns


def _entries(rows: Sequence[ChatRow]) -> list[Json]:
    """A call has its result beside it."""
    entries: list[Json] = []
    calls: dict[str, Json] = {}
    for row in rows:
        if row.role == ANSWERED:
            _put_result(calls.get(row.call, {}), row)
            continue
        if row.role == CALLED:
            entry = _call(row)
            calls[row.call] = entry
        else:
            role = USER if row.role == USER else ASSISTANT
            entry = {"role": role, "place": row.place, "text": shown_text(row.text)}
        entries.append(entry)
    return entries


def _call(row: ChatRow) -> Json:
    """Without its result, which comes later."""
    line = tool_line(ToolUse(row.call, row.tool, row.text))
    name, _, given = shown_text(line).partition(" ")
    return {
        "role": CALLED,
        "place": row.place,
        "tool": name,
        "given": given,
        "result": None,
        "left_out": 0,
        "failed": False,
    }


def _put_result(call: Json, row: ChatRow) -> None:
    text = shown_text(row.text)
    call["result"] = text[:MOST_RESULT]
    call["left_out"] = max(0, len(text) - MOST_RESULT)
    call["failed"] = row.error
