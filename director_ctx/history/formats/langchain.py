"""LangChain messages, in each of the forms in which they are written: `messages_to_dict`, `dumpd`,
`model_dump`.
"""

from __future__ import annotations

from director_ctx.history.formats.langchain_message import (
    ANSWER,
    CALL_LISTS,
    CLASSES,
    changed_message,
    fields_of,
    key_of_fields,
    new_messages,
)
from director_ctx.history.formats.openai_chat import with_messages
from director_ctx.history.formats.parts import (
    SAMPLE,
    as_list,
    as_object,
    joined_text,
    listed,
    raw_messages,
    text_of,
    text_of_arguments,
    type_of,
)
from director_ctx.history.messages.message import (
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Raw = dict[str, Any]

NAME = "langchain"
_ROLES = {
    "human": USER,
    "ai": ASSISTANT,
    "system": SYSTEM,
    "tool": TOOL,
    "function": TOOL,
    "chat": USER,
    "remove": USER,
    "HumanMessageChunk": USER,
    "AIMessageChunk": ASSISTANT,
    "SystemMessageChunk": SYSTEM,
    "ToolMessageChunk": TOOL,
}
_THOUGHTS = ("thinking", "reasoning")
"""Types of parts that have what was thought under their own name."""
_COPIES = ("tool_use", "tool_call", "function_call", "input_json_delta")
"""Parts of a content that say again what the calls say."""


def fits(document: Any) -> bool:
    messages = (listed(document) or ())[:SAMPLE]
    return bool(messages) and all(map(_is_message, messages))


def _is_message(raw: Any) -> bool:
    # Where there is a role, it is OpenAI's chat.
    if not isinstance(raw, dict) or "role" in raw:
        return False
    return bool(_message_type(raw))


def _message_type(raw: Raw) -> str:
    """What LangChain calls this kind of message; nothing for what is none."""
    message_type = raw.get("type")
    path = raw.get("id")
    if raw.get("lc") and isinstance(path, list) and path:
        message_type = _type_of_class(str(path[-1]))
    if not isinstance(message_type, str) or message_type not in _ROLES:
        return ""
    return message_type if fields_of(raw) is not None else ""


def _type_of_class(name: str) -> str:
    for message_type, class_name in CLASSES.items():
        # Chunks are called the same, with more behind it.
        if name.startswith(class_name):
            return message_type
    return "chat" if "Message" in name else ""


def decode(document: Any) -> Conversation:
    tools: dict[str, str] = {}
    messages = []
    for index, raw in enumerate(listed(document) or ()):
        messages.append(_message(raw, index, tools))
    return Conversation(NAME, messages, document)


def _message(raw: Any, index: int, tools: dict[str, str]) -> Message:
    message_type = _message_type(as_object(raw))
    fields = fields_of(as_object(raw))
    # What takes another message out says nothing itself.
    if fields is None or message_type in ("", "remove"):
        other = Block(OTHER, "", data=raw)
        return Message(USER, [other], index, raw)

    role = _ROLES[message_type]
    if role == TOOL:
        return Message(role, _tool_blocks(fields, tools), index, raw)
    blocks = list(_content_blocks(fields.get("content")))
    blocks += _call_blocks(fields, tools)
    return Message(role, blocks, index, raw)


def _tool_blocks(fields: Raw, tools: dict[str, str]) -> list[Block]:
    """A result with all text of its content, and behind it what is no text."""
    call = str(fields.get("tool_call_id") or "")
    tool = fields.get("name") or tools.get(call, "")
    content = fields.get("content")
    has_failed = fields.get("status") == "error"
    result = Block(
        kind=RESULT,
        text=joined_text(content),
        at=ANSWER,
        call=call,
        tool=str(tool),
        error=has_failed or None,
    )
    blocks = [result]
    for block in _content_blocks(content):
        if block.kind != TEXT:
            blocks.append(block)
    return blocks


def _content_blocks(content: Any) -> Iterator[Block]:
    if isinstance(content, str) and content:
        yield Block(TEXT, content)
    if not isinstance(content, list):
        return

    for at, part in enumerate(content):
        part_type = type_of(part)
        text = text_of(part)
        if text is not None:
            yield Block(TEXT, text, at)
        elif part_type in _THOUGHTS and isinstance(part.get(part_type), str):
            yield Block(THINKING, part[part_type], at)
        elif part_type in ("image", "image_url"):
            yield Block(IMAGE, "", at, data=part)
        elif part_type not in _COPIES:
            yield Block(OTHER, "", at, data=part)


def _call_blocks(fields: Raw, tools: dict[str, str]) -> Iterator[Block]:
    for first, _, key in CALL_LISTS:
        calls = as_list(fields.get(key))
        for at, raw in enumerate(calls, first):
            yield _call_block(as_object(raw), at, tools)


def _call_block(raw: Raw, at: int, tools: dict[str, str]) -> Block:
    call = str(raw.get("id") or "")
    tool = str(raw.get("name") or "")
    tools[call] = tool

    # The arguments of a broken call are the text that was no JSON.
    text = text_of_arguments(raw.get("args"))
    return Block(CALL, text, at, call, tool)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    # New ones are written in the form of the first.
    fields_key = "data"
    for original in conversation.messages:
        if isinstance(original.raw, dict):
            fields_key = key_of_fields(original.raw)
            break

    def new_raws(message: Message) -> Iterator[Raw]:
        return new_messages(message, fields_key)

    raws = raw_messages(conversation, messages, new_raws, changed_message)
    return with_messages(conversation.frame, raws)
