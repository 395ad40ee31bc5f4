"""One record of a Gemini CLI session: its words, thoughts, calls and results as blocks."""

from __future__ import annotations

from director_ctx.history.formats.parts import as_list, as_object, compact
from director_ctx.history.messages.message import CALL, IMAGE, OTHER, RESULT, TEXT, THINKING, Block
from director_ctx.history.messages.pictures import picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Raw = dict[str, Any]

CALLS = 1_000_000
RESULTS = 2_000_000
THOUGHTS = 3_000_000
"""Places of blocks that are no parts of the content."""


def user_blocks(record: Raw, tools: dict[str, str]) -> list[Block]:
    return list(_content_blocks(record.get("content"), tools))


def answer_blocks(record: Raw, tools: dict[str, str]) -> list[Block]:
    """Thoughts, words and calls of the model."""
    blocks: list[Block] = []
    thoughts = as_list(record.get("thoughts"))
    for at, thought in enumerate(thoughts, THOUGHTS):
        text = _text_of_thought(thought)
        blocks.append(Block(THINKING, text, at))
    blocks += _content_blocks(record.get("content"), tools)

    # Some sessions list a call among the parts of the content, too: it is one call.
    in_content = set()
    for block in blocks:
        if block.kind == CALL:
            in_content.add(block.call)
    for at, raw in enumerate(raw_calls_of(record), CALLS):
        if id_of(raw) not in in_content:
            blocks.append(_call_block(raw, at, tools))
    return blocks


def id_of(raw: Raw) -> str:
    return str(raw.get("id", ""))


def _name(raw: Raw) -> str:
    return str(raw.get("name", ""))


def _call_block(raw: Raw, at: int, tools: dict[str, str]) -> Block:
    call = id_of(raw)
    tool = _name(raw)
    tools[call] = tool
    text = compact(raw.get("args", {}))
    return Block(CALL, text, at, call, tool)


def raw_calls_of(record: Raw) -> list[Raw]:
    # By their numbers they are found again, so what is no call keeps its place.
    return [as_object(call) for call in as_list(record.get("toolCalls"))]


def _text_of_thought(thought: Any) -> str:
    if not isinstance(thought, dict):
        return str(thought)
    subject = thought.get("subject")
    text = str(thought.get("description") or "")
    if not subject:
        return text
    return f"**{subject}** {text}"


def result_blocks(record: Raw) -> list[Block]:
    """The results that a record of the model has beside its calls."""
    blocks = []
    for at, call in enumerate(raw_calls_of(record), RESULTS):
        if call.get("result") is None:
            continue
        has_failed = call.get("status") == "error"
        block = Block(
            kind=RESULT,
            text=result_text(_own_result(call)),
            at=at,
            call=id_of(call),
            tool=_name(call),
            error=has_failed or None,
        )
        blocks.append(block)
    return blocks


def _own_result(call: Raw) -> Any:
    """The result of a call; in some sessions each of several has those of all."""
    result = call["result"]
    if not isinstance(result, list):
        return result

    own = []
    for part in result:
        if answered_call(part) == call.get("id"):
            own.append(part)
    return own or result


def answered_call(part: Any) -> str | None:
    """The id of the call that a part of a record is the response to."""
    response = as_object(part).get("functionResponse")
    if not isinstance(response, dict):
        return None
    return id_of(response)


def result_text(result: Any) -> str:
    """What the model reads of a result: the outputs in it."""
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        texts = map(result_text, result)
        return "\n".join(filter(None, texts))
    if not isinstance(result, dict):
        return ""

    response = result.get("functionResponse")
    if isinstance(response, dict):
        return result_text(response.get("response"))
    for key in ("output", "error", "text"):
        text = result.get(key)
        if isinstance(text, str):
            return text
    if picture(result):
        return ""
    return compact(result)


def _content_blocks(content: Any, tools: dict[str, str]) -> Iterator[Block]:
    if content is None:
        return
    for at, part in enumerate(as_parts(content)):
        if isinstance(part, dict):
            yield _part_block(part, at, tools)
        elif not isinstance(part, str):
            yield Block(OTHER, "", at, data=part)
        elif part:
            yield Block(TEXT, part, at)


def as_parts(content: Any) -> list[Any]:
    """A content may be one text, or one part."""
    if isinstance(content, list):
        return content
    return [content]


def _part_block(part: Raw, at: int, tools: dict[str, str]) -> Block:
    text = part.get("text")
    if isinstance(text, str):
        kind = TEXT
        if part.get("thought"):
            kind = THINKING
        return Block(kind, text, at)

    call = part.get("functionCall")
    if isinstance(call, dict):
        return _call_block(call, at, tools)

    response = part.get("functionResponse")
    if isinstance(response, dict):
        name = id_of(response)
        tool = tools.get(name) or _name(response)
        return Block(RESULT, result_text(part), at, name, tool)
    if "inlineData" in part:
        return Block(IMAGE, "", at, data=part)
    return Block(OTHER, "", at, data=part)
