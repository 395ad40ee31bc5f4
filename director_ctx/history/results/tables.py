"""Tables: CSV and its kin, and those that are drawn with bars. The header, and rows that are unlike the
others.
"""

from __future__ import annotations

import csv
from itertools import zip_longest

from director_ctx.history.results.columns import FEWEST, MISSING, Oddness, summary
from director_ctx.history.results.reading import FAILS, FRAME, ORNAMENT, PLAIN, ResultReading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.results.sample import Sample

_DELIMITERS = "\t;,|"
_LONGEST_HEADER = 400
_NO_HEADER = ("(", "{", "=", "<", "/*", "//", "#!", '":')
"""What code has in its first line, and the header of a table has not."""
_FIT = 0.9
"""The share of lines that have as many cells as the header."""
_COMMAS = 2
"""A comma alone may be one of a sentence."""
_RULE = set("|-+=: ")
_BAR = "|"
_TOLD_COLUMNS = 16
_NUMERIC = 0.9


def recognised(sample: Sample) -> bool:
    if len(sample.lines) <= FEWEST:
        return False
    return _is_drawn(sample.lines) or bool(_delimiter(sample))


def read(sample: Sample) -> ResultReading | None:
    lines = sample.text.split("\n")
    if _is_drawn(sample.lines):
        return _drawn(lines)
    return _delimited(lines, _delimiter(sample))


def _is_drawn(lines: Sequence[str]) -> bool:
    """Whether there is a rule below the header, and bars between the cells."""
    rules = 0
    bars = 0
    for line in lines:
        rules += _is_rule(line)
        bars += _BAR in line
    return 0 < rules < FEWEST and bars >= (len(lines) - rules) * _FIT and bars >= FEWEST


def _is_rule(line: str) -> bool:
    return "--" in line and _RULE.issuperset(line.strip())


def _delimiter(sample: Sample) -> str:
    lines = sample.lines
    header = lines[0]
    is_plain = not any(mark in header for mark in _NO_HEADER)
    if len(header) > _LONGEST_HEADER or not is_plain or header[:1].isspace():
        return ""
    for delimiter in _DELIMITERS:
        cells = header.count(delimiter)
        least = 1 if delimiter == "\t" or ".csv" in sample.call else _COMMAS
        if cells < least:
            continue
        like_header = sum(line.count(delimiter) == cells for line in lines)
        if delimiter == "," and '"' in lines[1]:
            like_header = sum(line.count(delimiter) >= cells for line in lines)
        if like_header >= len(lines) * _FIT:
            return delimiter
    return ""


def _drawn(lines: Sequence[str]) -> ResultReading:
    """Whatever stands between bars; other lines are text around the table."""
    places: list[int] = []
    rows: list[list[str]] = []
    worths = [PLAIN] * len(lines)
    for place, line in enumerate(lines):
        if _is_rule(line):
            worths[place] = FRAME if place < FEWEST else ORNAMENT
        elif _BAR in line:
            cells = line.strip().strip(_BAR).split(_BAR)
            places.append(place)
            rows.append([cell.strip() for cell in cells])
        elif line.strip():
            worths[place] = FRAME
    return _reading(lines, worths, places, rows)


def _delimited(lines: Sequence[str], delimiter: str) -> ResultReading | None:
    places: list[int] = []
    rows: list[list[str]] = []
    pieces: list[str] = []
    reader = csv.reader(iter(lines), delimiter=delimiter)
    begin = 0
    try:
        for cells in reader:
            # A cell in quotes may go on over several lines.
            piece = "\n".join(lines[begin : reader.line_num])
            begin = reader.line_num
            if cells:
                places.append(len(pieces))
                rows.append([cell.strip() for cell in cells])
            pieces.append(piece)
    except csv.Error:
        return None
    return _reading(pieces, [PLAIN] * len(pieces), places, rows)


def _reading(
    pieces: Sequence[str],
    worths: list[float],
    places: Sequence[int],
    rows: Sequence[Sequence[str]],
) -> ResultReading:
    header, *body = rows
    columns = [_typed(cells) for cells in zip_longest(*body, fillvalue=MISSING)]
    oddness = Oddness(len(body))
    oddness.rare(list(map(len, body)))
    for cells in columns:
        oddness.column(cells)

    worths[places[0]] = FAILS + 1
    for place, worth in zip(places[1:], oddness.worths(), strict=True):
        worths[place] = worth
    told: list[str] = []
    for name, cells in zip(header, columns[:_TOLD_COLUMNS], strict=False):
        told.append(summary(name, cells))
    above = f"{len(body):,} rows; {'; '.join(told)}"
    return ResultReading(pieces, worths, "rows", [above])


def _typed(cells: Sequence[Any]) -> list[Any]:
    """Numbers as such, in a column that is made of them."""
    numbers: list[Any] = []
    count = 0
    filled = 0
    for cell in cells:
        number = _number(cell)
        numbers.append(cell if number is None else number)
        count += number is not None
        filled += bool(cell) and cell is not MISSING
    typed = numbers if count >= filled * _NUMERIC else cells
    # An empty cell is one that is missing.
    return [MISSING if cell == "" else cell for cell in typed]


def _number(cell: Any) -> float | None:
    # Trying is dear where it fails, and words hardly end with a digit.
    if not isinstance(cell, str) or not cell[-1:].isdigit():
        return None
    try:
        return float(cell)
    except ValueError:
        return None
