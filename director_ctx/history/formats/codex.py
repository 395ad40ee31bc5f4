"""Codex rollouts: JSON lines around the items of a Responses conversation. What follows a
compaction, and the history that it left, is what the model reads; events for the screen stay as
they are.
"""

from __future__ import annotations

from director_ctx.history.formats.openai_responses import Reader, items
from director_ctx.history.formats.parts import NEVER
from director_ctx.history.formats.slots import Slots, refilled
from director_ctx.history.messages.client_words import opens
from director_ctx.history.messages.message import ADDED, SYSTEM, USER, Conversation, Message
from director_ctx.history.messages.reasons import separated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

NAME = "codex"
LINES = True
ITEM, COMPACTED, EVENT = "response_item", "compacted", "event_msg"
_TYPES = (ITEM, COMPACTED, EVENT, "session_meta", "turn_context")
_HISTORY = "replacement_history"


def fits(document: Any) -> bool:
    if not isinstance(document, list):
        return False
    found = [one for one in document if isinstance(one, dict)]
    known = sum(one.get("type") in _TYPES and isinstance(one.get("payload"), dict) for one in found)
    return bool(found) and known > len(found) / 2


def wanted(line: dict[str, Any]) -> bool:
    payload = line.get("payload")
    return line.get("type") in (ITEM, COMPACTED) or (
        line.get("type") == EVENT
        and isinstance(payload, dict)
        and payload.get("type") == "thread_rolled_back"
    )


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
        found: dict[int, Any] = {}
        for place, many in self.rolled.items():
            line = self.document[place]
            if isinstance(told := line["payload"].get("num_turns"), int) and told > many:
                found[id(line)] = {**line, "payload": {**line["payload"], "num_turns": many}}
        return found


def decode(document: Any) -> Conversation:
    slots = Rollout(document)
    found: list[tuple[int, int, Any]] = []
    before = 0
    for place, line in enumerate(document):
        payload = line.get("payload") if isinstance(line, dict) else None
        if not isinstance(payload, dict):
            continue
        if line.get("type") == ITEM:
            found.append((place, -1, payload))
        elif line.get("type") == COMPACTED:
            before += len(found)
            slots.lists.clear()
            found = _compacted(place, payload, slots)
        elif line.get("type") == EVENT and payload.get("type") == "thread_rolled_back":
            kept, slots.rolled[place] = _rolled_back(found, payload.get("num_turns"))
            before, found = before + len(found) - len(kept), kept
    slots.where = [(place, inner) for place, inner, _ in found]
    reader = Reader()
    messages = [
        _message(reader, item, index, document[place])
        for index, (place, _, item) in enumerate(found)
    ]
    notes = (
        (f"{before} items that the model reads no longer stay in the file as they are.",)
        if before
        else ()
    )
    return Conversation(NAME, messages, slots, notes=notes)


def _message(reader: Reader, item: Any, index: int, line: dict[str, Any]) -> Message:
    message = reader.message(item, index)
    if message.role == USER and opens(message.blocks, NAME):
        message.role = SYSTEM
    when = line.get("timestamp")
    message.when = when if isinstance(when, str) else ""
    return message


def _compacted(place: int, payload: dict[str, Any], slots: Slots) -> list[tuple[int, int, Any]]:
    history = payload.get(_HISTORY)
    if not isinstance(history, list):
        # Older versions left a text and no history.
        text = payload.get("message")
        history = [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        ]
        history = history if isinstance(text, str) and text else []
    slots.lists[place] = history
    return [(place, inner, item) for inner, item in enumerate(history)]


def _rolled_back(
    found: list[tuple[int, int, Any]], turns: Any
) -> tuple[list[tuple[int, int, Any]], int]:
    """Without the last turns, each of which begins with what the user said; and how many there were
    to take back.
    """
    starts = [
        n
        for n, (_, _, item) in enumerate(found)
        if isinstance(item, dict) and item.get("role") == "user"
    ]
    count = turns if isinstance(turns, int) and turns > 0 else 0
    many = min(count, len(starts))
    return (found[: starts[-many]] if many else found), many


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    slots = conversation.frame if isinstance(conversation.frame, Slots) else Slots([])
    originals = conversation.messages

    def records(message: Message) -> Sequence[Any]:
        if message.index != ADDED and message is originals[message.index]:
            return [message.raw]
        return list(items(message, None if message.index == ADDED else originals[message.index]))

    def lined(line: Any, item: Any) -> Any:
        if line is None:
            return {"timestamp": when, "type": ITEM, "payload": item}
        return line if line["payload"] is item else {**line, "payload": item}

    when = next((one.when for one in originals if one.when), NEVER)
    lines = refilled(slots, separated(messages, originals), records, _filled, lined)
    if isinstance(slots, Rollout) and any(one.index == ADDED for one in messages):
        events = slots.events()
        lines = [events.get(id(line), line) for line in lines] if events else lines
    return lines if slots.document else [_head(), *lines]


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
