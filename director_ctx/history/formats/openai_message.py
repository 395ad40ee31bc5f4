"""One message of OpenAI Chat Completions, read: the blocks in its content, and those beside it."""

from __future__ import annotations

from director_ctx.history.formats.parts import (
    as_list,
    as_object,
    element_at,
    joined_text,
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
    Message,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Raw = dict[str, Any]

CALLS = 1_000_000
OLD_CALL = 2_000_000
REASON = 2_000_001
REFUSAL = 2_000_002
ANSWER = 2_000_003
"""Places of blocks that are no parts of the content."""
ROLES = {
    "system": SYSTEM,
    "developer": SYSTEM,
    "user": USER,
    "assistant": ASSISTANT,
    "tool": TOOL,
    "function": TOOL,
}
REASON_KEYS = ("reasoning_content", "reasoning")
"""Where providers that speak this format put the reason of an answer."""
BESIDE_CONTENT = frozenset((*REASON_KEYS, "refusal", "tool_calls", "function_call"))
"""Where an answer has blocks beside its content."""
BESIDE = BESIDE_CONTENT | {"tool_call_id", "tool_call_ids"}
"""What a message has that says more than a role and a content."""


def read_message(raw: Any, index: int, tools: dict[str, str]) -> Message:
    if not isinstance(raw, dict):
        blocks = [Block(OTHER, "", data=raw)]
        return Message(USER, blocks, index, raw)

    role = ROLES.get(word(raw, "role"), USER)
    content = raw.get("content")
    if role == TOOL:
        return Message(role, _tool_blocks(raw, content, tools), index, raw)

    blocks = _content_blocks(content)
    if role == ASSISTANT and not BESIDE_CONTENT.isdisjoint(raw):
        blocks = [
            *_reasons(raw),
            *blocks,
            *_refusals(raw),
            *_calls(raw, tools),
        ]
    return Message(role, blocks, index, raw)


def _tool_blocks(raw: Raw, content: Any, tools: dict[str, str]) -> list[Block]:
    """A result with all text of its content, and behind it what is no text."""
    call = call_id(raw)
    tool = tools.get(call) or raw.get("name")
    if not isinstance(tool, str):
        tool = ""

    result = Block(RESULT, joined_text(content), ANSWER, call, tool)
    blocks = [result]
    for block in _content_blocks(as_list(content)):
        if block.kind != TEXT:
            blocks.append(block)
    return blocks


def call_id(raw: Raw) -> str:
    """The call that is answered; some write it in a list."""
    call = raw.get("tool_call_id")
    if not call:
        call = element_at(as_list(raw.get("tool_call_ids")), 0)
    return call if isinstance(call, str) else ""


def _content_blocks(content: Any) -> list[Block]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [Block(TEXT, content)]
    if not isinstance(content, list):
        return [Block(OTHER, "", data=content)]
    return [_part_block(part, at) for at, part in enumerate(content)]


def _part_block(part: Any, at: int) -> Block:
    text = text_of(part)
    if text is not None:
        return Block(TEXT, text, at)
    if type_of(part) in ("image_url", "image"):
        return Block(IMAGE, "", at, data=part)
    return Block(OTHER, "", at, data=part)


def _reasons(raw: Raw) -> Iterator[Block]:
    """The reason of an answer; where both keys have one, it is the same."""
    for key in REASON_KEYS:
        reason = raw.get(key)
        if isinstance(reason, str) and reason:
            yield Block(THINKING, reason, REASON)
        if reason:
            return


def _refusals(raw: Raw) -> Iterator[Block]:
    refusal = raw.get("refusal")
    if isinstance(refusal, str) and refusal:
        yield Block(TEXT, refusal, REFUSAL)


def _calls(raw: Raw, tools: dict[str, str]) -> Iterator[Block]:
    calls = as_list(raw.get("tool_calls"))
    for at, call in enumerate(calls, CALLS):
        yield _call_block(call, at, tools)

    # Before calls had ids, an answer had one at most.
    old_call = raw.get("function_call")
    if isinstance(old_call, dict):
        tools[""] = ""
        yield Block(
            kind=CALL,
            text=_text_or_nothing(old_call.get("arguments")),
            at=OLD_CALL,
            call="",
            tool=str(old_call.get("name") or ""),
        )


def _call_block(raw: Any, at: int, tools: dict[str, str]) -> Block:
    if not isinstance(raw, dict):
        return Block(OTHER, "", at, data=raw)

    # A custom tool takes a text, under other names.
    function = as_object(raw.get("function") or raw.get("custom"))
    call = word(raw, "id")
    tool = word(function, "name")
    tools[call] = tool

    value = function.get("arguments", function.get("input"))
    return Block(CALL, _text_or_nothing(value), at, call, tool)


def _text_or_nothing(value: Any) -> str:
    """Arguments as a text; none of a call that has none."""
    return "" if value is None else text_of_arguments(value)
