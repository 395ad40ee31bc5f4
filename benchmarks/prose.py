"""Text for the generated project: plain sentences, always the same for the same seed."""

from __future__ import annotations

import random

_WHO = (
    "A member", "The organiser", "Every visitor", "Whoever lends something", "The person at the desk", "A neighbour",
)  # fmt: skip
_DOES = (
    "looks up",
    "hands back",
    "keeps",
    "sorts",
    "writes down",
    "passes on",
    "checks",
    "puts aside",
    "describes",
)
_WHAT = (
    "the borrowed tool", "a reserved date", "the list of repairs", "each deposit", "the opening hours",
    "a damaged part", "the reminder", "the shelf number", "a note for the next person", "the waiting list",
)  # fmt: skip
_WHEN = (
    "before the shop opens", "at the end of the month", "as soon as the first one is back", "once a week",
    "while others wait", "without asking twice", "so that nothing gets lost", "in the order of arrival",
)  # fmt: skip
_TOPICS = (
    "Loans", "Returns", "Deposits", "Repairs", "Reminders", "Opening hours", "Members", "Shelves", "Photos",
    "Dates", "Notices", "Reports", "Names and addresses", "Lost items",
)  # fmt: skip


def sentence(chance: random.Random) -> str:
    return f"{chance.choice(_WHO)} {chance.choice(_DOES)} {chance.choice(_WHAT)} {chance.choice(_WHEN)}."


def paragraph(chance: random.Random, length: int = 4) -> str:
    return " ".join(sentence(chance) for _ in range(length))


def note(title: str, size: int) -> str:
    """A Markdown note of about `size` bytes: sections of prose, lists and code, as a survey of a
    code base has.
    """
    chance = random.Random(title)
    parts = [f"# {title}", "**Analysis Date:** 2025-03-20"]
    room = size - sum(map(len, parts))
    while room > 0:
        part = _passage(chance, len(parts))
        parts.append(part)
        room -= len(part) + 2
    return "\n\n".join(parts) + "\n"


def _passage(chance: random.Random, number: int) -> str:
    name = chance.choice(_TOPICS)
    body = {0: _bullets, 1: _code}.get(number % 4, paragraph)(chance)
    return f"## {name} {number}\n\n{body}"


def _bullets(chance: random.Random) -> str:
    return "\n".join(
        f"- `src/module_{chance.randrange(60):02}.py`: {sentence(chance)}" for _ in range(4)
    )


def _code(chance: random.Random) -> str:
    code = f"# {sentence(chance)}\ndef step(item: str) -> str:\n    return item.strip()"
    return f"{paragraph(chance)}\n\n```python\n{code}\n```"
