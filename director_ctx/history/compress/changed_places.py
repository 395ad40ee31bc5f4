"""Places that stand for something else and are no longer quite as they were written: a client or a
person put a key beside the words, or blanks around them.
"""

from __future__ import annotations

import re

from director_ctx.history.messages.stubs import PATTERN
from director_ctx.memory.archive.alignment import content, mark_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

_LOCATOR = re.compile(PATTERN)
_CUT = re.compile(rf"\[\\+u2026 .{{0,1000}}?{PATTERN}\]")
"""What stands for something else, in an element as `alignment.content` has it."""


def locators_of_cut(text: str) -> list[str]:
    """Those in the content of an element that stands for something else; none in any other."""
    if _CUT.search(text) is None:
        return []
    return _LOCATOR.findall(text)


def keys_of(elements: Sequence[Any]) -> set[str]:
    """All keys that the elements of a history have."""
    keys: set[str] = set()
    for element in elements:
        inside = _inside(element)
        if isinstance(inside, dict):
            keys.update(inside)
    return keys


def mark_as_written(
    element: Any,
    written: Collection[str],
    keys: Collection[str],
) -> str | None:
    """Which of these marks it had before something was put around its words; None where its words
    were changed.
    """
    inside = _inside(element)
    for variant in _variants(inside, keys):
        text = content(variant)
        mark = mark_of(text)
        if mark in written:
            return mark
    return None


def _inside(element: Any) -> Any:
    if isinstance(element, list) and len(element) == 1:
        return element[0]
    return element


def _variants(inside: Any, keys: Collection[str]) -> Iterator[Any]:
    """What it may have been."""
    for variant in (inside, _without_blanks(inside)):
        yield variant
        if not isinstance(variant, dict):
            continue
        yield {key: value for key, value in variant.items() if key in keys}
        for extra in variant:
            yield {key: value for key, value in variant.items() if key != extra}


def _without_blanks(value: Any) -> Any:
    """Without blanks around texts that stand for something else."""
    if isinstance(value, str):
        if _LOCATOR.search(value):
            return value.strip()
        return value
    if isinstance(value, list):
        return [_without_blanks(inside) for inside in value]
    if isinstance(value, dict):
        return {key: _without_blanks(inside) for key, inside in value.items()}
    return value
