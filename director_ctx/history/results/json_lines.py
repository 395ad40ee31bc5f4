"""Lines of JSON: the schema once, and rows that are unlike the others, as they were written."""

from __future__ import annotations

import json

from director_ctx.history.results.json_rows import Rows, row_text
from director_ctx.history.results.reading import ResultReading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.results.sample import Sample

_BEGINS = ("{", "[")
_ENDS = ("}", "]")
_FEWEST = 3
_BROKEN = 10
"""One line in so many may be something else."""
_LONGEST = 400


def recognised(sample: Sample) -> bool:
    if not sample.text.startswith(_BEGINS) or len(sample.lines) < _FEWEST:
        return False
    return sample.lines[0].endswith(_ENDS)


def read(sample: Sample) -> ResultReading | None:
    lines = [line for line in sample.text.split("\n") if line.strip()]
    values: list[Any] = []
    broken = 0
    for line in lines:
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            # As a text it is of another kind than the others, and so it is odd.
            values.append(line)
            broken += 1
            if broken * _BROKEN > len(lines):
                return None
    if len(lines) < _FEWEST:
        return None
    rows = Rows(values)
    pieces: list[str] = []
    for line, value in zip(lines, values, strict=True):
        pieces.append(line if len(line) <= _LONGEST else row_text(value))
    return ResultReading(pieces, rows.worths(), "rows", [rows.summary()])
