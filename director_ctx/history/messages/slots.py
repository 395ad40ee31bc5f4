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
    """The number of a line, and that of an element of the list in it."""
    Records = dict[Slot, list[Any]]

THE_LINE = -1
"""In the place of an element, where the line itself is meant."""


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
        beside = self.beside.get(slot, [])
        return min([slot, *beside])


def refilled_lines(
    slots: Slots,
    messages: Sequence[Message],
    records_of: Callable[[Message], Sequence[Any]],
    with_list: Callable[[Any, list[Any]], Any],
    line_of: Callable[[Any, Any], Any],
) -> list[Any]:
    """The document with these messages. `records_of` makes what stands for a message, nothing
    twice; `with_list` puts a list into its line, and `line_of` what stands for a message into a
    line that was there, or None.
    """
    own: Records = {}
    ahead: Records = {}
    waiting: list[Any] = []
    for message in messages:
        records = list(records_of(message))
        if message.index == ADDED:
            waiting += records
            continue

        slot = slots.where[message.index]
        line_number, element = slot
        if waiting:
            # What is new comes before the slot, or behind what is in it already.
            if slot in own:
                before = own[slot]
                is_line = element == THE_LINE
            else:
                first = slots.first(slot)
                before = ahead.setdefault(first, [])
                is_line = first[1] == THE_LINE
            for record in waiting:
                before.append(line_of(None, record) if is_line else record)
            waiting = []

        if element == THE_LINE:
            line = slots.document[line_number]
            records = [line_of(line, record) for record in records]
        own.setdefault(slot, []).extend(records)

    lines = _in_order(slots, own, ahead, with_list)
    return lines + [line_of(None, record) for record in waiting]


def _in_order(
    slots: Slots,
    own: Records,
    ahead: Records,
    with_list: Callable[[Any, list[Any]], Any],
) -> list[Any]:
    """Everything in the order of the slots."""
    gone: set[Slot] = set()
    for slot in slots.where:
        if slot not in own:
            gone.add(slot)
            gone.update(slots.beside.get(slot, ()))

    def left_of(elements: Sequence[Any], slot_of: Callable[[int], Slot]) -> list[Any]:
        left: list[Any] = []
        for number, element in enumerate(elements):
            slot = slot_of(number)
            left += ahead.get(slot, ())
            if slot not in gone:
                left += own.get(slot, (element,))
        return left

    # Lists first: the lines that hold them are written with what is left of them.
    for line_number, elements in slots.lists.items():
        left = left_of(elements, _slots_in(line_number))
        if not same(left, elements):
            line = slots.document[line_number]
            own[line_number, THE_LINE] = [with_list(line, left)]
    return left_of(slots.document, lambda number: (number, THE_LINE))


def _slots_in(line_number: int) -> Callable[[int], Slot]:
    """The slots of the list in a line."""

    def slot_of(number: int) -> Slot:
        return line_number, number

    return slot_of
