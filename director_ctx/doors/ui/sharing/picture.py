"""Budgets as a picture that stands alone, for a document or a review."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import counted
from director_ctx.context.settings.tags import title
from director_ctx.doors.ui.pages.bars import WIDTH, BarPiece, kinds_in, pieces, place_of
from director_ctx.doors.ui.serving.rendering import number, percent, rendered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Json = dict[str, Any]

LINE = 30
"""Height of a line, and of the title."""
NAMES, BAR, NUMBERS = 150, 430, 200
"""Widths of the three columns."""


class PictureLine(Record):
    name: str
    pieces: Sequence[BarPiece]
    tokens: str
    share: str
    stable: float = 0


def of_agents(rows: Sequence[Json]) -> str:
    """A line for each agent that has a context; the longest bar is the largest of them."""
    contexts = [row for row in rows if "error" not in row]
    largest = max([context["budget"]["used"] for context in contexts], default=1)
    lines = []
    for context in contexts:
        lines.append(_context_line(context["agent"], context, largest))
    return _picture(f"Context budget: {counted(len(lines), 'agent')}", lines)


def of_agent(row: Json) -> str:
    """Its whole context, then a line for each section."""
    heading = f"Context budget: {row['agent']}"
    if row["task"]:
        heading += f", task {row['task']['ref']}"
    used = row["budget"]["used"]
    whole = pieces(row["sections"], used)
    lines = [_context_line("All", row, used)]
    for piece in whole:
        # Below the place that it has in the whole.
        name = title(piece.tag)
        share = percent(piece.tokens, used)
        lines.append(PictureLine(name, [piece], number(piece.tokens), share))
    return _picture(heading, lines)


def _context_line(name: str, row: Json, longest: int) -> PictureLine:
    budget = row["budget"]
    return PictureLine(
        name=name,
        pieces=pieces(row["sections"], longest),
        tokens=number(budget["used"]),
        share=f"{budget['percent']}% of window",
        stable=place_of(row["stable_prefix_tokens"], longest),
    )


def _picture(heading: str, lines: Sequence[PictureLine]) -> str:
    return rendered(
        "budget_picture",
        heading=heading,
        lines=lines,
        kinds=kinds_in(line.pieces for line in lines),
        line_height=LINE,
        names=NAMES,
        bar=BAR,
        width=NAMES + BAR + NUMBERS,
        height=LINE * (len(lines) + 3) + 10,
        has_stable=any(line.stable for line in lines),
        scale=BAR / WIDTH,
    )
