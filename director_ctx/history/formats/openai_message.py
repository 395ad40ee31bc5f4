"""One message of OpenAI Chat Completions: its blocks, and back, with as much of its raw form as is
still true.
"""

from __future__ import annotations

from director_ctx.history.formats.parts import (
    arguments,
    compact,
    joined,
    picture,
    retold,
    text_of,
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
    from collections.abc import Iterator, Sequence
    from typing import Any

CALLS, OLD_CALL, REASON, REFUSAL, ANSWER = 1_000_000, 2_000_000, 2_000_001, 2_000_002, 2_000_003
"""Places of blocks that are no parts of the content."""
ROLES = {
    "system": SYSTEM,
    "developer": SYSTEM,
    "user": USER,
    "assistant": ASSISTANT,
    "tool": TOOL,
    "function": TOOL,
}
_WORDS = {SYSTEM: "system", USER: "user", ASSISTANT: "assistant", TOOL: "tool"}
_REASONS = ("reasoning_content", "reasoning")
_BESIDE = frozenset((*_REASONS, "refusal", "tool_calls", "function_call"))
"""Where an answer has blocks beside its content."""
BESIDE = _BESIDE | {"tool_call_id", "tool_call_ids"}
"""What a message has that says more than a role and a content."""


def read_message(raw: Any, index: int, tools: dict[str, str]) -> Message:
    if not isinstance(raw, dict):
        return Message(USER, [Block(OTHER, "", data=raw)], index, raw)
    role = ROLES.get(word(raw, "role"), USER)
    content = raw.get("content")
    if role == TOOL:
        return Message(role, _answer(raw, content, tools), index, raw)
    blocks = [Block(TEXT, content)] if isinstance(content, str) and content else _parts(content)
    if role == ASSISTANT and not _BESIDE.isdisjoint(raw):
        blocks = [*_reasons(raw), *blocks, *_calls(raw, tools)]
    return Message(role, blocks, index, raw)


def _answer(raw: dict[str, Any], content: Any, tools: dict[str, str]) -> list[Block]:
    call = call_id(raw)
    name = tools.get(call) or raw.get("name")
    found = Block(RESULT, joined(content), ANSWER, call, name if isinstance(name, str) else "")
    return (
        [found, *(one for one in _parts(content) if one.kind != TEXT)]
        if isinstance(content, list)
        else [found]
    )


def call_id(raw: dict[str, Any]) -> str:
    """The call that is answered; some write it in a list."""
    found = raw.get("tool_call_id")
    if not found and isinstance(raw.get("tool_call_ids"), list) and raw["tool_call_ids"]:
        found = raw["tool_call_ids"][0]
    return found if isinstance(found, str) else ""


def _parts(content: Any) -> list[Block]:
    if not isinstance(content, list):
        return (
            [] if content is None or isinstance(content, str) else [Block(OTHER, "", data=content)]
        )
    return [_part(part, at) for at, part in enumerate(content)]


def _part(part: Any, at: int) -> Block:
    if (text := text_of(part)) is not None:
        return Block(TEXT, text, at)
    kind = part.get("type") if isinstance(part, dict) else None
    return Block(IMAGE if kind in ("image_url", "image") else OTHER, "", at, data=part)


def _reasons(raw: dict[str, Any]) -> Iterator[Block]:
    for number, key in enumerate(_REASONS):
        if isinstance(raw.get(key), str) and raw[key] and not (number and raw.get(_REASONS[0])):
            yield Block(THINKING, raw[key], REASON)


def _calls(raw: dict[str, Any], tools: dict[str, str]) -> Iterator[Block]:
    refusal, calls, old = raw.get("refusal"), raw.get("tool_calls"), raw.get("function_call")
    if isinstance(refusal, str) and refusal:
        yield Block(TEXT, refusal, REFUSAL)
    for number, one in enumerate(calls if isinstance(calls, list) else ()):
        yield _call(one, CALLS + number, tools)
    if isinstance(old, dict):
        tools[""] = ""
        yield Block(CALL, _written(old.get("arguments")), OLD_CALL, "", str(old.get("name") or ""))


def _call(raw: Any, at: int, tools: dict[str, str]) -> Block:
    if not isinstance(raw, dict):
        return Block(OTHER, "", at, data=raw)
    function = raw.get("function") or raw.get("custom")
    function = function if isinstance(function, dict) else {}
    call, tool = raw.get("id"), function.get("name")
    call, tool = call if isinstance(call, str) else "", tool if isinstance(tool, str) else ""
    tools[call] = tool
    return Block(CALL, _written(function.get("arguments", function.get("input"))), at, call, tool)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else compact(value)


def touched(message: Message, original: Message) -> Any:
    """The raw message with what changed in it."""
    if not isinstance(message.raw, dict):
        return message.raw
    if _is_answer(message) and _is_answer(original):
        return _answered(message.raw, message.blocks[0])
    raw, was = dict(message.raw), {block.at: block for block in original.blocks}
    same = {block.at for block in message.blocks if was.get(block.at) is block}
    inside = [one for one in message.blocks if one.kind != CALL and one.at not in (REASON, REFUSAL)]
    if [one for one in inside if one.at not in same] or len(inside) != _inside(original):
        raw["content"] = _content(raw.get("content"), inside, same, message.role)
    for at, keys in ((REASON, _REASONS), (REFUSAL, ("refusal",))):
        if at in was and at not in same:
            _renewed(raw, keys, next((one.text for one in message.blocks if one.at == at), ""))
    _renew_calls(raw, message, same)
    if (
        raw.get("content") in ("", [])
        and raw.get("tool_calls")
        and raw["content"] != message.raw.get("content")
    ):
        raw["content"] = None
    return raw


def _is_answer(message: Message) -> bool:
    """Whether it is a result as a text, and nothing else."""
    raw, blocks = message.raw, message.blocks
    alone = len(blocks) == 1 and blocks[0].at == ANSWER
    return alone and isinstance(raw.get("content"), str) and _BESIDE.isdisjoint(raw)


def _answered(raw: dict[str, Any], answer: Block) -> dict[str, Any]:
    made = {**raw, "content": answer.text}
    _rename(made, answer.call)
    return made


def _inside(message: Message) -> int:
    return sum(one.kind != CALL and one.at not in (REASON, REFUSAL) for one in message.blocks)


def _renewed(raw: dict[str, Any], keys: Sequence[str], text: str) -> None:
    for key in keys:
        if isinstance(raw.get(key), str):
            raw[key] = text
            if not text:
                del raw[key]


def _content(content: Any, blocks: Sequence[Block], same: set[int], role: str) -> Any:
    if role == TOOL:
        return answer_content(content, blocks)
    if not isinstance(content, list) and all(
        one.kind in (TEXT, RESULT, THINKING) for one in blocks
    ):
        return "\n".join(one.text for one in blocks)
    return [
        content[one.at]
        if one.at in same and isinstance(content, list)
        else _retold(one, content)
        for one in blocks
    ]  # fmt: skip


def answer_content(content: Any, blocks: Sequence[Block]) -> Any:
    """The content of a tool's message, with the result as it is now and what else is left of it."""
    answer = next((one for one in blocks if one.kind == RESULT), None)
    left = {
        one.at: made_part(one) if one.data is None else one.data
        for one in blocks
        if one is not answer
    }
    return retold(content, answer.text if answer else "", left)


def _retold(block: Block, content: Any) -> Any:
    """A part that changed, with the keys that it had beside its text."""
    old = content[block.at] if isinstance(content, list) and 0 <= block.at < len(content) else None
    keeps = isinstance(old, dict) and text_of(old) is not None and block.kind in (TEXT, RESULT)
    return {**old, "text": block.text} if keeps and old else made_part(block)


def _renew_calls(raw: dict[str, Any], message: Message, same: set[int]) -> None:
    calls = raw.get("tool_calls")
    before = calls if isinstance(calls, list) else []
    now = [
        _recalled(
            one,
            before[one.at - CALLS] if 0 <= one.at - CALLS < len(before) else None,
            one.at in same,
        )
        for one in message.blocks
        if CALLS <= one.at < OLD_CALL or (one.kind == CALL and one.at != OLD_CALL)
    ]
    if now:
        raw["tool_calls"] = now
    elif before:
        del raw["tool_calls"]
    if isinstance(raw.get("function_call"), dict) and OLD_CALL not in same:
        old = next((one for one in message.blocks if one.at == OLD_CALL), None)
        raw["function_call"] = {**raw["function_call"], "arguments": old.text} if old else None
    if message.role == TOOL:
        _rename(raw, next((one.call for one in message.blocks if one.kind == RESULT), ""))


def _recalled(block: Block, before: Any, same: bool) -> Any:
    if same or not isinstance(before, dict) or not isinstance(before.get("function"), dict):
        return before if same else _called(block)
    return {
        **before,
        "id": block.call,
        "function": {**before["function"], "arguments": _valid(block)},
    }


def _rename(raw: dict[str, Any], call: str) -> None:
    if call and call_id(raw) != call:
        if isinstance(raw.get("tool_call_ids"), list) and not raw.get("tool_call_id"):
            raw["tool_call_ids"] = [call, *raw["tool_call_ids"][1:]]
        else:
            raw["tool_call_id"] = call


def _valid(call: Block) -> str:
    """Arguments are JSON, whatever became of them."""
    found = arguments(call)
    return compact(found) if len(found) == 1 and call.text in found.values() else call.text


def _called(block: Block) -> Any:
    if block.kind != CALL:
        return block.data
    return {
        "id": block.call, "type": "function", "function": {"name": block.tool, "arguments": _valid(block) or "{}"},
    }  # fmt: skip


def fresh(message: Message) -> list[dict[str, Any]]:
    """A message that we wrote, or that comes from another format: each result is a message here."""
    answers = [one for one in message.blocks if one.kind == RESULT and one.call]
    made: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": one.call, "content": one.text} for one in answers
    ]
    rest = [
        one
        for one in message.blocks
        if not (one.kind == RESULT and one.call) and one.kind != THINKING
    ]
    if rest or not made:
        made.append(_said(message, rest))
    return made


def _said(message: Message, rest: Sequence[Block]) -> dict[str, Any]:
    calls = [_called(one) for one in rest if one.kind == CALL]
    parts = [one for one in rest if one.kind != CALL]
    plain = all(one.kind in (TEXT, RESULT) for one in parts)
    content: Any = (
        "\n".join(one.text for one in parts) if plain else [made_part(one) for one in parts]
    )
    role = _WORDS[USER if message.role == TOOL else message.role]
    return {
        "role": role,
        "content": content or (None if calls else ""),
        **({"tool_calls": calls} if calls else {}),
    }


def made_part(block: Block) -> Any:
    if block.kind == IMAGE and (found := picture(block.data)) is not None:
        return {"type": "image_url", "image_url": {"url": found.address}}
    return block.data if block.data is not None else {"type": "text", "text": block.text}
