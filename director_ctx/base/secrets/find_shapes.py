"""Known shapes of secrets in a text: which of them may be there, and the text without them.

Nearly every text has none, so the words of the shapes are asked for in groups: those with a sign
in them only where the sign is, and those with capitals only where there are capitals.
"""

from __future__ import annotations

import re
from functools import cache

from director_ctx.base.secrets.shapes import SHAPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    Word = tuple[str, int]
    """With the place of its format in the table."""

HIDDEN = "[hidden]"
_SIGNS = ("_", "-", ".")
_LONG = 44
"""Formats that only a dot or a colon announces are at least this long."""


def _groups(any_case: bool) -> list[tuple[str, list[Word]]]:
    """A sign, and the words that have it; what has none of the signs is under ''."""
    groups: dict[str, list[Word]] = {"": []}
    for sign in _SIGNS:
        groups[sign] = []
    for number, (_, words, _) in enumerate(SHAPES):
        for word in words:
            is_any_case = word == word.casefold()
            if len(word) > 1 and is_any_case is any_case:
                groups[_sign_in(word)].append((word, number))
    return list(groups.items())


def _sign_in(word: str) -> str:
    for sign in _SIGNS:
        if sign in word:
            return sign
    return ""


def _bare_signs() -> list[Word]:
    """The words that are a sign only."""
    signs: list[Word] = []
    for number, (_, words, _) in enumerate(SHAPES):
        for word in words:
            if len(word) == 1:
                signs.append((word, number))
    return signs


_ANY_CASE = _groups(True)
_EXACT = _groups(False)
_BARE = _bare_signs()
_compiled = cache(re.compile)


def formats_in(text: str, lowered: str) -> list[int]:
    """The places in the table of the formats that a text may have something of."""
    # Every text is asked this, and for every word: so these stay comprehensions.
    numbers = [
        number
        for sign, words in _ANY_CASE
        if sign in lowered
        for word, number in words
        if word in lowered
    ]
    if text != lowered:
        numbers += [
            number
            for sign, words in _EXACT
            if sign in text
            for word, number in words
            if word in text
        ]
    if len(text) >= _LONG:
        numbers += [number for word, number in _BARE if word in text]
    return numbers


def without_formats(text: str, numbers: list[int]) -> str:
    for number in sorted(set(numbers)):
        pattern = SHAPES[number][2]
        text = _compiled(pattern).sub(HIDDEN, text)
    return text
