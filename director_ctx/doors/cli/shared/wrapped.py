"""Sentences on a terminal: whole words on each line. A pipe has lines of any length."""

from __future__ import annotations

import sys

NARROWEST = 20


def wrapped(text: str, column: int = 0) -> list[str]:
    """The lines of a text that begins in a column."""
    if not (sys.stdout and sys.stdout.isatty()):
        return [text]
    from shutil import get_terminal_size
    from textwrap import wrap

    width = max(NARROWEST, get_terminal_size().columns - column)
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)
