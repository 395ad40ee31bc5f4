"""Documents in Markdown: headings, then how each paragraph and each item begins."""

from __future__ import annotations

import re

from director_ctx.history.results.code import names_code
from director_ctx.history.results.reading import (
    FIRST,
    FRAME,
    LAST,
    ODD,
    ORNAMENT,
    PLAIN,
    ResultReading,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.results.sample import Sample

_HEADING = re.compile(r"(#{1,6}) \S|(?:\*\*[^*\n]+\*\*:?)$")
_TELLING = re.compile(r"#{2,6} \S|(?:\*\*[^*\n]+\*\*:?)$")
"""A heading that cannot be a comment of code."""
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]) \S")
_FEWEST = 2
_SPARSE = 40
"""At least one line in so many is a heading."""
_FENCE = "```"


def recognised(sample: Sample) -> bool:
    lines = sample.lines
    if ".md" in sample.call.lower():
        return any(map(_HEADING.match, lines))
    if names_code(sample.call):
        return False
    headings = sum(_TELLING.match(line) is not None for line in lines)
    headings += sum(line.startswith(_FENCE) for line in lines)
    return headings >= _FEWEST and headings * _SPARSE >= len(lines)


def read(sample: Sample) -> ResultReading | None:
    lines = sample.text.split("\n")
    place = _Place()
    return ResultReading(lines, [place.worth(line) for line in lines])


class _Place:
    """What each line is worth, by what came before it."""

    def __init__(self) -> None:
        self._in_code = False
        self._was_blank = True
        self._was_heading = False

    def worth(self, line: str) -> float:
        if line.lstrip().startswith(_FENCE):
            self._in_code = not self._in_code
            return PLAIN / 2
        if not line.strip():
            # What follows a heading may have a blank line before it.
            self._was_blank = True
            return ORNAMENT

        heading = None if self._in_code else _HEADING.match(line)
        worth = self._worth_of_text(line)
        if heading is not None:
            worth = ODD - len(heading[1] or "####") / 10
        self._was_heading = heading is not None
        self._was_blank = False
        return worth

    def _worth_of_text(self, line: str) -> float:
        if self._in_code:
            return PLAIN
        if self._was_heading:
            return FRAME
        if self._was_blank:
            return FIRST
        return LAST if _ITEM.match(line) else PLAIN
