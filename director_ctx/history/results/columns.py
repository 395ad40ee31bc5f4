"""Rows that are not like the others, found column by column: another kind of value, a value that is
rare where values repeat, a number far from the others, a text that says that something went wrong.
"""

from __future__ import annotations

from collections import Counter
from math import inf, log2

from director_ctx.history.results.reading import FAILS, ODD, PLAIN
from director_ctx.history.results.signals import masked, signs, wrong_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from typing import Any

MISSING = ...
"""Stands where a row has nothing in a column."""
FEWEST = 5
"""Rows of which one can be unlike the others."""
_RARE = 50
"""One row in so many, or a single one, is rare."""
_RULE = 20
"""Where more than one row in so many has a rare value, values do not repeat."""
_WRONG_AT_MOST = 5
"""Where more than one row in so many failed, that is the rule."""
_FAR = 3
"""Times the distance of the quartiles: so far out a number is unlike the others."""
_WRONG = 2
_HIGHEST = 32
"""Above any score."""
_SMALLEST_TAIL = 2
_HUGE = 1e300
_MOST_VALUES = 5
_LONGEST_VALUE = 40
_NUMBERS = {int, float}
_PLAIN_KINDS = {int, float, str, bool, type(None)}
_KINDS = {int: float, type(MISSING): None}
"""Numbers are one kind, however they are written."""


class Oddness:
    """How odd each of some rows is, by all that was looked at."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.scores = [0.0] * rows
        """By how few rows it is shared, as a power of two."""
        self._tail = max(_SMALLEST_TAIL, rows // _RULE)

    def column(self, cells: Sequence[Any], words: bool = True) -> None:
        """Looks at one value of each row; `words` that say something went wrong, unless they were
        looked for.
        """
        if self.rows < FEWEST:
            return
        kinds = [_KINDS.get(kind, kind) for kind in map(type, cells)]
        self.rare(kinds)
        texts: dict[int, str] = {}
        numbers: dict[int, float] = {}
        others: dict[int, int] = {}
        for place, cell in enumerate(cells):
            if isinstance(cell, str):
                texts[place] = cell
            elif isinstance(cell, (int, float)):
                numbers[place] = _comparable(cell)
            elif cell is not MISSING and cell is not None:
                others[place] = len(cell)
        if words:
            self.wrong(list(texts.values()), list(texts))
        self._texts(texts)
        self._numbers(numbers)
        self._numbers(others)

    def rare(self, values: Sequence[Hashable], places: Sequence[int] | None = None) -> bool:
        """Whether values repeat; then rows with a rare one are odd."""
        counts = Counter(values)
        few = max(1, len(values) // _RARE)
        rare: dict[Hashable, float] = {}
        tail = 0
        for value, count in counts.items():
            if count <= few:
                rare[value] = log2(len(values) / count)
                tail += count
        if tail > self._tail or len(values) < FEWEST:
            return False
        if rare:
            for number, value in enumerate(values):
                if value in rare:
                    self._score(places[number] if places else number, rare[value])
        return True

    def wrong(self, texts: Sequence[str], places: Sequence[int]) -> None:
        """Rows that say that something went wrong count as if they were fewer."""
        for numbers in wrong_words(texts).values():
            count = len(numbers)
            if count * _WRONG_AT_MOST > self.rows:
                continue
            score = log2(self.rows / count) + _WRONG
            for number in numbers:
                self._score(places[number], score)

    def _score(self, place: int, score: float) -> None:
        self.scores[place] = max(self.scores[place], score)

    def _texts(self, by_place: Mapping[int, str]) -> None:
        places = list(by_place)
        texts = list(by_place.values())
        if self.rare(texts, places):
            return
        without_numbers = [masked(text) for text in texts]
        if self.rare(without_numbers, places):
            return

        self.rare([signs(text) for text in texts], places)
        lengths = {place: len(text) for place, text in by_place.items()}
        self._numbers(lengths)

    def _numbers(self, by_place: Mapping[int, float]) -> None:
        values = list(by_place.values())
        if self.rare(values, list(by_place)) or len(values) < FEWEST:
            return
        self.rare([(value > 0) - (value < 0) for value in values], list(by_place))
        order = sorted(value for value in values if abs(value) < inf)
        if not order:
            return
        low = order[len(order) // 4]
        high = order[len(order) * 3 // 4]
        far = (high - low) * _FAR
        outside: list[int] = []
        for place, value in by_place.items():
            if not low - far <= value <= high + far:
                outside.append(place)
        if not outside or len(outside) > self._tail:
            return
        for place in outside:
            self._score(place, log2(len(values) / len(outside)))

    def worths(self) -> list[float]:
        """Of the rows, with the first and the last."""
        worths: list[float] = []
        for score in self.scores:
            worths.append(ODD + score / _HIGHEST if score else PLAIN)
        if worths:
            worths[0] = max(worths[0], FAILS)
            worths[-1] = max(worths[-1], FAILS)
        return worths


def summary(name: str, cells: Iterable[Any]) -> str:
    """A column in a few words: between which numbers, or which values how often."""
    values = [cell for cell in cells if cell is not MISSING]
    kinds = set(map(type, values))
    if not kinds or not kinds <= _PLAIN_KINDS:
        return name
    counts = Counter(values)
    if len(counts) <= _MOST_VALUES and len(counts) < len(values):
        told: list[str] = []
        for value, count in counts.most_common():
            told.append(f"{_shown(value)} ({count:,})")
        return f"{name}: {', '.join(told)}"
    if kinds <= _NUMBERS:
        numbers = list(map(_comparable, values))
        return f"{name}: {_shown(min(numbers))} to {_shown(max(numbers))}"
    return name


def _comparable(number: float) -> float:
    """What JSON may hold beside numbers, and whole ones that are none to a machine, as infinite."""
    return number if -_HUGE < number < _HUGE else inf


def _shown(value: Any) -> str:
    words = {None: "null", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return words[value]
    text = " ".join(str(value).split())
    if len(text) > _LONGEST_VALUE:
        return text[: _LONGEST_VALUE - 1] + "…"
    return text
