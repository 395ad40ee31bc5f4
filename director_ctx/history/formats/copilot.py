"""Copilot CLI sessions: JSON lines of events, each naming the one before it. Of those, what the
user, the model and its tools said is the conversation. A compaction begins it anew; what sub-agents
said stands among the lines, as theirs.
"""

from __future__ import annotations

from director_ctx.base.hashing import text_digest
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
    events_of,
    first_event,
    role_of,
)
from director_ctx.history.formats.parts import word
from director_ctx.history.messages.message import ADDED, ASSISTANT, Conversation, Message
from director_ctx.history.messages.slots import THE_LINE, Slots, SlotWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Line = dict[str, Any]

NAME = "copilot"
_SAID = (USER_SAID, ASSISTANT_SAID, TOOL_ENDED)
_READ = (*_SAID, TOOL_STARTED, COMPACTING, COMPACTED, REWOUND)
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
"""How the types of events begin."""


def fits(document: Any) -> bool:
    if not isinstance(document, list):
        return False
    lines = [line for line in document if isinstance(line, dict)]
    known = sum(map(_is_event, lines))
    return known > len(lines) / 2


def _is_event(line: Line) -> bool:
    kind = line.get("type")
    if not isinstance(kind, str) or not kind.startswith(_GROUPS):
        return False
    return isinstance(line.get("data"), dict)


def may_be_read(line: Line) -> bool:
    return line.get("type") in _READ


def decode(document: Any) -> Conversation:
    slots = Slots(document)
    reading = _Reading(document, slots)
    for number, line in enumerate(document):
        if not isinstance(line, dict) or not may_be_read(line):
            continue
        # Sub-agents have conversations of their own.
        is_own = not line.get("agentId")
        if is_own and isinstance(line.get("data"), dict):
            reading.take(number)

    tools: dict[str, str] = {}
    messages: list[Message] = []
    for number in reading.line_numbers:
        slots.where.append((number, THE_LINE))
        line = document[number]
        messages.append(_message(line, len(messages), tools))

    notes: tuple[str, ...] = ()
    if reading.unread:
        unread = reading.unread
        notes = (f"{unread} events that the model reads no longer stay in the file as they are.",)
    return Conversation(NAME, messages, slots, notes=notes)


def _message(line: Line, index: int, tools: dict[str, str]) -> Message:
    role = role_of(line)
    answer = ""
    if role == ASSISTANT:
        # One answer of the model may be several messages.
        answer = word(line["data"], "apiCallId")
    return Message(
        role=role,
        blocks=blocks_of(line, tools),
        index=index,
        raw=line,
        group=answer,
        when=word(line, "timestamp"),
    )


class _Reading:
    """What the model reads of the lines so far."""

    def __init__(self, document: Sequence[Any], slots: Slots) -> None:
        self.document = document
        self.slots = slots
        self.line_numbers: list[int] = []
        self.unread = 0
        """How many events it reads no longer."""
        self._started: dict[str, int] = {}
        """The lines in which calls began that have not ended, by the ids of the calls."""
        self._compacting: dict[str, int] = {}
        """The lines in which compactions began, by the ids of those."""

    def take(self, number: int) -> None:
        line = self.document[number]
        kind = line["type"]
        data = line["data"]
        if kind in _SAID:
            self.line_numbers.append(number)

        if kind == TOOL_STARTED:
            self._started[word(data, "toolCallId")] = number
        elif kind == TOOL_ENDED:
            self._end_call(word(data, "toolCallId"), number)
        elif kind == COMPACTING:
            self._compacting[word(data, "compactionAttemptId")] = number
        elif kind == COMPACTED:
            self._compact(data, number)
        elif kind == REWOUND:
            self._keep(self._said_before(data.get("upToEventId")))

    def _end_call(self, call: str, number: int) -> None:
        """The line that says that a call began goes when its result goes."""
        started = self._started.pop(call, None)
        if started is not None:
            self.slots.beside[number, THE_LINE] = [(started, THE_LINE)]

    def _compact(self, data: dict[str, Any], number: int) -> None:
        """The summary stands for what was said before the compaction began."""
        is_done = data.get("success") is True
        if not is_done or not isinstance(data.get("summaryContent"), str):
            return

        attempt = word(data, "compactionAttemptId")
        began = self._compacting.get(attempt, number)
        # The conversation goes on while it is compacted.
        meanwhile = [said for said in self.line_numbers if said > began]
        self._keep([number, *meanwhile])
        # The summary was not among those that were read, and is now.
        self.unread += 1

    def _keep(self, line_numbers: list[int]) -> None:
        self.unread += len(self.line_numbers) - len(line_numbers)
        self.line_numbers = line_numbers

    def _said_before(self, identity: Any) -> list[int]:
        """What was said before an event; all of it, where that is not in the file."""
        if identity is None:
            return self.line_numbers
        before: list[int] = []
        for number in self.line_numbers:
            line = self.document[number]
            if line.get("id") == identity:
                break
            before.append(number)
        return before


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    slots = conversation.frame
    if not isinstance(slots, Slots):
        slots = Slots([])
    lines = _EventWriter(slots, conversation.messages).lines_with(messages)
    if not slots.document:
        lines = [first_event(), *lines]
    return _chained(lines)


class _EventWriter(SlotWriter):
    """Writes events; each is a line."""

    def __init__(self, slots: Slots, originals: Sequence[Message]) -> None:
        super().__init__(slots)
        self.originals = originals

    def records_of(self, message: Message) -> list[Line]:
        if message.index == ADDED:
            return _events(message, None, NEW)
        original = self.originals[message.index]
        if message is original:
            return [message.raw]
        return _events(message, original, message.raw)


def _events(message: Message, original: Message | None, frame: Line) -> list[Line]:
    """The events of a message, each with what stands around its data."""
    events = []
    for kind, data in events_of(message, original):
        events.append({**frame, "type": kind, "data": data})
    return events


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
        identity = word(line, "id")
        before = line.get("parentId")
        if not identity or identity in known:
            # New, or the second that one event became.
            identity = _identity(number, last)
            linked = {**line, "id": identity, "parentId": last}
        elif isinstance(before, str) and before not in known:
            linked = {**line, "parentId": last}
        last = identity
        known.add(identity)
        chained.append(linked)
    return chained


def _identity(number: int, last: str | None) -> str:
    """In the form of the client's, and the same each time."""
    name = text_digest(f"{number} {last}")
    return f"{name[:8]}-{name[8:12]}-4{name[12:15]}-8{name[15:18]}-{name[18:30]}"
