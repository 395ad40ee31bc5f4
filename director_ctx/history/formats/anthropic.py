"""Anthropic Messages: a list of messages, or the body of a request with `system` and `messages`."""

from __future__ import annotations

from director_ctx.base.system.waiting import still_wanted
from director_ctx.history.formats.parts import (
    NEST,
    SAMPLE,
    arguments,
    as_list,
    as_object,
    compact,
    has_direction,
    joined_text,
    listed,
    other_message,
    result_content,
    role_by_blocks,
    text_of,
    type_of,
    word,
)
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    CALL,
    IMAGE,
    OTHER,
    RESULT,
    SYSTEM,
    TEXT,
    THINKING,
    USER,
    Block,
    Conversation,
    Message,
    same,
)
from director_ctx.history.messages.pictures import picture_of
from director_ctx.history.messages.stubs import MARK, OPENS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

NAME = "anthropic"
_ROLES = {"user": USER, "assistant": ASSISTANT, "system": SYSTEM}
_OWN_TYPES = (
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "document",
    "server_tool_use",
)


def fits(document: Any) -> bool:
    messages = listed(document)
    if not messages:
        return False
    sample = messages[:SAMPLE]
    if not all(isinstance(raw, dict) and word(raw, "role") in _ROLES for raw in sample):
        return False
    if isinstance(document, dict):
        tools = as_list(document.get("tools"))
        if "system" in document or any("input_schema" in as_object(tool) for tool in tools):
            return True
    parts = [part for raw in sample for part in as_list(raw.get("content"))]
    if any(map(_is_own_part, parts)):
        return True
    # A digest of ours may be all that is left of this format, but it may be OpenAI's too.
    has_digest = any(type_of(part) == "text" and _is_digest(part.get("text")) for part in parts)
    return has_digest and not any(map(_is_openai_item, messages))


def _is_own_part(part: Any) -> bool:
    """Whether no other format has parts like it."""
    if not isinstance(part, dict):
        return False
    return part.get("type") in _OWN_TYPES or "cache_control" in part or "source" in part


def _is_digest(text: Any) -> bool:
    """Whether it is a digest that we put in."""
    return isinstance(text, str) and OPENS in text and f"#N. All of them: {MARK}" in text


def _is_openai_item(raw: Any) -> bool:
    if not isinstance(raw, dict):
        return False
    return word(raw) not in ("", "message") or has_direction(raw.get("content"))


def decode(document: Any) -> Conversation:
    tools: dict[str, str] = {}
    messages: list[Message] = []
    system = as_object(document).get("system")
    if system:
        messages.append(Message(SYSTEM, blocks_of(system, tools), 0, system))
    for raw in listed(document) or ():
        index = len(messages)
        if not isinstance(raw, dict):
            messages.append(other_message(raw, index))
            continue
        blocks = blocks_of(raw.get("content"), tools)
        role = _ROLES.get(word(raw, "role"), USER)
        messages.append(Message(role_by_blocks(role, blocks), blocks, index, raw))
    return Conversation(NAME, messages, document)


def blocks_of(content: Any, tools: dict[str, str]) -> list[Block]:
    """The blocks of a content; `tools` learns the names of calls, and gives them to results."""
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [Block(TEXT, content)]
    if not isinstance(content, list):
        return [Block(OTHER, "", data=content)]
    blocks: list[Block] = []
    for at, part in enumerate(content):
        still_wanted()
        blocks.extend(_blocks_of_part(part, at, tools))
    return blocks


def _blocks_of_part(part: Any, at: int, tools: dict[str, str]) -> Iterator[Block]:
    part_type = type_of(part)
    text = text_of(part)
    if text is not None:
        yield Block(TEXT, text, at)
    elif part_type == "tool_use":
        call, tool = str(part.get("id", "")), str(part.get("name", ""))
        tools[call] = tool
        yield Block(CALL, compact(part.get("input", {})), at, call, tool)
    elif part_type == "tool_result":
        call, content, error = (
            str(part.get("tool_use_id", "")),
            part.get("content"),
            part.get("is_error"),
        )
        known = error if isinstance(error, bool) else None
        yield Block(RESULT, joined_text(content), at, call, tools.get(call, ""), known)
        # Behind it what is no text in its content.
        for number, inner in _without_text(content).items():
            kind = IMAGE if type_of(inner) == "image" else OTHER
            yield Block(kind, "", (at + 1) * NEST + number, data=inner)
    elif part_type == "thinking":
        yield Block(THINKING, str(part.get("thinking") or ""), at)
    else:
        kind = {"redacted_thinking": THINKING, "image": IMAGE}.get(word(as_object(part)), OTHER)
        yield Block(kind, "", at, data=part)


def _without_text(content: Any) -> dict[int, Any]:
    """What is no text in the content of a result, by its number."""
    return {number: part for number, part in enumerate(as_list(content)) if text_of(part) is None}


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    document = conversation.frame
    has_system = bool(as_object(document).get("system"))
    system: list[Any] = []
    written: list[Any] = []
    for message in messages:
        original = None if message.index == ADDED else conversation.messages[message.index]
        # Where a request has a system prompt, it was read as its first message.
        if has_system and message.index == 0:
            is_same = message is original
            system.append(message.raw if is_same else content_of(message, original, message.raw))
        elif message is original:
            written.append(message.raw)
        else:
            raw = message.raw
            if not isinstance(raw, dict):
                raw = {"role": "assistant" if message.role == ASSISTANT else "user"}
            content = content_of(message, original, raw.get("content"))
            # Nothing stands for one that says nothing here.
            if content:
                written.append({**raw, "content": content})
    if not isinstance(document, dict):
        return written if fits(written) else _recognizable(written)

    body = {**document, "messages": written}
    if not fits(body):
        body["messages"] = _recognizable(written)
    if system:
        body["system"] = system[0]
    elif has_system:
        del body["system"]
    return body


def _recognizable(written: Sequence[Any]) -> list[Any]:
    """With digests by parts: with nothing typed in it a list of messages would be taken for another
    format's.
    """
    return [
        {**raw, "content": [{"type": "text", "text": raw["content"]}]}
        if _is_digest(as_object(raw).get("content"))
        else raw
        for raw in written
    ]


def content_of(message: Message, original: Message | None, raw: Any) -> Any:
    """A content with the blocks of this message, as much of the original's as is left."""
    if isinstance(raw, list) and original is not None:
        return _rebuilt_parts(message.blocks, original.blocks, raw)
    parts = [part for part in map(new_part, message.blocks) if part is not None]
    # A single text that was no list of parts stays a text.
    if len(parts) == 1 and not isinstance(raw, list):
        [part] = parts
        if as_object(part).keys() == {"type", "text"}:
            return part["text"]
    return parts


def _rebuilt_parts(
    blocks: Sequence[Block], old_blocks: Sequence[Block], raw: list[Any]
) -> list[Any]:
    old_of_part: dict[int, list[Block]] = {}
    for block in old_blocks:
        old_of_part.setdefault(_part_number(block), []).append(block)
    by_part: dict[int, list[Block]] = {}
    for number, block in enumerate(blocks):
        part_number = _part_number(block)
        # A second block of one part is new, unless it stands inside of a result. What belongs to no
        # part gets a number below 0.
        is_first = part_number not in by_part
        if part_number not in old_of_part or not (is_first or block.at >= NEST):
            part_number = -1 - number
        by_part.setdefault(part_number, []).append(block)

    parts = []
    for part_number, of_part in by_part.items():
        if part_number < 0:
            part = _changed_part(of_part, None)
        elif same(of_part, old_of_part[part_number]):
            part = raw[part_number]
        else:
            part = _changed_part(of_part, raw[part_number])
        if part is not None:
            parts.append(part)
    return parts


def _part_number(block: Block) -> int:
    """The number of the part that a block is of, or is inside of."""
    return block.at if block.at < NEST else block.at // NEST - 1


def _changed_part(blocks: Sequence[Block], raw: Any) -> Any:
    """One part, from its raw form as far as that is still true."""
    block, *inside = blocks
    part_type = type_of(raw)
    if block.kind == TEXT and part_type == "text":
        return {**raw, "text": block.text}
    if block.kind == CALL and part_type == "tool_use":
        call = {**raw, "id": block.call}
        if compact(raw.get("input", {})) != block.text:
            call["input"] = arguments(block)
        return call
    if block.kind == RESULT and part_type == "tool_result":
        # A picture of which only a stub is left has no raw form any more.
        left = {
            inner.at % NEST: new_part(inner) if inner.data is None else inner.data
            for inner in inside
        }
        content = raw.get("content")
        changed = {**raw, "tool_use_id": block.call}
        if block.text != joined_text(content) or _without_text(content) != left:
            changed["content"] = result_content(content, block.text, left)
        return changed
    return new_part(block)


def new_part(block: Block) -> Any:
    """A block as a part of its own; nothing for what has no words here."""
    if block.kind == CALL:
        return {"type": "tool_use", "id": block.call, "name": block.tool, "input": arguments(block)}
    if block.kind == RESULT and block.call:
        result = {"type": "tool_result", "tool_use_id": block.call, "content": block.text}
        return result if block.error is None else {**result, "is_error": block.error}
    image = picture_of(block)
    if image is not None:
        source = {"type": "url", "url": image.url}
        if not image.url:
            source = {"type": "base64", "media_type": image.media, "data": image.data}
        return {"type": "image", "source": source}
    if block.data is not None:
        return block.data
    return {"type": "text", "text": block.text} if block.text else None
