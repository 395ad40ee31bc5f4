"""Gemini CLI sessions: JSON lines of records, later ones in the place of earlier ones with the same
id, or one object.

A record of the model has its calls and their results together; here they are two messages.
"""

from __future__ import annotations

from director_ctx.history.formats.gemini_record import spoken_blocks, tool_blocks, user_blocks
from director_ctx.history.formats.gemini_write import (
    OURS,
    SET,
    GeminiFrame,
    Records,
    answers_in,
    filled,
    list_in,
)
from director_ctx.history.formats.parts import NEVER, SAMPLE, word
from director_ctx.history.formats.slots import Slots, refilled
from director_ctx.history.messages.client_words import opens
from director_ctx.history.messages.message import (
    ASSISTANT,
    RESULT,
    SYSTEM,
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.formats.slots import Slot

    Raw = dict[str, Any]

NAME = "gemini"
LINES = True
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
    return "projectHash" in line or SET in line or REWIND in line or _is_record(line)


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict) or record.get("type") not in _RECORDS:
        return False
    return "id" in record and "content" in record


def decode(document: Any) -> Conversation:
    single = isinstance(document, dict)
    slots = Slots([document] if single else document)
    frame = GeminiFrame(slots, single)
    messages: list[Message] = []
    tools: dict[str, str] = {}
    answered: dict[str, Slot] = {}
    for record, slot in _current(slots):
        if _is_copy(record, answered):
            first = next(answers_in(record))
            slots.beside.setdefault(answered[first], []).append(slot)
            frame.copies.add(id(record))
            continue

        name, when = str(record.get("id", "")), word(record, "timestamp")
        for role, blocks in _read(record, tools):
            messages.append(Message(role, blocks, len(messages), record, name, when))
            slots.where.append(slot)
            for block in blocks:
                if block.kind == RESULT:
                    answered[block.call] = slot
    return Conversation(NAME, messages, frame)


def _current(slots: Slots) -> list[tuple[Raw, Slot]]:
    """The records that the model reads, in order."""
    now: dict[str, tuple[Raw, Slot]] = {}
    for line_number, line in enumerate(slots.document):
        if not isinstance(line, dict):
            continue

        inside = list_in(line)
        if inside is not None:
            if SET in line:
                now.clear()
                slots.lists.clear()
            slots.lists[line_number] = inside
            for number, record in enumerate(inside):
                if isinstance(record, dict):
                    _put(now, record, (line_number, number), slots)
        elif isinstance(line.get(REWIND), str):
            now = _before(now, line[REWIND])
        elif isinstance(line.get("id"), str):
            _put(now, line, (line_number, -1), slots)
    return list(now.values())


def _before(now: dict[str, tuple[Raw, Slot]], name: str) -> dict[str, tuple[Raw, Slot]]:
    """What came before a record; nothing where nobody knows that one."""
    if name not in now:
        return {}
    number = list(now).index(name)
    return dict(list(now.items())[:number])


def _put(now: dict[str, tuple[Raw, Slot]], record: Raw, slot: Slot, slots: Slots) -> None:
    """A record, in the place of an earlier one with its id."""
    name = str(record.get("id", slot))
    if name in now:
        before = now[name][1]
        slots.beside.setdefault(slot, []).extend([before, *slots.beside.pop(before, ())])
    now[name] = (record, slot)


def _is_copy(record: Raw, answered: dict[str, Slot]) -> bool:
    """Whether a record only says again what the calls before it already have as their results."""
    if record.get("type") != "user":
        return False
    calls = list(answers_in(record))
    if not calls or len(calls) != len(record["content"]):
        return False
    return all(call in answered for call in calls)


def _read(record: Raw, tools: dict[str, str]) -> Iterator[tuple[str, list[Block]]]:
    kind = record.get("type")
    if kind == "user":
        blocks = user_blocks(record, tools)
        yield _speaker(record, blocks), blocks
    elif kind == "gemini":
        yield ASSISTANT, spoken_blocks(record, tools)
        results = tool_blocks(record)
        if results:
            yield TOOL, results


def _speaker(record: Raw, blocks: Sequence[Block]) -> str:
    if blocks and all(block.kind == RESULT for block in blocks):
        return TOOL
    is_ours = str(record.get("id", "")).startswith(OURS)
    return SYSTEM if is_ours or opens(blocks, NAME) else USER


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    frame = conversation.frame
    if not isinstance(frame, GeminiFrame):
        frame = GeminiFrame(Slots([_head()]), False)
    records = Records(conversation.messages, messages, frame)
    lines = refilled(frame.slots, messages, records, filled, lambda line, record: record)
    lines = [records.copied(line) for line in lines if not records.is_void(line)]
    return lines[0] if frame.single else lines


def _head() -> Raw:
    return {
        "sessionId": "dctx",
        "projectHash": "",
        "startTime": NEVER,
        "lastUpdated": NEVER,
        "kind": "main",
    }
