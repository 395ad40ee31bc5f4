"""Lines taken greedily: the one that brings most new worth for its length, again and again."""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from director_ctx.history.digest.scan import Items

    RankedLine = tuple[str, int, float]
    """A line, the characters up to its end with all lines before it, and its price."""


FULL = 40
"""Characters of a line that is worth all that it is worth beside its items."""
OVERHEAD = 7
"""Characters that a line costs beside its own: its mark, its end, and now and then the number of a
block.
"""
_ROUNDING = 1e-12
"""A price that differs by less has not fallen."""


class Prices(Record):
    """What lines are worth: the items of each, what each of those is worth yet, what a line is
    worth beside them.
    """

    items: Mapping[str, Items]
    left: dict[str, float]
    extra: Mapping[str, float]
    """For each of its first characters, up to `FULL`."""

    def pricing(self) -> Callable[[str], float]:
        """Of a line for each of its characters, by what was not in another one."""
        items_of = self.items
        extra = self.extra
        worth_left = self.left.__getitem__

        def price(line: str) -> float:
            # The inside of the search for lines, which asks it for every line of a conversation:
            # a comparison is faster here than `min`, and `map` than a loop.
            length = len(line)
            items = items_of[line]
            worth = extra[line] * (length if length < FULL else FULL)
            if items:
                worth = sum(map(worth_left, items), worth)
            return worth / (length + OVERHEAD)

        return price


def cover(
    candidates: Iterable[str],
    prices: Prices,
    most: float,
) -> list[RankedLine]:
    """Lines, best first, each with the characters up to it and its price; no more than `most`.
    Prices fall.
    """
    price_of = prices.pricing()
    items_of = prices.items
    left = prices.left
    ranked_with_items, ranked_plain = _by_rank(candidates, prices)

    chosen: list[RankedLine] = []
    spent = 0
    while spent < most and (ranked_with_items or ranked_plain):
        if not ranked_with_items:
            is_plain_best = True
        elif not ranked_plain:
            is_plain_best = False
        else:
            is_plain_best = ranked_plain[-1] < ranked_with_items[0]

        if is_plain_best:
            rank, line = ranked_plain.pop()
        else:
            rank, line = ranked_with_items[0]
            # Another line may have said since then what this one says. As prices only fall, it is
            # enough to look again at the one that seems best.
            rank_now = -price_of(line)
            has_fallen = rank_now > rank + _ROUNDING
            if has_fallen:
                heapreplace(ranked_with_items, (rank_now, line))
                continue
            heappop(ranked_with_items)

        spent += len(line) + OVERHEAD
        chosen.append((line, spent, -rank))
        for item in items_of[line]:
            left[item] = 0.0
    return chosen


def _by_rank(
    candidates: Iterable[str],
    prices: Prices,
) -> tuple[list[tuple[float, str]], list[tuple[float, str]]]:
    """Lines with items as a heap, and lines without, the best at the end."""
    price_of = prices.pricing()
    with_items: list[tuple[float, str]] = []
    plain: list[tuple[float, str]] = []
    for line in candidates:
        # Ranks are prices below zero, as a heap gives its smallest first.
        rank = -price_of(line)
        if prices.items[line]:
            with_items.append((rank, line))
        else:
            plain.append((rank, line))
    heapify(with_items)
    # Lines without items keep their price, so they need sorting but once.
    plain.sort(reverse=True)
    return with_items, plain
