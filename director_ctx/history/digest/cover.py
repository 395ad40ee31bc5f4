"""Which lines stay: greedily the one that brings most new worth for its length, until nothing fits any more."""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace

from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

OVERHEAD = 5
"""Characters that a line costs beside its own: its end, and now and then the number of a block."""


class Prices(Record):
    """What lines are worth: the items of each, what each of those is worth yet, what a line is worth beside them."""

    items: Mapping[str, tuple[str, ...]]
    left: dict[str, float]
    extra: Mapping[str, float]

    def pricing(self) -> Callable[[str], float]:
        """Of a line for each of its characters, by what was not in another one."""
        items, left, extra = self.items, self.left.__getitem__, self.extra
        return lambda line: (sum(map(left, items[line])) + extra[line]) / (len(line) + OVERHEAD)

    def gone(self, items: Iterable[str]) -> None:
        """These are worth nothing any more."""
        self.left.update(dict.fromkeys(items, 0.0))


def cover(candidates: Iterable[str], prices: Prices, most: float) -> list[tuple[str, int, float]]:
    """Lines, best first, each with the characters up to it and its price; no more than `most`. Prices fall."""
    of, items, left = prices.pricing(), prices.items, prices.left
    heap = [(-of(line), line) for line in candidates]
    heapify(heap)
    chosen, spent = [], 0
    while heap and spent < most:
        rank, line = heap[0]
        found = items[line]
        if found and (again := -of(line)) > rank + 1e-12:
            heapreplace(heap, (again, line))
            continue
        heappop(heap)
        spent += len(line) + OVERHEAD
        chosen.append((line, spent, -rank))
        for item in found:
            left[item] = 0.0
    return chosen
