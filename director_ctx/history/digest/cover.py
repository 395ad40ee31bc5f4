"""Which lines stay: greedily the one that brings most new worth for its length, until nothing fits any more."""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace

from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OVERHEAD = 5
"""Characters that a line costs beside its own: its end, and now and then the number of a block."""


class Prices(Record):
    """What lines are worth: the items of each, what each of those is worth, and what a line is worth beside them."""

    items: Mapping[str, tuple[str, ...]]
    worth: Mapping[str, float]
    extra: Mapping[str, float]

    def of(self, line: str, covered: set[str]) -> float:
        """For each of its characters, by what is not covered yet."""
        worth = self.worth
        gain = sum([worth[item] for item in self.items[line] if item not in covered]) + self.extra[line]
        return gain / (len(line) + OVERHEAD)


def cover(candidates: Iterable[str], prices: Prices, covered: set[str], most: float) -> list[tuple[str, int, float]]:
    """Lines, best first, each with the characters up to it and its price; no more than `most`. `covered` grows."""
    of, items = prices.of, prices.items
    heap = [(-of(line, covered), line) for line in candidates]
    heapify(heap)
    chosen, spent = [], 0
    while heap and spent < most:
        rank, line = heap[0]
        found = items[line]
        if found and (again := -of(line, covered)) > rank + 1e-12:
            heapreplace(heap, (again, line))
            continue
        heappop(heap)
        spent += len(line) + OVERHEAD
        chosen.append((line, spent, -rank))
        covered.update(found)
    return chosen
