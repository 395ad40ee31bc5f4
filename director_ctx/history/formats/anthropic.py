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
    found = listed(document)
    if not found or not all(
        isinstance(one, dict) and word(one, "role") in _ROLES for one in found[:SAMPLE]
    ):
        return False
    if isinstance(document, dict) and ("system" in document or _has_tools(document)):
        return True
    parts = [
        part
        for one in found[:SAMPLE]
        if isinstance(one.get("content"), list)
        for part in one["content"]
    ]
    return any(_is_own(part) for part in parts) or (
        any(_is_mark(part) for part in parts) and not any(_is_item(one) for one in found)
    )


def _has_tools(document: dict[str, Any]) -> bool:
    tools = document.get("tools")
    return isinstance(tools, list) and any(
        isinstance(one, dict) and "input_schema" in one for one in tools
    )


def _is_own(part: Any) -> bool:
    return isinstance(part, dict) and (
        part.get("type") in _OWN or "cache_control" in part or "source" in part
    )


def _is_mark(part: Any) -> bool:
    """Whether it is a digest that we put in as a part, because nothing else of this format was
    left.
    """
    return isinstance(part, dict) and part.get("type") == "text" and _is_digest(part.get("text"))


def _is_digest(text: Any) -> bool:
    return isinstance(text, str) and OPENS in text and f"#N. All of them: {MARK}" in text


def _is_item(one: Any) -> bool:
    """Whether it is one of OpenAI's items: its type is of there, or its parts say which way they
    go.
    """
    content = one.get("content") if isinstance(one, dict) else None
    sides = (
        [word(part) for part in content if isinstance(part, dict)]
        if isinstance(content, list)
        else []
    )
    return isinstance(one, dict) and (
        word(one) not in ("", "message") or any(side.startswith(_SIDES) for side in sides)
    )


def decode(document: Any) -> Conversation:
    tools: dict[str, str] = {}
    messages: list[Message] = []
    if isinstance(document, dict) and document.get("system"):
        messages.append(
            Message(SYSTEM, blocks_of(document["system"], tools), 0, document["system"])
        )
    for raw in listed(document) or ():
        messages.append(_message(raw, len(messages), tools))
    return Conversation(NAME, messages, document)


def _message(raw: Any, index: int, tools: dict[str, str]) -> Message:
    if not isinstance(raw, dict):
        return Message(USER, [Block(OTHER, "", data=raw)], index, raw)
    blocks = blocks_of(raw.get("content"), tools)
    return Message(spoken(_ROLES.get(word(raw, "role"), USER), blocks), blocks, index, raw)


def blocks_of(content: Any, tools: dict[str, str]) -> list[Block]:
    """The blocks of a content; `tools` learns the names of calls, and gives them to results."""
    if isinstance(content, str):
        return [Block(TEXT, content)] if content else []
    if not isinstance(content, list):
        return [] if content is None else [Block(OTHER, "", data=content)]
    return [block for at, part in enumerate(content) for block in _blocks(part, at, tools)]


def _blocks(part: Any, at: int, tools: dict[str, str]) -> Iterator[Block]:
    kind = part.get("type") if isinstance(part, dict) else None
    if (text := text_of(part)) is not None:
        yield Block(TEXT, text, at)
    elif kind == "tool_use":
        call, tool = str(part.get("id", "")), str(part.get("name", ""))
        tools[call] = tool
        yield Block(CALL, compact(part.get("input", {})), at, call, tool)
    elif kind == "tool_result":
        yield from _result(part, at, tools)
    elif kind == "thinking":
        yield Block(THINKING, str(part.get("thinking") or ""), at)
    elif kind == "redacted_thinking":
        yield Block(THINKING, "", at, data=part)
    else:
        yield Block(IMAGE if kind == "image" else OTHER, "", at, data=part)


def _result(part: dict[str, Any], at: int, tools: dict[str, str]) -> Iterator[Block]:
    call, content, wrong = (
        str(part.get("tool_use_id", "")),
        part.get("content"),
        part.get("is_error"),
    )
    yield Block(
        RESULT,
        joined(content),
        at,
        call,
        tools.get(call, ""),
        wrong if isinstance(wrong, bool) else None,
    )
    for inner, piece in enumerate(content if isinstance(content, list) else ()):
        if text_of(piece) is None:
            kind = IMAGE if isinstance(piece, dict) and piece.get("type") == "image" else OTHER
            yield Block(kind, "", (at + 1) * NEST + inner, data=piece)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals, document = conversation.messages, conversation.frame
    has_system = isinstance(document, dict) and bool(document.get("system"))
    first = originals[0] if originals else None
    top: list[Any] = []
    made: list[Any] = []
    for message in messages:
        if has_system and message.index == 0:
            top.append(message.raw if message is first else content_of(message, first, message.raw))
        elif message.index != ADDED and message is originals[message.index]:
            made.append(message.raw)
        else:
            made.extend(
                _raws(message, None if message.index == ADDED else originals[message.index])
            )
    if not fits({**document, "messages": made} if isinstance(document, dict) else made):
        made = [_marked(one) for one in made]
    if not isinstance(document, dict):
        return made
    rest = {**document, "messages": made}
    if has_system:
        rest["system"] = top[0] if top else ""
        if not top:
            del rest["system"]
    return rest


def _marked(raw: Any) -> Any:
    """A digest by parts: with nothing typed in it a list of messages would be taken for another
    format's.
    """
    content = raw.get("content") if isinstance(raw, dict) else None
    return {**raw, "content": [{"type": "text", "text": content}]} if _is_digest(content) else raw


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
    parts = [part for block in message.blocks if (part := made(block)) is not None]
    plain = len(parts) == 1 and set(parts[0]) == {"type", "text"} and not isinstance(raw, list)
    return parts[0]["text"] if plain else parts


def _rebuilt(blocks: Sequence[Block], before: Sequence[Block], raw: list[Any]) -> list[Any]:
    was: dict[int, list[Block]] = {}
    for block in before:
        was.setdefault(_place(block), []).append(block)
    now: dict[int, list[Block]] = {}
    for number, block in enumerate(blocks):
        place = _place(block)
        known = place in was and (place not in now or block.at >= NEST)
        now.setdefault(place if known else -1 - number, []).append(block)
    found = (
        raw[place]
        if place >= 0 and same(some, was[place])
        else _part(some, raw[place] if place >= 0 else None)
        for place, some in now.items()
    )
    return [part for part in found if part is not None]


def _place(block: Block) -> int:
    return block.at if block.at < NEST else block.at // NEST - 1


def _part(blocks: Sequence[Block], raw: Any) -> Any:
    """One part, from its raw form as far as that is still true."""
    block, *inside = blocks
    kind = raw.get("type") if isinstance(raw, dict) else None
    if block.kind == TEXT and kind == "text":
        return {**raw, "text": block.text}
    if block.kind == CALL and kind == "tool_use":
        changed = compact(raw.get("input", {})) != block.text
        return {**raw, "id": block.call, **({"input": arguments(block)} if changed else {})}
    if block.kind == RESULT and kind == "tool_result":
        content = raw.get("content")
        left = {one.at % NEST: made(one) if one.data is None else one.data for one in inside}
        told = block.text == joined(content) and _others(content) == left
        return {**raw, "tool_use_id": block.call} | (
            {} if told else {"content": retold(content, block.text, left)}
        )
    return made(block)


def _others(content: Any) -> dict[int, Any]:
    parts = content if isinstance(content, list) else ()
    return {place: part for place, part in enumerate(parts) if text_of(part) is None}


def made(block: Block) -> Any:
    """A block as a part of its own; nothing for what has no words here."""
    if block.kind == CALL:
        return {"type": "tool_use", "id": block.call, "name": block.tool, "input": arguments(block)}
    if block.kind == RESULT and block.call:
        wrong = {} if block.error is None else {"is_error": block.error}
        return {"type": "tool_result", "tool_use_id": block.call, "content": block.text, **wrong}
    if block.kind == IMAGE and (found := picture(block.data)) is not None:
        source = {"type": "url", "url": found.url} if found.url else {
            "type": "base64", "media_type": found.media, "data": found.data,
        }  # fmt: skip
        return {"type": "image", "source": source}
    if block.data is not None:
        return block.data
    return {"type": "text", "text": block.text} if block.text else None
