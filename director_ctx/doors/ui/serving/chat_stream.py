"""An answer that is being made, as a browser reads it."""

from __future__ import annotations

from json import dumps

from director_ctx.doors.ui.serving.markdown import message_as_html
from director_ctx.history.sessions.told import shown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from director_ctx.doors.ui.running_chats import RunningTurn


async def chat_lines(turn: RunningTurn) -> AsyncIterator[str]:
    """Whole paragraphs as HTML, what is written right now as it is, and at last that it is over."""
    async for piece in turn.pieces():
        if piece is None:
            yield ":\n\n"
            continue
        told = {
            "from": piece.first,
            "blocks": [message_as_html(shown_text(block)) for block in piece.blocks],
            "rest": shown_text(piece.rest),
        }
        yield f"event: said\ndata: {dumps(told)}\n\n"
    yield "event: over\ndata: 1\n\n"
