"""Conversations and the store that keeps what was cut from them."""

from __future__ import annotations

from histories import Raw, acted, user


def text(number: int) -> str:
    return f"What the tool said {number}.\n" * 40


def run(turns: int = 12) -> list[Raw]:
    """A run of so many calls."""
    made = user("Mend it.")
    for number in range(turns):
        made += acted("bash", {"command": "ls"}, text(number), name=f"c{number}")
    return made
