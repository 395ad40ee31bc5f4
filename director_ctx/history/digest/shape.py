"""Which turns stay whole, which stay in place with shortened results, and which collapse into
digests.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.messages.message import RESULT, THINKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.history.messages.message import Message

TAIL, PLACED, LATER_TAIL = 0.05, 0.03, 0.3
"""Shares of the room beside what is protected: newest turns whole, turns in place; newest ones
where there is much.
"""
NEWEST = 0.25
"""What a tool said last may take so much of it."""
DIGEST = 40
"""Tokens of the line that a digest begins with."""
STUB = 24
"""Tokens of what stands for a result."""


class Shape(Record):
    """Turns by their numbers; whoever is in neither set collapses."""

    whole: frozenset[int]
    placed: frozenset[int] = frozenset()
    stale: frozenset[int] = frozenset()
    """Those that hold something out of date: they do not come back whole, but stay in place among
    others that do.
    """
    working: frozenset[int] = frozenset()
    """Those of an answer that the model is still at: its provider may want their thoughts back as
    they were.
    """

    def runs(self, turns: int) -> list[list[int]]:
        """Turns that collapse, those beside one another together."""
        runs: list[list[int]] = []
        for turn in range(turns):
            if turn in self.whole or turn in self.placed:
                continue
            if runs and runs[-1][-1] == turn - 1:
                runs[-1].append(turn)
            else:
                runs.append([turn])
        return runs


def first_shape(
    safe: frozenset[int],
    sizes: Sequence[int],
    kept: Sequence[int],
    room: float,
    shown: int | None = None,
) -> Shape:
    """For where room is short: a little tail whole, a little more in place. `kept` are the sizes of
    turns in place.

    `shown` is the turn with what a tool said last, if that is not to be cut.
    """
    newest = [turn for turn in reversed(range(len(sizes))) if turn not in safe]
    tail = as_many_as_fit(newest, sizes, room * TAIL)
    if shown is not None:
        since_shown = [turn for turn in newest if turn >= shown]
        tail |= as_many_as_fit(since_shown, sizes, room * NEWEST)

    older = [turn for turn in newest if turn not in tail]
    in_place = as_many_as_fit(older, kept, room * PLACED)
    return _without_small_runs(Shape(safe | tail, in_place), sizes)


def larger_shape(
    shape: Shape, sizes: Sequence[int], now: Sequence[float], room: float, spare: float
) -> Shape:
    """With room to spare: more of the tail, then from the start, where a cache holds; small ones,
    if neither fits.

    `now` is what turns cost.
    """
    # What each turn would cost beyond that if it came back whole.
    more = [max(0.0, size - cost) for size, cost in zip(sizes, now, strict=True)]
    out = shape.whole | shape.stale
    rest = [turn for turn in range(len(sizes)) if turn not in out]

    tail = as_many_as_fit(rest[::-1], more, min(spare / 2, room * LATER_TAIL))
    spare -= sum(more[turn] for turn in tail)
    before_tail = [turn for turn in rest if turn not in tail]
    head = as_many_as_fit(before_tail, more, spare)
    spare -= sum(more[turn] for turn in head)

    whole = shape.whole | tail | head
    if whole == shape.whole:
        smallest_first = sorted(rest, key=more.__getitem__)
        whole |= as_many_as_fit(smallest_first, more, spare)

    # What is out of date stays in place where its neighbours came back.
    end_of_head = max(head, default=0)
    start_of_tail = min(tail, default=len(sizes))
    between = {turn for turn in shape.stale if turn < end_of_head or turn > start_of_tail}
    in_place = (shape.placed | between) - whole
    return _without_small_runs(shape.replace(whole=whole, placed=in_place), sizes)


def _without_small_runs(shape: Shape, sizes: Sequence[int]) -> Shape:
    """What is smaller than its digest would be stays."""
    small: set[int] = set()
    for run in shape.runs(len(sizes)):
        tokens = sum(sizes[turn] for turn in run)
        if tokens <= DIGEST:
            small.update(run)
    if not small:
        return shape
    return shape.replace(whole=shape.whole | small)


def as_many_as_fit(turns: Iterable[int], sizes: Sequence[float], room: float) -> frozenset[int]:
    """The first of these turns, up to the one that does not fit."""
    fitting = []
    for turn in turns:
        room -= sizes[turn]
        if room < 0:
            break
        fitting.append(turn)
    return frozenset(fitting)


def placed_size(messages: Iterable[Message], thinks: bool = False) -> int:
    """What a turn takes in place, before a line of its results; with its thoughts, where they stay."""
    tokens = 0
    for message in messages:
        for block in message.blocks:
            if block.kind == RESULT:
                tokens += min(block.tokens, STUB)
            elif thinks or block.kind != THINKING:
                tokens += block.tokens
    return tokens
