"""Gemini CLI sessions: JSON lines of records, later ones in the place of earlier ones with the same id, or one object.

A record of the model has its calls and their results together; here they are two messages.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

from director_ctx.history.formats.gemini_record import (
    answers,
    renewed,
    said,
    spoken_blocks,
    told_again,
    tool_blocks,
    user_blocks,
)
from director_ctx.history.formats.parts import NEVER, SAMPLE
from director_ctx.history.formats.slots import Slots, refilled
from director_ctx.history.message import (
    ADDED,
    ASSISTANT,
    RESULT,
    SYSTEM,
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
    same,
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
SET, REWIND = "$set", "$rewindTo"
_CLIENT = ("<session_context>", "This is the Gemini CLI. We are setting up the context")
"""How messages begin that the client says in the user's name."""
_SYSTEM = "system-"
"""How the ids of such messages begin that we write: of all that a record has, the client keeps its id and words."""


def fits(document: Any) -> bool:
    if isinstance(document, dict):
        found = document.get("messages")
        return "sessionId" in document and isinstance(found, list) and all(map(_is_record, found[:SAMPLE]))
    found = [one for one in document if isinstance(one, dict)] if isinstance(document, list) else []
    marked = any("projectHash" in one or SET in one or REWIND in one or _is_record(one) for one in found)
    return marked and all("projectHash" in one or SET in one or REWIND in one or _is_record(one) for one in found)


def _is_record(one: Any) -> bool:
    return isinstance(one, dict) and one.get("type") in _RECORDS and "id" in one and "content" in one


class Frame:
    __slots__ = ("copies", "single", "slots")

    def __init__(self, slots: Slots, single: bool) -> None:
        self.slots = slots
        self.single = single
        """Whether the session is one object, as older versions write it."""
        self.copies: set[int] = set()
        """The identities of records that only say again what a result is."""


def decode(document: Any) -> Conversation:
    frame = Frame(Slots([document] if isinstance(document, dict) else document), isinstance(document, dict))
    messages: list[Message] = []
    tools: dict[str, str] = {}
    answered: dict[str, Slot] = {}
    for record, slot in _current(frame.slots):
        if _is_copy(record, answered):
            frame.slots.beside.setdefault(answered[next(_answers(record))], []).append(slot)
            frame.copies.add(id(record))
            continue
        for role, blocks in _read(record, tools):
            messages.append(Message(role, blocks, len(messages), record, str(record.get("id", "")), _when(record)))
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
        if (inside := _list_in(line)) is not None:
            if SET in line:
                now.clear()
                slots.lists.clear()
            slots.lists[place] = inside
            for number, one in enumerate(inside):
                if isinstance(one, dict):
                    _put(now, one, (place, number), slots)
        elif isinstance(line.get(REWIND), str):
            now = dict(list(now.items())[: list(now).index(line[REWIND])]) if line[REWIND] in now else {}
        elif isinstance(line.get("id"), str):
            _put(now, line, (place, -1), slots)
    return list(now.values())


def _list_in(line: Raw) -> list[Any] | None:
    inside = line.get(SET) if isinstance(line.get(SET), dict) else line
    found = inside.get("messages") if isinstance(inside, dict) else None
    return found if isinstance(found, list) else None


def _put(now: dict[str, tuple[Raw, Slot]], record: Raw, slot: Slot, slots: Slots) -> None:
    """A record, in the place of an earlier one with its id."""
    name = str(record.get("id", slot))
    if name in now:
        before = now[name][1]
        slots.beside.setdefault(slot, []).extend([before, *slots.beside.pop(before, ())])
    now[name] = (record, slot)


def _answers(record: Raw) -> Iterator[str]:
    content = record.get("content")
    for part in content if isinstance(content, list) else ():
        if (call := answers(part)) is not None:
            yield call


def _is_copy(record: Raw, answered: dict[str, Slot]) -> bool:
    """Whether a record only says again what the calls before it already have as their results."""
    found = list(_answers(record)) if record.get("type") == "user" else []
    return bool(found) and len(found) == len(record["content"]) and all(one in answered for one in found)


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
    client = str(record.get("id", "")).startswith(_SYSTEM) or (blocks and blocks[0].text.startswith(_CLIENT))
    return SYSTEM if client else USER


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    frame = conversation.frame
    if not isinstance(frame, Frame):
        frame = Frame(Slots([_head()]), False)
    records = _Records(conversation.messages, messages, frame)
    lines = refilled(frame.slots, messages, records, _filled, lambda line, record: record)
    lines = [records.copied(line) for line in lines if not records.is_void(line)]
    return lines[0] if frame.single else lines


class _Records:
    """Makes the record of a message once, from all messages that were made of it."""

    def __init__(self, originals: Sequence[Message], messages: Sequence[Message], frame: Frame) -> None:
        self.salt = f"{len(frame.slots.document)} lines, new "
        self.fresh = 0
        self.of: dict[int, list[Message]] = {}
        for message in messages:
            if message.index != ADDED:
                self.of.setdefault(id(message.raw), []).append(message)
        self.was: dict[int, list[Message]] = {}
        for original in originals:
            self.was.setdefault(id(original.raw), []).append(original)
        self.told: dict[str, str] = {}
        """What became of results, by their calls."""
        named = [block.call for one in originals for block in one.blocks if block.kind == RESULT]
        self.alone = {one for one, many in Counter(named).items() if many == 1}
        """Ids that only one result has: by another nobody can tell which of them is said again."""
        self.copies = frame.copies
        left = {message.index: message for message in messages} if self.copies else {}
        self.gone = {
            one
            for original in (originals if self.copies else ())
            if (now := left.get(original.index)) is not None and now is not original
            for one in _results(original) - _results(now)
        }
        """Calls whose results were taken out of messages that stay, such as those put elsewhere."""

    def __call__(self, message: Message) -> Sequence[Any]:
        if message.index == ADDED:
            self.fresh += 1
            return [_fresh(message, f"{self.salt}{self.fresh}")]
        now, was = self.of[id(message.raw)], self.was[id(message.raw)]
        if now[0] is not message:
            return ()
        if same(now, was):
            return (message.raw,)
        left = [block for one in now for block in one.blocks]
        self.told |= {block.call: block.text for block in left if _is_retold(block) and block.call in self.alone}
        return (renewed(message.raw, left, [block for one in was for block in one.blocks]),)

    def is_void(self, line: Any) -> bool:
        """Whether a record only says again what is there no longer."""
        return id(line) in self.copies and self.gone.issuperset(_answers(line))

    def copied(self, line: Any) -> Any:
        """Records that say again what a result was say it as shortly; none of one that is there no longer."""
        if not (self.told or self.gone) or not isinstance(line, dict):
            return line
        inside = _list_in(line)
        if inside is not None:
            made = [self.copied(one) for one in inside if not self.is_void(one)]
            return line if same(made, inside) else _filled(line, made)
        if id(line) in self.copies and not self.gone.isdisjoint(_answers(line)):
            line = {**line, "content": [part for part in line["content"] if answers(part) not in self.gone]}
        if any(one in self.told for one in _answers(line)):
            line = {**line, "content": [said(part, self.told) for part in line["content"]]}
        return told_again(line, self.told) if isinstance(line.get("toolCalls"), list) else line


def _is_retold(block: Block) -> bool:
    return block.kind == RESULT and bool(block.action)


def _results(message: Message) -> set[str]:
    return {block.call for block in message.blocks if block.kind == RESULT}


def _filled(line: Any, records: list[Any]) -> Any:
    return {**line, SET: {**line[SET], "messages": records}} if SET in line else {**line, "messages": records}


def _fresh(message: Message, salt: str) -> Raw:
    """A record that we write. Its id is that of no other, for records with one id are one; nothing of it is random."""
    kind, when = "gemini" if message.role == ASSISTANT else "user", message.when or NEVER
    record = renewed({"type": kind, "content": []}, message.blocks, [])
    name = sha256(f"{salt} {record}".encode("utf-8", "backslashreplace")).hexdigest()[:32]
    return {"id": _SYSTEM + name if message.role == SYSTEM else name, "timestamp": when, **record}


def _head() -> Raw:
    return {"sessionId": "dctx", "projectHash": "", "startTime": NEVER, "lastUpdated": NEVER, "kind": "main"}
