"""LangChain's message objects as a conversation, and back. What nobody touched is the very same
object.
"""

from __future__ import annotations

import json

from director_ctx.history.formats.parts import arguments
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
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
)
from director_ctx.history.messages.reasons import nameless, reason_is_gone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_ROLES = {
    "system": SYSTEM,
    "developer": SYSTEM,
    "human": USER,
    "ai": ASSISTANT,
    "tool": TOOL,
    "function": TOOL,
}
_IMAGES = ("image", "image_url", "input_image")
_THOUGHTS = ("thinking", "reasoning", "redacted_thinking")
_CALLS = 1000
"""From here on places are those of calls, which are beside the content."""


def fits(messages: object) -> bool:
    """Whether these are message objects; without an import of LangChain."""
    return (
        isinstance(messages, list | tuple)
        and bool(messages)
        and all(hasattr(one, "model_copy") for one in messages)
    )


def as_objects(messages: list[Any]) -> list[Any]:
    """Message objects, where LangChain would make some of these: texts, pairs of a role and a text,
    and whatever else stands beside an object.
    """
    has_object = any(hasattr(message, "model_copy") for message in messages)
    all_objects = all(hasattr(message, "model_copy") for message in messages)
    all_short = all(isinstance(message, str) or is_pair(message) for message in messages)
    if all_objects or not (has_object or all_short):
        return messages
    try:
        from langchain_core.messages import convert_to_messages
    except ImportError:
        return messages
    return list(convert_to_messages(messages))


def is_pair(one: object) -> bool:
    """A role and a text."""
    return isinstance(one, tuple) and len(one) == 2 and all(isinstance(part, str) for part in one)


def decode(messages: Sequence[Any]) -> Conversation:
    tools: dict[str, str] = {}
    decoded = [_message(source, index, tools) for index, source in enumerate(messages)]
    return Conversation("langchain", decoded)


def _message(source: Any, index: int, tools: dict[str, str]) -> Message:
    """`tools` are the names of those that were called, by the calls."""
    calls: list[Block] = []
    for number, call in enumerate(getattr(source, "tool_calls", None) or ()):
        calls.append(_call(call, number, tools))
    role = _role(source)
    if role != TOOL:
        return Message(role, [*_content(source.content, TEXT), *calls], index, source)

    blocks = _content(source.content, RESULT)
    answered = str(getattr(source, "tool_call_id", "") or "")
    failed = getattr(source, "status", "") == "error"
    for block in blocks:
        block.call = answered
        block.tool = source.name or tools.get(answered, "")
        block.error = True if failed else None
    return Message(role, blocks, index, source)


def _role(source: Any) -> str:
    kind = str(getattr(source, "role", None) or source.type)
    role = _ROLES.get(source.type) or _ROLES.get(kind)
    if role:
        return role
    return ASSISTANT if kind == ASSISTANT else USER


def _call(call: dict[str, Any], number: int, tools: dict[str, str]) -> Block:
    identity, name = str(call.get("id") or ""), str(call.get("name") or "")
    tools[identity] = name
    text = json.dumps(call.get("args"), ensure_ascii=False, default=str)
    return Block(CALL, text, _CALLS + number, identity, name)


def _content(content: object, kind: str) -> list[Block]:
    if isinstance(content, str):
        if content or kind == RESULT:
            return [Block(kind, content)]
        return []
    parts = content if isinstance(content, list) else [content]
    return [_part(part, at, kind) for at, part in enumerate(parts)]


def _part(part: Any, at: int, kind: str) -> Block:
    if isinstance(part, str):
        return Block(kind, part, at)
    named = part.get("type") if isinstance(part, dict) else None
    if named == "text":
        return Block(kind, str(part.get("text") or ""), at)
    if named in _THOUGHTS:
        thought = part.get("thinking") or part.get("reasoning")
        return Block(THINKING, str(thought or ""), at)
    if named in _IMAGES:
        return Block(IMAGE, "", at, data=part)
    return Block(OTHER, "", at, data=part)


def encode(conversation: Conversation, messages: Sequence[Message]) -> list[Any]:
    """The objects again; the old ones are never changed."""
    before = conversation.messages
    objects: list[Any] = []
    for message in messages:
        is_untouched = message.index != ADDED and before[message.index] is message
        objects.append(message.raw if is_untouched else _object(message))
    return objects


def _object(message: Message) -> Any:
    source = message.raw
    if source is None:
        return _new(message)
    update: dict[str, Any] = {"content": _parts(message)}
    calls = [block for block in message.blocks if block.kind == CALL]
    if calls:
        tool_calls: list[dict[str, Any]] = []
        for block in calls:
            tool_calls.append(_args(source.tool_calls[block.at - _CALLS], block))
        update["tool_calls"] = tool_calls
    update["response_metadata"] = {**source.response_metadata, "compressed": True}
    return source.model_copy(update=update)


def _parts(message: Message) -> str | list[Any]:
    """The content with the blocks that are left."""
    own = [block for block in message.blocks if block.at < _CALLS]
    if isinstance(message.raw.content, str):
        return "".join(block.text for block in own)
    parts = [_kept(message.raw.content[block.at], block) for block in own]
    if reason_is_gone(message.raw.content, parts):
        return [nameless(part) for part in parts]
    return parts


def _kept(part: Any, block: Block) -> Any:
    if not block.action:
        return part
    if isinstance(part, str):
        return block.text
    if part.get("type") == "text":
        return {**part, "text": block.text}
    return {"type": "text", "text": block.text}


def _args(call: dict[str, Any], block: Block) -> dict[str, Any]:
    """A call whose arguments may have been shortened; they have to be an object."""
    if not block.action:
        return call
    return {**call, "args": arguments(block)}


def _new(message: Message) -> Any:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    text = "\n".join(block.text for block in message.blocks)
    kinds = {SYSTEM: SystemMessage, ASSISTANT: AIMessage}
    kind = kinds.get(message.role, HumanMessage)
    return kind(content=text, response_metadata={"compressed": True})
