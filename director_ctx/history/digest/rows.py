"""A result that is no running text, read by its form: a row a line, those that are unlike the others, and
of a page what it says, without its navigation.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.history.results.envelope import opened
from director_ctx.history.results.forms import FORMS
from director_ctx.history.results.reading import FIRST, ODD
from director_ctx.history.results.sample import Sample

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.results.reading import ResultReading

JSON, HTML = "JSON", "HTML"
"""The forms whose pieces are not their lines."""


class Telling(Record):
    """Which pieces of a form are told, whatever they name."""

    least: float
    """What a piece has to be worth."""
    first: int = 0
    last: int = 0
    """So many pieces at the start and at the end are only there for being first and last."""


TELLING = {
    "JSON lines": Telling(ODD, 1, 1),
    JSON: Telling(ODD, 1, 1),
    HTML: Telling(FIRST),
    "tests": Telling(ODD),
    "log": Telling(ODD),
    "table": Telling(ODD, 2, 1),
}
OF_ROWS = tuple(form for form in FORMS if form.name in TELLING)
"""Other forms have lines that name things, and are found by what they name."""
FEWEST, LARGEST = 2_000, 200_000
"""Characters of a result that is looked at."""
MOST = 5
"""So many rows of one result are told for being odd."""
_FILE = re.compile(r" *\d{1,7}(?:→|\t)")
"""The lines of a file are numbered."""


class RowsOfResult(Record):
    text: str
    """The result, with each row on a line of its own."""
    odd: Sequence[str]
    """The rows that are least like the others, whatever they name."""


def rows_of(text: str) -> RowsOfResult | None:
    """None if it has none of these forms, or too short or too long to look for them."""
    if not FEWEST <= len(text) <= LARGEST or _FILE.match(text):
        return None
    envelope = opened(text)
    if envelope.numbers:
        return None
    sample = Sample(envelope.body)
    for form in OF_ROWS:
        reading = form.read(sample) if form.recognised(sample) else None
        if reading is None:
            continue
        if form.name in (JSON, HTML):
            text = "\n".join((*reading.above, *reading.pieces))
        return RowsOfResult(text, _odd(reading, TELLING[form.name]))
    return None


def _odd(reading: ResultReading, telling: Telling) -> list[str]:
    """What failed before what is only unlike, the first before the next."""
    worths = reading.worths
    between = range(telling.first, len(worths) - telling.last)
    odd = [place for place in between if worths[place] >= telling.least]
    odd.sort(key=lambda place: -worths[place])
    return [reading.pieces[place] for place in odd[:MOST]]
