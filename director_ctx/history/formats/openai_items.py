"""Items of OpenAI's Responses, which Codex has in its rollouts too: read one after the other, and
written with as much of their raw form as is still true.
"""

from __future__ import annotations

from director_ctx.history.formats.parts import (
    TEXTS,
    arguments,
    as_list,
    as_object,
    compact,
    element_at,
    joined_text,
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
    Message,
    by_place,
    same,
    text_of_blocks,
)
from director_ctx.history.messages.pictures import picture_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Raw = dict[str, Any]

CALL_ARGUMENTS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "computer_call": "action",
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
}
"""Calls, and where their arguments are."""
_WITH_OBJECT = ("local_shell_call", "shell_call", "computer_call", "apply_patch_call")
"""Those whose arguments are no text."""
_SCREEN = "computer_call_output"
"""Its output is a picture, which is not to be read as words, nor to be replaced by any."""
OUTPUTS = frozenset((
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "tool_search_output",
    "mcp_tool_call_output",
    "shell_call_output",
    "apply_patch_call_output",
    _SCREEN,
))  # fmt: skip
_ROLES = {
    "user": USER,
    "assistant": ASSISTANT,
    "system": SYSTEM,
    "developer": SYSTEM,
}
_ANSWER = 1_000_000
"""The place of a result, which is no part of an output but all text in it."""


class ItemReader:
    """Reads items one after the other, and knows which of them belong to one answer."""

    def __init__(self) -> None:
        self.tools: dict[str, str] = {}
        self.answer_count = 0
        self.is_in_answer = False

    def message(self, item: Any, index: int) -> Message:
        role, blocks = _role_and_blocks(item, self.tools)
        if role != ASSISTANT:
            self.is_in_answer = False
            return Message(role, blocks, index, item)

        if not self.is_in_answer:
            self.answer_count += 1
        self.is_in_answer = True
        return Message(role, blocks, index, item, f"answer {self.answer_count}")


def _role_and_blocks(item: Any, tools: dict[str, str]) -> tuple[str, list[Block]]:
    if isinstance(item, str):
        return USER, [Block(TEXT, item)]
    if not isinstance(item, dict):
        return USER, [Block(OTHER, "", data=item)]

    item_type = word(item)
    call = item.get("call_id") or item.get("id")
    if not isinstance(call, str):
        call = ""
    if item_type in CALL_ARGUMENTS:
        return ASSISTANT, [_call_block(item, call, tools)]
    if item_type in OUTPUTS:
        return TOOL, _output_blocks(item, call, tools)
    if item_type == "reasoning":
        return ASSISTANT, [Block(THINKING, _text_of_reason(item))]
    if "role" in item:
        role = _ROLES.get(str(item["role"]), USER)
        return role, _content_blocks(item.get("content"))

    # Calls of tools that the provider runs itself have their results in them.
    role = ASSISTANT if item_type.endswith("_call") else USER
    return role, [Block(OTHER, "", data=item)]


def _call_block(item: Raw, call: str, tools: dict[str, str]) -> Block:
    item_type = word(item)
    tool = item.get("name")
    if not isinstance(tool, str):
        tool = item_type.removesuffix("_call")
    tools[call] = tool

    text = text_of_arguments(item.get(CALL_ARGUMENTS[item_type]))
    return Block(CALL, text, call=call, tool=tool)


def _output_blocks(item: Raw, call: str, tools: dict[str, str]) -> list[Block]:
    """A result with all text of its output, and behind it what is no text."""
    tool = tools.get(call, "")
    output = item.get("output")
    if word(item) == _SCREEN:
        output = ""
    result = Block(RESULT, joined_text(output), _ANSWER, call, tool)
    blocks = [result]
    for block in _content_blocks(as_list(output)):
        if block.kind != TEXT:
            blocks.append(block)
    return blocks


def _text_of_reason(item: Raw) -> str:
    """What can be read of a reason."""
    texts = []
    for key in ("summary", "content"):
        for part in as_list(item.get(key)):
            # Parts of a reason have types of their own.
            text = text_of(part) or as_object(part).get("text")
            if text:
                texts.append(str(text))
    return "\n".join(texts)


def _content_blocks(content: Any) -> list[Block]:
    if isinstance(content, str) and content:
        return [Block(TEXT, content)]
    blocks = []
    for at, part in enumerate(as_list(content)):
        blocks.append(_part_block(part, at))
    return blocks


def _part_block(part: Any, at: int) -> Block:
    text = text_of(part)
    if text is not None:
        return Block(TEXT, text, at)
    part_type = type_of(part)
    if part_type == "refusal" and isinstance(part.get("refusal"), str):
        return Block(TEXT, part["refusal"], at)
    kind = IMAGE if part_type == "input_image" else OTHER
    return Block(kind, "", at, data=part)


def items_of(message: Message, original: Message | None) -> Iterator[Any]:
    """The items of a message that changed, or that is not from here."""
    raw = message.raw
    if isinstance(raw, str):
        yield text_of_blocks(message.blocks)
    elif original is not None and same(message.blocks, original.blocks):
        # Its raw form lost the id that asked for an item which is gone.
        yield raw
    elif isinstance(raw, dict) and original is not None:
        if message.blocks:
            yield _changed_item(message, original)
    else:
        yield from _new_items(message)


def _changed_item(message: Message, original: Message) -> Raw:
    raw: Raw = message.raw
    block = message.blocks[0]
    item_type = word(raw)
    if item_type in CALL_ARGUMENTS and block.kind == CALL:
        return _changed_call(block, original, raw)
    if item_type in OUTPUTS:
        return _changed_output(message, raw)
    if item_type == "reasoning":
        # A shortened reason has lost what proves it, so that only its words are passed on.
        parts = [{"type": "output_text", "text": block.text}]
        return _message_item(ASSISTANT, parts)
    return {**raw, "content": _changed_content(message, original)}


def _changed_call(block: Block, original: Message, raw: Raw) -> Raw:
    item_type = word(raw)
    item = dict(raw)
    if "call_id" in raw:
        item["call_id"] = block.call

    key = CALL_ARGUMENTS[item_type]
    if block.text == original.blocks[0].text:
        item[key] = raw.get(key)
    elif item_type == "custom_tool_call":
        item[key] = block.text
    elif item_type in _WITH_OBJECT:
        item[key] = arguments(block)
    else:
        item[key] = compact(arguments(block))
    return item


def _changed_output(message: Message, raw: Raw) -> Raw:
    call = raw.get("call_id")
    text = ""
    has_result = False
    left = {}
    for block in message.blocks:
        if block.kind == RESULT and not has_result:
            has_result = True
            call = block.call
            text = block.text
        elif block.data is None:
            left[block.at] = _new_part(block, "input")
        else:
            left[block.at] = block.data

    output = result_content(raw.get("output"), text, left, "input_text")
    return {**raw, "call_id": call, "output": output}


def _changed_content(message: Message, original: Message) -> Any:
    content = message.raw.get("content")
    if not isinstance(content, list):
        return text_of_blocks(message.blocks)

    old = by_place(original.blocks)
    direction = _direction(message)
    parts = []
    for block in message.blocks:
        if old.get(block.at) is block:
            parts.append(content[block.at])
        else:
            parts.append(_changed_part(block, content, direction))
    return parts


def _changed_part(block: Block, content: list[Any], direction: str) -> Any:
    """A part that changed, with the keys that it had beside its text."""
    old = element_at(content, block.at)
    if block.kind == TEXT and type_of(old) in TEXTS:
        return {**old, "text": block.text}
    return _new_part(block, direction)


def _new_items(message: Message) -> Iterator[Raw]:
    direction = _direction(message)
    parts = []
    for block in message.blocks:
        if _is_said(block):
            parts.append(_new_part(block, direction))
    if parts:
        yield _message_item(speaker_of(message), parts)

    for block in message.blocks:
        if block.kind == CALL:
            yield {
                "type": "function_call",
                "call_id": block.call,
                "name": block.tool,
                "arguments": compact(arguments(block)),
            }
        elif block.kind == RESULT and block.call:
            yield {
                "type": "function_call_output",
                "call_id": block.call,
                "output": block.text,
            }
        elif block.kind in (OTHER, THINKING) and isinstance(block.data, dict):
            yield block.data


def _direction(message: Message) -> str:
    """How the types of its parts begin."""
    return "output" if message.role == ASSISTANT else "input"


def _is_said(block: Block) -> bool:
    """Whether it is said in a message, and is no item of its own."""
    if block.kind in (TEXT, IMAGE):
        return True
    return block.kind == RESULT and not block.call


def _message_item(role: str, content: list[Any]) -> Raw:
    return {"type": "message", "role": role, "content": content}


def _new_part(block: Block, direction: str) -> Any:
    image = picture_of(block)
    if image is not None:
        return {"type": "input_image", "image_url": image.address}
    if block.data is not None:
        return block.data
    return {"type": f"{direction}_text", "text": block.text}
