"""Gemini CLI sessions: JSON lines of records, later ones in the place of earlier ones with the same
id, or one object.

A record of the model has its calls and their results together; here they are two messages.
"""

from __future__ import annotations

from director_ctx.history.formats.gemini_record import spoken_blocks, tool_blocks, user_blocks
from director_ctx.history.formats.gemini_write import (
    OURS,
    SET,
    Frame,
    Records,
    answers_in,
    filled,
    list_in,
)
from director_ctx.history.formats.parts import NEVER, SAMPLE
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
        found = document.get("messages")
        return (
            "sessionId" in document
            and isinstance(found, list)
            and all(map(_is_record, found[:SAMPLE]))
        )
    found = [one for one in document if isinstance(one, dict)] if isinstance(document, list) else []
    marked = any(
        "projectHash" in one or SET in one or REWIND in one or _is_record(one) for one in found
    )
    return marked and all(
        "projectHash" in one or SET in one or REWIND in one or _is_record(one) for one in found
    )


def _is_record(one: Any) -> bool:
    return (
        isinstance(one, dict) and one.get("type") in _RECORDS and "id" in one and "content" in one
    )


def decode(document: Any) -> Conversation:
    frame = Frame(
        Slots([document] if isinstance(document, dict) else document), isinstance(document, dict)
    )
    messages: list[Message] = []
    tools: dict[str, str] = {}
    answered: dict[str, Slot] = {}
    for record, slot in _current(frame.slots):
        if _is_copy(record, answered):
            frame.slots.beside.setdefault(answered[next(answers_in(record))], []).append(slot)
            frame.copies.add(id(record))
            continue
        for role, blocks in _read(record, tools):
            messages.append(
                Message(
                    role, blocks, len(messages), record, str(record.get("id", "")), _when(record)
                )
            )
            frame.slots.where.append(slot)
            answered.update(dict.fromkeys((one.call for one in blocks if one.kind == RESULT), slot))
    return Conversation(NAME, messages, frame)


def _when(record: Raw) -> str:
    found = record.get("timestamp")
    return found if isinstance(found, str) else ""


def _current(slots: Slots) -> list[tuple[Raw, Slot]]:
    """The records that the model reads, in order."""
    now: dict[str, tuple[Raw, Slot]] = {}
    for place, line in enumerate(slots.document):
        if not isinstance(line, dict):
            continue
        if (inside := list_in(line)) is not None:
            if SET in line:
                now.clear()
                slots.lists.clear()
            slots.lists[place] = inside
            for number, one in enumerate(inside):
                if isinstance(one, dict):
                    _put(now, one, (place, number), slots)
        elif isinstance(line.get(REWIND), str):
            now = (
                dict(list(now.items())[: list(now).index(line[REWIND])])
                if line[REWIND] in now
                else {}
            )
        elif isinstance(line.get("id"), str):
            _put(now, line, (place, -1), slots)
    return list(now.values())


def _put(now: dict[str, tuple[Raw, Slot]], record: Raw, slot: Slot, slots: Slots) -> None:
    """A record, in the place of an earlier one with its id."""
    name = str(record.get("id", slot))
    if name in now:
        before = now[name][1]
        slots.beside.setdefault(slot, []).extend([before, *slots.beside.pop(before, ())])
    now[name] = (record, slot)


def _is_copy(record: Raw, answered: dict[str, Slot]) -> bool:
    """Whether a record only says again what the calls before it already have as their results."""
    found = list(answers_in(record)) if record.get("type") == "user" else []
    return (
        bool(found)
        and len(found) == len(record["content"])
        and all(one in answered for one in found)
    )


def _read(record: Raw, tools: dict[str, str]) -> Iterator[tuple[str, list[Block]]]:
    if record.get("type") == "user":
        blocks = user_blocks(record, tools)
        yield _speaker(record, blocks), blocks
    elif record.get("type") == "gemini":
        yield ASSISTANT, spoken_blocks(record, tools)
        if results := tool_blocks(record):
            yield TOOL, results


def _speaker(record: Raw, blocks: Sequence[Block]) -> str:
    if blocks and all(one.kind == RESULT for one in blocks):
        return TOOL
    client = str(record.get("id", "")).startswith(OURS) or opens(blocks, NAME)
    return SYSTEM if client else USER


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    frame = conversation.frame
    if not isinstance(frame, Frame):
        frame = Frame(Slots([_head()]), False)
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
