"""OpenAI Chat Completions: a list of messages, or any object with such a list under `messages` or `history`."""

from __future__ import annotations

from director_ctx.history.message import (
    ASSISTANT,
    CALL,
    IMAGE,
    OTHER,
    RESULT,
    SYSTEM,
    TEXT,
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

KEYS = ("messages", "history", "traj")
_ROLES = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL, "function": TOOL}


def listed(document: Any) -> list[Any] | None:
    if isinstance(document, list):
        return document
    found = [document[key] for key in KEYS if isinstance(document.get(key), list)] if isinstance(document, dict) else []
    return found[0] if found else None


def fits(document: Any) -> bool:
    found = listed(document)
    return bool(found) and all(isinstance(one, dict) and one.get("role") in _ROLES for one in found[:50])


def decode(document: Any) -> Conversation:
    raws = listed(document) or []
    tools: dict[str, str] = {}
    messages = [_message(raw, index, tools) for index, raw in enumerate(raws)]
    native = any("tool_calls" in raw or raw.get("role") == "tool" for raw in raws)
    if not native:
        _observations(messages)
    return Conversation("openai-chat", messages, document, native)


def _observations(messages: list[Message]) -> None:
    answered = False
    for message in messages:
        if message.role == ASSISTANT:
            answered = True
        elif message.role == USER and answered:
            for block in message.blocks:
                if block.kind == TEXT:
                    block.kind = RESULT


def _message(raw: dict[str, Any], index: int, tools: dict[str, str]) -> Message:
    role = _ROLES.get(raw.get("role", ""), USER)
    blocks: list[Block] = []
    content = raw.get("content")
    if role == TOOL:
        call = str(raw.get("tool_call_id") or (raw.get("tool_call_ids") or [""])[0])
        blocks.append(
            Block(RESULT, content if isinstance(content, str) else _joined(content), 0, call, tools.get(call, ""))
        )
    elif isinstance(content, str):
        if content:
            blocks.append(Block(TEXT, content))
    else:
        for at, part in enumerate(content or ()):
            kind = part.get("type") if isinstance(part, dict) else None
            if kind == "text":
                blocks.append(Block(TEXT, part["text"], at))
            else:
                blocks.append(Block(IMAGE if kind == "image_url" else OTHER, "", at, data=part))
    for number, call_raw in enumerate(raw.get("tool_calls") or ()):
        function = call_raw.get("function") or {}
        identity = str(call_raw.get("id", ""))
        tools[identity] = str(function.get("name", ""))
        blocks.append(Block(CALL, str(function.get("arguments") or ""), 1000 + number, identity, tools[identity]))
    return Message(role, blocks, index, raw)


def _joined(content: Any) -> str:
    return "\n".join(part.get("text", "") for part in content or () if isinstance(part, dict))


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = {message.index: message for message in conversation.messages}
    made = [message.raw if originals.get(message.index) is message else _raw(message) for message in messages]
    if isinstance(conversation.frame, list):
        return made
    key = next(key for key in KEYS if isinstance(conversation.frame.get(key), list))
    return {**conversation.frame, key: made}


def _raw(message: Message) -> dict[str, Any]:
    raw = dict(message.raw or {"role": message.role})
    text = [block for block in message.blocks if block.kind in (TEXT, RESULT)]
    raw["content"] = "\n".join(block.text for block in text) if text else None
    return raw
