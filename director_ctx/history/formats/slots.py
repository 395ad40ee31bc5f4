"""Lines that hold messages, some of them whole lists: what stays in which line when messages
change.
"""

from __future__ import annotations

from director_ctx.history.messages.message import ADDED, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message

    Slot = tuple[int, int]
    """A line, and an element of the list in it; -1 where the line itself is meant."""


class Slots:
    """Where each message of a document is."""

    __slots__ = ("beside", "document", "lists", "where")

    def __init__(self, document: Sequence[Any]) -> None:
        self.document = document
        self.where: list[Slot] = []
        """By the index of the message."""
        self.lists: dict[int, list[Any]] = {}
        """Of lines that hold a list, that list."""
        self.beside: dict[Slot, list[Slot]] = {}
        """What goes when a message goes: earlier versions of it, copies."""

    def first(self, slot: Slot) -> Slot:
        """Where a message was written first, which is its place in the conversation."""
        beside = self.beside.get(slot)
        return min(slot, *beside) if beside else slot


def refilled(
    slots: Slots,
    messages: Sequence[Message],
    records: Callable[[Message], Sequence[Any]],
    filled: Callable[[Any, list[Any]], Any],
    lined: Callable[[Any, Any], Any],
) -> list[Any]:
    """The document with these messages. `records` makes what stands for a message, nothing twice;
    `filled` puts a list into its line, and `lined` what stands for a message into a line that was
    there, or None.
    """
    own: dict[Slot, list[Any]] = {}
    ahead: dict[Slot, list[Any]] = {}
    waiting: list[Any] = []
    for message in messages:
        made = list(records(message))
        if message.index == ADDED:
            waiting += made
            continue
        slot = slots.where[message.index]
        if waiting:
            first = slot if slot in own else slots.first(slot)
            before = own[slot] if slot in own else ahead.setdefault(first, [])
            before += waiting if first[1] >= 0 else [lined(None, one) for one in waiting]
            waiting = []
        row = own.setdefault(slot, [])
        row += made if slot[1] >= 0 else [lined(slots.document[slot[0]], one) for one in made]
    return [*_walked(slots, own, ahead, filled), *(lined(None, one) for one in waiting)]


def _walked(
    slots: Slots,
    own: dict[Slot, list[Any]],
    ahead: dict[Slot, list[Any]],
    filled: Callable[[Any, list[Any]], Any],
) -> list[Any]:
    gone = {slot for slot in slots.where if slot not in own}
    gone |= {other for slot in gone for other in slots.beside.get(slot, ())}

    def now(elements: Sequence[Any], slot: Callable[[int], Slot]) -> list[Any]:
        found: list[Any] = []
        for number, one in enumerate(elements):
            key = slot(number)
            found += ahead.get(key, ())
            if key not in gone:
                found += own.get(key, (one,))
        return found

    for place, elements in slots.lists.items():
        shorter = now(elements, _within(place))
        if not same(shorter, elements):
            own[place, -1] = [filled(slots.document[place], shorter)]
    return now(slots.document, lambda number: (number, -1))


def _within(line: int) -> Callable[[int], Slot]:
    """The slots of the list in a line."""

    def slot(number: int) -> Slot:
        return line, number

    return slot
