"""What a search found, by file: each file with its hits, the first of each before the second of any."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.history.results.reading import (
    FAILS,
    FIRST,
    FRAME,
    ODD,
    ORNAMENT,
    PLAIN,
    ResultReading,
    counted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.results.sample import Sample

_FOUND = re.compile(r"((?:[A-Za-z]:)?[^\s:][^:\n]{0,250}?)[:](?:(\d+)[:])?(.*)")
_BESIDE = re.compile(r"([^\s:][^\n]{0,250}?)-(\d+)-(.*)")
_SHARE = 0.7
_FILE = re.compile(r"[\w./\\@+~ ()\[\]-]*(?:[./\\]\w+|/\w+)$")
"""What names a file: it has a slash or an ending."""
_SEARCHES = re.compile(r"\b(?:grep|rg|ag|ack|git grep|egrep)\b", re.IGNORECASE)
_LONGEST = 240
_DEFINES = re.compile(
    r"\s*(?:export |public |pub |async |static )*(?:def|class|func|fn|function|interface|type|struct|const)\b"
)
_STEP = 0.1
_LATEST = 20
_FEWEST = 4


def recognised(sample: Sample) -> bool:
    lines = [line for line in sample.lines if line.strip("-")]
    if len(lines) < _FEWEST:
        return False
    hits = 0
    numbered = 0
    for line in lines:
        parts = _parts(line)
        hits += parts is not None
        numbered += parts is not None and bool(parts[1])
    enough = len(lines) * _SHARE
    return numbered >= enough or (hits >= enough and _SEARCHES.search(sample.call) is not None)


def read(sample: Sample) -> ResultReading | None:
    by_file: dict[str, list[_Hit]] = {}
    pieces: list[str] = []
    """Whatever is said beside, first."""
    for line in sample.text.split("\n"):
        parts = _parts(line)
        if parts is not None:
            name, number, text = parts
            is_hit = line[len(name) : len(name) + 1] == ":"
            by_file.setdefault(name, []).append(_Hit(number, text.strip(), is_hit))
        elif line.strip(" -"):
            pieces.append(line)

    worths = [FRAME] * len(pieces)
    total = 0
    for name, hits in by_file.items():
        count = sum(hit.is_hit for hit in hits)
        total += count
        pieces.append(f"{name} ({count:,})" if count else name)
        worths.append(FAILS)
        pieces += [hit.line for hit in hits]
        worths += _worths(hits)
    told = f"{counted(total, 'hits')} in {counted(len(by_file), 'files')}"
    return ResultReading(pieces, worths, "lines", [told], has_gaps=False)


class _Hit(Record):
    """A line that was found, or one beside it."""

    number: str
    text: str
    is_hit: bool

    @property
    def line(self) -> str:
        number = f"{self.number}: " if self.number else ""
        return f"  {number}{self.text}"[:_LONGEST]

    @property
    def worth(self) -> float:
        if not self.text:
            return ORNAMENT
        if not self.is_hit:
            return PLAIN / 2
        return ODD if _DEFINES.match(self.text) else FIRST


def _parts(line: str) -> tuple[str, str, str] | None:
    """The file, the number and the text of a hit or of a line beside one."""
    for form in (_FOUND, _BESIDE):
        match = form.match(line)
        if match is not None and _FILE.match(match[1]):
            file, number, text = match.groups()
            return file, number or "", text
    return None


def _worths(hits: Sequence[_Hit]) -> list[float]:
    """Every file gets its first hit before any gets its second."""
    worths: list[float] = []
    for place, hit in enumerate(hits):
        later = min(place, _LATEST) * _STEP
        worths.append(hit.worth and max(hit.worth - later, PLAIN / 4))
    return worths
