"""An answer as it comes, as Markdown: each paragraph is shown when it is complete, so that nothing that stands
on the screen is ever written again.
"""

from __future__ import annotations

import re

from director_ctx.base.text import visible
from director_ctx.chat.blocks import end_of_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

NARROWEST = 20
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


class MarkdownStream:
    """Takes pieces of any size."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._text = ""
        self._console: Any = None

    def take(self, piece: str) -> None:
        self._text += piece
        cut = end_of_block(self._text)
        if cut:
            self._show(self._text[:cut])
            self._text = self._text[cut:]

    def end(self) -> None:
        """What is left, where an answer ended or was stopped."""
        self._show(self._text)
        self._text = ""

    def _show(self, text: str) -> None:
        # What a model says may come from anywhere: nothing of it may steer the terminal.
        text = visible(text).strip("\n")
        if not text.strip():
            return
        # Rich is loaded while the provider is still writing.
        from rich.markdown import Markdown

        if self._console is None:
            from rich.console import Console

            self._console = Console(file=self._stream, highlight=False)
            self._console.width = max(self._console.width, NARROWEST)
        with self._console.capture() as shown:
            self._console.print(Markdown(text, hyperlinks=False))
        self._stream.write(f"{_without_blank_ends(shown.get())}\n\n")
        self._stream.flush()


def _without_blank_ends(text: str) -> str:
    """Lists, tables and code have blank lines around them of their own."""
    lines = text.split("\n")
    while lines and not _STYLE.sub("", lines[0]).strip():
        lines.pop(0)
    while lines and not _STYLE.sub("", lines[-1]).strip():
        lines.pop()
    return "\n".join(lines)
