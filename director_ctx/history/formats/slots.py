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
        new = list(records(message))
        if message.index == ADDED:
            waiting += new
            continue

        slot = slots.where[message.index]
        if waiting:
            # What is new comes before the slot, or behind what is in it already.
            first = slot if slot in own else slots.first(slot)
            before = own[slot] if slot in own else ahead.setdefault(first, [])
            if first[1] < 0:
                waiting = [lined(None, record) for record in waiting]
            before += waiting
            waiting = []

        if slot[1] < 0:
            line = slots.document[slot[0]]
            new = [lined(line, record) for record in new]
        own.setdefault(slot, []).extend(new)

    lines = _walked(slots, own, ahead, filled)
    return lines + [lined(None, record) for record in waiting]


def _walked(
    slots: Slots,
    own: dict[Slot, list[Any]],
    ahead: dict[Slot, list[Any]],
    filled: Callable[[Any, list[Any]], Any],
) -> list[Any]:
    """Everything in the order of the slots."""
    gone: set[Slot] = set()
    for slot in slots.where:
        if slot not in own:
            gone.add(slot)
            gone.update(slots.beside.get(slot, ()))

    def now(elements: Sequence[Any], slot: Callable[[int], Slot]) -> list[Any]:
        left: list[Any] = []
        for number, element in enumerate(elements):
            key = slot(number)
            left += ahead.get(key, ())
            if key not in gone:
                left += own.get(key, (element,))
        return left

    for line_number, elements in slots.lists.items():
        left = now(elements, _within(line_number))
        if not same(left, elements):
            own[line_number, -1] = [filled(slots.document[line_number], left)]
    return now(slots.document, lambda number: (number, -1))


def _within(line: int) -> Callable[[int], Slot]:
    """The slots of the list in a line."""

    def slot(number: int) -> Slot:
        return line, number

    return slot
