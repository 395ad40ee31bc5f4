"""What a turn shows at a terminal while it goes on: the answer, and calls of tools between its parts."""

from __future__ import annotations

import sys

from director_ctx.chat.tool_line import tool_line
from director_ctx.doors.cli.shared.speak import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.exchange import ToolUse
    from director_ctx.doors.cli.chat.markdown import MarkdownStream


class ChatScreen:
    """Begins to lay an answer out with its first piece."""

    def __init__(self) -> None:
        self._stream: MarkdownStream | None = None

    def take(self, piece: str) -> None:
        if self._stream is None:
            from director_ctx.doors.cli.chat.markdown import MarkdownStream

            self._stream = MarkdownStream(sys.stdout)
        self._stream.take(piece)

    def end(self) -> None:
        """What was said so far is complete, or was stopped."""
        if self._stream is not None:
            self._stream.end()

    def tell_use(self, use: ToolUse) -> None:
        self.end()
        say(tool_line(use))
