"""Where every goal, step and task is by its number, before a change of the plan and after it."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Ref = tuple[int, ...]
    """`(2, 1, 3)` is task 3 of step 1 of goal 2."""

GOAL, STEP, TASK = 1, 2, 3
"""How many numbers a reference to each has."""


def ref_text(ref: Ref | None) -> str:
    """`2/1/3`; an empty text for what is gone."""
    return "/".join(map(str, ref or ()))


class Moved(Record):
    """What was renumbered. Whatever is below it goes with it; what is not named stays."""

    entries: Mapping[Ref, Ref | None]

    def now(self, ref: Ref) -> Ref | None:
        """The reference as it is afterwards; None for what was removed."""
        for length in range(len(ref), 0, -1):
            head = ref[:length]
            if head not in self.entries:
                continue
            new = self.entries[head]
            if new is None:
                return None
            return new + ref[length:]
        return ref


NOTHING = Moved({})


class Neighbour(Record):
    """The sibling that something goes before or after."""

    number: int
    is_after: bool


def renumbering(moved: Moved, parent: Ref) -> dict[int, int | None]:
    """By its old number, the new one of each child that stays below its parent; None for the others."""
    numbers: dict[int, int | None] = {}
    for (*above, number), new in moved.entries.items():
        if tuple(above) != parent:
            continue
        stays = new is not None and new[:-1] == parent
        numbers[number] = new[-1] if new and stays else None
    return numbers


def without(ref: Ref, taken: Iterable[int]) -> Moved:
    """One is taken out, and the numbers behind it close up."""
    *parent, number = ref
    entries: dict[Ref, Ref | None] = {ref: None}
    for other in taken:
        if other > number:
            before = (*parent, other)
            entries[before] = (*parent, other - 1)
    return Moved(entries)


def within(ref: Ref, taken: Iterable[int], beside: Neighbour) -> Moved:
    """One takes another place among its siblings, before or after one of them."""
    *parent, number = ref
    numbers = sorted({*taken, number})
    order = [other for other in numbers if other != number]
    index = len(order)
    if beside.number in order:
        index = order.index(beside.number)
        index += beside.is_after
    order.insert(index, number)

    # The numbers stay as they are, with their gaps; only whose they are changes.
    entries: dict[Ref, Ref | None] = {}
    for old, new in zip(order, numbers, strict=True):
        if old != new:
            before = (*parent, old)
            entries[before] = (*parent, new)
    return Moved(entries)


def across(
    ref: Ref,
    taken: Iterable[int],
    target: Ref,
    taken_there: Iterable[int],
    beside: Neighbour | None,
) -> Moved:
    """One goes to another parent: it closes up here, and the others there make room."""
    numbers_there = sorted(taken_there)
    number = max(numbers_there, default=0) + 1
    if beside is not None:
        number = beside.number + beside.is_after

    entries = dict(without(ref, taken).entries)
    entries[ref] = (*target, number)
    if number in numbers_there:
        for other in numbers_there:
            if other >= number:
                entries[(*target, other)] = (*target, other + 1)
    return Moved(entries)
