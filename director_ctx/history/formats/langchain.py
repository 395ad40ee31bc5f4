"""LangChain messages, in each of the forms in which they are written: `messages_to_dict`, `dumpd`,
`model_dump`. A block has the place of its part in the content; calls and results have places behind
all parts.
"""

from __future__ import annotations

from director_ctx.history.formats.openai_chat import new_part, tool_content, with_messages
from director_ctx.history.formats.parts import (
    SAMPLE,
    arguments,
    as_list,
    as_object,
    element_at,
    joined_text,
    listed,
    other_message,
    raw_messages,
    shortened,
    speaker_of,
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
    by_place,
    has_only,
    text_of_blocks,
)
from director_ctx.history.messages.reasons import nameless, reason_is_gone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Raw = dict[str, Any]

NAME = "langchain"
CALLS = 1_000_000
BROKEN = 2_000_000
ANSWER = 3_000_000
CALL_LISTS = ((CALLS, BROKEN, "tool_calls"), (BROKEN, ANSWER, "invalid_tool_calls"))
"""The first place of each, the first one behind it, and its key."""
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
_TYPES = {USER: "human", ASSISTANT: "ai", SYSTEM: "system", TOOL: "tool"}
_CLASSES = {
    "human": "HumanMessage",
    "ai": "AIMessage",
    "system": "SystemMessage",
    "tool": "ToolMessage",
}
_THOUGHTS = ("thinking", "reasoning")
"""Types of parts that have what was thought under their own name."""
_COPIES = ("tool_use", "tool_call", "function_call", "input_json_delta")
"""Parts of a content that say again what the calls say."""


def fits(document: Any) -> bool:
    messages = (listed(document) or ())[:SAMPLE]
    # Where there is a role, it is OpenAI's chat.
    return bool(messages) and all(
        isinstance(raw, dict) and "role" not in raw and _message_type(raw) for raw in messages
    )


def _message_type(raw: Raw) -> str:
    """What LangChain calls this kind of message; nothing for what is none."""
    message_type = raw.get("type")
    path = as_list(raw.get("id"))
    if raw.get("lc") and path:
        name = str(path[-1])
        message_type = "chat" if "Message" in name else ""
        for known, class_name in _CLASSES.items():
            # Chunks are called the same, with more behind it.
            if name.startswith(class_name):
                message_type = known
    if not isinstance(message_type, str) or message_type not in _ROLES:
        return ""
    return message_type if _fields_of(raw) is not None else ""


def _fields_of(raw: Raw) -> Raw | None:
    """The fields of a message, wherever they are."""
    for fields in (raw.get("data"), raw.get("kwargs")):
        if isinstance(fields, dict):
            return fields
    return raw if "content" in raw else None


def _key_of_fields(raw: Raw) -> str:
    """The key under which the fields stand; empty where they are the message itself."""
    if raw.get("lc"):
        return "kwargs"
    return "data" if isinstance(raw.get("data"), dict) else ""


def decode(document: Any) -> Conversation:
    tools: dict[str, str] = {}
    messages = []
    for index, raw in enumerate(listed(document) or ()):
        messages.append(_message(raw, index, tools))
    return Conversation(NAME, messages, document)


def _message(raw: Any, index: int, tools: dict[str, str]) -> Message:
    message_type = _message_type(as_object(raw))
    fields = _fields_of(as_object(raw))
    # What takes another message out says nothing itself.
    if fields is None or message_type in ("", "remove"):
        return other_message(raw, index)
    role = _ROLES[message_type]
    blocks = list(_content_blocks(fields.get("content")))
    if role == TOOL:
        call = str(fields.get("tool_call_id") or "")
        tool = str(fields.get("name") or tools.get(call, ""))
        text = joined_text(fields.get("content"))
        has_failed = fields.get("status") == "error" or None
        result = Block(RESULT, text, ANSWER, call, tool, has_failed)
        # Behind it what is no text.
        blocks = [result, *(block for block in blocks if block.kind != TEXT)]
        return Message(role, blocks, index, raw)

    for first, _, key in CALL_LISTS:
        for at, one in enumerate(map(as_object, as_list(fields.get(key))), first):
            call, tool = str(one.get("id") or ""), str(one.get("name") or "")
            tools[call] = tool
            # The arguments of a broken call are the text that was no JSON.
            blocks.append(Block(CALL, text_of_arguments(one.get("args")), at, call, tool))
    return Message(role, blocks, index, raw)


def _content_blocks(content: Any) -> Iterator[Block]:
    if isinstance(content, str) and content:
        yield Block(TEXT, content)
    for at, part in enumerate(as_list(content)):
        part_type = type_of(part)
        text = text_of(part)
        if text is not None:
            yield Block(TEXT, text, at)
        elif part_type in _THOUGHTS and isinstance(part.get(part_type), str):
            yield Block(THINKING, part[part_type], at)
        elif part_type not in _COPIES:
            kind = IMAGE if part_type in ("image", "image_url") else OTHER
            yield Block(kind, "", at, data=part)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    # New ones are written in the form of the first.
    raws = (original.raw for original in conversation.messages)
    keys = (_key_of_fields(raw) for raw in raws if isinstance(raw, dict))
    fields_key = next(keys, "data")

    def new_raws(message: Message) -> Iterator[Raw]:
        return _new_messages(message, fields_key)

    written = raw_messages(conversation, messages, new_raws, _changed_message)
    return with_messages(conversation.frame, written)


def _changed_message(message: Message, original: Message) -> Any:
    raw = message.raw
    old_fields = _fields_of(as_object(raw))
    if old_fields is None:
        return raw
    old = by_place(original.blocks)
    fields = {**old_fields, **_changed_calls(old_fields, message, old)}
    fields["content"] = _changed_content(old_fields.get("content"), message, old)
    answers = [block for block in message.blocks if block.kind == RESULT]
    if message.role == TOOL and answers:
        fields["tool_call_id"] = answers[0].call
    if shortened(message, original):
        metadata = as_object(old_fields.get("response_metadata"))
        fields["response_metadata"] = {**metadata, "compressed": True}
    key = _key_of_fields(raw)
    return {**raw, key: fields} if key else fields


def _changed_content(content: Any, message: Message, old: dict[int, Block]) -> Any:
    blocks = [block for block in message.blocks if block.kind != CALL]
    if message.role == TOOL:
        return tool_content(content, blocks)
    if not isinstance(content, list):
        return text_of_blocks(blocks)

    left = by_place(block for block in blocks if block.at in old)
    parts = []
    for at, part in enumerate(content):
        block = left.get(at)
        if block is None:
            # What is no block says again what a call says; any other is gone.
            part_left = None if at in old else _copy_left(part, message, old)
        elif block is old[at]:
            part_left = part
        elif isinstance(part, dict) and text_of(part) is not None:
            part_left = {**part, "text": block.text}
        else:
            part_left = new_part(block)
        if part_left is not None:
            parts.append(part_left)
    if reason_is_gone(content, parts):
        # The provider would look for it by the ids of what it led to.
        parts = list(map(nameless, parts))
    return parts + [new_part(block) for block in blocks if block.at not in old]


def _copy_left(part: Any, message: Message, old: dict[int, Block]) -> Any:
    """A part that says again what a call says: as long as the call is there, and as it is."""
    for block in message.blocks:
        if block.kind == CALL and block.call == part.get("id"):
            is_same = old.get(block.at) is block
            return part if is_same else {**part, "input": arguments(block)}
    return None


def _changed_calls(old_fields: Raw, message: Message, old: dict[int, Block]) -> Raw:
    """Of the fields that hold calls, those that are otherwise now."""
    changed: Raw = {}
    for first, end, key in CALL_LISTS:
        old_calls = as_list(old_fields.get(key))
        calls = []
        for block in message.blocks:
            # A new call is no broken one.
            is_new = first == CALLS and block.at not in old
            if block.kind != CALL or not (is_new or first <= block.at < end):
                continue
            old_call = element_at(old_calls, block.at - first)
            is_same = old.get(block.at) is block
            calls.append(old_call if is_same else _changed_call(block, old_call))
        if calls != old_calls:
            changed[key] = calls

    extra = as_object(old_fields.get("additional_kwargs"))
    if changed and "tool_calls" in extra:
        # The provider's own form of the same calls would be taken instead.
        rest = {key: value for key, value in extra.items() if key != "tool_calls"}
        changed["additional_kwargs"] = rest
    return changed


def _changed_call(block: Block, old_call: Any) -> Raw:
    """A call from its raw form, if there is one."""
    call = dict(old_call) if isinstance(old_call, dict) else {"type": "tool_call"}
    is_broken = call.get("type") == "invalid_tool_call"
    values = block.text if is_broken else arguments(block)
    call.update(name=block.tool, args=values, id=block.call)
    return call


def _new_messages(message: Message, fields_key: str) -> Iterator[Raw]:
    """The messages that say what one of ours says: each result is one by itself."""
    parts: list[Block] = []
    calls: list[Raw] = []
    for block in message.blocks:
        if block.kind == RESULT and block.call:
            result = {"content": block.text, "type": "tool", "tool_call_id": block.call}
            yield _in_form({**result, "name": block.tool}, fields_key)
        elif block.kind == CALL:
            calls.append(_changed_call(block, None))
        elif block.kind != THINKING:
            parts.append(block)
    if not parts and not calls:
        return

    content: Any = text_of_blocks(parts)
    if not has_only(parts, TEXT, RESULT):
        content = list(map(new_part, parts))
    fields: Raw = {"content": content, "type": _TYPES[speaker_of(message)]}
    if calls:
        fields["tool_calls"] = calls
    yield _in_form(fields, fields_key)


def _in_form(fields: Raw, fields_key: str) -> Raw:
    """A message in one of the forms in which they are written."""
    message_type = fields["type"]
    if fields_key == "kwargs":
        path = ["langchain", "schema", "messages", _CLASSES[message_type]]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": fields}
    return {"type": message_type, "data": fields} if fields_key == "data" else fields
