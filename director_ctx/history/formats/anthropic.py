"""Anthropic Messages: a list of messages, or the body of a request with `system` and `messages`."""

from __future__ import annotations

from director_ctx.history.formats.parts import (
    NEST,
    SAMPLE,
    arguments,
    compact,
    joined,
    listed,
    picture,
    retold,
    spoken,
    text_of,
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
from director_ctx.history.messages.stubs import MARK, OPENS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

NAME = "anthropic"
_ROLES = {"user": USER, "assistant": ASSISTANT, "system": SYSTEM}
_OWN = ("tool_use", "tool_result", "thinking", "redacted_thinking", "document", "server_tool_use")
_SIDES = ("input_", "output_")


def fits(document: Any) -> bool:
    messages = listed(document)
    if not messages or not all(map(_is_message, messages[:SAMPLE])):
        return False
    if isinstance(document, dict) and ("system" in document or _has_tools(document)):
        return True

    parts = []
    for message in messages[:SAMPLE]:
        if isinstance(message.get("content"), list):
            parts += message["content"]
    if any(map(_is_own, parts)):
        return True
    return any(map(_is_mark, parts)) and not any(map(_is_item, messages))


def _is_message(raw: Any) -> bool:
    return isinstance(raw, dict) and word(raw, "role") in _ROLES


def _has_tools(document: dict[str, Any]) -> bool:
    tools = document.get("tools")
    if not isinstance(tools, list):
        return False
    return any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)


def _is_own(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    return part.get("type") in _OWN or "cache_control" in part or "source" in part


def _is_mark(part: Any) -> bool:
    """Whether it is a digest that we put in as a part, because nothing else of this format was
    left.
    """
    return isinstance(part, dict) and part.get("type") == "text" and _is_digest(part.get("text"))


def _is_digest(text: Any) -> bool:
    return isinstance(text, str) and OPENS in text and f"#N. All of them: {MARK}" in text


def _is_item(raw: Any) -> bool:
    """Whether it is one of OpenAI's items: its type is of there, or its parts say which way they
    go.
    """
    if not isinstance(raw, dict):
        return False
    if word(raw) not in ("", "message"):
        return True

    content = raw.get("content")
    if not isinstance(content, list):
        return False
    return any(isinstance(part, dict) and word(part).startswith(_SIDES) for part in content)


def decode(document: Any) -> Conversation:
    tools: dict[str, str] = {}
    messages: list[Message] = []
    system = document.get("system") if isinstance(document, dict) else None
    if system:
        messages.append(Message(SYSTEM, blocks_of(system, tools), 0, system))
    for raw in listed(document) or ():
        messages.append(_message(raw, len(messages), tools))
    return Conversation(NAME, messages, document)


def _message(raw: Any, index: int, tools: dict[str, str]) -> Message:
    if not isinstance(raw, dict):
        return Message(USER, [Block(OTHER, "", data=raw)], index, raw)
    blocks = blocks_of(raw.get("content"), tools)
    role = _ROLES.get(word(raw, "role"), USER)
    return Message(spoken(role, blocks), blocks, index, raw)


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
        blocks.extend(_blocks(part, at, tools))
    return blocks


def _blocks(part: Any, at: int, tools: dict[str, str]) -> Iterator[Block]:
    kind = part.get("type") if isinstance(part, dict) else None
    text = text_of(part)
    if text is not None:
        yield Block(TEXT, text, at)
    elif kind == "tool_use":
        call = str(part.get("id", ""))
        tool = str(part.get("name", ""))
        tools[call] = tool
        yield Block(CALL, compact(part.get("input", {})), at, call, tool)
    elif kind == "tool_result":
        yield from _result(part, at, tools)
    elif kind == "thinking":
        yield Block(THINKING, str(part.get("thinking") or ""), at)
    elif kind == "redacted_thinking":
        yield Block(THINKING, "", at, data=part)
    elif kind == "image":
        yield Block(IMAGE, "", at, data=part)
    else:
        yield Block(OTHER, "", at, data=part)


def _result(part: dict[str, Any], at: int, tools: dict[str, str]) -> Iterator[Block]:
    """The result, and behind it what is no text in its content."""
    call = str(part.get("tool_use_id", ""))
    content = part.get("content")
    error = part.get("is_error")
    if not isinstance(error, bool):
        error = None
    yield Block(RESULT, joined(content), at, call, tools.get(call, ""), error)

    for inner, piece in _others(content).items():
        is_image = isinstance(piece, dict) and piece.get("type") == "image"
        kind = IMAGE if is_image else OTHER
        yield Block(kind, "", (at + 1) * NEST + inner, data=piece)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = conversation.messages
    document = conversation.frame
    has_system = isinstance(document, dict) and bool(document.get("system"))

    system: list[Any] = []
    written: list[Any] = []
    for message in messages:
        original = None if message.index == ADDED else originals[message.index]
        if has_system and message.index == 0:
            is_same = message is original
            system.append(message.raw if is_same else content_of(message, original, message.raw))
        elif original is not None and message is original:
            written.append(message.raw)
        else:
            written.extend(_raws(message, original))

    is_body = isinstance(document, dict)
    if not fits({**document, "messages": written} if is_body else written):
        written = [_marked(raw) for raw in written]
    if not is_body:
        return written

    body = {**document, "messages": written}
    if system:
        body["system"] = system[0]
    elif has_system:
        del body["system"]
    return body


def _marked(raw: Any) -> Any:
    """A digest by parts: with nothing typed in it a list of messages would be taken for another
    format's.
    """
    content = raw.get("content") if isinstance(raw, dict) else None
    if not _is_digest(content):
        return raw
    return {**raw, "content": [{"type": "text", "text": content}]}


def _raws(message: Message, original: Message | None) -> Iterator[Any]:
    raw = message.raw if isinstance(message.raw, dict) else {"role": role_of(message)}
    content = content_of(message, original, raw.get("content"))
    if content:
        yield {**raw, "content": content}


def role_of(message: Message) -> str:
    return "assistant" if message.role == ASSISTANT else "user"


def content_of(message: Message, original: Message | None, raw: Any) -> Any:
    """A content with the blocks of this message, as much of the original's as is left."""
    if isinstance(raw, list) and original is not None:
        return _rebuilt(message.blocks, original.blocks, raw)

    parts = []
    for block in message.blocks:
        part = made(block)
        if part is not None:
            parts.append(part)
    if len(parts) == 1 and set(parts[0]) == {"type", "text"} and not isinstance(raw, list):
        return parts[0]["text"]
    return parts


def _rebuilt(blocks: Sequence[Block], before: Sequence[Block], raw: list[Any]) -> list[Any]:
    was: dict[int, list[Block]] = {}
    for block in before:
        was.setdefault(_part_number(block), []).append(block)

    # By the numbers of their parts; what belongs to none of them gets a number below 0.
    now: dict[int, list[Block]] = {}
    for number, block in enumerate(blocks):
        part_number = _part_number(block)
        is_first = part_number not in now
        known = part_number in was and (is_first or block.at >= NEST)
        now.setdefault(part_number if known else -1 - number, []).append(block)

    parts = []
    for part_number, of_part in now.items():
        old = raw[part_number] if part_number >= 0 else None
        part = old
        if part_number < 0 or not same(of_part, was[part_number]):
            part = _part(of_part, old)
        if part is not None:
            parts.append(part)
    return parts


def _part_number(block: Block) -> int:
    """The number of the part that a block is of, or is inside of."""
    return block.at if block.at < NEST else block.at // NEST - 1


def _part(blocks: Sequence[Block], raw: Any) -> Any:
    """One part, from its raw form as far as that is still true."""
    block, *inside = blocks
    kind = raw.get("type") if isinstance(raw, dict) else None
    if block.kind == TEXT and kind == "text":
        return {**raw, "text": block.text}
    if block.kind == CALL and kind == "tool_use":
        call = {**raw, "id": block.call}
        if compact(raw.get("input", {})) != block.text:
            call["input"] = arguments(block)
        return call
    if block.kind == RESULT and kind == "tool_result":
        return _result_part(block, inside, raw)
    return made(block)


def _result_part(block: Block, inside: Sequence[Block], raw: dict[str, Any]) -> dict[str, Any]:
    content = raw.get("content")
    left = {}
    for piece in inside:
        left[piece.at % NEST] = made(piece) if piece.data is None else piece.data

    result = {**raw, "tool_use_id": block.call}
    if block.text != joined(content) or _others(content) != left:
        result["content"] = retold(content, block.text, left)
    return result


def _others(content: Any) -> dict[int, Any]:
    """What is no text in the content of a result, by its number."""
    if not isinstance(content, list):
        return {}
    return {number: part for number, part in enumerate(content) if text_of(part) is None}


def made(block: Block) -> Any:
    """A block as a part of its own; nothing for what has no words here."""
    if block.kind == CALL:
        return {"type": "tool_use", "id": block.call, "name": block.tool, "input": arguments(block)}
    if block.kind == RESULT and block.call:
        part = {"type": "tool_result", "tool_use_id": block.call, "content": block.text}
        return part if block.error is None else {**part, "is_error": block.error}

    image = picture(block.data) if block.kind == IMAGE else None
    if image is not None:
        source = {"type": "base64", "media_type": image.media, "data": image.data}
        if image.url:
            source = {"type": "url", "url": image.url}
        return {"type": "image", "source": source}
    if block.data is not None:
        return block.data
    return {"type": "text", "text": block.text} if block.text else None
