"""One record of a Gemini CLI session with other blocks: what nobody touched stays as it was."""

from __future__ import annotations

from director_ctx.history.formats.gemini_pieces.record import (
    CALLS,
    RESULTS,
    THOUGHTS,
    answered_call,
    as_parts,
    id_of,
    raw_calls_of,
)
from director_ctx.history.formats.parts import arguments, as_list, as_object, element_at
from director_ctx.history.messages.message import (
    CALL,
    IMAGE,
    OTHER,
    RESULT,
    TEXT,
    THINKING,
    by_place,
    same,
)
from director_ctx.history.messages.pictures import picture_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Block

    Raw = dict[str, Any]
    OldBlocks = Mapping[int, Block]
    """The blocks that were read of a record, by their places."""


def changed_record(record: Raw, blocks: Sequence[Block], old_blocks: Sequence[Block]) -> Raw:
    """The record with these blocks."""
    old = by_place(old_blocks)
    calls_asked = {block.call for block in blocks if block.kind == CALL}
    in_content = []
    for block in blocks:
        if _is_in_content(block, old, calls_asked):
            in_content.append(block)

    content = _changed_content(record.get("content"), in_content, old)
    changed = {**record, "content": content}
    thoughts = record.get("thoughts")
    if isinstance(thoughts, list):
        changed["thoughts"] = _thoughts_left(thoughts, blocks, old)
    calls = _calls_left(record, blocks, old)
    if calls or "toolCalls" in record:
        changed["toolCalls"] = calls
    return changed


def _thoughts_left(thoughts: Sequence[Any], blocks: Sequence[Block], old: OldBlocks) -> list[Any]:
    block_at = {}
    for block in blocks:
        if block.kind == THINKING and block.at >= THOUGHTS:
            block_at[block.at] = block

    left = []
    for at, thought in enumerate(thoughts, THOUGHTS):
        if at not in block_at:
            continue
        block = block_at[at]
        if block is old.get(at):
            left.append(thought)
        else:
            left.append({"description": block.text})
    return left


def _is_in_content(block: Block, old: OldBlocks, calls_asked: set[str]) -> bool:
    """Whether a block stands among the parts of the content; results stand beside their calls."""
    if block.at in old:
        return block.at < CALLS
    if block.kind == RESULT:
        return block.call not in calls_asked
    return block.kind in (TEXT, IMAGE, OTHER)


def _changed_content(content: Any, blocks: Sequence[Block], old: OldBlocks) -> Any:
    old_parts = as_parts(content)
    parts = []
    for block in blocks:
        if old.get(block.at) is block:
            parts.append(old_parts[block.at])
        else:
            parts.append(_changed_part(block, old_parts))
    if not isinstance(content, str):
        return parts

    # What was one text stays one.
    texts = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        else:
            texts.append(str(part.get("text", "")))
    return "\n".join(texts)


def _changed_part(block: Block, old_parts: Sequence[Any]) -> Any:
    """A block as a part, from that which it was."""
    old = as_object(element_at(old_parts, block.at))
    if block.kind == CALL and "functionCall" in old:
        call = dict(old["functionCall"])
        call["id"] = block.call
        call["args"] = arguments(block)
        return {**old, "functionCall": call}
    if block.kind == RESULT and "functionResponse" in old:
        response = {
            **old["functionResponse"],
            "id": block.call,
            "response": {"output": block.text},
        }
        return {"functionResponse": response}
    if block.kind == RESULT and block.call:
        return _response_part(block.call, block.tool, block.text)

    image = picture_of(block)
    # There is no place for an address in it.
    if image is not None and not image.url:
        inline = {"mimeType": image.media, "data": image.data}
        return {"inlineData": inline}
    if block.data is not None:
        return block.data
    return {"text": block.text}


def _response_part(call: Any, tool: Any, text: str) -> Raw:
    response = {
        "id": call,
        "name": tool,
        "response": {"output": text},
    }
    return {"functionResponse": response}


def _calls_left(record: Raw, blocks: Sequence[Block], old: OldBlocks) -> list[Raw]:
    """The calls that are left, each with what is left of its result."""
    result_of_number: dict[int, Block] = {}
    added_result_of: dict[str, Block] = {}
    for block in blocks:
        if block.kind != RESULT:
            continue
        if block.at >= RESULTS:
            number = block.at - RESULTS
            result_of_number[number] = block
        if block.at not in old:
            added_result_of[block.call] = block

    raw_calls = raw_calls_of(record)
    number_of: dict[str, int] = {}
    for number, raw in enumerate(raw_calls):
        number_of[id_of(raw)] = number

    calls = []
    for block in blocks:
        if block.kind != CALL:
            continue
        number_of_call = _number_of_call(block, old, number_of)
        if number_of_call is None:
            continue

        result = added_result_of.get(block.call)
        raw_call = element_at(raw_calls, number_of_call)
        is_known = block.at in old and raw_call is not None
        if is_known:
            call = dict(raw_call)
            result = result_of_number.get(number_of_call) or result
        else:
            call = {"id": block.call, "name": block.tool, "status": "success"}
        if not is_known or block is not old[block.at]:
            call["id"] = block.call
            call["args"] = arguments(block)
        calls.append(_with_result(call, result, old))
    return calls


def _number_of_call(block: Block, old: OldBlocks, number_of: Mapping[str, int]) -> int | None:
    """The number of a call in the list of calls; None where it stands in the content alone."""
    is_in_content = block.at < CALLS and block.at in old
    if not is_in_content:
        return block.at - CALLS
    return number_of.get(old[block.at].call)


def _with_result(call: Raw, result: Block | None, old: OldBlocks) -> Raw:
    changed = dict(call)
    if result is None:
        changed.pop("result", None)
        changed.pop("resultDisplay", None)
        return changed
    if old.get(result.at) is result:
        return changed

    response = _response_part(
        call.get("id", ""),
        call.get("name", ""),
        result.text,
    )
    changed["result"] = [response]
    # It says the result again.
    if call.get("resultDisplay"):
        changed["resultDisplay"] = result.text
    return changed


def with_text(part: Any, new_text: Mapping[str, str]) -> Any:
    """A response with another text, if it is one of these, which are by their calls."""
    call = answered_call(part)
    if call is None or call not in new_text:
        return part
    response = {**part["functionResponse"], "response": {"output": new_text[call]}}
    return {**part, "functionResponse": response}


def with_texts(record: Raw, new_text: Mapping[str, str]) -> Raw:
    """A record whose calls repeat the results of others, with what became of those."""
    old_calls = record["toolCalls"]
    calls = [_call_with_texts(call, new_text) for call in old_calls]
    if same(calls, old_calls):
        return record
    return {**record, "toolCalls": calls}


def _call_with_texts(call: Any, new_text: Mapping[str, str]) -> Any:
    result = as_list(as_object(call).get("result"))
    if not any(answered_call(part) in new_text for part in result):
        return call
    parts = [with_text(part, new_text) for part in result]
    return {**call, "result": parts}
