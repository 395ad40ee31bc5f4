"""When two values are the same as JSON, and what kept its place in a row."""

from __future__ import annotations

import json
from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()
"""No value at all, which is not the same as null."""


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: the order of keys does not count, and 1 is not true."""
    if one is other:
        return True
    if one is NOTHING or other is NOTHING:
        return False
    # For Python true is 1, and 1.0 too; as JSON they are three.
    if type(one) is not type(other):
        return False
    if isinstance(one, str):
        return bool(one == other)
    return canonical(one) == canonical(other)


def canonical(value: Any) -> str:
    """A text that is the same for values that are equal as JSON, and for no others."""
    return json.dumps(value, sort_keys=True)


def kept_in_order(old: Sequence[str], new: Sequence[str]) -> set[str]:
    """As many as possible that are in both and follow each other in both alike; the others were
    moved.
    """
    old_index = {name: index for index, name in enumerate(old)}

    # The longest rising row. For each length: the smallest index in `old` that a row of that
    # length can end with, and the name there.
    ends: list[int] = []
    last_names: list[str] = []
    before: dict[str, str | None] = {}
    for name in new:
        index = old_index.get(name)
        if index is None:
            continue
        length = bisect_left(ends, index)
        before[name] = None
        if length:
            before[name] = last_names[length - 1]
        if length == len(ends):
            ends.append(index)
            last_names.append(name)
        else:
            ends[length] = index
            last_names[length] = name

    # Back from the end of the longest.
    kept: set[str] = set()
    current = last_names[-1] if last_names else None
    while current is not None:
        kept.add(current)
        current = before[current]
    return kept
