"""Which things of a list kept their order, when others were moved, added or taken out."""

from __future__ import annotations

from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def kept_in_order(old: Sequence[str], new: Sequence[str]) -> set[str]:
    """As many as possible that are in both and follow each other in both alike; the others were moved."""
    place = {name: at for at, name in enumerate(old)}
    both = [name for name in new if name in place]
    ends: list[int] = []
    """For each length, the smallest place that a rising row of that length can end with."""
    last: list[str] = []
    before: dict[str, str | None] = {}
    for name in both:
        at = bisect_left(ends, place[name])
        before[name] = last[at - 1] if at else None
        ends[at : at + 1] = [place[name]]
        last[at : at + 1] = [name]
    found: set[str] = set()
    one = last[-1] if last else None
    while one is not None:
        found.add(one)
        one = before[one]
    return found
