"""Which lines stay: greedily the one that brings most new worth for its length, until nothing fits any more."""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Lines = Mapping[str, tuple[str, ...]]

OVERHEAD = 5
"""Characters that a line costs beside its own: its end, and now and then the number of a block."""


def cover(
    candidates: Iterable[str], lines: Lines, worth: Mapping[str, float], covered: set[str], extra: Mapping[str, float]
) -> list[tuple[str, int]]:
    """Every line that is worth something, best first, with the characters up to it. `covered` grows."""
    heap = [
        (-gain / (len(line) + OVERHEAD), line)
        for line in candidates
        if (gain := sum([worth[item] for item in lines[line] if item not in covered]) + extra.get(line, 0.0)) > 0
    ]
    heapify(heap)
    chosen, spent = [], 0
    while heap:
        rank, line = heap[0]
        gain = sum([worth[item] for item in lines[line] if item not in covered]) + extra.get(line, 0.0)
        again = -gain / (len(line) + OVERHEAD)
        if gain <= 0:
            heappop(heap)
        elif again > rank + 1e-12:
            heapreplace(heap, (again, line))
        else:
            heappop(heap)
            spent += len(line) + OVERHEAD
            chosen.append((line, spent))
            covered.update(lines[line])
    return chosen
