"""Gemini CLI sessions: JSON lines of records, later ones in the place of earlier ones with the same
id, or one object.

A record of the model has its calls and their results together; here they are two messages.
"""

from __future__ import annotations

from director_ctx.history.formats.gemini_pieces.record import (
    answer_blocks,
    result_blocks,
    user_blocks,
)
from director_ctx.history.formats.gemini_pieces.session_write import (
    OURS,
    SET,
    GeminiFrame,
    RecordWriter,
    calls_answered_in,
    list_in,
)
from director_ctx.history.formats.parts import NEVER, SAMPLE, word
from director_ctx.history.messages.client_words import opens_as_client
from director_ctx.history.messages.message import (
    ASSISTANT,
    RESULT,
    SYSTEM,
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
    has_only,
)
from director_ctx.history.messages.slots import THE_LINE, Slots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.slots import Slot

    Raw = dict[str, Any]
    Current = dict[str, tuple[Raw, Slot]]
    """The last version of each record by its id, and where it stands."""

NAME = "gemini"
_RECORDS = ("user", "gemini", "info", "error", "warning")
REWIND = "$rewindTo"


def fits(document: Any) -> bool:
    if isinstance(document, dict):
        records = document.get("messages")
        if "sessionId" not in document or not isinstance(records, list):
            return False
        return all(map(_is_record, records[:SAMPLE]))
    if not isinstance(document, list):
        return False
    lines = [line for line in document if isinstance(line, dict)]
    return bool(lines) and all(map(_is_line, lines))


def _is_line(line: Raw) -> bool:
    if "projectHash" in line or SET in line or REWIND in line:
        return True
    return _is_record(line)


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict) or record.get("type") not in _RECORDS:
        return False
    return "id" in record and "content" in record


def may_be_read(line: Raw) -> bool:
    """Any line may: records of all types share their ids."""
    return True


def decode(document: Any) -> Conversation:
    is_single = isinstance(document, dict)
    if is_single:
        document = [document]
    slots = Slots(document)
    frame = GeminiFrame(slots, is_single)
    messages: list[Message] = []
    tools: dict[str, str] = {}
    answered: dict[str, Slot] = {}
    """Where the result of each call stands."""
    for record, slot in _current_records(slots):
        if _is_copy(record, answered):
            # It goes when the results go that it says again.
            call = next(calls_answered_in(record))
            beside = slots.beside.setdefault(answered[call], [])
            beside.append(slot)
            frame.copies.add(id(record))
            continue

        name = str(record.get("id", ""))
        when = word(record, "timestamp")
        for role, blocks in _roles_and_blocks(record, tools):
            message = Message(
                role=role,
                blocks=blocks,
                index=len(messages),
                raw=record,
                group=name,
                when=when,
            )
            messages.append(message)
            slots.where.append(slot)
            for block in blocks:
                if block.kind == RESULT:
                    answered[block.call] = slot
    return Conversation(NAME, messages, frame)


def _current_records(slots: Slots) -> list[tuple[Raw, Slot]]:
    """The records that the model reads, in order."""
    current: Current = {}
    for line_number, line in enumerate(slots.document):
        if not isinstance(line, dict):
            continue

        records = list_in(line)
        if records is not None:
            if SET in line:
                # The list stands for everything that was said before it.
                current.clear()
                slots.lists.clear()
            slots.lists[line_number] = records
            for number, record in enumerate(records):
                if isinstance(record, dict):
                    _put(current, record, (line_number, number), slots)
        elif isinstance(line.get(REWIND), str):
            current = _before(current, line[REWIND])
        elif isinstance(line.get("id"), str):
            _put(current, line, (line_number, THE_LINE), slots)
    return list(current.values())


def _before(current: Current, name: str) -> Current:
    """What came before a record; nothing where nobody knows that one."""
    if name not in current:
        return {}
    before: Current = {}
    for earlier_name, record_and_slot in current.items():
        if earlier_name == name:
            break
        before[earlier_name] = record_and_slot
    return before


def _put(current: Current, record: Raw, slot: Slot, slots: Slots) -> None:
    """A record, in the place of an earlier one with its id."""
    name = str(record.get("id", slot))
    if name in current:
        _, earlier_slot = current[name]
        beside = slots.beside.setdefault(slot, [])
        beside.append(earlier_slot)
        beside.extend(slots.beside.pop(earlier_slot, ()))
    current[name] = (record, slot)


def _is_copy(record: Raw, answered: dict[str, Slot]) -> bool:
    """Whether a record only says again what the calls before it already have as their results."""
    if record.get("type") != "user":
        return False
    calls = list(calls_answered_in(record))
    if not calls or len(calls) != len(record["content"]):
        return False
    return all(call in answered for call in calls)


def _roles_and_blocks(record: Raw, tools: dict[str, str]) -> Iterator[tuple[str, list[Block]]]:
    """The messages of a record: who speaks in each, and what."""
    if record.get("type") == "user":
        blocks = user_blocks(record, tools)
        yield _speaker(record, blocks), blocks
    elif record.get("type") == "gemini":
        yield ASSISTANT, answer_blocks(record, tools)
        results = result_blocks(record)
        if results:
            yield TOOL, results


def _speaker(record: Raw, blocks: Sequence[Block]) -> str:
    if blocks and has_only(blocks, RESULT):
        return TOOL
    is_ours = str(record.get("id", "")).startswith(OURS)
    if is_ours or opens_as_client(blocks, NAME):
        return SYSTEM
    return USER


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    frame = conversation.frame
    if not isinstance(frame, GeminiFrame):
        frame = GeminiFrame(Slots([_first_line()]), False)

    writer = RecordWriter(conversation.messages, messages, frame)
    lines = []
    for line in writer.lines_with(messages):
        if not writer.is_void(line):
            lines.append(writer.without_old_results(line))
    if frame.is_single:
        return lines[0]
    return lines


def _first_line() -> Raw:
    return {
        "sessionId": "dctx",
        "projectHash": "",
        "startTime": NEVER,
        "lastUpdated": NEVER,
        "kind": "main",
    }
