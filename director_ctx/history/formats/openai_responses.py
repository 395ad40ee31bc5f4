"""OpenAI Responses: a list of items, or the body of a request with `instructions` and `input`. An
item is a message. Codex has the same items in its rollouts.
"""

from __future__ import annotations

from director_ctx.history.formats.parts import (
    SAMPLE,
    TEXTS,
    arguments,
    as_list,
    as_object,
    changed_result,
    compact,
    element_at,
    has_direction,
    joined_text,
    result_content,
    speaker_of,
    text_of,
    text_of_arguments,
    type_of,
    word,
)
from director_ctx.history.messages.message import (
    ADDED,
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
    Conversation,
    Message,
    by_place,
    same,
    text_of_blocks,
)
from director_ctx.history.messages.pictures import picture_of
from director_ctx.history.messages.reasons import without_lost_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Raw = dict[str, Any]

NAME = "openai-responses"
_ARGUMENTS = {
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
_OUTPUTS = (
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "tool_search_output",
    "mcp_tool_call_output",
    "shell_call_output",
    "apply_patch_call_output",
    _SCREEN,
)
_TYPES = (
    *_ARGUMENTS,
    *_OUTPUTS,
    "message",
    "reasoning",
    "item_reference",
    "compaction",
    "web_search_call",
)
_ROLES = {"user": USER, "assistant": ASSISTANT, "system": SYSTEM, "developer": SYSTEM}
_ANSWER = 1_000_000
"""The place of a result, which is no part of an output but all text in it."""


def fits(document: Any) -> bool:
    if not isinstance(document, dict):
        return _are_items(document)
    if "messages" in document:
        return False
    # The input of a request may be one text.
    is_body = "instructions" in document or "model" in document
    given = document.get("input")
    return _are_items(given) or (isinstance(given, str) and is_body)


def _are_items(items: Any) -> bool:
    """Whether some are of this format, and may be of no other."""
    sample = [item for item in as_list(items)[:SAMPLE] if isinstance(item, dict)]
    if not all("role" in item or isinstance(item.get("type"), str) for item in sample):
        return False
    for item in sample:
        if "role" not in item:
            if item.get("type") in _TYPES:
                return True
        elif item.get("type") == "message" or has_direction(item.get("content")):
            return True
    return False


def decode(document: Any) -> Conversation:
    messages: list[Message] = []
    items = document
    if isinstance(document, dict):
        instructions = document.get("instructions")
        if isinstance(instructions, str) and instructions:
            messages.append(Message(SYSTEM, [Block(TEXT, instructions)], 0, instructions))
        given = document.get("input")
        items = given if isinstance(given, list) else [] if given is None else [given]
    reader = ItemReader()
    for item in items:
        messages.append(reader.message(item, len(messages)))
    return Conversation(NAME, messages, document)


class ItemReader:
    """Reads items one after the other, and knows which of them belong to one answer."""

    def __init__(self) -> None:
        self.tools: dict[str, str] = {}
        self.answer_count = 0
        self.is_in_answer = False

    def message(self, item: Any, index: int) -> Message:
        role, blocks = self._role_and_blocks(item)
        is_answer = role == ASSISTANT
        self.answer_count += is_answer and not self.is_in_answer
        self.is_in_answer = is_answer
        group = f"answer {self.answer_count}" if is_answer else ""
        return Message(role, blocks, index, item, group)

    def _role_and_blocks(self, item: Any) -> tuple[str, list[Block]]:
        if isinstance(item, str):
            return USER, [Block(TEXT, item)]
        if not isinstance(item, dict):
            return USER, [Block(OTHER, "", data=item)]
        item_type = word(item)
        call = word(item, "call_id") or word(item, "id")
        if item_type in _ARGUMENTS:
            tool = item.get("name")
            if not isinstance(tool, str):
                tool = item_type.removesuffix("_call")
            self.tools[call] = tool
            text = text_of_arguments(item.get(_ARGUMENTS[item_type]))
            return ASSISTANT, [Block(CALL, text, call=call, tool=tool)]
        if item_type in _OUTPUTS:
            output = "" if item_type == _SCREEN else item.get("output")
            tool = self.tools.get(call, "")
            result = Block(RESULT, joined_text(output), _ANSWER, call, tool)
            # Behind it what is no text.
            others = [block for block in _content_blocks(as_list(output)) if block.kind != TEXT]
            return TOOL, [result, *others]
        if item_type == "reasoning":
            return ASSISTANT, [Block(THINKING, _text_of_reason(item))]
        if "role" in item:
            role = _ROLES.get(str(item["role"]), USER)
            return role, _content_blocks(item.get("content"))
        # Calls of tools that the provider runs itself have their results in them.
        role = ASSISTANT if item_type.endswith("_call") else USER
        return role, [Block(OTHER, "", data=item)]


def _text_of_reason(item: Raw) -> str:
    """What can be read of a reason. Its parts have types of their own."""
    parts = [*as_list(item.get("summary")), *as_list(item.get("content"))]
    texts = [text_of(part) or as_object(part).get("text") for part in parts]
    return "\n".join(str(text) for text in texts if text)


def _content_blocks(content: Any) -> list[Block]:
    if isinstance(content, str) and content:
        return [Block(TEXT, content)]
    blocks = []
    for at, part in enumerate(as_list(content)):
        text = text_of(part)
        part_type = type_of(part)
        if part_type == "refusal" and isinstance(part.get("refusal"), str):
            text = part["refusal"]
        if text is not None:
            blocks.append(Block(TEXT, text, at))
        else:
            kind = IMAGE if part_type == "input_image" else OTHER
            blocks.append(Block(kind, "", at, data=part))
    return blocks


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = conversation.messages
    document = conversation.frame
    instructions = as_object(document).get("instructions")
    # By identity: an item may be a text, too, and say the same.
    has_head = bool(originals) and originals[0].raw is instructions
    has_head = has_head and isinstance(instructions, str)

    head: list[str] = []
    written: list[Any] = []
    for message in without_lost_ids(messages, originals):
        if has_head and message.index == 0:
            head.append(text_of_blocks(message.blocks))
        elif message.index == ADDED:
            written.extend(items_of(message, None))
        else:
            written.extend(items_of(message, originals[message.index]))
    if not isinstance(document, dict):
        return written

    body = dict(document)
    if head:
        body["instructions"] = head[-1]
    elif has_head:
        del body["instructions"]
    # A request whose input was one text keeps it as one.
    was_text = isinstance(document.get("input"), str)
    is_text = len(written) == 1 and isinstance(written[0], str)
    body["input"] = written[0] if is_text and was_text else written
    return body


def items_of(message: Message, original: Message | None) -> Iterator[Any]:
    """The items of a message, its own as far as it is untouched."""
    raw = message.raw
    if message is original:
        yield raw
    elif isinstance(raw, str):
        yield text_of_blocks(message.blocks)
    elif original is None or (
        not isinstance(raw, dict) and not same(message.blocks, original.blocks)
    ):
        yield from _new_items(message)
    elif same(message.blocks, original.blocks):
        # Its raw form lost the id that asked for an item which is gone.
        yield raw
    elif message.blocks:
        yield _changed_item(message, original)


def _changed_item(message: Message, original: Message) -> Raw:
    raw: Raw = message.raw
    block = message.blocks[0]
    item_type = word(raw)
    if item_type in _ARGUMENTS and block.kind == CALL:
        item = {**raw, "call_id": block.call} if "call_id" in raw else dict(raw)
        if block.text != original.blocks[0].text:
            values: Any = block.text
            if item_type != "custom_tool_call":
                values = arguments(block)
                values = values if item_type in _WITH_OBJECT else compact(values)
            item[_ARGUMENTS[item_type]] = values
        return item
    if item_type in _OUTPUTS:
        result, left = changed_result(message.blocks, lambda one: _new_part(one, "input"))
        text, call = (result.text, result.call) if result else ("", raw.get("call_id"))
        output = result_content(raw.get("output"), text, left, "input_text")
        return {**raw, "call_id": call, "output": output}
    if item_type == "reasoning":
        # A shortened reason has lost what proves it, so that only its words are passed on.
        return _message_item(ASSISTANT, [{"type": "output_text", "text": block.text}])
    return {**raw, "content": _changed_content(message, original)}


def _changed_content(message: Message, original: Message) -> Any:
    content = message.raw.get("content")
    if not isinstance(content, list):
        return text_of_blocks(message.blocks)
    old = by_place(original.blocks)
    parts = []
    for block in message.blocks:
        old_part = element_at(content, block.at)
        if old.get(block.at) is block:
            parts.append(old_part)
        elif block.kind == TEXT and type_of(old_part) in TEXTS:
            # With the keys that it had beside its text.
            parts.append({**old_part, "text": block.text})
        else:
            parts.append(_new_part(block, _direction(message)))
    return parts


def _new_items(message: Message) -> Iterator[Raw]:
    direction = _direction(message)
    parts = [
        _new_part(block, direction)
        for block in message.blocks
        if block.kind in (TEXT, IMAGE) or (block.kind == RESULT and not block.call)
    ]
    if parts:
        yield _message_item(speaker_of(message), parts)
    for block in message.blocks:
        call = {"call_id": block.call}
        if block.kind == CALL:
            text = compact(arguments(block))
            yield {"type": "function_call", **call, "name": block.tool, "arguments": text}
        elif block.kind == RESULT and block.call:
            yield {"type": "function_call_output", **call, "output": block.text}
        elif block.kind in (OTHER, THINKING) and isinstance(block.data, dict):
            yield block.data


def _direction(message: Message) -> str:
    """How the types of its parts begin."""
    return "output" if message.role == ASSISTANT else "input"


def _message_item(role: str, content: list[Any]) -> Raw:
    return {"type": "message", "role": role, "content": content}


def _new_part(block: Block, direction: str) -> Any:
    image = picture_of(block)
    if image is not None:
        return {"type": "input_image", "image_url": image.address}
    if block.data is not None:
        return block.data
    return {"type": f"{direction}_text", "text": block.text}
