"""Values of JSON as rows of a table: the schema once, and what each row is worth."""

from __future__ import annotations

import json
from itertools import islice

from director_ctx.history.results.columns import MISSING, Oddness, summary
from director_ctx.history.results.long_text import clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_DEEPEST = 3
"""Objects in a row that are looked into."""
_MOST_COLUMNS = 60
_TOLD_COLUMNS = 16
_LONGEST_ROW = 400
_LONGEST_TEXT = 120
"""Characters of a text in a row that is too long."""
_MOST_ITEMS = 6
"""Items of a list in a row that is too long."""


class Rows:
    """Items of one list, or lines of one file."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = rows
        self._columns = _columns(rows)

    def worths(self) -> list[float]:
        oddness = Oddness(len(self._rows))
        oddness.rare([shape(row) for row in self._rows])
        for cells in self._columns.values():
            oddness.column(cells)
        return oddness.worths()

    def summary(self) -> str:
        """How many there are, and what is in each."""
        told: list[str] = []
        for name, cells in islice(self._columns.items(), _TOLD_COLUMNS):
            told.append(summary(name, cells))
        more = len(self._columns) - len(told)
        if more > 0:
            told.append(f"{more} more")
        columns = "; ".join(filter(None, told))
        return f"{len(self._rows):,} rows; {columns}".rstrip("; ")

    def texts(self) -> list[str]:
        return list(map(row_text, self._rows))


def _columns(rows: Sequence[Any]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for place, row in enumerate(rows):
        for name, value in _cells(row, "", 0):
            cells = columns.get(name)
            if cells is None:
                if len(columns) == _MOST_COLUMNS:
                    continue
                cells = columns[name] = [MISSING] * len(rows)
            cells[place] = value
    return columns


def _cells(row: Any, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Every value in a row, by the names on the way to it."""
    if not isinstance(row, dict) or depth == _DEEPEST:
        yield name, row
        return
    for key, value in row.items():
        path = f"{name}.{key}" if name else key
        if isinstance(value, dict):
            yield from _cells(value, path, depth + 1)
        else:
            yield path, value


def shape(row: Any) -> tuple[str, ...] | type:
    """The keys of an object, the kind of anything else."""
    if isinstance(row, dict):
        return tuple(row)
    return type(row)


def row_text(row: Any) -> str:
    """On one line; of a long one every text and list is shorter."""
    text = compact(row)
    if len(text) > _LONGEST_ROW:
        text = compact(_brief(row, 0))
    return text


def compact(value: Any) -> str:
    return _COMPACT.encode(value)


def _brief(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        line = value.replace("\n", " ")
        return clipped(line, _LONGEST_TEXT)
    if isinstance(value, list):
        return _brief_list(value, depth)
    if isinstance(value, dict):
        return _brief_object(value, depth)
    return value


def _brief_list(value: list[Any], depth: int) -> Any:
    if depth > _DEEPEST:
        return "[…]"
    items = [_brief(item, depth + 1) for item in value[:_MOST_ITEMS]]
    more = len(value) - _MOST_ITEMS
    if more > 0:
        items.append(f"… {more} more")
    return items


def _brief_object(value: Mapping[str, Any], depth: int) -> Any:
    if depth > _DEEPEST:
        return "{…}"
    return {key: _brief(item, depth + 1) for key, item in value.items()}
