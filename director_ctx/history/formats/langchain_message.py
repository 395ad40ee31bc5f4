"""One message of LangChain, in any of its forms: where its fields are, and how it is written."""

from __future__ import annotations

from director_ctx.history.formats.openai_message_write import new_part, tool_content
from director_ctx.history.formats.parts import (
    arguments,
    as_list,
    as_object,
    element_at,
    shortened,
    speaker_of,
    text_of,
)
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    RESULT,
    SYSTEM,
    TEXT,
    THINKING,
    TOOL,
    USER,
    Block,
    Message,
    by_place,
    has_only,
    text_of_blocks,
)
from director_ctx.history.messages.reasons import nameless, reason_is_gone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Raw = dict[str, Any]

CALLS = 1_000_000
BROKEN = 2_000_000
ANSWER = 3_000_000
"""Places of blocks that are no parts of the content."""
CALL_LISTS = ((CALLS, BROKEN, "tool_calls"), (BROKEN, ANSWER, "invalid_tool_calls"))
"""The first place of each, the first one behind it, and its key."""
_TYPES = {
    USER: "human",
    ASSISTANT: "ai",
    SYSTEM: "system",
    TOOL: "tool",
}
CLASSES = {
    "human": "HumanMessage",
    "ai": "AIMessage",
    "system": "SystemMessage",
    "tool": "ToolMessage",
}


def fields_of(raw: Any) -> Raw | None:
    """The fields of a message, wherever they are."""
    for key in ("data", "kwargs"):
        if isinstance(raw.get(key), dict):
            fields: Raw = raw[key]
            return fields
    return raw if "content" in raw else None


def key_of_fields(raw: Raw) -> str:
    """The key under which the fields stand; empty where they are the message itself."""
    if raw.get("lc"):
        return "kwargs"
    if isinstance(raw.get("data"), dict):
        return "data"
    return ""


def changed_message(message: Message, original: Message) -> Any:
    raw = message.raw
    old_fields = fields_of(as_object(raw))
    if old_fields is None:
        return raw

    old = by_place(original.blocks)
    fields = {**old_fields, **_changed_calls(old_fields, message, old)}
    fields["content"] = _changed_content(old_fields.get("content"), message, old)
    if message.role == TOOL:
        _put_answered_call(fields, message)
    if shortened(message, original):
        metadata = as_object(old_fields.get("response_metadata"))
        fields["response_metadata"] = {**metadata, "compressed": True}

    key = key_of_fields(raw)
    if not key:
        return fields
    return {**raw, key: fields}


def _put_answered_call(fields: Raw, message: Message) -> None:
    for block in message.blocks:
        if block.kind == RESULT:
            fields["tool_call_id"] = block.call
            return


def _changed_content(content: Any, message: Message, old: Mapping[int, Block]) -> Any:
    blocks = [block for block in message.blocks if block.kind != CALL]
    if message.role == TOOL:
        return tool_content(content, blocks)
    if not isinstance(content, list):
        return text_of_blocks(blocks)

    left: dict[int, Block] = {}
    added: list[Block] = []
    for block in blocks:
        if block.at in old:
            left[block.at] = block
        else:
            added.append(block)

    parts = []
    for at, part in enumerate(content):
        part_left = _part_left(part, at, left, old, message)
        if part_left is not None:
            parts.append(part_left)
    if reason_is_gone(content, parts):
        # The provider would look for it by the ids of what it led to.
        parts = [nameless(part) for part in parts]
    return parts + [new_part(block) for block in added]


def _part_left(
    part: Any,
    at: int,
    left: Mapping[int, Block],
    old: Mapping[int, Block],
    message: Message,
) -> Any:
    """What is left of a part; None where nothing is."""
    block = left.get(at)
    if block is None and at in old:
        return None
    if block is None:
        return _copy_left(part, message, old)
    if block is old[at]:
        return part
    if isinstance(part, dict) and text_of(part) is not None:
        return {**part, "text": block.text}
    return new_part(block)


def _copy_left(part: Any, message: Message, old: Mapping[int, Block]) -> Any:
    """A part that says again what a call says: as long as the call is there, and as it is."""
    for block in message.blocks:
        if block.kind != CALL or block.call != part.get("id"):
            continue
        if old.get(block.at) is block:
            return part
        return {**part, "input": arguments(block)}
    return None


def _changed_calls(old_fields: Raw, message: Message, old: Mapping[int, Block]) -> Raw:
    """Of the fields that hold calls, those that are otherwise now."""
    changed: Raw = {}
    for first, end, key in CALL_LISTS:
        old_calls = as_list(old_fields.get(key))
        calls = []
        for block in message.blocks:
            if block.kind != CALL:
                continue
            # A new call is no broken one.
            is_new = first == CALLS and block.at not in old
            if not is_new and not first <= block.at < end:
                continue
            number = block.at - first
            if old.get(block.at) is block:
                calls.append(old_calls[number])
            else:
                calls.append(_changed_call(block, element_at(old_calls, number)))
        if calls != old_calls:
            changed[key] = calls

    extra = old_fields.get("additional_kwargs")
    if changed and isinstance(extra, dict) and "tool_calls" in extra:
        # The provider's own form of the same calls would be taken instead.
        rest = dict(extra)
        del rest["tool_calls"]
        changed["additional_kwargs"] = rest
    return changed


def _changed_call(block: Block, old_call: Any) -> Raw:
    """A call from its raw form, if there is one."""
    call: Raw = {"type": "tool_call"}
    if isinstance(old_call, dict):
        call = dict(old_call)
    call["name"] = block.tool
    call["args"] = arguments(block)
    if call.get("type") == "invalid_tool_call":
        call["args"] = block.text
    call["id"] = block.call
    return call


def new_messages(message: Message, fields_key: str) -> Iterator[Raw]:
    """The messages that say what one of ours says: each result is one by itself."""
    parts: list[Block] = []
    calls: list[Raw] = []
    for block in message.blocks:
        if block.kind == RESULT and block.call:
            yield _in_form("tool", _result_fields(block), fields_key)
        elif block.kind == CALL:
            calls.append(_changed_call(block, None))
        elif block.kind != THINKING:
            parts.append(block)
    if not parts and not calls:
        return

    message_type = _TYPES[speaker_of(message)]
    fields: Raw = {"content": _new_content(parts), "type": message_type}
    if calls:
        fields["tool_calls"] = calls
    yield _in_form(message_type, fields, fields_key)


def _result_fields(block: Block) -> Raw:
    return {
        "content": block.text,
        "type": "tool",
        "tool_call_id": block.call,
        "name": block.tool,
    }


def _new_content(blocks: Sequence[Block]) -> Any:
    if has_only(blocks, TEXT, RESULT):
        return text_of_blocks(blocks)
    return [new_part(block) for block in blocks]


def _in_form(message_type: str, fields: Raw, fields_key: str) -> Raw:
    """A message in one of the forms in which they are written."""
    if fields_key == "kwargs":
        path = ["langchain", "schema", "messages", CLASSES[message_type]]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": fields}
    if fields_key == "data":
        return {"type": message_type, "data": fields}
    return fields
