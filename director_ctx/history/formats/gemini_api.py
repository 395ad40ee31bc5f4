"""Requests to Gemini: contents of parts, with what the system says beside them.

Calls need no id there: then a call and its response find each other by their names and their order.
"""

from __future__ import annotations

from director_ctx.history.formats.gemini_pieces.request_parts import (
    CallNames,
    changed_part,
    new_part,
    part_block,
    signature_of,
)
from director_ctx.history.formats.parts import (
    SAMPLE,
    as_list,
    as_object,
    element_at,
    role_by_blocks,
    word,
)
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    OTHER,
    SYSTEM,
    TEXT,
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
    by_place,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Raw = dict[str, Any]

NAME = "gemini-api"
CONTENTS = "contents"
SYSTEMS = ("systemInstruction", "system_instruction")
"""What the system says has two names."""
_ROLES = {"user": USER, "model": ASSISTANT, "function": TOOL}


def fits(document: Any) -> bool:
    contents = _contents_in(document)
    if not contents:
        return False
    return all(map(_is_content, contents[:SAMPLE]))


def _contents_in(document: Any) -> list[Any]:
    if isinstance(document, dict):
        return as_list(document.get(CONTENTS))
    return as_list(document)


def _is_content(raw: Any) -> bool:
    if not isinstance(raw, dict) or not isinstance(raw.get("parts"), list):
        return False
    return "role" not in raw or word(raw, "role") in _ROLES


def decode(document: Any) -> Conversation:
    messages: list[Message] = []
    system = _system_of(document)
    names = CallNames()
    if system is not None:
        blocks = _blocks(_parts_of(system), names)
        messages.append(Message(SYSTEM, blocks, 0, system))
    for raw in _contents_in(document):
        messages.append(_message(raw, len(messages), names))
    return Conversation(NAME, messages, document)


def _system_of(document: Any) -> Any:
    for key in SYSTEMS:
        system = as_object(document).get(key)
        if system:
            return system
    return None


def _parts_of(content: Any) -> list[Any]:
    """What the system says may also be one text."""
    if isinstance(content, str):
        return [{"text": content}]
    return as_list(as_object(content).get("parts"))


def _message(raw: Any, index: int, names: CallNames) -> Message:
    if not isinstance(raw, dict):
        other = Block(OTHER, "", data=raw)
        return Message(USER, [other], index, raw)

    role = _ROLES.get(word(raw, "role"), USER)
    names.begin(index, is_answer=role == ASSISTANT)
    parts = _parts_of(raw)
    blocks = _blocks(parts, names)
    return Message(role_by_blocks(role, blocks), blocks, index, raw)


def _blocks(parts: Sequence[Any], names: CallNames) -> list[Block]:
    return [part_block(part, at, names) for at, part in enumerate(parts)]


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    document = conversation.frame
    originals = conversation.messages
    has_system = _system_of(document) is not None

    system: Any = None
    contents: list[Raw] = []
    before = ADDED
    for message in messages:
        original = None
        if message.index != ADDED:
            original = originals[message.index]
        if has_system and message.index == 0:
            system = _system_content(message, original)
            continue

        content = message.raw if message is original else _content(message, original)
        # Two that were no neighbours may both be the model's now; calls have to follow the user.
        was_next = message.index != ADDED and message.index == before + 1
        before = message.index
        if not as_object(content).get("parts") and message is not original:
            continue
        if contents and not was_next and _are_answers(contents[-1], content):
            parts = [*contents[-1]["parts"], *content["parts"]]
            contents[-1] = {**contents[-1], "parts": parts}
        else:
            contents.append(content)
    if not isinstance(document, dict):
        return contents
    return _request(document, system, contents)


def _system_content(message: Message, original: Message | None) -> Any:
    if message is original and isinstance(message.raw, dict):
        return message.raw
    return {"parts": _new_parts(message, original, _parts_of(message.raw))}


def _request(document: Raw, system: Any, contents: list[Raw]) -> Raw:
    body = {**document, CONTENTS: contents}
    for key in SYSTEMS:
        if key not in body:
            continue
        if system is None:
            del body[key]
        else:
            body[key] = system
    return body


def _are_answers(first: Any, second: Any) -> bool:
    return as_object(first).get("role") == "model" == as_object(second).get("role")


def _content(message: Message, original: Message | None) -> Raw:
    role = "model" if message.role == ASSISTANT else "user"
    raw = as_object(message.raw)
    parts = _new_parts(message, original, _parts_of(raw))
    return {"role": role, **raw, "parts": parts}


def _new_parts(message: Message, original: Message | None, raw_parts: Sequence[Any]) -> list[Any]:
    """A part for each block; what nobody touched is as it came, with its signature."""
    old: dict[int, Block] = {}
    if original is not None:
        old = dict(by_place(original.blocks))
    parts: list[Any] = []
    for block in message.blocks:
        known = old.get(block.at)
        raw = element_at(raw_parts, block.at)
        if known is block:
            parts.append(raw)
        elif known is not None:
            parts.append(changed_part(block, raw))
        elif block.kind != TEXT or block.text:
            parts.append(new_part(block))
    # Of a content that is none, there are no parts.
    return [part for part in parts if part is not None]


def lacks_signature(message: Message) -> bool:
    """Whether the first call of an answer came with a signature that is not in front any more: it
    stands with the first of several calls, for all of them.
    """
    raw_parts = _parts_of(as_object(message.raw))
    signed = [at for at, part in enumerate(raw_parts) if signature_of(part, calls_only=True)]
    if not signed:
        return False
    left = {block.at for block in message.blocks}
    has_calls = any(block.call for block in message.blocks)
    return has_calls and signed[0] not in left
