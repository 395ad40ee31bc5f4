"""Known formats in a text: which of them may be there, and the text without them.

Nearly every text has none, so the words of the formats are asked for in groups: those with a sign
in them only where the sign is, and those with capitals only where there are capitals.
"""

from __future__ import annotations

import re
from functools import cache

from director_ctx.base.secrets.shapes import SHAPES

HIDDEN = "[hidden]"
_SIGNS = ("_", "-", ".")
_LONG = 44
"""Formats that only a dot or a colon announces are at least this long."""


def _groups(any_case: bool) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    """A sign, and the words that have it, each with its place in the table; what has none of the
    signs is under ''.
    """
    groups: dict[str, list[tuple[str, int]]] = {sign: [] for sign in ("", *_SIGNS)}
    for place, (_, words, _) in enumerate(SHAPES):
        for word in words:
            if len(word) > 1 and (word == word.casefold()) is any_case:
                groups[next((sign for sign in _SIGNS if sign in word), "")].append((word, place))
    return tuple((sign, tuple(found)) for sign, found in groups.items())


_ANY_CASE, _EXACT = _groups(True), _groups(False)
_BARE = tuple(
    (word, place) for place, (_, words, _) in enumerate(SHAPES) for word in words if len(word) == 1
)
_compiled = cache(re.compile)


def formats_in(text: str, lowered: str) -> list[int]:
    """The places in the table of the formats that a text may have something of."""
    found = [
        place
        for sign, words in _ANY_CASE
        if sign in lowered
        for word, place in words
        if word in lowered
    ]
    if text != lowered:
        found += [
            place for sign, words in _EXACT if sign in text for word, place in words if word in text
        ]
    if len(text) >= _LONG:
        found += [place for word, place in _BARE if word in text]
    return found


def without_formats(text: str, places: list[int]) -> str:
    for place in sorted(set(places)):
        text = _compiled(SHAPES[place][2]).sub(HIDDEN, text)
    return text
