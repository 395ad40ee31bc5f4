"""Tokens as bars: sections beside each other, each in the colour of its kind."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.settings.tags import (
    BROWSER,
    CHANGES,
    CODEBASE,
    CODEBASE_SUMMARY,
    COMPRESSED,
    CONVERSATION,
    COST,
    DECISIONS,
    GAMEPLAN,
    INSTRUCTIONS,
    ISSUES,
    PLAN,
    RECENT,
    REFERENCE,
    RESEARCH,
    RESEARCH_SUMMARY,
    SNAPSHOT,
    STATE,
    STEP,
    STEP_RESEARCH,
    SYSTEM,
    TASK,
    VARIABLES,
    VISION,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Json = dict[str, Any]

WIDTH = 1000
"""Of a bar, in its own units."""
KINDS = (
    ("purpose", "What it is for", (VISION, GAMEPLAN)),
    ("work", "The work", (STEP, DECISIONS, TASK, STATE, PLAN, SNAPSHOT)),
    (
        "notes",
        "Notes and documents",
        (CODEBASE, CODEBASE_SUMMARY, RESEARCH, RESEARCH_SUMMARY, STEP_RESEARCH, REFERENCE),
    ),
    ("events", "What happened", (RECENT, CHANGES, ISSUES, COST)),
    ("talk", "Talk and findings", (CONVERSATION, COMPRESSED, VARIABLES, BROWSER)),
    ("rules", "Instructions", (INSTRUCTIONS, SYSTEM)),
)
"""A kind's colour, its name, and the sections that it has."""
OTHER = "rules"


class BarPiece(Record):
    """One section of a bar."""

    tag: str
    tokens: int
    kind: str
    x: float
    width: float


def kind_of(tag: str) -> str:
    for kind, _, tags in KINDS:
        if tag in tags:
            return kind
    return OTHER


def pieces(sections: Iterable[Json], whole: int) -> list[BarPiece]:
    """The sections of a context, in a bar that is as long as `whole`."""
    unit = WIDTH / max(1, whole)
    at = 0
    row = []
    for section in sections:
        tokens = section["tokens"]
        tag = section["tag"]
        x = round(at * unit, 2)
        row.append(BarPiece(tag, tokens, kind_of(tag), x, round(tokens * unit, 2)))
        at += tokens
    return row


def kinds_in(rows: Iterable[Sequence[BarPiece]]) -> list[tuple[str, str]]:
    """The kinds that some bars have, with their names, for what explains the colours."""
    known = {piece.kind for row in rows for piece in row}
    return [(kind, name) for kind, name, _ in KINDS if kind in known]


def place_of(tokens: int, whole: int) -> float:
    """Where in a bar a number of tokens is."""
    return round(min(WIDTH, tokens * WIDTH / max(1, whole)), 2)
