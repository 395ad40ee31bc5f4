"""Lines that hold messages, some of them whole lists: what stays in which line when messages
change.
"""

from __future__ import annotations

from director_ctx.history.messages.message import ADDED, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message

    Slot = tuple[int, int]
    """The number of a line, and that of an element of the list in it."""

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


class SlotWriter:
    """Writes a document with other messages. A format says what stands for a message, and what a
    line around it looks like.
    """

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self._own: dict[Slot, list[Any]] = {}
        """What stands in a slot now; nothing for one whose message is gone."""
        self._ahead: dict[Slot, list[Any]] = {}
        """What is new before a slot."""

    def records_of(self, message: Message) -> Sequence[Any]:
        """What stands for a message, nothing twice."""
        raise NotImplementedError

    def line_of(self, line: Any, record: Any) -> Any:
        """What stands for a message, in a line that was there, or None."""
        return record

    def with_list(self, line: Any, elements: list[Any]) -> Any:
        """A line with another list in it."""
        return line

    def lines_with(self, messages: Sequence[Message]) -> list[Any]:
        """The document with these messages."""
        new: list[Any] = []
        for message in messages:
            records = self.records_of(message)
            if message.index == ADDED:
                new += records
                continue
            slot = self.slots.where[message.index]
            self._put_before(slot, new)
            self._put(slot, records)
            new = []

        lines = self._lines_in_order()
        for record in new:
            lines.append(self.line_of(None, record))
        return lines

    def _put_before(self, slot: Slot, records: Sequence[Any]) -> None:
        """Before the slot, or behind what is in it already."""
        if not records:
            return
        place = slot
        before = self._own.get(slot)
        if before is None:
            place = self.slots.first(slot)
            before = self._ahead.setdefault(place, [])

        _, element = place
        for record in records:
            if element == THE_LINE:
                before.append(self.line_of(None, record))
            else:
                before.append(record)

    def _put(self, slot: Slot, records: Sequence[Any]) -> None:
        own = self._own.setdefault(slot, [])
        line_number, element = slot
        if element != THE_LINE:
            own.extend(records)
            return
        line = self.slots.document[line_number]
        for record in records:
            own.append(self.line_of(line, record))

    def _lines_in_order(self) -> list[Any]:
        gone = self._gone()
        # Lists first: the lines that hold them are written with what is left of them.
        for line_number, elements in self.slots.lists.items():
            left: list[Any] = []
            for number, element in enumerate(elements):
                left += self._left_of(element, (line_number, number), gone)
            if not same(left, elements):
                line = self.slots.document[line_number]
                slot = (line_number, THE_LINE)
                self._own[slot] = [self.with_list(line, left)]

        lines: list[Any] = []
        for line_number, line in enumerate(self.slots.document):
            lines += self._left_of(line, (line_number, THE_LINE), gone)
        return lines

    def _gone(self) -> set[Slot]:
        """Where a message stood, with all that goes when it goes."""
        gone: set[Slot] = set()
        for slot in self.slots.where:
            if slot in self._own:
                continue
            gone.add(slot)
            beside = self.slots.beside.get(slot, [])
            gone.update(beside)
        return gone

    def _left_of(self, element: Any, slot: Slot, gone: set[Slot]) -> list[Any]:
        """What stands in the place of an element now, with what is new before it."""
        ahead = self._ahead.get(slot, [])
        if slot in gone:
            return ahead
        return ahead + self._own.get(slot, [element])
