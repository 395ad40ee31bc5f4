"""A line of JSON lines that is no message: it is not read any further, and written back as it was."""

from __future__ import annotations


class Line:
    """Stands for a line by its number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number
