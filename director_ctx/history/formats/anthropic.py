"""Anthropic Messages: a list of messages, or the body of a request with `system` and `messages`."""

from __future__ import annotations

from director_ctx.history.formats.anthropic_parts import blocks_of, content_of, is_digest
from director_ctx.history.formats.parts import (
    SAMPLE,
    as_list,
    as_object,
    listed,
    role_by_blocks,
    type_of,
    word,
)
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    OTHER,
    SYSTEM,
    USER,
    Block,
    Conversation,
    Message,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

NAME = "anthropic"
_ROLES = {
    "user": USER,
    "assistant": ASSISTANT,
    "system": SYSTEM,
}
_OWN_TYPES = (
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "document",
    "server_tool_use",
)
_DIRECTIONS = ("input_", "output_")
"""How the types of parts begin in OpenAI's items."""


def fits(document: Any) -> bool:
    messages = listed(document)
    if not messages:
        return False
    sample = messages[:SAMPLE]
    if not all(map(_is_message, sample)):
        return False
    if isinstance(document, dict) and ("system" in document or _has_tools(document)):
        return True

    parts = []
    for message in sample:
        parts += as_list(message.get("content"))
    if any(map(_is_own_part, parts)):
        return True
    # A digest of ours may be all that is left of this format, but it may be OpenAI's too.
    has_digest = any(map(_is_digest_part, parts))
    return has_digest and not any(map(_is_openai_item, messages))


def _is_message(raw: Any) -> bool:
    return isinstance(raw, dict) and word(raw, "role") in _ROLES


def _has_tools(document: dict[str, Any]) -> bool:
    tools = as_list(document.get("tools"))
    return any("input_schema" in as_object(tool) for tool in tools)


def _is_own_part(part: Any) -> bool:
    """Whether no other format has parts like it."""
    if not isinstance(part, dict):
        return False
    if part.get("type") in _OWN_TYPES:
        return True
    return "cache_control" in part or "source" in part


def _is_digest_part(part: Any) -> bool:
    return type_of(part) == "text" and is_digest(part.get("text"))


def _is_openai_item(raw: Any) -> bool:
    """Whether it is one of OpenAI's items: its type is of there, or its parts say which way they
    go.
    """
    if not isinstance(raw, dict):
        return False
    if word(raw) not in ("", "message"):
        return True

    return any(map(_has_direction, as_list(raw.get("content"))))


def _has_direction(part: Any) -> bool:
    part_type = word(as_object(part))
    return part_type.startswith(_DIRECTIONS)


def decode(document: Any) -> Conversation:
    tools: dict[str, str] = {}
    messages: list[Message] = []
    system = as_object(document).get("system")
    if system:
        blocks = blocks_of(system, tools)
        messages.append(Message(SYSTEM, blocks, 0, system))
    for raw in listed(document) or ():
        messages.append(_message(raw, len(messages), tools))
    return Conversation(NAME, messages, document)


def _message(raw: Any, index: int, tools: dict[str, str]) -> Message:
    if not isinstance(raw, dict):
        other = Block(OTHER, "", data=raw)
        return Message(USER, [other], index, raw)

    content = raw.get("content")
    blocks = blocks_of(content, tools)
    role = _ROLES.get(word(raw, "role"), USER)
    return Message(role_by_blocks(role, blocks), blocks, index, raw)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = conversation.messages
    document = conversation.frame
    has_system = bool(as_object(document).get("system"))

    system: list[Any] = []
    written: list[Any] = []
    for message in messages:
        original = None
        if message.index != ADDED:
            original = originals[message.index]

        # Where a request has a system prompt, it was read as its first message.
        if has_system and message.index == 0:
            system.append(_system_prompt(message, original))
        elif original is not None and message is original:
            written.append(message.raw)
        else:
            written.extend(_raw_forms(message, original))
    if isinstance(document, dict):
        return _request(document, system, written)
    return written if fits(written) else _recognizable(written)


def _system_prompt(message: Message, original: Message | None) -> Any:
    if message is original:
        return message.raw
    return content_of(message, original, message.raw)


def _request(document: dict[str, Any], system: list[Any], written: list[Any]) -> dict[str, Any]:
    body = {**document, "messages": written}
    if not fits(body):
        body["messages"] = _recognizable(written)
    if system:
        body["system"] = system[0]
    elif document.get("system"):
        del body["system"]
    return body


def _recognizable(written: Sequence[Any]) -> list[Any]:
    """With digests by parts: with nothing typed in it a list of messages would be taken for another
    format's.
    """
    messages = []
    for raw in written:
        content = as_object(raw).get("content")
        if is_digest(content):
            parts = [{"type": "text", "text": content}]
            messages.append({**raw, "content": parts})
        else:
            messages.append(raw)
    return messages


def _raw_forms(message: Message, original: Message | None) -> list[Any]:
    """The raw form of a message that changed or is new; none for one that says nothing here."""
    raw = message.raw
    if not isinstance(raw, dict):
        role = "assistant" if message.role == ASSISTANT else "user"
        raw = {"role": role}

    content = content_of(message, original, raw.get("content"))
    if not content:
        return []
    return [{**raw, "content": content}]
