"""JSON, on one line or many: the schema of each list once, rows that are unlike the others, and short
values by their path.
"""

from __future__ import annotations

import json
from collections import Counter

from director_ctx.history.results.columns import FEWEST
from director_ctx.history.results.json_rows import Rows, compact, row_text, shape
from director_ctx.history.results.reading import FAILS, FRAME, PLAIN, ResultReading
from director_ctx.history.results.signals import failing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.results.sample import Sample

_ENDS = {"{": "}", "[": "]"}
_SHORT = 160
"""Characters of a value that stays on one line."""
_TABLE = 400
"""Characters of a list that is worth a schema."""
_KEYED = 15
"""Values of an object that may be rows."""
_ALIKE = 0.6
"""The share of them that have the same keys, or are of one kind."""
_DEEPEST = 6
_LESS = 0.3
"""What a value is worth less for each step down to it."""
_ADDRESSES = ("url", "href", "_id", "sha")
"""How keys end whose values say little."""


def recognised(sample: Sample) -> bool:
    end = _ENDS.get(sample.text[:1])
    return end is not None and sample.end.rstrip().endswith(end)


def read(sample: Sample) -> ResultReading | None:
    try:
        document = _Document(json.loads(sample.text))
    except (ValueError, RecursionError):
        return None
    if not document.pieces:
        return None
    document.look_for_errors()
    return ResultReading(document.pieces, document.worths, document.unit, document.above)


class _Document:
    """One value as pieces: rows of its lists, and whatever else stands in it."""

    def __init__(self, value: Any) -> None:
        self.pieces: list[str] = []
        self.worths: list[float] = []
        self.above: list[str] = []
        self._others: list[int] = []
        """The places of pieces that are no rows."""
        self._put("", value, 0)
        self.unit = "values" if self._others else "rows"

    def _put(self, path: str, value: Any, depth: int) -> None:
        is_nested = isinstance(value, (dict, list)) and value
        size = len(compact(value)) if is_nested else 0
        if size <= _SHORT or depth == _DEEPEST:
            self._put_value(path, value, depth)
        elif size > _TABLE and _are_rows(value):
            self._put_rows(path, value)
        elif isinstance(value, dict):
            for key, item in value.items():
                below = f"{path}.{key}" if path else key
                self._put(below, item, depth + 1)
        else:
            for number, item in enumerate(value):
                self._put(f"{path}[{number}]", item, depth + 1)

    def _put_rows(self, path: str, value: Any) -> None:
        is_keyed = isinstance(value, dict)
        rows = Rows(list(value.values()) if is_keyed else value)
        told = f"{path}: {rows.summary()}".removeprefix(": ")
        if self.above:
            self.pieces.append(told)
            self.worths.append(FRAME)
        else:
            self.above.append(told)
        texts = rows.texts()
        if is_keyed:
            texts = [f"{key}: {text}" for key, text in zip(value, texts, strict=True)]
        self.pieces += texts
        self.worths += rows.worths()

    def _put_value(self, path: str, value: Any, depth: int) -> None:
        worth = max(PLAIN, FRAME - depth * _LESS)
        is_address = path.lower().endswith(_ADDRESSES)
        if value is None or is_address:
            worth = PLAIN / 2
        text = value if isinstance(value, str) else row_text(value)
        piece = f"{path}: {text}".removeprefix(": ")

        self._others.append(len(self.pieces))
        self.pieces.append(piece)
        self.worths.append(worth)

    def look_for_errors(self) -> None:
        """What says that something went wrong goes first, unless most of it does."""
        texts = [self.pieces[place] for place in self._others]
        wrong = failing(texts)
        if len(wrong) * 5 > max(len(texts), FEWEST):
            return
        for number in wrong:
            self.worths[self._others[number]] = FAILS


def _are_rows(value: Any) -> bool:
    """Whether the items of a list, or the values of an object, are rows of one table."""
    if len(value) < FEWEST or isinstance(value, list):
        return len(value) >= FEWEST
    shapes = Counter(map(shape, value.values()))
    _, count = shapes.most_common(1)[0]
    return len(value) >= _KEYED and count >= len(value) * _ALIKE
