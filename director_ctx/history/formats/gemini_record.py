"""One record of a Gemini CLI session: its words, thoughts, calls and results as blocks, and back."""

from __future__ import annotations

from operator import is_

from director_ctx.history.formats.parts import arguments, compact, picture
from director_ctx.history.messages.message import CALL, IMAGE, OTHER, RESULT, TEXT, THINKING, Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Raw = dict[str, Any]

CALLS, RESULTS, THOUGHTS = 1_000_000, 2_000_000, 3_000_000


def user_blocks(record: Raw, tools: dict[str, str]) -> list[Block]:
    return list(_parts(record.get("content"), tools))


def spoken_blocks(record: Raw, tools: dict[str, str]) -> list[Block]:
    thoughts = record.get("thoughts")
    blocks = [
        Block(THINKING, _thought(one), THOUGHTS + number)
        for number, one in enumerate(thoughts if isinstance(thoughts, list) else ())
    ]
    blocks += _parts(record.get("content"), tools)
    said_already = {block.call for block in blocks if block.kind == CALL}
    return blocks + [
        _called(one, CALLS + number, tools)
        for number, one in enumerate(_calls(record))
        if str(one.get("id", "")) not in said_already
    ]


def _called(raw: Raw, at: int, tools: dict[str, str]) -> Block:
    call, tool = str(raw.get("id", "")), str(raw.get("name", ""))
    tools[call] = tool
    return Block(CALL, compact(raw.get("args", {})), at, call, tool)


def _calls(record: Raw) -> list[Raw]:
    found = record.get("toolCalls")
    return (
        [one if isinstance(one, dict) else {} for one in found] if isinstance(found, list) else []
    )


def _thought(one: Any) -> str:
    if not isinstance(one, dict):
        return str(one)
    subject, text = one.get("subject"), str(one.get("description") or "")
    return f"**{subject}** {text}" if subject else text


def tool_blocks(record: Raw) -> list[Block]:
    return [
        Block(RESULT, result_text(_own(one)), RESULTS + number, str(one.get("id", "")), str(one.get("name", "")),
              True if one.get("status") == "error" else None)
        for number, one in enumerate(_calls(record))
        if one.get("result") is not None
    ]  # fmt: skip


def _own(call: Raw) -> Any:
    """The result of a call; in some sessions each of several has those of all."""
    found = call["result"]
    mine = (
        [part for part in found if answers(part) == call.get("id")]
        if isinstance(found, list)
        else []
    )
    return mine or found


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
    for at, part in enumerate(
        content if isinstance(content, list) else [] if content is None else [content]
    ):
        if isinstance(part, str):
            if part:
                yield Block(TEXT, part, at)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield Block(THINKING if part.get("thought") else TEXT, part["text"], at)
        elif isinstance(part, dict) and isinstance(part.get("functionCall"), dict):
            yield _called(part["functionCall"], at, tools)
        elif isinstance(part, dict) and isinstance(part.get("functionResponse"), dict):
            call = str(part["functionResponse"].get("id", ""))
            name = tools.get(call) or str(part["functionResponse"].get("name", ""))
            yield Block(RESULT, result_text(part), at, call, name)
        else:
            yield Block(
                IMAGE if isinstance(part, dict) and "inlineData" in part else OTHER,
                "",
                at,
                data=part,
            )


def renewed(record: Raw, blocks: Sequence[Block], before: Sequence[Block]) -> Raw:
    """The record with these blocks."""
    was = {block.at: block for block in before}
    content = record.get("content")
    asked = {block.call for block in blocks if block.kind == CALL}
    inside = [block for block in blocks if _of_content(block, was, asked)]
    made = {**record, "content": _content(content, inside, was)}
    if "thoughts" in record:
        kept = {
            block.at: block for block in blocks if block.kind == THINKING and block.at >= THOUGHTS
        }
        made["thoughts"] = [
            one if kept[THOUGHTS + n] is was.get(THOUGHTS + n) else {"description": kept[THOUGHTS + n].text}
            for n, one in enumerate(record["thoughts"] or ()) if THOUGHTS + n in kept
        ]  # fmt: skip
    calls = list(_recalled(record, blocks, was))
    if calls or "toolCalls" in record:
        made["toolCalls"] = calls
    return made


def _of_content(block: Block, was: Mapping[int, Block], asked: set[str]) -> bool:
    if block.at in was:
        return block.at < CALLS
    return block.kind in (TEXT, IMAGE, OTHER) or (block.kind == RESULT and block.call not in asked)


def _content(content: Any, blocks: Sequence[Block], was: Mapping[int, Block]) -> Any:
    parts = content if isinstance(content, list) else [content]
    made = [parts[one.at] if was.get(one.at) is one else _made(one, parts) for one in blocks]
    if isinstance(content, str):
        return "\n".join(one if isinstance(one, str) else str(one.get("text", "")) for one in made)
    return made


def _made(block: Block, parts: Sequence[Any]) -> Any:
    old = parts[block.at] if 0 <= block.at < len(parts) else None
    if isinstance(old, dict) and "functionCall" in old and block.kind == CALL:
        return {
            **old,
            "functionCall": {**old["functionCall"], "id": block.call, "args": arguments(block)},
        }
    if isinstance(old, dict) and "functionResponse" in old and block.kind == RESULT:
        return said(
            {"functionResponse": {**old["functionResponse"], "id": block.call}},
            {block.call: block.text},
        )
    if block.kind == RESULT and block.call:
        return {
            "functionResponse": {
                "id": block.call,
                "name": block.tool,
                "response": {"output": block.text},
            }
        }
    if block.kind == IMAGE and (found := picture(block.data)) is not None and not found.url:
        return {"inlineData": {"mimeType": found.media, "data": found.data}}
    return block.data if block.data is not None else {"text": block.text}


def _recalled(record: Raw, blocks: Sequence[Block], was: Mapping[int, Block]) -> Iterator[Raw]:
    """The calls that are left, each with what is left of its result."""
    answers = {
        block.at - RESULTS: block
        for block in blocks
        if block.kind == RESULT and block.at >= RESULTS
    }
    by_call = {
        block.call: block for block in blocks if block.kind == RESULT and block.at not in was
    }
    raws = _calls(record)
    listed = {str(raw.get("id", "")): number for number, raw in enumerate(raws)}
    for block in blocks:
        in_content = block.at < CALLS and block.at in was
        if block.kind != CALL or (in_content and was[block.at].call not in listed):
            continue
        number = listed[was[block.at].call] if in_content else block.at - CALLS
        known = block.at in was and 0 <= number < len(raws)
        one = (
            dict(raws[number])
            if known
            else {"id": block.call, "name": block.tool, "status": "success"}
        )
        if not known or block is not was[block.at]:
            one |= {"id": block.call, "args": arguments(block)}
        answer = answers.get(number) if known else by_call.get(block.call)
        answer = answer or by_call.get(block.call)
        yield _answered(one, answer, was)


def _answered(one: Raw, answer: Block | None, was: Mapping[int, Block]) -> Raw:
    if answer is None:
        return {key: value for key, value in one.items() if key not in ("result", "resultDisplay")}
    if was.get(answer.at) is answer:
        return one
    response = {
        "id": one.get("id", ""),
        "name": one.get("name", ""),
        "response": {"output": answer.text},
    }
    short = {"resultDisplay": answer.text} if one.get("resultDisplay") else {}
    return {**one, "result": [{"functionResponse": response}], **short}


def said(part: Any, told: Mapping[str, str]) -> Any:
    """A response with another text, if it is one of these."""
    call = answers(part)
    if call is None or call not in told:
        return part
    return {
        **part,
        "functionResponse": {**part["functionResponse"], "response": {"output": told[call]}},
    }


def told_again(record: Raw, told: Mapping[str, str]) -> Raw:
    """A record whose calls repeat the results of others, with what became of those."""
    calls = [_told_again(one, told) for one in record["toolCalls"]]
    return record if all(map(is_, calls, record["toolCalls"])) else {**record, "toolCalls": calls}


def _told_again(call: Any, told: Mapping[str, str]) -> Any:
    found = call.get("result") if isinstance(call, dict) else None
    if not isinstance(found, list) or not any(answers(part) in told for part in found):
        return call
    return {**call, "result": [said(part, told) for part in found]}
