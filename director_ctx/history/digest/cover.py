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
    candidates: Iterable[str],
    lines: Lines,
    worth: Mapping[str, float],
    covered: set[str],
    extra: Mapping[str, float],
    most: float,
) -> list[tuple[str, int, float]]:
    """Lines, best first, each with the characters up to it and its worth for each of its own; no more than `most`.

    `extra` is what a line is worth beside its items. `covered` grows.
    """
    heap = [
        (
            -(sum([worth[item] for item in lines[line] if item not in covered]) + extra[line]) / (len(line) + OVERHEAD),
            line,
        )
        for line in candidates
    ]
    heapify(heap)
    chosen, spent = [], 0
    while heap and spent < most:
        rank, line = heap[0]
        found = lines[line]
        if found:
            gain = sum([worth[item] for item in found if item not in covered]) + extra[line]
            again = -gain / (len(line) + OVERHEAD)
            if again > rank + 1e-12:
                heapreplace(heap, (again, line))
                continue
        heappop(heap)
        spent += len(line) + OVERHEAD
        chosen.append((line, spent, -rank))
        covered.update(found)
    return chosen
