"""Copilot CLI sessions: JSON lines of events, each naming the one before it. Of those, what the
user, the model and its tools said is the conversation. A compaction begins it anew; what sub-agents
said stands among the lines, as theirs.
"""

from __future__ import annotations

from director_ctx.history.formats.copilot_event import (
    ASSISTANT_SAID,
    COMPACTED,
    COMPACTING,
    NEW,
    REWOUND,
    TOOL_ENDED,
    TOOL_STARTED,
    USER_SAID,
    blocks_of,
    first_event,
    role_of,
    written,
)
from director_ctx.history.formats.parts import word
from director_ctx.history.formats.slots import Slots, refilled
from director_ctx.history.messages.message import ADDED, ASSISTANT, Conversation, Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Line = dict[str, Any]

NAME = "copilot"
LINES = True
_SAID = (USER_SAID, ASSISTANT_SAID, TOOL_ENDED)
_GROUPS = (
    "session.",
    "user.",
    "assistant.",
    "tool.",
    "hook.",
    "system.",
    "subagent.",
    "model.",
    "permission.",
)


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
    reading = _Reading(document, slots)
    for place, line in enumerate(document):
        # Sub-agents have conversations of their own.
        if (
            isinstance(line, dict)
            and wanted(line)
            and isinstance(line.get("data"), dict)
            and not line.get("agentId")
        ):
            reading.take(place)

    slots.where = [(place, -1) for place in reading.places]
    tools: dict[str, str] = {}
    messages = [
        _message(document[place], index, tools) for index, place in enumerate(reading.places)
    ]
    notes: tuple[str, ...] = ()
    if reading.gone:
        notes = (
            f"{reading.gone} events that the model reads no longer stay in the file as they are.",
        )
    return Conversation(NAME, messages, slots, notes=notes)


def _message(line: Line, index: int, tools: dict[str, str]) -> Message:
    role = role_of(line)
    # One answer of the model may be several messages.
    group = word(line["data"], "apiCallId") if role == ASSISTANT else ""
    return Message(role, blocks_of(line, tools), index, line, group, word(line, "timestamp"))


class _Reading:
    """What the model reads of the lines so far."""

    def __init__(self, document: Sequence[Any], slots: Slots) -> None:
        self.document = document
        self.slots = slots
        self.places: list[int] = []
        self.gone = 0
        """How many events it reads no longer."""
        self._started: dict[str, int] = {}
        self._compacting: dict[str, int] = {}

    def take(self, place: int) -> None:
        line = self.document[place]
        kind, data = line["type"], line["data"]
        if kind in _SAID:
            self.places.append(place)
        if kind == TOOL_STARTED:
            self._started[word(data, "toolCallId")] = place
        elif kind == TOOL_ENDED:
            self._ends(word(data, "toolCallId"), place)
        elif kind == COMPACTING:
            self._compacting[word(data, "compactionAttemptId")] = place
        elif (
            kind == COMPACTED
            and data.get("success") is True
            and isinstance(data.get("summaryContent"), str)
        ):
            # The conversation goes on while it is compacted.
            begun = self._compacting.get(word(data, "compactionAttemptId"), place)
            self._keep([place, *(said for said in self.places if said > begun)])
            self.gone += 1
        elif kind == REWOUND:
            self._keep(self._before(data.get("upToEventId")))

    def _ends(self, call: str, place: int) -> None:
        """The line that says that a call began goes when its result goes."""
        started = self._started.pop(call, None)
        if started is not None:
            self.slots.beside[place, -1] = [(started, -1)]

    def _keep(self, places: list[int]) -> None:
        self.gone += len(self.places) - len(places)
        self.places = places

    def _before(self, identity: Any) -> list[int]:
        """What was said before an event; all of it, where that is not in the file."""
        kept: list[int] = []
        for place in self.places:
            if identity is not None and self.document[place].get("id") == identity:
                break
            kept.append(place)
        return kept


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    slots = conversation.frame if isinstance(conversation.frame, Slots) else Slots([])

    def records(message: Message) -> list[Line]:
        original = None if message.index == ADDED else conversation.messages[message.index]
        if message is original:
            return [message.raw]
        frame = message.raw if original else NEW
        return [{**frame, "type": kind, "data": data} for kind, data in written(message, original)]

    lines = refilled(slots, messages, records, lambda line, _: line, lambda _, record: record)
    if not slots.document:
        lines = [first_event(), *lines]
    return _chained(lines)


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
    from director_ctx.base.hashing import text_digest

    name = text_digest(f"{number} {last}")
    return f"{name[:8]}-{name[8:12]}-4{name[12:15]}-8{name[15:18]}-{name[18:30]}"
