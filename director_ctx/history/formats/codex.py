"""Codex rollouts: JSON lines around the items of a Responses conversation. What follows a
compaction, and the history that it left, is what the model reads; events for the screen stay as
they are.
"""

from __future__ import annotations

from director_ctx.history.formats.openai_items import ItemReader, items_of
from director_ctx.history.formats.parts import NEVER, as_object, word
from director_ctx.history.messages.client_words import opens_as_client
from director_ctx.history.messages.message import ADDED, SYSTEM, USER, Conversation, Message
from director_ctx.history.messages.reasons import without_lost_ids
from director_ctx.history.messages.slots import THE_LINE, Slots, SlotWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.messages.slots import Slot

    Line = dict[str, Any]
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


def fits(document: Any) -> bool:
    if not isinstance(document, list):
        return False
    lines = [line for line in document if isinstance(line, dict)]
    known = sum(map(_is_known, lines))
    return bool(lines) and known > len(lines) / 2


def _is_known(line: Line) -> bool:
    has_payload = isinstance(line.get("payload"), dict)
    return has_payload and line.get("type") in _TYPES


def may_be_read(line: Line) -> bool:
    if line.get("type") in (ITEM, COMPACTED):
        return True
    return _is_rollback(line, as_object(line.get("payload")))


def _is_rollback(line: Line, payload: dict[str, Any]) -> bool:
    """Whether it says that the user went back some turns."""
    return line.get("type") == EVENT and payload.get("type") == _ROLLED_BACK


class Rollout(Slots):
    """The lines of a session, and how many turns each event really took back."""

    __slots__ = ("turns_taken_back",)

    def __init__(self, document: Sequence[Any]) -> None:
        super().__init__(document)
        self.turns_taken_back: dict[int, int] = {}
        """By the numbers of the lines that say so."""

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
    slots = Rollout(document)
    entries: list[Entry] = []
    unread = 0
    for line_number, line in enumerate(document):
        payload = as_object(line).get("payload")
        if not isinstance(payload, dict):
            continue

        if line.get("type") == ITEM:
            slot = (line_number, THE_LINE)
            entries.append((slot, payload))
        elif line.get("type") == COMPACTED:
            # The model reads the history that a compaction left, and nothing from before it.
            unread += len(entries)
            slots.lists.clear()
            entries = _entries_of_compaction(line_number, payload, slots)
        elif _is_rollback(line, payload):
            left, turns = _before_last_turns(entries, payload.get("num_turns"))
            slots.turns_taken_back[line_number] = turns
            unread += len(entries) - len(left)
            entries = left
    return _conversation(slots, entries, unread)


def _conversation(slots: Rollout, entries: Sequence[Entry], unread: int) -> Conversation:
    reader = ItemReader()
    messages: list[Message] = []
    for slot, item in entries:
        slots.where.append(slot)
        message = reader.message(item, len(messages))
        messages.append(message)
        if message.role == USER and opens_as_client(message.blocks, NAME):
            message.role = SYSTEM

        line_number, _ = slot
        line = slots.document[line_number]
        message.when = word(line, "timestamp")

    notes: tuple[str, ...] = ()
    if unread:
        notes = (f"{unread} items that the model reads no longer stay in the file as they are.",)
    return Conversation(NAME, messages, slots, notes=notes)


def _entries_of_compaction(
    line_number: int,
    payload: dict[str, Any],
    slots: Slots,
) -> list[Entry]:
    history = payload.get(_HISTORY)
    if not isinstance(history, list):
        history = _history_from_summary(payload.get("message"))
    slots.lists[line_number] = history

    entries: list[Entry] = []
    for number, item in enumerate(history):
        slot = (line_number, number)
        entries.append((slot, item))
    return entries


def _history_from_summary(text: Any) -> list[Any]:
    """Older versions left a text and no history."""
    if not isinstance(text, str) or not text:
        return []
    content = [{"type": "input_text", "text": text}]
    return [{"type": "message", "role": "user", "content": content}]


def _before_last_turns(entries: list[Entry], turns: Any) -> tuple[list[Entry], int]:
    """Without the last turns, each of which begins with what the user said; and how many there were
    to take back.
    """
    starts = []
    for number, (_, item) in enumerate(entries):
        if as_object(item).get("role") == "user":
            starts.append(number)

    asked_for = 0
    if isinstance(turns, int) and turns > 0:
        asked_for = turns
    count = min(asked_for, len(starts))
    if not count:
        return entries, 0
    return entries[: starts[-count]], count


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = conversation.messages
    slots = conversation.frame
    if not isinstance(slots, Rollout):
        slots = Rollout([])

    writer = _RolloutWriter(slots, originals)
    lines = writer.lines_with(without_lost_ids(messages, originals))
    if any(message.index == ADDED for message in messages):
        corrected = slots.corrected_events()
        for number, line in enumerate(lines):
            lines[number] = corrected.get(id(line), line)
    if not slots.document:
        return [_first_line(), *lines]
    return lines


class _RolloutWriter(SlotWriter):
    """Writes items, each in a line of its own or in the history of a compaction."""

    def __init__(self, slots: Slots, originals: Sequence[Message]) -> None:
        super().__init__(slots)
        self.originals = originals
        self.time_of_new = _first_time(originals)

    def records_of(self, message: Message) -> Sequence[Any]:
        if message.index == ADDED:
            return list(items_of(message, None))
        original = self.originals[message.index]
        if message is original:
            return [message.raw]
        return list(items_of(message, original))

    def line_of(self, line: Any, item: Any) -> Any:
        if line is None:
            return {
                "timestamp": self.time_of_new,
                "type": ITEM,
                "payload": item,
            }
        if line["payload"] is item:
            # The very same line, so that it is written by its own bytes.
            return line
        return {**line, "payload": item}

    def with_list(self, line: Any, history: list[Any]) -> Any:
        payload = {**line["payload"], _HISTORY: history}
        return {**line, "payload": payload}


def _first_time(messages: Sequence[Message]) -> str:
    for message in messages:
        if message.when:
            return message.when
    return NEVER


def _first_line() -> Line:
    """Where there was no rollout before, its first line."""
    meta = {
        "id": _NOBODY,
        "timestamp": NEVER,
        "cwd": "/",
        "originator": "dctx",
        "cli_version": "0.0.0",
    }
    return {"timestamp": NEVER, "type": "session_meta", "payload": meta}
