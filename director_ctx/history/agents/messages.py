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
    objects = [hasattr(one, "model_copy") for one in messages]
    short = [isinstance(one, str) or is_pair(one) for one in messages]
    if not messages or all(objects) or not (any(objects) or all(short)):
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
    return Conversation(
        "langchain", [_message(one, place, tools) for place, one in enumerate(messages)]
    )


def _message(source: Any, index: int, tools: dict[str, str]) -> Message:
    kind = str(getattr(source, "role", None) or source.type)
    role = _ROLES.get(source.type) or _ROLES.get(kind) or (ASSISTANT if kind == ASSISTANT else USER)
    calls = [
        _call(one, number, tools)
        for number, one in enumerate(getattr(source, "tool_calls", None) or ())
    ]
    if role != TOOL:
        return Message(role, [*_content(source.content, TEXT), *calls], index, source)
    call = str(getattr(source, "tool_call_id", "") or "")
    blocks = _content(source.content, RESULT)
    for block in blocks:
        block.call, block.tool = call, source.name or tools.get(call, "")
        block.error = True if getattr(source, "status", "") == "error" else None
    return Message(role, blocks, index, source)


def _call(call: dict[str, Any], number: int, tools: dict[str, str]) -> Block:
    identity, name = str(call.get("id") or ""), str(call.get("name") or "")
    tools[identity] = name
    text = json.dumps(call.get("args"), ensure_ascii=False, default=str)
    return Block(CALL, text, _CALLS + number, identity, name)


def _content(content: object, kind: str) -> list[Block]:
    if isinstance(content, str):
        return [Block(kind, content)] if content or kind == RESULT else []
    parts = content if isinstance(content, list) else [content]
    return [_part(part, at, kind) for at, part in enumerate(parts)]


def _part(part: Any, at: int, kind: str) -> Block:
    if isinstance(part, str):
        return Block(kind, part, at)
    named = part.get("type") if isinstance(part, dict) else None
    if named == "text":
        return Block(kind, str(part.get("text") or ""), at)
    if named in _THOUGHTS:
        return Block(THINKING, str(part.get("thinking") or part.get("reasoning") or ""), at)
    return Block(IMAGE if named in _IMAGES else OTHER, "", at, data=part)


def encode(conversation: Conversation, messages: Sequence[Message]) -> list[Any]:
    """The objects again; the old ones are never changed."""
    before = conversation.messages
    return [
        one.raw if one.index != ADDED and before[one.index] is one else _object(one)
        for one in messages
    ]


def _object(message: Message) -> Any:
    if message.raw is None:
        return _new(message)
    update: dict[str, Any] = {"content": _parts(message)}
    if calls := [block for block in message.blocks if block.kind == CALL]:
        update["tool_calls"] = [
            _args(message.raw.tool_calls[block.at - _CALLS], block) for block in calls
        ]
    update["response_metadata"] = {**message.raw.response_metadata, "compressed": True}
    return message.raw.model_copy(update=update)


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
    return (
        {**part, "text": block.text}
        if part.get("type") == "text"
        else {"type": "text", "text": block.text}
    )


def _args(call: dict[str, Any], block: Block) -> dict[str, Any]:
    """A call whose arguments may have been shortened; they have to be an object."""
    if not block.action:
        return call
    return {**call, "args": arguments(block)}


def _new(message: Message) -> Any:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    text = "\n".join(block.text for block in message.blocks)
    made = {SYSTEM: SystemMessage, ASSISTANT: AIMessage}.get(message.role, HumanMessage)
    return made(content=text, response_metadata={"compressed": True})
