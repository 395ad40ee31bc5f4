"""One message of OpenAI Chat Completions, written: with as much of its raw form as is still true."""

from __future__ import annotations

from director_ctx.history.formats.openai_message import (
    ANSWER,
    BESIDE_CONTENT,
    CALLS,
    OLD_CALL,
    REASON,
    REASON_KEYS,
    REFUSAL,
    call_id,
)
from director_ctx.history.formats.parts import (
    arguments,
    as_list,
    as_object,
    compact,
    element_at,
    result_content,
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
from director_ctx.history.messages.pictures import picture_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Raw = dict[str, Any]

_ROLE_NAMES = {
    SYSTEM: "system",
    USER: "user",
    ASSISTANT: "assistant",
    TOOL: "tool",
}
_NO_ARGUMENTS = "{}"


def changed_message(message: Message, original: Message) -> Any:
    """The raw message with what changed in it."""
    if not isinstance(message.raw, dict):
        return message.raw
    if _is_plain_answer(message) and _is_plain_answer(original):
        return _changed_answer(message.raw, message.blocks[0])

    raw = dict(message.raw)
    old = by_place(original.blocks)
    untouched: set[int] = set()
    """Places of the blocks that are the very same."""
    for block in message.blocks:
        if old.get(block.at) is block:
            untouched.add(block.at)

    in_content = _blocks_in_content(message)
    is_whole = len(in_content) == len(_blocks_in_content(original))
    if not is_whole or not all(block.at in untouched for block in in_content):
        content = raw.get("content")
        raw["content"] = _changed_content(content, in_content, untouched, message.role)

    if REASON in old and REASON not in untouched:
        _put_text(raw, REASON_KEYS, _text_at(message, REASON))
    if REFUSAL in old and REFUSAL not in untouched:
        _put_text(raw, ("refusal",), _text_at(message, REFUSAL))
    _put_calls(raw, message, untouched)
    if message.role == TOOL:
        _put_answered_call(raw, message)

    content = raw.get("content")
    was_emptied = content in ("", []) and content != message.raw.get("content")
    if was_emptied and raw.get("tool_calls"):
        # An answer that only calls has no content.
        raw["content"] = None
    return raw


def _is_plain_answer(message: Message) -> bool:
    """Whether it is a result as a text, and nothing else."""
    if len(message.blocks) != 1:
        return False
    raw = message.raw
    if message.blocks[0].at != ANSWER:
        return False
    return isinstance(raw.get("content"), str) and BESIDE_CONTENT.isdisjoint(raw)


def _changed_answer(raw: Raw, answer: Block) -> Raw:
    changed = {**raw, "content": answer.text}
    _put_call_id(changed, answer.call)
    return changed


def _blocks_in_content(message: Message) -> list[Block]:
    blocks = []
    for block in message.blocks:
        if block.kind != CALL and block.at not in (REASON, REFUSAL):
            blocks.append(block)
    return blocks


def _text_at(message: Message, at: int) -> str:
    for block in message.blocks:
        if block.at == at:
            return block.text
    return ""


def _put_text(raw: Raw, keys: Sequence[str], text: str) -> None:
    """The text in the place of that under each of these keys; without one, none of them."""
    for key in keys:
        if not isinstance(raw.get(key), str):
            continue
        if text:
            raw[key] = text
        else:
            del raw[key]


def _changed_content(
    content: Any,
    blocks: Sequence[Block],
    untouched: set[int],
    role: str,
) -> Any:
    if role == TOOL:
        return tool_content(content, blocks)

    is_list = isinstance(content, list)
    if not is_list and has_only(blocks, TEXT, RESULT, THINKING):
        return text_of_blocks(blocks)

    parts = []
    for block in blocks:
        if is_list and block.at in untouched:
            parts.append(content[block.at])
        else:
            parts.append(_changed_part(block, content))
    return parts


def tool_content(content: Any, blocks: Sequence[Block]) -> Any:
    """The content of a tool's message, with the result as it is now and what else is left of it."""
    has_result = False
    text = ""
    left = {}
    for block in blocks:
        if block.kind == RESULT and not has_result:
            has_result = True
            text = block.text
        elif block.data is None:
            left[block.at] = new_part(block)
        else:
            left[block.at] = block.data
    return result_content(content, text, left)


def _changed_part(block: Block, content: Any) -> Any:
    """A part that changed, with the keys that it had beside its text."""
    old = as_object(element_at(as_list(content), block.at))
    if block.kind in (TEXT, RESULT) and text_of(old) is not None:
        return {**old, "text": block.text}
    return new_part(block)


def _put_calls(raw: Raw, message: Message, untouched: set[int]) -> None:
    old_calls = as_list(raw.get("tool_calls"))
    calls = []
    for block in message.blocks:
        # What was no call among them keeps its place there, too.
        is_listed = CALLS <= block.at < OLD_CALL
        is_new = block.kind == CALL and block.at != OLD_CALL
        if not is_listed and not is_new:
            continue
        old_call = element_at(old_calls, block.at - CALLS)
        if block.at in untouched:
            calls.append(old_call)
        else:
            calls.append(_changed_call(block, old_call))
    if calls:
        raw["tool_calls"] = calls
    elif old_calls:
        del raw["tool_calls"]

    if isinstance(raw.get("function_call"), dict) and OLD_CALL not in untouched:
        _put_old_call(raw, message)


def _put_old_call(raw: Raw, message: Message) -> None:
    """The one call of a time before calls had ids."""
    old_call = raw["function_call"]
    raw["function_call"] = None
    for block in message.blocks:
        if block.at == OLD_CALL:
            raw["function_call"] = {**old_call, "arguments": block.text}
            return


def _changed_call(block: Block, old_call: Any) -> Any:
    old_function = as_object(old_call).get("function")
    if not isinstance(old_function, dict):
        return _new_call(block)
    function = {**old_function, "arguments": _valid_arguments(block)}
    return {**old_call, "id": block.call, "function": function}


def _put_answered_call(raw: Raw, message: Message) -> None:
    for block in message.blocks:
        if block.kind == RESULT:
            _put_call_id(raw, block.call)
            return


def _put_call_id(raw: Raw, call: str) -> None:
    """Lets an answer name this call, in the way in which it named one before."""
    if not call or call_id(raw) == call:
        return
    calls = raw.get("tool_call_ids")
    if isinstance(calls, list) and not raw.get("tool_call_id"):
        raw["tool_call_ids"] = [call, *calls[1:]]
    else:
        raw["tool_call_id"] = call


def _valid_arguments(call: Block) -> str:
    """Arguments are JSON, whatever became of them."""
    values = arguments(call)
    # What is no object stands alone, under a name of ours.
    is_odd = len(values) == 1 and call.text in values.values()
    if is_odd:
        return compact(values)
    return call.text


def _new_call(block: Block) -> Any:
    if block.kind != CALL:
        return block.data
    function = {
        "name": block.tool,
        "arguments": _valid_arguments(block) or _NO_ARGUMENTS,
    }
    return {"id": block.call, "type": "function", "function": function}


def new_messages(message: Message) -> list[Raw]:
    """A message that we wrote, or that comes from another format: each result is a message here."""
    messages: list[Raw] = []
    rest = []
    for block in message.blocks:
        if block.kind == RESULT and block.call:
            result = {"role": "tool", "tool_call_id": block.call, "content": block.text}
            messages.append(result)
        elif block.kind != THINKING:
            rest.append(block)
    if rest or not messages:
        messages.append(_new_message(message, rest))
    return messages


def _new_message(message: Message, blocks: Sequence[Block]) -> Raw:
    calls = []
    parts = []
    is_text = True
    for block in blocks:
        if block.kind == CALL:
            calls.append(_new_call(block))
            continue
        parts.append(block)
        if block.kind not in (TEXT, RESULT):
            is_text = False

    content: Any
    if is_text:
        content = text_of_blocks(parts)
    else:
        content = [new_part(block) for block in parts]

    role = _ROLE_NAMES[speaker_of(message)]
    if not calls:
        return {"role": role, "content": content or ""}
    return {"role": role, "content": content or None, "tool_calls": calls}


def new_part(block: Block) -> Any:
    """A block as a part of its own."""
    image = picture_of(block)
    if image is not None:
        return {"type": "image_url", "image_url": {"url": image.address}}
    if block.data is not None:
        return block.data
    return {"type": "text", "text": block.text}
