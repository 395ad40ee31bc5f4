"""Copilot CLI sessions: JSON lines of events, each naming the one before it. Of those, what the user, the model and its
tools said is the conversation. A compaction begins it anew; what sub-agents said stands among the lines, as theirs.
"""

from __future__ import annotations

from director_ctx.history.formats.copilot_event import (
    ASSISTANT_SAID,
    COMPACTED,
    COMPACTING,
    REWOUND,
    TOOL_ENDED,
    TOOL_STARTED,
    USER_SAID,
    blocks_of,
    event,
    first_event,
    role_of,
    touched,
)
from director_ctx.history.formats.parts import word
from director_ctx.history.formats.slots import Slots, refilled
from director_ctx.history.message import ADDED, ASSISTANT, Conversation, Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Line = dict[str, Any]

NAME = "copilot"
LINES = True
_SAID = (USER_SAID, ASSISTANT_SAID, TOOL_ENDED)
_GROUPS = ("session.", "user.", "assistant.", "tool.", "hook.", "system.", "subagent.", "model.", "permission.")


def fits(document: Any) -> bool:
    if not isinstance(document, list):
        return False
    lines = [line for line in document if isinstance(line, dict)]
    known = sum(_is_event(line) for line in lines)
    return known > len(lines) / 2


def _is_event(line: Line) -> bool:
    kind = line.get("type")
    return isinstance(kind, str) and kind.startswith(_GROUPS) and isinstance(line.get("data"), dict)


def wanted(line: Line) -> bool:
    return line.get("type") in (*_SAID, TOOL_STARTED, COMPACTING, COMPACTED, REWOUND)


def decode(document: Any) -> Conversation:
    slots = Slots(document)
    places, gone = _current(document, slots)
    slots.where = [(place, -1) for place in places]
    tools: dict[str, str] = {}
    messages = []
    for index, place in enumerate(places):
        line = document[place]
        blocks = blocks_of(line, tools)
        role = role_of(line)
        when = line.get("timestamp")
        group = word(line["data"], "apiCallId") if role == ASSISTANT else ""
        messages.append(Message(role, blocks, index, line, group, when if isinstance(when, str) else ""))
    notes = (f"{gone} events that the model reads no longer stay in the file as they are.",) if gone else ()
    return Conversation(NAME, messages, slots, notes=notes)


def _current(document: Sequence[Any], slots: Slots) -> tuple[list[int], int]:
    """The places of what the model reads, in order, and how many events it reads no longer."""
    places: list[int] = []
    started: dict[str, int] = {}
    compacting: dict[str, int] = {}
    gone = 0
    for place, line in enumerate(document):
        # Sub-agents have conversations of their own.
        if not isinstance(line, dict) or not isinstance(line.get("data"), dict) or line.get("agentId"):
            continue
        kind, data = line.get("type"), line["data"]
        before = len(places)
        if kind in _SAID:
            places.append(place)
        if kind == TOOL_STARTED:
            started[word(data, "toolCallId")] = place
        elif kind == TOOL_ENDED and word(data, "toolCallId") in started:
            slots.beside[place, -1] = [(started.pop(word(data, "toolCallId")), -1)]
        elif kind == COMPACTING:
            compacting[word(data, "compactionAttemptId")] = place
        elif kind == COMPACTED and data.get("success") and isinstance(data.get("summaryContent"), str):
            # The conversation goes on while it is compacted.
            begun = compacting.get(word(data, "compactionAttemptId"), place)
            places = [place, *(said for said in places if said > begun)]
            gone += before - len(places) + 1
        elif kind == REWOUND:
            places = _before_event(document, places, data.get("upToEventId"))
            gone += before - len(places)
    return places, gone


def _before_event(document: Sequence[Any], places: Sequence[int], identity: Any) -> list[int]:
    """What was said before an event; all of it, where that is not in the file."""
    kept: list[int] = []
    for place in places:
        if identity is not None and document[place].get("id") == identity:
            break
        kept.append(place)
    return kept


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    slots = conversation.frame if isinstance(conversation.frame, Slots) else Slots([])
    originals = conversation.messages

    def records(message: Message) -> Sequence[Line]:
        if message.index == ADDED:
            return [event(kind, data) for kind, data in touched(message, None)]
        original = originals[message.index]
        if message is original:
            return [message.raw]
        return [{**message.raw, "type": kind, "data": data} for kind, data in touched(message, original)]

    lines = refilled(slots, messages, records, lambda line, _: line, lambda _, record: record)
    return _chained(lines if slots.document else [first_event(), *lines])


def _chained(lines: Sequence[Any]) -> list[Any]:
    """Every event names the one before it: where that went, or is new, it names another."""
    chained: list[Any] = []
    known: set[str] = set()
    last: str | None = None
    for number, line in enumerate(lines):
        if not isinstance(line, dict) or "data" not in line:
            chained.append(line)
            continue

        linked = line
        identity, before = word(line, "id"), line.get("parentId")
        if not identity or identity in known:
            # New, or the second that one event became.
            identity = _identity(number, last)
            linked = {**line, "id": identity, "parentId": last}
        elif isinstance(before, str) and before not in known:
            linked = {**line, "parentId": last}
        last = identity
        known.add(last)
        chained.append(linked)
    return chained


def _identity(number: int, last: str | None) -> str:
    """In the form of the client's, and the same each time."""
    from director_ctx.digest import text_digest

    name = text_digest(f"{number} {last}")
    return f"{name[:8]}-{name[8:12]}-4{name[12:15]}-8{name[15:18]}-{name[18:30]}"
