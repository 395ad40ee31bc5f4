"""What a form makes of a text: its pieces in order, and what each is worth."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FAILS = 6.0
"""What went wrong, where that is not the rule."""
ODD = 5.0
"""Rows that are not like the others."""
FRAME = 4.0
"""What the rest hangs on: headings, signatures, the first row and the last."""
FIRST = 3.0
"""The first of several that are alike."""
LAST = 2.0
"""The last of them."""
PLAIN = 1.0
ORNAMENT = 0.0
"""Goes in any case."""


def counted(number: int, unit: str) -> str:
    """Such as `1 line`, `2 lines`."""
    return f"{number:,} {unit.removesuffix('s') if number == 1 else unit}"


class ResultReading(Record):
    """A text as pieces; a piece is one line, or several that say something only together."""

    pieces: Sequence[str]
    worths: Sequence[float]
    """Of each piece. Whoever is worth more stays longer; of equals, who comes first."""
    unit: str = "lines"
    """What is counted where pieces are missing."""
    above: Sequence[str] = ()
    """Lines of our own that tell of all pieces at once."""
    has_gaps: bool = True
    """Whether a line tells of each gap; not where the pieces count themselves."""
