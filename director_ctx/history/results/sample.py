"""A result as forms look at it: all of it, its first lines, and the call that made it."""

from __future__ import annotations

LINES = 80
CHARACTERS = 20_000
"""At the beginning, and so many lines of them, show what a result is."""


class Sample:
    """What several forms ask for is worked out once."""

    __slots__ = ("call", "end", "head", "lines", "text")

    def __init__(self, text: str, call: str = "") -> None:
        self.text = text
        self.call = call
        """The tool, and what it was given."""
        self.head = text[:CHARACTERS]
        self.end = text[-CHARACTERS:]
        self.lines: list[str] = []
        """The first ones that are not blank."""
        for line in self.head.split("\n"):
            if line.strip():
                self.lines.append(line.rstrip("\r"))
            if len(self.lines) == LINES:
                break
