"""Codex rollouts: JSON lines around the items of a Responses conversation. What follows a
compaction, and the history that it left, is what the model reads; events for the screen stay as
they are.
"""

from __future__ import annotations

from director_ctx.history.formats.openai_responses import ItemReader, items_of
from director_ctx.history.formats.parts import NEVER, as_list, as_object, word
from director_ctx.history.messages.client_words import opens_as_client
from director_ctx.history.messages.message import ADDED, SYSTEM, USER, Conversation, Message, same
from director_ctx.history.messages.reasons import without_lost_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Line = dict[str, Any]
    Slot = tuple[int, int]
    """The number of a line, and that of an item of the history in it."""
    Entry = tuple[Slot, Any]
    """An item, and where it stands."""

NAME = "codex"
ITEM = "response_item"
COMPACTED = "compacted"
EVENT = "event_msg"
_TYPES = (ITEM, COMPACTED, EVENT, "session_meta", "turn_context")
_HISTORY = "replacement_history"
_ROLLED_BACK = "thread_rolled_back"
_NOBODY = "00000000-0000-8000-8000-000000000000"
_THE_LINE = -1
"""In the place of an item, where the line itself is one."""


def fits(document: Any) -> bool:
    lines = [line for line in as_list(document) if isinstance(line, dict)]
    known = [
        line
        for line in lines
        if isinstance(line.get("payload"), dict) and line.get("type") in _TYPES
    ]
    return len(known) > len(lines) / 2


def may_be_read(line: Line) -> bool:
    is_read = line.get("type") in (ITEM, COMPACTED)
    return is_read or _is_rollback(line, as_object(line.get("payload")))


def _is_rollback(line: Line, payload: dict[str, Any]) -> bool:
    """Whether it says that the user went back some turns."""
    return line.get("type") == EVENT and payload.get("type") == _ROLLED_BACK


class Rollout:
    """The lines of a session, and where its messages are in them."""

    __slots__ = ("document", "histories", "turns_taken_back", "where")

    def __init__(self, document: Sequence[Any]) -> None:
        self.document = document
        self.where: list[Slot] = []
        """By the index of the message."""
        self.histories: dict[int, list[Any]] = {}
        """What compactions left, by the numbers of their lines."""
        self.turns_taken_back: dict[int, int] = {}
        """How many turns each event really took back, by the numbers of the lines that say so."""

    def corrected_events(self) -> dict[int, Line]:
        """By the `id()` of those that name more turns than there were, what they are to say beside
        a new one: that they take back no turn of ours.
        """
        events: dict[int, Line] = {}
        for line_number, turns in self.turns_taken_back.items():
            line = self.document[line_number]
            named = line["payload"].get("num_turns")
            if isinstance(named, int) and named > turns:
                payload = {**line["payload"], "num_turns": turns}
                # By identity: of two events that say the same only one may name too many.
                events[id(line)] = {**line, "payload": payload}
        return events


def decode(document: Any) -> Conversation:
    rollout = Rollout(document)
    entries: list[Entry] = []
    unread = 0
    for line_number, line in enumerate(document):
        payload = as_object(line).get("payload")
        if not isinstance(payload, dict):
            continue

        if line.get("type") == ITEM:
            entries.append(((line_number, _THE_LINE), payload))
        elif line.get("type") == COMPACTED:
            # The model reads the history that a compaction left, and nothing from before it.
            unread += len(entries)
            history = _history_of(payload)
            rollout.histories = {line_number: history}
            entries = [((line_number, number), item) for number, item in enumerate(history)]
        elif _is_rollback(line, payload):
            left, turns = _before_last_turns(entries, payload.get("num_turns"))
            rollout.turns_taken_back[line_number] = turns
            unread += len(entries) - len(left)
            entries = left

    reader = ItemReader()
    messages: list[Message] = []
    for slot, item in entries:
        rollout.where.append(slot)
        message = reader.message(item, len(messages))
        messages.append(message)
        if message.role == USER and opens_as_client(message.blocks, NAME):
            message.role = SYSTEM
        message.when = word(document[slot[0]], "timestamp")
    notes: tuple[str, ...] = ()
    if unread:
        notes = (f"{unread} items that the model reads no longer stay in the file as they are.",)
    return Conversation(NAME, messages, rollout, notes=notes)


def _history_of(payload: dict[str, Any]) -> list[Any]:
    """What a compaction left."""
    history = payload.get(_HISTORY)
    if isinstance(history, list):
        return history
    # Older versions left a text and no history.
    text = word(payload, "message")
    content = [{"type": "input_text", "text": text}]
    return [{"type": "message", "role": "user", "content": content}] if text else []


def _before_last_turns(entries: list[Entry], turns: Any) -> tuple[list[Entry], int]:
    """Without the last turns, each of which begins with what the user said; and how many there were
    to take back.
    """
    starts = [
        number for number, (_, item) in enumerate(entries) if as_object(item).get("role") == "user"
    ]
    count = min(max(0, turns), len(starts)) if isinstance(turns, int) else 0
    return (entries[: starts[-count]], count) if count else (entries, 0)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = conversation.messages
    rollout = conversation.frame
    if not isinstance(rollout, Rollout):
        rollout = Rollout([])

    writer = _RolloutWriter(rollout, originals)
    lines = writer.lines_with(without_lost_ids(messages, originals))
    if any(message.index == ADDED for message in messages):
        corrected = rollout.corrected_events()
        for number, line in enumerate(lines):
            lines[number] = corrected.get(id(line), line)
    if rollout.document:
        return lines
    # Where there was no rollout before, its first line.
    meta = {
        "id": _NOBODY,
        "timestamp": NEVER,
        "cwd": "/",
        "originator": "dctx",
        "cli_version": "0.0.0",
    }
    return [{"timestamp": NEVER, "type": "session_meta", "payload": meta}, *lines]


class _RolloutWriter:
    """Writes items, each in a line of its own or in the history of a compaction."""

    def __init__(self, rollout: Rollout, originals: Sequence[Message]) -> None:
        self.rollout = rollout
        self.originals = originals
        times = (message.when for message in originals if message.when)
        self.time_of_new = next(times, NEVER)
        self._own: dict[Slot, list[Any]] = {}
        """What stands in a slot now; nothing for one whose message is gone."""
        self._ahead: dict[Slot, list[Any]] = {}
        """What is new before a slot."""

    def lines_with(self, messages: Sequence[Message]) -> list[Any]:
        """The document with these messages."""
        new: list[Any] = []
        for message in messages:
            if message.index == ADDED:
                new += items_of(message, None)
                continue
            slot = self.rollout.where[message.index]
            self._put_before(slot, new)
            self._put(slot, list(items_of(message, self.originals[message.index])))
            new = []
        return [*self._lines_in_order(), *map(self._new_line, new)]

    def _put_before(self, slot: Slot, items: Sequence[Any]) -> None:
        """Before the slot, or behind what is in it already."""
        if not items:
            return
        before = self._own.get(slot)
        if before is None:
            before = self._ahead.setdefault(slot, [])
        _, number = slot
        before.extend(map(self._new_line, items) if number == _THE_LINE else items)

    def _put(self, slot: Slot, items: Sequence[Any]) -> None:
        own = self._own.setdefault(slot, [])
        line_number, number = slot
        if number != _THE_LINE:
            own.extend(items)
            return
        line = self.rollout.document[line_number]
        for item in items:
            # The very same line where it can be, so that it is written by its own bytes.
            own.append(line if line["payload"] is item else {**line, "payload": item})

    def _new_line(self, item: Any) -> Line:
        return {"timestamp": self.time_of_new, "type": ITEM, "payload": item}

    def _lines_in_order(self) -> list[Any]:
        gone = {slot for slot in self.rollout.where if slot not in self._own}
        # Histories first: the lines that hold them are written with what is left of them.
        for line_number, items in self.rollout.histories.items():
            left: list[Any] = []
            for number, item in enumerate(items):
                left += self._left_of(item, (line_number, number), gone)
            if not same(left, items):
                line = self.rollout.document[line_number]
                payload = {**line["payload"], _HISTORY: left}
                self._own[line_number, _THE_LINE] = [{**line, "payload": payload}]

        lines: list[Any] = []
        for line_number, line in enumerate(self.rollout.document):
            lines += self._left_of(line, (line_number, _THE_LINE), gone)
        return lines

    def _left_of(self, element: Any, slot: Slot, gone: set[Slot]) -> list[Any]:
        """What stands in the place of an element now, with what is new before it."""
        ahead = self._ahead.get(slot, [])
        if slot in gone:
            return ahead
        return ahead + self._own.get(slot, [element])
