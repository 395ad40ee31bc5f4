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

TAIL = 0.05
"""The share of the room beside what is protected that the newest turns may take whole."""
LATER_TAIL = 0.3
"""The same where there is much room."""
PLACED = 0.03
"""The share that turns in place may take."""
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
        last = -1
        for turn in range(turns):
            if turn in self.whole or turn in self.placed:
                continue
            follows_directly = bool(runs) and last == turn - 1
            if follows_directly:
                runs[-1].append(turn)
            else:
                runs.append([turn])
            last = turn
        return runs


def first_shape(
    safe: frozenset[int],
    sizes: Sequence[int],
    in_place_sizes: Sequence[int],
    room: float,
    shown: int | None = None,
) -> Shape:
    """For where room is short: a little tail whole, a little more in place.

    `shown` is the turn with what a tool said last, if that is not to be cut.
    """
    newest_first: list[int] = []
    for turn in reversed(range(len(sizes))):
        if turn not in safe:
            newest_first.append(turn)

    tail = as_many_as_fit(newest_first, sizes, room * TAIL)
    if shown is not None:
        since_shown = [turn for turn in newest_first if turn >= shown]
        tail |= as_many_as_fit(since_shown, sizes, room * NEWEST)

    older: list[int] = []
    for turn in newest_first:
        if turn not in tail:
            older.append(turn)
    in_place = as_many_as_fit(older, in_place_sizes, room * PLACED)
    shape = Shape(safe | tail, in_place)
    return _without_small_runs(shape, sizes)


def larger_shape(
    shape: Shape,
    sizes: Sequence[int],
    costs: Sequence[float],
    room: float,
    spare: float,
) -> Shape:
    """With room to spare: more of the tail, then from the start, where a cache holds; small ones,
    if neither fits.

    `costs` is what turns take now.
    """
    # What each turn would take beyond that if it came back whole.
    more: list[float] = []
    for size, cost in zip(sizes, costs, strict=True):
        more.append(max(0.0, size - cost))

    whole_or_stale = shape.whole | shape.stale
    rest: list[int] = []
    for turn in range(len(sizes)):
        if turn not in whole_or_stale:
            rest.append(turn)

    room_of_tail = min(spare / 2, room * LATER_TAIL)
    tail = as_many_as_fit(reversed(rest), more, room_of_tail)
    spare -= _sum_of(tail, more)
    before_tail = [turn for turn in rest if turn not in tail]
    head = as_many_as_fit(before_tail, more, spare)
    spare -= _sum_of(head, more)

    whole = shape.whole | tail | head
    if whole == shape.whole:
        smallest_first = sorted(rest, key=more.__getitem__)
        whole |= as_many_as_fit(smallest_first, more, spare)

    between = _stale_among(shape.stale, head, tail)
    in_place = (shape.placed | between) - whole
    larger = shape.replace(whole=whole, placed=in_place)
    return _without_small_runs(larger, sizes)


def _stale_among(
    stale: frozenset[int],
    head: frozenset[int],
    tail: frozenset[int],
) -> set[int]:
    """What is out of date stays in place where its neighbours came back."""
    end_of_head = max(head, default=0)
    # Without a tail nothing lies behind its start.
    start_of_tail = min(tail, default=max(stale, default=0))
    among: set[int] = set()
    for turn in stale:
        is_in_head = turn < end_of_head
        is_in_tail = turn > start_of_tail
        if is_in_head or is_in_tail:
            among.add(turn)
    return among


def _sum_of(turns: Iterable[int], sizes: Sequence[float]) -> float:
    return sum(sizes[turn] for turn in turns)


def _without_small_runs(shape: Shape, sizes: Sequence[int]) -> Shape:
    """What is smaller than its digest would be stays."""
    small: set[int] = set()
    for run in shape.runs(len(sizes)):
        if _sum_of(run, sizes) <= DIGEST:
            small.update(run)
    if not small:
        return shape
    return shape.replace(whole=shape.whole | small)


def as_many_as_fit(
    turns: Iterable[int],
    sizes: Sequence[float],
    room: float,
) -> frozenset[int]:
    """The first of these turns, up to the one that does not fit."""
    fitting: list[int] = []
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
