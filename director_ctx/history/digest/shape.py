"""Which turns stay whole, which stay in place with shortened results, and which collapse into digests."""

from __future__ import annotations

from director_ctx.history.message import RESULT, THINKING
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.history.message import Message

TAIL, PLACED, LATER_TAIL = 0.08, 0.05, 0.3
"""Shares of the room beside what is protected: newest turns whole, turns in place; newest ones where there is much."""
STUB = 24
"""Tokens of what stands for a result."""


class Shape(Record):
    """Turns by their numbers; whoever is in neither set collapses."""

    whole: frozenset[int]
    placed: frozenset[int] = frozenset()

    def runs(self, turns: int) -> list[list[int]]:
        """Turns that collapse, those beside one another together."""
        found: list[list[int]] = []
        for turn in range(turns):
            if turn in self.whole or turn in self.placed:
                continue
            if found and found[-1][-1] == turn - 1:
                found[-1].append(turn)
            else:
                found.append([turn])
        return found


def first_shape(safe: frozenset[int], sizes: Sequence[int], kept: Sequence[int], room: float) -> Shape:
    """For where room is short: a little tail whole, a little more in place. `kept` are the sizes of turns in place."""
    newest = [turn for turn in range(len(sizes) - 1, -1, -1) if turn not in safe]
    tail = as_many_as_fit(newest, sizes, room * TAIL)
    older = [turn for turn in newest if turn not in tail]
    return Shape(safe | tail, as_many_as_fit(older, kept, room * PLACED))


def larger_shape(shape: Shape, sizes: Sequence[int], now: Sequence[float], room: float, spare: float) -> Shape:
    """With room to spare: more of the tail, then from the start, where a cache holds. `now` is what turns cost."""
    rest = [turn for turn in range(len(sizes)) if turn not in shape.whole]
    more = [max(0.0, size - cost) for size, cost in zip(sizes, now, strict=True)]
    tail = as_many_as_fit(rest[::-1], more, min(spare, room * LATER_TAIL))
    spare -= sum(more[turn] for turn in tail)
    head = as_many_as_fit([turn for turn in rest if turn not in tail], more, spare)
    whole = shape.whole | tail | head
    return Shape(whole, shape.placed - whole)


def as_many_as_fit(turns: Iterable[int], sizes: Sequence[float], room: float) -> frozenset[int]:
    """The first of these turns, up to the one that does not fit."""
    found = []
    for turn in turns:
        room -= sizes[turn]
        if room < 0:
            break
        found.append(turn)
    return frozenset(found)


def placed_size(messages: Iterable[Message]) -> int:
    """What a turn takes in place, before a line of its results."""
    blocks = [block for message in messages for block in message.blocks if block.kind != THINKING]
    return sum(min(block.tokens, STUB) if block.kind == RESULT else block.tokens for block in blocks)
