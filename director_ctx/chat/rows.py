"""What is said in a turn, as rows of the chat; pure."""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.chat.exchange import ToolResult, ToolUse
from director_ctx.chat.reach import ANSWERED, ASSISTANT, CALLED, COMPACTED
from director_ctx.memory.conversations.chat_records import ChatRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.chat.exchange import Item
    from director_ctx.chat.reach import ChatStanding

NOT_CARRIED_OUT = (
    "This was not carried out: the turn ended before. Call it again if it is still needed."
)
OVER_LIMIT = "This was not carried out: {limit}. Say what you know, and what is left to do."


def refused(uses: Sequence[ToolUse], limit: str) -> list[ToolResult]:
    text = OVER_LIMIT.format(limit=limit)
    return [ToolResult(use, text, is_error=True) for use in uses]


def heard_row(text: str) -> ChatRow:
    """What was shown of an answer that never came whole: no id of the provider stands for it."""
    return ChatRow(place=0, role=ASSISTANT, text=text)


def call_row(use: ToolUse, response: str) -> ChatRow:
    return ChatRow(
        place=0,
        role=CALLED,
        text=use.arguments,
        tool=use.name,
        call=use.call,
        response=response,
    )


def compaction_row(block: Item, response: str) -> ChatRow:
    """Its words are there to be read; the provider wants the whole of it back."""
    return ChatRow(
        place=0,
        role=COMPACTED,
        text=str(block.get("content") or ""),
        block=dump(block),
        response=response,
    )


def answer_row(result: ToolResult) -> ChatRow:
    return ChatRow(
        place=0,
        role=ANSWERED,
        text=result.text,
        tool=result.use.name,
        call=result.use.call,
        error=result.is_error,
    )


def stub_row(call: ChatRow) -> ChatRow:
    """What a call is answered that nobody carried out."""
    return ChatRow(
        place=0,
        role=ANSWERED,
        text=NOT_CARRIED_OUT,
        tool=call.tool,
        call=call.call,
        error=True,
    )


def placed(standing: ChatStanding, rows: Sequence[ChatRow]) -> tuple[ChatRow, ...]:
    """The rows under the numbers that they have in the chat."""
    first = standing.next_place
    return tuple(row.replace(place=place) for place, row in enumerate(rows, first))
