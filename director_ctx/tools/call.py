"""One call of a tool while it is being answered: whether somebody still waits, and how far it is."""

from __future__ import annotations


class Cancelled(Exception):
    """Nobody waits for the answer any more."""


class ToolCall:
    """Work looks at it at each of its steps. This one is waited for to its end; doors have their own."""

    def __init__(self, client: str = "") -> None:
        self.client = client
        """What the client calls itself; empty where it does not say."""

    def check(self) -> None:
        """Ends the work where its answer would be thrown away."""

    def progress(self, done: int, total: int, doing: str) -> None:
        """Tells how far it is, if somebody wants to know."""
        self.check()
