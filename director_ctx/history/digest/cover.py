"""Which lines stay: greedily the one that brings most new worth for its length, until nothing fits any more."""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

FULL = 40
"""Characters of a line that is worth all that it is worth beside its items."""
OVERHEAD = 7
"""Characters that a line costs beside its own: its mark, its end, and now and then the number of a block."""


class Prices(Record):
    """What lines are worth: the items of each, what each of those is worth yet, what a line is worth beside them."""

    items: Mapping[str, tuple[str, ...]]
    left: dict[str, float]
    extra: Mapping[str, float]
    """For each of its first characters, up to `FULL`."""

    def pricing(self) -> Callable[[str], float]:
        """Of a line for each of its characters, by what was not in another one."""
        items, left, extra = self.items, self.left.__getitem__, self.extra

        def price(line: str) -> float:
            length, found = len(line), items[line]
            worth = extra[line] * (length if length < FULL else FULL)
            return (sum(map(left, found), worth) if found else worth) / (length + OVERHEAD)

        return price


def cover(candidates: Iterable[str], prices: Prices, most: float) -> list[tuple[str, int, float]]:
    """Lines, best first, each with the characters up to it and its price; no more than `most`. Prices fall."""
    of, items, left = prices.pricing(), prices.items, prices.left
    heap: list[tuple[float, str]] = []
    plain: list[tuple[float, str]] = []
    for line in candidates:
        (heap if items[line] else plain).append((-of(line), line))
    heapify(heap)
    plain.sort(reverse=True)
    chosen, spent = [], 0
    while spent < most and (heap or plain):
        if not heap or (plain and plain[-1] < heap[0]):
            rank, line = plain.pop()
        else:
            rank, line = heap[0]
            if (again := -of(line)) > rank + 1e-12:
                heapreplace(heap, (again, line))
                continue
            heappop(heap)
        spent += len(line) + OVERHEAD
        chosen.append((line, spent, -rank))
        for item in items[line]:
            left[item] = 0.0
    return chosen
