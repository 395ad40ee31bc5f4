"""OpenAI Chat Completions: a list of messages, or any object with such a list under one of the
usual keys. A block has the place of its part in the content; what stands beside that has places
behind all parts.
"""

from __future__ import annotations

from director_ctx.history.formats.parts import (
    SAMPLE,
    arguments,
    as_list,
    as_object,
    changed_result,
    compact,
    element_at,
    joined_text,
    mark_observations,
    other_message,
    raw_messages,
    result_content,
    speaker_of,
    text_of,
    text_of_arguments,
    type_of,
    word,
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
from director_ctx.history.messages.pictures import picture_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Raw = dict[str, Any]

NAME = "openai-chat"
KEYS = ("messages", "history", "traj", "conversations", "conversation")
"""Under which of them people and programs keep the list, the usual one first."""
CALLS = 1_000_000
OLD_CALL = 2_000_000
REASON = 2_000_001
REFUSAL = 2_000_002
ANSWER = 2_000_003
_ROLES = {
    "system": SYSTEM,
    "developer": SYSTEM,
    "user": USER,
    "assistant": ASSISTANT,
    "tool": TOOL,
    "function": TOOL,
}
_REASON_KEYS = ("reasoning_content", "reasoning")
"""Where providers that speak this format put the reason of an answer."""
_BESIDE_CONTENT = frozenset((*_REASON_KEYS, "refusal", "tool_calls", "function_call"))
"""Where an answer has blocks beside its content."""


def _key_of_messages(document: Raw) -> str | None:
    return next((key for key in KEYS if isinstance(document.get(key), list)), None)


def messages_in(document: Any) -> list[Any] | None:
    """The list of messages; None where there is none."""
    if isinstance(document, list):
        return document
    key = _key_of_messages(as_object(document))
    return None if key is None else as_list(document[key])


def with_messages(document: Any, messages: list[Any]) -> Any:
    """The document with other messages."""
    if not isinstance(document, dict):
        return messages
    return {**document, _key_of_messages(document) or KEYS[0]: messages}


def fits(document: Any) -> bool:
    sample = (messages_in(document) or ())[:SAMPLE]
    known = [word(raw, "role") in _ROLES for raw in sample if isinstance(raw, dict)]
    # One may be in a role of its own, such as the `exit` of a program that ran an agent.
    return bool(known) and known[0] and sum(known) >= len(known) - 1


def decode(document: Any) -> Conversation:
    tools: dict[str, str] = {}
    messages = [
        _message(raw, index, tools) for index, raw in enumerate(messages_in(document) or ())
    ]
    is_native = bool(tools) or any(message.role == TOOL for message in messages)
    if not is_native:
        mark_observations(messages)
    return Conversation(NAME, messages, document, is_native)


def _message(raw: Any, index: int, tools: dict[str, str]) -> Message:
    if not isinstance(raw, dict):
        return other_message(raw, index)
    role = _ROLES.get(word(raw, "role"), USER)
    content = raw.get("content")
    if role == TOOL:
        call = _call_id(raw)
        tool = tools.get(call) or raw.get("name")
        named = tool if isinstance(tool, str) else ""
        result = Block(RESULT, joined_text(content), ANSWER, call, named)
        # Behind it what is no text.
        others = [block for block in _content_blocks(as_list(content)) if block.kind != TEXT]
        return Message(role, [result, *others], index, raw)

    blocks = _content_blocks(content)
    if role == ASSISTANT and not _BESIDE_CONTENT.isdisjoint(raw):
        blocks = [*_reasons(raw), *blocks, *_refusals_and_calls(raw, tools)]
    return Message(role, blocks, index, raw)


def _call_id(raw: Raw) -> str:
    """The call that is answered; some write it in a list."""
    call = raw.get("tool_call_id") or element_at(as_list(raw.get("tool_call_ids")), 0)
    return call if isinstance(call, str) else ""


def _content_blocks(content: Any) -> list[Block]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [Block(TEXT, content)]
    if not isinstance(content, list):
        return [Block(OTHER, "", data=content)]
    blocks = []
    for at, part in enumerate(content):
        text = text_of(part)
        if text is not None:
            blocks.append(Block(TEXT, text, at))
        else:
            kind = IMAGE if type_of(part) in ("image_url", "image") else OTHER
            blocks.append(Block(kind, "", at, data=part))
    return blocks


def _reasons(raw: Raw) -> Iterator[Block]:
    """The reason of an answer; where both keys have one, it is the same."""
    reason = next(filter(None, map(raw.get, _REASON_KEYS)), None)
    if isinstance(reason, str):
        yield Block(THINKING, reason, REASON)


def _refusals_and_calls(raw: Raw, tools: dict[str, str]) -> Iterator[Block]:
    refusal = raw.get("refusal")
    if isinstance(refusal, str) and refusal:
        yield Block(TEXT, refusal, REFUSAL)
    for at, one in enumerate(as_list(raw.get("tool_calls")), CALLS):
        if not isinstance(one, dict):
            yield Block(OTHER, "", at, data=one)
            continue
        # A custom tool takes a text, under other names.
        function = as_object(one.get("function") or one.get("custom"))
        call, tool = word(one, "id"), word(function, "name")
        tools[call] = tool
        value = function.get("arguments", function.get("input"))
        yield Block(CALL, _text_or_nothing(value), at, call, tool)

    # Before calls had ids, an answer had one at most.
    old_call = raw.get("function_call")
    if isinstance(old_call, dict):
        tools[""] = ""
        text, tool = _text_or_nothing(old_call.get("arguments")), str(old_call.get("name") or "")
        yield Block(CALL, text, OLD_CALL, "", tool)


def _text_or_nothing(value: Any) -> str:
    """Arguments as a text; none of a call that has none."""
    return "" if value is None else text_of_arguments(value)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    raws = raw_messages(conversation, messages, _new_messages, _changed_message)
    return with_messages(conversation.frame, raws)


def _changed_message(message: Message, original: Message) -> Any:
    """The raw message with what changed in it."""
    if not isinstance(message.raw, dict):
        return message.raw
    raw = dict(message.raw)
    old = by_place(original.blocks)
    # Places of the blocks that are the very same.
    untouched = {block.at for block in message.blocks if old.get(block.at) is block}
    blocks = _blocks_in_content(message)
    is_whole = len(blocks) == len(_blocks_in_content(original))
    if not is_whole or not all(block.at in untouched for block in blocks):
        raw["content"] = _changed_content(raw.get("content"), blocks, untouched, message.role)

    for place, keys in ((REASON, _REASON_KEYS), (REFUSAL, ("refusal",))):
        if place in old and place not in untouched:
            _put_text(raw, keys, message, place)
    _put_calls(raw, message, untouched)
    answers = [block for block in message.blocks if block.kind == RESULT]
    if message.role == TOOL and answers:
        _put_call_id(raw, answers[0].call)

    content = raw.get("content")
    was_emptied = content in ("", []) and content != message.raw.get("content")
    if was_emptied and raw.get("tool_calls"):
        # An answer that only calls has no content.
        raw["content"] = None
    return raw


def _blocks_in_content(message: Message) -> list[Block]:
    beside = (REASON, REFUSAL)
    return [block for block in message.blocks if block.kind != CALL and block.at not in beside]


def _put_text(raw: Raw, keys: Sequence[str], message: Message, place: int) -> None:
    """What is left at a place, instead of the text under each of these keys; without any, none of
    them.
    """
    text = next((block.text for block in message.blocks if block.at == place), "")
    for key in keys:
        if isinstance(raw.get(key), str):
            raw[key] = text
            if not text:
                del raw[key]


def _changed_content(content: Any, blocks: Sequence[Block], untouched: set[int], role: str) -> Any:
    if role == TOOL:
        return tool_content(content, blocks)
    is_list = isinstance(content, list)
    if not is_list and has_only(blocks, TEXT, RESULT, THINKING):
        return text_of_blocks(blocks)
    parts = []
    for block in blocks:
        old = element_at(as_list(content), block.at)
        if is_list and block.at in untouched:
            parts.append(old)
        elif block.kind in (TEXT, RESULT) and isinstance(old, dict) and text_of(old) is not None:
            # With the keys that it had beside its text.
            parts.append({**old, "text": block.text})
        else:
            parts.append(new_part(block))
    return parts


def tool_content(content: Any, blocks: Sequence[Block]) -> Any:
    """The content of a tool's message, with the result as it is now and what else is left of it."""
    result, left = changed_result(blocks, new_part)
    return result_content(content, result.text if result else "", left)


def _put_calls(raw: Raw, message: Message, untouched: set[int]) -> None:
    old_calls = as_list(raw.get("tool_calls"))
    calls = []
    for block in message.blocks:
        # What was no call among them keeps its place there, too.
        is_listed = CALLS <= block.at < OLD_CALL
        if not is_listed and (block.kind != CALL or block.at == OLD_CALL):
            continue
        old_call = element_at(old_calls, block.at - CALLS)
        calls.append(old_call if block.at in untouched else _changed_call(block, old_call))
    if calls:
        raw["tool_calls"] = calls
    elif old_calls:
        del raw["tool_calls"]

    old = raw.get("function_call")
    if isinstance(old, dict) and OLD_CALL not in untouched:
        left = [block for block in message.blocks if block.at == OLD_CALL]
        raw["function_call"] = {**old, "arguments": left[0].text} if left else None


def _changed_call(block: Block, old_call: Any) -> Any:
    old_function = as_object(old_call).get("function")
    if isinstance(old_function, dict):
        function = {**old_function, "arguments": _valid_arguments(block)}
        return {**old_call, "id": block.call, "function": function}
    if block.kind != CALL:
        return block.data
    function = {"name": block.tool, "arguments": _valid_arguments(block) or "{}"}
    return {"id": block.call, "type": "function", "function": function}


def _valid_arguments(call: Block) -> str:
    """Arguments are JSON, whatever became of them."""
    values = arguments(call)
    # What is no object stands alone, under a name of ours.
    is_odd = len(values) == 1 and call.text in values.values()
    return compact(values) if is_odd else call.text


def _put_call_id(raw: Raw, call: str) -> None:
    """Lets an answer name this call, in the way in which it named one before."""
    if not call or _call_id(raw) == call:
        return
    calls = raw.get("tool_call_ids")
    if isinstance(calls, list) and not raw.get("tool_call_id"):
        raw["tool_call_ids"] = [call, *calls[1:]]
    else:
        raw["tool_call_id"] = call


def _new_messages(message: Message) -> list[Raw]:
    """A message that we wrote, or that comes from another format: each result is a message here."""
    messages: list[Raw] = []
    calls: list[Any] = []
    parts: list[Block] = []
    for block in message.blocks:
        if block.kind == RESULT and block.call:
            messages.append({"role": "tool", "tool_call_id": block.call, "content": block.text})
        elif block.kind == CALL:
            calls.append(_changed_call(block, None))
        elif block.kind != THINKING:
            parts.append(block)
    if not (parts or calls) and messages:
        return messages

    content: Any = text_of_blocks(parts)
    if not has_only(parts, TEXT, RESULT):
        content = [new_part(block) for block in parts]
    new: Raw = {"role": speaker_of(message), "content": content or ""}
    if calls:
        new.update(content=content or None, tool_calls=calls)
    return [*messages, new]


def new_part(block: Block) -> Any:
    """A block as a part of its own."""
    image = picture_of(block)
    if image is not None:
        return {"type": "image_url", "image_url": {"url": image.address}}
    return {"type": "text", "text": block.text} if block.data is None else block.data
