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

    blocks = _parts(content)
    if role == ASSISTANT and not _BESIDE.isdisjoint(raw):
        blocks = [*_reasons(raw), *blocks, *_calls(raw, tools)]
    return Message(role, blocks, index, raw)


def _answer(raw: dict[str, Any], content: Any, tools: dict[str, str]) -> list[Block]:
    call = call_id(raw)
    tool = tools.get(call) or raw.get("name")
    if not isinstance(tool, str):
        tool = ""

    blocks = [Block(RESULT, joined(content), ANSWER, call, tool)]
    if isinstance(content, list):
        for block in _parts(content):
            if block.kind != TEXT:
                blocks.append(block)
    return blocks


def call_id(raw: dict[str, Any]) -> str:
    """The call that is answered; some write it in a list."""
    call = raw.get("tool_call_id")
    calls = raw.get("tool_call_ids")
    if not call and isinstance(calls, list) and calls:
        call = calls[0]
    return call if isinstance(call, str) else ""


def _parts(content: Any) -> list[Block]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [Block(TEXT, content)]
    if not isinstance(content, list):
        return [Block(OTHER, "", data=content)]
    return [_part(part, at) for at, part in enumerate(content)]


def _part(part: Any, at: int) -> Block:
    text = text_of(part)
    if text is not None:
        return Block(TEXT, text, at)
    is_image = isinstance(part, dict) and part.get("type") in ("image_url", "image")
    return Block(IMAGE if is_image else OTHER, "", at, data=part)


def _reasons(raw: dict[str, Any]) -> Iterator[Block]:
    """The reason of an answer; where both keys have one, it is the same."""
    for key in _REASONS:
        reason = raw.get(key)
        if isinstance(reason, str) and reason:
            yield Block(THINKING, reason, REASON)
        if reason:
            return


def _calls(raw: dict[str, Any], tools: dict[str, str]) -> Iterator[Block]:
    refusal = raw.get("refusal")
    if isinstance(refusal, str) and refusal:
        yield Block(TEXT, refusal, REFUSAL)

    calls = raw.get("tool_calls")
    if isinstance(calls, list):
        for at, call in enumerate(calls, CALLS):
            yield _call(call, at, tools)

    old = raw.get("function_call")
    if isinstance(old, dict):
        tools[""] = ""
        yield Block(CALL, _written(old.get("arguments")), OLD_CALL, "", str(old.get("name") or ""))


def _call(raw: Any, at: int, tools: dict[str, str]) -> Block:
    if not isinstance(raw, dict):
        return Block(OTHER, "", at, data=raw)

    function = raw.get("function") or raw.get("custom")
    if not isinstance(function, dict):
        function = {}
    call = word(raw, "id")
    tool = word(function, "name")
    tools[call] = tool

    given = function.get("arguments", function.get("input"))
    return Block(CALL, _written(given), at, call, tool)


def _written(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else compact(arguments)


def touched(message: Message, original: Message) -> Any:
    """The raw message with what changed in it."""
    if not isinstance(message.raw, dict):
        return message.raw
    if _is_answer(message) and _is_answer(original):
        return _answered(message.raw, message.blocks[0])

    raw = dict(message.raw)
    was = {block.at: block for block in original.blocks}
    same = {block.at for block in message.blocks if was.get(block.at) is block}

    inside = _inside(message)
    is_untouched = all(block.at in same for block in inside)
    if not is_untouched or len(inside) != len(_inside(original)):
        raw["content"] = _content(raw.get("content"), inside, same, message.role)

    for at, keys in ((REASON, _REASONS), (REFUSAL, ("refusal",))):
        if at in was and at not in same:
            _renewed(raw, keys, _text_at(message, at))
    _renew_calls(raw, message, same)

    # An answer that only calls has no content.
    is_empty = raw.get("content") in ("", [])
    if is_empty and raw.get("tool_calls") and raw["content"] != message.raw.get("content"):
        raw["content"] = None
    return raw


def _is_answer(message: Message) -> bool:
    """Whether it is a result as a text, and nothing else."""
    raw, blocks = message.raw, message.blocks
    alone = len(blocks) == 1 and blocks[0].at == ANSWER
    return alone and isinstance(raw.get("content"), str) and _BESIDE.isdisjoint(raw)


def _answered(raw: dict[str, Any], answer: Block) -> dict[str, Any]:
    answered = {**raw, "content": answer.text}
    _rename(answered, answer.call)
    return answered


def _inside(message: Message) -> list[Block]:
    """What stands in the content."""
    return [
        block
        for block in message.blocks
        if block.kind != CALL and block.at not in (REASON, REFUSAL)
    ]


def _text_at(message: Message, at: int) -> str:
    for block in message.blocks:
        if block.at == at:
            return block.text
    return ""


def _renewed(raw: dict[str, Any], keys: Sequence[str], text: str) -> None:
    for key in keys:
        if not isinstance(raw.get(key), str):
            continue
        if text:
            raw[key] = text
        else:
            del raw[key]


def _content(content: Any, blocks: Sequence[Block], same: set[int], role: str) -> Any:
    if role == TOOL:
        return answer_content(content, blocks)

    is_list = isinstance(content, list)
    if not is_list and all(block.kind in (TEXT, RESULT, THINKING) for block in blocks):
        return "\n".join(block.text for block in blocks)

    parts = []
    for block in blocks:
        if is_list and block.at in same:
            parts.append(content[block.at])
        else:
            parts.append(_retold(block, content))
    return parts


def answer_content(content: Any, blocks: Sequence[Block]) -> Any:
    """The content of a tool's message, with the result as it is now and what else is left of it."""
    answer: Block | None = None
    left = {}
    for block in blocks:
        if block.kind == RESULT and answer is None:
            answer = block
        else:
            left[block.at] = made_part(block) if block.data is None else block.data

    text = answer.text if answer else ""
    return retold(content, text, left)


def _retold(block: Block, content: Any) -> Any:
    """A part that changed, with the keys that it had beside its text."""
    old = None
    if isinstance(content, list) and 0 <= block.at < len(content):
        old = content[block.at]
    if isinstance(old, dict) and text_of(old) is not None and block.kind in (TEXT, RESULT):
        return {**old, "text": block.text}
    return made_part(block)


def _renew_calls(raw: dict[str, Any], message: Message, same: set[int]) -> None:
    before = raw.get("tool_calls")
    if not isinstance(before, list):
        before = []

    calls = []
    for block in message.blocks:
        if CALLS <= block.at < OLD_CALL or (block.kind == CALL and block.at != OLD_CALL):
            number = block.at - CALLS
            call = before[number] if 0 <= number < len(before) else None
            calls.append(_recalled(block, call, block.at in same))
    if calls:
        raw["tool_calls"] = calls
    elif before:
        del raw["tool_calls"]

    if isinstance(raw.get("function_call"), dict) and OLD_CALL not in same:
        _renew_old_call(raw, message)
    if message.role == TOOL:
        results = [block for block in message.blocks if block.kind == RESULT]
        if results:
            _rename(raw, results[0].call)


def _renew_old_call(raw: dict[str, Any], message: Message) -> None:
    before = raw["function_call"]
    raw["function_call"] = None
    for block in message.blocks:
        if block.at == OLD_CALL:
            raw["function_call"] = {**before, "arguments": block.text}
            return


def _recalled(block: Block, before: Any, same: bool) -> Any:
    if same:
        return before
    if not isinstance(before, dict) or not isinstance(before.get("function"), dict):
        return _called(block)
    function = {**before["function"], "arguments": _valid(block)}
    return {**before, "id": block.call, "function": function}


def _rename(raw: dict[str, Any], call: str) -> None:
    """Lets an answer name this call, in the way in which it named one before."""
    if not call or call_id(raw) == call:
        return
    calls = raw.get("tool_call_ids")
    if isinstance(calls, list) and not raw.get("tool_call_id"):
        raw["tool_call_ids"] = [call, *calls[1:]]
    else:
        raw["tool_call_id"] = call


def _valid(call: Block) -> str:
    """Arguments are JSON, whatever became of them."""
    given = arguments(call)
    # What is no object stands alone, under a name of ours.
    is_odd = len(given) == 1 and call.text in given.values()
    return compact(given) if is_odd else call.text


def _called(block: Block) -> Any:
    if block.kind != CALL:
        return block.data
    function = {"name": block.tool, "arguments": _valid(block) or "{}"}
    return {"id": block.call, "type": "function", "function": function}


def fresh(message: Message) -> list[dict[str, Any]]:
    """A message that we wrote, or that comes from another format: each result is a message here."""
    messages: list[dict[str, Any]] = []
    rest = []
    for block in message.blocks:
        if block.kind == RESULT and block.call:
            messages.append({"role": "tool", "tool_call_id": block.call, "content": block.text})
        elif block.kind != THINKING:
            rest.append(block)
    if rest or not messages:
        messages.append(_said(message, rest))
    return messages


def _said(message: Message, rest: Sequence[Block]) -> dict[str, Any]:
    calls = [_called(block) for block in rest if block.kind == CALL]
    parts = [block for block in rest if block.kind != CALL]

    content: Any
    if all(block.kind in (TEXT, RESULT) for block in parts):
        content = "\n".join(block.text for block in parts)
    else:
        content = [made_part(block) for block in parts]

    role = _WORDS[USER if message.role == TOOL else message.role]
    if not calls:
        return {"role": role, "content": content or ""}
    return {"role": role, "content": content or None, "tool_calls": calls}


def made_part(block: Block) -> Any:
    image = picture(block.data) if block.kind == IMAGE else None
    if image is not None:
        return {"type": "image_url", "image_url": {"url": image.address}}
    if block.data is not None:
        return block.data
    return {"type": "text", "text": block.text}
