"""One record of a Gemini CLI session: its words, thoughts, calls and results as blocks, and back."""

from __future__ import annotations

from director_ctx.history.formats.parts import arguments, compact, picture
from director_ctx.history.messages.message import (
    CALL,
    IMAGE,
    OTHER,
    RESULT,
    TEXT,
    THINKING,
    Block,
    same,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Raw = dict[str, Any]

CALLS, RESULTS, THOUGHTS = 1_000_000, 2_000_000, 3_000_000


def user_blocks(record: Raw, tools: dict[str, str]) -> list[Block]:
    return list(_parts(record.get("content"), tools))


def spoken_blocks(record: Raw, tools: dict[str, str]) -> list[Block]:
    blocks: list[Block] = []
    thoughts = record.get("thoughts")
    if isinstance(thoughts, list):
        for at, thought in enumerate(thoughts, THOUGHTS):
            blocks.append(Block(THINKING, _thought(thought), at))
    blocks += _parts(record.get("content"), tools)

    said_already = {block.call for block in blocks if block.kind == CALL}
    for at, call in enumerate(_calls(record), CALLS):
        if str(call.get("id", "")) not in said_already:
            blocks.append(_called(call, at, tools))
    return blocks


def _called(raw: Raw, at: int, tools: dict[str, str]) -> Block:
    call = str(raw.get("id", ""))
    tool = str(raw.get("name", ""))
    tools[call] = tool
    return Block(CALL, compact(raw.get("args", {})), at, call, tool)


def _calls(record: Raw) -> list[Raw]:
    calls = record.get("toolCalls")
    if not isinstance(calls, list):
        return []
    return [call if isinstance(call, dict) else {} for call in calls]


def _thought(thought: Any) -> str:
    if not isinstance(thought, dict):
        return str(thought)
    subject = thought.get("subject")
    text = str(thought.get("description") or "")
    return f"**{subject}** {text}" if subject else text


def tool_blocks(record: Raw) -> list[Block]:
    blocks = []
    for at, call in enumerate(_calls(record), RESULTS):
        if call.get("result") is None:
            continue
        text = result_text(_own(call))
        error = True if call.get("status") == "error" else None
        name, tool = str(call.get("id", "")), str(call.get("name", ""))
        blocks.append(Block(RESULT, text, at, name, tool, error))
    return blocks


def _own(call: Raw) -> Any:
    """The result of a call; in some sessions each of several has those of all."""
    result = call["result"]
    if not isinstance(result, list):
        return result
    mine = [part for part in result if answers(part) == call.get("id")]
    return mine or result


def answers(part: Any) -> str | None:
    """The id of the call that a part of a record is the response to."""
    response = part.get("functionResponse") if isinstance(part, dict) else None
    return str(response.get("id", "")) if isinstance(response, dict) else None


def result_text(result: Any) -> str:
    """What the model reads of a result: the outputs in it."""
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        return "\n".join(text for text in map(result_text, result) if text)
    if not isinstance(result, dict):
        return ""
    if isinstance(result.get("functionResponse"), dict):
        return result_text(result["functionResponse"].get("response"))
    for key in ("output", "error", "text"):
        if isinstance(result.get(key), str):
            text: str = result[key]
            return text
    return "" if picture(result) else compact(result)


def _parts(content: Any, tools: dict[str, str]) -> Iterator[Block]:
    if content is None:
        return
    parts = content if isinstance(content, list) else [content]
    for at, part in enumerate(parts):
        if isinstance(part, dict):
            yield _part(part, at, tools)
        elif not isinstance(part, str):
            yield Block(OTHER, "", at, data=part)
        elif part:
            yield Block(TEXT, part, at)


def _part(part: Raw, at: int, tools: dict[str, str]) -> Block:
    text = part.get("text")
    if isinstance(text, str):
        return Block(THINKING if part.get("thought") else TEXT, text, at)
    if isinstance(part.get("functionCall"), dict):
        return _called(part["functionCall"], at, tools)

    response = part.get("functionResponse")
    if isinstance(response, dict):
        call = str(response.get("id", ""))
        tool = tools.get(call) or str(response.get("name", ""))
        return Block(RESULT, result_text(part), at, call, tool)
    return Block(IMAGE if "inlineData" in part else OTHER, "", at, data=part)


def renewed(record: Raw, blocks: Sequence[Block], before: Sequence[Block]) -> Raw:
    """The record with these blocks."""
    was = {block.at: block for block in before}
    asked = {block.call for block in blocks if block.kind == CALL}
    inside = [block for block in blocks if _of_content(block, was, asked)]
    changed = {**record, "content": _content(record.get("content"), inside, was)}
    if "thoughts" in record:
        changed["thoughts"] = _thoughts(record["thoughts"] or (), blocks, was)
    calls = list(_recalled(record, blocks, was))
    if calls or "toolCalls" in record:
        changed["toolCalls"] = calls
    return changed


def _thoughts(
    thoughts: Sequence[Any], blocks: Sequence[Block], was: Mapping[int, Block]
) -> list[Any]:
    kept = {block.at: block for block in blocks if block.kind == THINKING and block.at >= THOUGHTS}
    left = []
    for at, thought in enumerate(thoughts, THOUGHTS):
        if at not in kept:
            continue
        block = kept[at]
        left.append(thought if block is was.get(at) else {"description": block.text})
    return left


def _of_content(block: Block, was: Mapping[int, Block], asked: set[str]) -> bool:
    if block.at in was:
        return block.at < CALLS
    if block.kind == RESULT:
        return block.call not in asked
    return block.kind in (TEXT, IMAGE, OTHER)


def _content(content: Any, blocks: Sequence[Block], was: Mapping[int, Block]) -> Any:
    before = content if isinstance(content, list) else [content]
    parts = []
    for block in blocks:
        if was.get(block.at) is block:
            parts.append(before[block.at])
        else:
            parts.append(_remade(block, before))
    if not isinstance(content, str):
        return parts

    texts = [part if isinstance(part, str) else str(part.get("text", "")) for part in parts]
    return "\n".join(texts)


def _remade(block: Block, parts: Sequence[Any]) -> Any:
    """A block as a part, from that which it was."""
    old = parts[block.at] if 0 <= block.at < len(parts) else None
    if not isinstance(old, dict):
        old = {}
    if block.kind == CALL and "functionCall" in old:
        call = {**old["functionCall"], "id": block.call, "args": arguments(block)}
        return {**old, "functionCall": call}
    if block.kind == RESULT and "functionResponse" in old:
        response = {**old["functionResponse"], "id": block.call}
        return said({"functionResponse": response}, {block.call: block.text})
    if block.kind == RESULT and block.call:
        return {"functionResponse": _response(block.call, block.tool, block.text)}

    image = picture(block.data) if block.kind == IMAGE else None
    if image is not None and not image.url:
        return {"inlineData": {"mimeType": image.media, "data": image.data}}
    return block.data if block.data is not None else {"text": block.text}


def _response(call: Any, tool: Any, text: str) -> Raw:
    return {"id": call, "name": tool, "response": {"output": text}}


def _recalled(record: Raw, blocks: Sequence[Block], was: Mapping[int, Block]) -> Iterator[Raw]:
    """The calls that are left, each with what is left of its result."""
    results: dict[int, Block] = {}
    added: dict[str, Block] = {}
    for block in blocks:
        if block.kind == RESULT and block.at >= RESULTS:
            results[block.at - RESULTS] = block
        if block.kind == RESULT and block.at not in was:
            added[block.call] = block

    raws = _calls(record)
    numbers = {str(raw.get("id", "")): number for number, raw in enumerate(raws)}
    for block in blocks:
        in_content = block.at < CALLS and block.at in was
        if block.kind != CALL or (in_content and was[block.at].call not in numbers):
            continue

        number = numbers[was[block.at].call] if in_content else block.at - CALLS
        known = block.at in was and 0 <= number < len(raws)
        if known:
            call = dict(raws[number])
            answer = results.get(number) or added.get(block.call)
        else:
            call = {"id": block.call, "name": block.tool, "status": "success"}
            answer = added.get(block.call)
        if not known or block is not was[block.at]:
            call |= {"id": block.call, "args": arguments(block)}
        yield _answered(call, answer, was)


def _answered(call: Raw, answer: Block | None, was: Mapping[int, Block]) -> Raw:
    answered = dict(call)
    if answer is None:
        answered.pop("result", None)
        answered.pop("resultDisplay", None)
    elif was.get(answer.at) is not answer:
        response = _response(call.get("id", ""), call.get("name", ""), answer.text)
        answered["result"] = [{"functionResponse": response}]
        if call.get("resultDisplay"):
            answered["resultDisplay"] = answer.text
    return answered


def said(part: Any, told: Mapping[str, str]) -> Any:
    """A response with another text, if it is one of these."""
    call = answers(part)
    if call is None or call not in told:
        return part
    response = {**part["functionResponse"], "response": {"output": told[call]}}
    return {**part, "functionResponse": response}


def told_again(record: Raw, told: Mapping[str, str]) -> Raw:
    """A record whose calls repeat the results of others, with what became of those."""
    before = record["toolCalls"]
    calls = [_told_again(call, told) for call in before]
    return record if same(calls, before) else {**record, "toolCalls": calls}


def _told_again(call: Any, told: Mapping[str, str]) -> Any:
    result = call.get("result") if isinstance(call, dict) else None
    if not isinstance(result, list) or not any(answers(part) in told for part in result):
        return call
    return {**call, "result": [said(part, told) for part in result]}
