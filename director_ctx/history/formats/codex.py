"""Codex rollouts: JSON lines around the items of a Responses conversation. What follows a
compaction, and the history that it left, is what the model reads; events for the screen stay as
they are.
"""

from __future__ import annotations

from director_ctx.history.formats.openai_responses import ItemReader, items
from director_ctx.history.formats.parts import NEVER
from director_ctx.history.formats.slots import Slots, refilled
from director_ctx.history.messages.client_words import opens
from director_ctx.history.messages.message import ADDED, SYSTEM, USER, Conversation, Message
from director_ctx.history.messages.reasons import separated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    _Entry = tuple[int, int, Any]
    """An item, with the number of its line and its place in the list there; -1 where it is the line."""

NAME = "codex"
LINES = True
ITEM, COMPACTED, EVENT = "response_item", "compacted", "event_msg"
_TYPES = (ITEM, COMPACTED, EVENT, "session_meta", "turn_context")
_HISTORY = "replacement_history"
_ROLLED_BACK = "thread_rolled_back"


def fits(document: Any) -> bool:
    if not isinstance(document, list):
        return False
    lines = [line for line in document if isinstance(line, dict)]
    known = sum(map(_is_known, lines))
    return bool(lines) and known > len(lines) / 2


def _is_known(line: dict[str, Any]) -> bool:
    return line.get("type") in _TYPES and isinstance(line.get("payload"), dict)


def wanted(line: dict[str, Any]) -> bool:
    kind = line.get("type")
    if kind in (ITEM, COMPACTED):
        return True
    payload = line.get("payload")
    return kind == EVENT and isinstance(payload, dict) and payload.get("type") == _ROLLED_BACK


class Rollout(Slots):
    """The lines of a session, and how many turns each event really took back."""

    __slots__ = ("rolled",)

    def __init__(self, document: Sequence[Any]) -> None:
        super().__init__(document)
        self.rolled: dict[int, int] = {}

    def events(self) -> dict[int, Any]:
        """By the identity of those that name more turns than there were, what they are to say
        beside a new one: that they take back no turn of ours.
        """
        events: dict[int, Any] = {}
        for line_number, turns in self.rolled.items():
            line = self.document[line_number]
            named = line["payload"].get("num_turns")
            if isinstance(named, int) and named > turns:
                events[id(line)] = {**line, "payload": {**line["payload"], "num_turns": turns}}
        return events


def decode(document: Any) -> Conversation:
    slots = Rollout(document)
    entries: list[_Entry] = []
    unread = 0
    for line_number, line in enumerate(document):
        payload = line.get("payload") if isinstance(line, dict) else None
        if not isinstance(payload, dict):
            continue

        kind = line.get("type")
        if kind == ITEM:
            entries.append((line_number, -1, payload))
        elif kind == COMPACTED:
            unread += len(entries)
            slots.lists.clear()
            entries = _compacted(line_number, payload, slots)
        elif kind == EVENT and payload.get("type") == _ROLLED_BACK:
            kept, turns = _rolled_back(entries, payload.get("num_turns"))
            slots.rolled[line_number] = turns
            unread += len(entries) - len(kept)
            entries = kept

    reader = ItemReader()
    messages: list[Message] = []
    for line_number, inner, item in entries:
        slots.where.append((line_number, inner))
        messages.append(_message(reader, item, len(messages), document[line_number]))

    notes: tuple[str, ...] = ()
    if unread:
        notes = (f"{unread} items that the model reads no longer stay in the file as they are.",)
    return Conversation(NAME, messages, slots, notes=notes)


def _message(reader: ItemReader, item: Any, index: int, line: dict[str, Any]) -> Message:
    message = reader.message(item, index)
    if message.role == USER and opens(message.blocks, NAME):
        message.role = SYSTEM
    when = line.get("timestamp")
    message.when = when if isinstance(when, str) else ""
    return message


def _compacted(line_number: int, payload: dict[str, Any], slots: Slots) -> list[_Entry]:
    history = payload.get(_HISTORY)
    if not isinstance(history, list):
        history = _from_summary(payload.get("message"))
    slots.lists[line_number] = history
    return [(line_number, inner, item) for inner, item in enumerate(history)]


def _from_summary(text: Any) -> list[Any]:
    """Older versions left a text and no history."""
    if not isinstance(text, str) or not text:
        return []
    content = [{"type": "input_text", "text": text}]
    return [{"type": "message", "role": "user", "content": content}]


def _rolled_back(entries: list[_Entry], turns: Any) -> tuple[list[_Entry], int]:
    """Without the last turns, each of which begins with what the user said; and how many there were
    to take back.
    """
    starts = []
    for number, (_, _, item) in enumerate(entries):
        if isinstance(item, dict) and item.get("role") == "user":
            starts.append(number)

    wanted_turns = turns if isinstance(turns, int) and turns > 0 else 0
    count = min(wanted_turns, len(starts))
    if not count:
        return entries, 0
    return entries[: starts[-count]], count


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    slots = conversation.frame if isinstance(conversation.frame, Slots) else Slots([])
    originals = conversation.messages
    when = _first_time(originals)

    def records(message: Message) -> Sequence[Any]:
        if message.index == ADDED:
            return list(items(message, None))
        original = originals[message.index]
        if message is original:
            return [message.raw]
        return list(items(message, original))

    def lined(line: Any, item: Any) -> Any:
        if line is None:
            return {"timestamp": when, "type": ITEM, "payload": item}
        if line["payload"] is item:
            return line
        return {**line, "payload": item}

    lines = refilled(slots, separated(messages, originals), records, _filled, lined)
    if isinstance(slots, Rollout) and any(message.index == ADDED for message in messages):
        events = slots.events()
        lines = [events.get(id(line), line) for line in lines]
    if not slots.document:
        return [_head(), *lines]
    return lines


def _first_time(messages: Sequence[Message]) -> str:
    for message in messages:
        if message.when:
            return message.when
    return NEVER


def _filled(line: Any, history: list[Any]) -> Any:
    return {**line, "payload": {**line["payload"], _HISTORY: history}}


def _head() -> dict[str, Any]:
    """Where there was no rollout before, its first line."""
    nobody = "00000000-0000-8000-8000-000000000000"
    meta = {
        "id": nobody,
        "timestamp": NEVER,
        "cwd": "/",
        "originator": "dctx",
        "cli_version": "0.0.0",
    }
    return {"timestamp": NEVER, "type": "session_meta", "payload": meta}
