"""The content of one message as Anthropic has it: its parts as blocks, and back."""

from __future__ import annotations

from director_ctx.base.system.waiting import still_wanted
from director_ctx.history.formats.parts import (
    NEST,
    arguments,
    as_list,
    as_object,
    compact,
    joined_text,
    result_content,
    text_of,
    type_of,
)
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
from director_ctx.history.messages.pictures import Picture, picture_of
from director_ctx.history.messages.stubs import MARK, OPENS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message


def is_digest(text: Any) -> bool:
    """Whether it is a digest that we put in."""
    if not isinstance(text, str):
        return False
    return OPENS in text and f"#N. All of them: {MARK}" in text


def blocks_of(content: Any, tools: dict[str, str]) -> list[Block]:
    """The blocks of a content; `tools` learns the names of calls, and gives them to results."""
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [Block(TEXT, content)]
    if not isinstance(content, list):
        return [Block(OTHER, "", data=content)]

    blocks: list[Block] = []
    for at, part in enumerate(content):
        still_wanted()
        blocks.extend(_blocks_of_part(part, at, tools))
    return blocks


def _blocks_of_part(part: Any, at: int, tools: dict[str, str]) -> Iterator[Block]:
    part_type = type_of(part)
    text = text_of(part)
    if text is not None:
        yield Block(TEXT, text, at)
    elif part_type == "tool_use":
        yield _call(part, at, tools)
    elif part_type == "tool_result":
        yield from _result(part, at, tools)
    elif part_type == "thinking":
        thought = str(part.get("thinking") or "")
        yield Block(THINKING, thought, at)
    elif part_type == "redacted_thinking":
        yield Block(THINKING, "", at, data=part)
    elif part_type == "image":
        yield Block(IMAGE, "", at, data=part)
    else:
        yield Block(OTHER, "", at, data=part)


def _call(part: dict[str, Any], at: int, tools: dict[str, str]) -> Block:
    call = str(part.get("id", ""))
    tool = str(part.get("name", ""))
    tools[call] = tool
    text = compact(part.get("input", {}))
    return Block(CALL, text, at, call, tool)


def _result(part: dict[str, Any], at: int, tools: dict[str, str]) -> Iterator[Block]:
    """The result, and behind it what is no text in its content."""
    call = str(part.get("tool_use_id", ""))
    content = part.get("content")
    error = part.get("is_error")
    if not isinstance(error, bool):
        error = None
    yield Block(
        kind=RESULT,
        text=joined_text(content),
        at=at,
        call=call,
        tool=tools.get(call, ""),
        error=error,
    )

    first_inside = (at + 1) * NEST
    for number, inner in _without_text(content).items():
        kind = IMAGE if type_of(inner) == "image" else OTHER
        yield Block(kind, "", first_inside + number, data=inner)


def _without_text(content: Any) -> dict[int, Any]:
    """What is no text in the content of a result, by its number."""
    others: dict[int, Any] = {}
    for number, part in enumerate(as_list(content)):
        if text_of(part) is None:
            others[number] = part
    return others


def content_of(message: Message, original: Message | None, raw: Any) -> Any:
    """A content with the blocks of this message, as much of the original's as is left."""
    if isinstance(raw, list) and original is not None:
        return _rebuilt_parts(message.blocks, original.blocks, raw)

    parts = []
    for block in message.blocks:
        part = new_part(block)
        if part is not None:
            parts.append(part)

    if len(parts) != 1 or isinstance(raw, list):
        return parts
    # A single text that was no list of parts stays a text.
    part = parts[0]
    is_text = as_object(part).keys() == {"type", "text"}
    return part["text"] if is_text else parts


def _rebuilt_parts(
    blocks: Sequence[Block],
    old_blocks: Sequence[Block],
    raw: list[Any],
) -> list[Any]:
    old_of_part: dict[int, list[Block]] = {}
    for block in old_blocks:
        old_of_part.setdefault(_part_number(block), []).append(block)

    parts = []
    for part_number, of_part in _by_part(blocks, old_of_part).items():
        if part_number < 0:
            part = _changed_part(of_part, None)
        elif same(of_part, old_of_part[part_number]):
            part = raw[part_number]
        else:
            part = _changed_part(of_part, raw[part_number])
        if part is not None:
            parts.append(part)
    return parts


def _by_part(
    blocks: Sequence[Block],
    old_of_part: dict[int, list[Block]],
) -> dict[int, list[Block]]:
    """By the numbers of their parts; what belongs to none of them gets a number below 0."""
    by_part: dict[int, list[Block]] = {}
    for number, block in enumerate(blocks):
        part_number = _part_number(block)
        is_first = part_number not in by_part
        # A second block of one part is new, unless it stands inside of a result.
        belongs = part_number in old_of_part and (is_first or block.at >= NEST)
        if not belongs:
            part_number = -1 - number
        by_part.setdefault(part_number, []).append(block)
    return by_part


def _part_number(block: Block) -> int:
    """The number of the part that a block is of, or is inside of."""
    if block.at < NEST:
        return block.at
    return block.at // NEST - 1


def _changed_part(blocks: Sequence[Block], raw: Any) -> Any:
    """One part, from its raw form as far as that is still true."""
    block, *inside = blocks
    part_type = type_of(raw)
    if block.kind == TEXT and part_type == "text":
        return {**raw, "text": block.text}
    if block.kind == CALL and part_type == "tool_use":
        call = {**raw, "id": block.call}
        if compact(raw.get("input", {})) != block.text:
            call["input"] = arguments(block)
        return call
    if block.kind == RESULT and part_type == "tool_result":
        return _changed_result(block, inside, raw)
    return new_part(block)


def _changed_result(block: Block, inside: Sequence[Block], raw: dict[str, Any]) -> dict[str, Any]:
    left = {}
    for inner in inside:
        part = inner.data
        if part is None:
            # A picture of which only a stub is left has no raw form any more.
            part = new_part(inner)
        left[inner.at % NEST] = part

    content = raw.get("content")
    changed = {**raw, "tool_use_id": block.call}
    if block.text != joined_text(content) or _without_text(content) != left:
        changed["content"] = result_content(content, block.text, left)
    return changed


def new_part(block: Block) -> Any:
    """A block as a part of its own; nothing for what has no words here."""
    if block.kind == CALL:
        return {
            "type": "tool_use",
            "id": block.call,
            "name": block.tool,
            "input": arguments(block),
        }
    if block.kind == RESULT and block.call:
        return _new_result(block)

    image = picture_of(block)
    if image is not None:
        return {"type": "image", "source": _source_of(image)}
    if block.data is not None:
        return block.data
    if not block.text:
        return None
    return {"type": "text", "text": block.text}


def _source_of(image: Picture) -> dict[str, Any]:
    if image.url:
        return {"type": "url", "url": image.url}
    return {
        "type": "base64",
        "media_type": image.media,
        "data": image.data,
    }


def _new_result(block: Block) -> dict[str, Any]:
    result: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": block.call,
        "content": block.text,
    }
    if block.error is not None:
        result["is_error"] = block.error
    return result
