"""How far a large compression is, in one line of the terminal that is written over."""

from __future__ import annotations

import sys

from director_ctx.doors.cli.shared.speak import speak
from director_ctx.history.compress.progress import DONE

LARGE = 5_000_000
"""Bytes of a conversation that takes longer than people wait without a word."""
_WIPED = "\r\x1b[K"


class ProgressLine:
    """Nothing where nobody sits, or where it is done at once."""

    def __init__(self, size: int) -> None:
        is_seen = bool(sys.stderr and sys.stderr.isatty())
        self._is_shown = is_seen and size > LARGE

    def start(self, size: int) -> None:
        self._show(f"0%: {size / 1_000_000:,.0f} MB are read …")

    def tell(self, done: str) -> None:
        self._show(f"{DONE[done]}%: {done} …")

    def end(self) -> None:
        """What follows has a line of its own."""
        if self._is_shown:
            speak(_WIPED)

    def _show(self, text: str) -> None:
        if self._is_shown:
            speak(f"{_WIPED}dctx: {text}")
