"""OpenAI Responses: a list of items, or the body of a request with `instructions` and `input`. An
item is a message.
"""

from __future__ import annotations

from director_ctx.history.formats.parts import (
    SAMPLE,
    TEXTS,
    arguments,
    compact,
    joined,
    picture,
    retold,
    text_of,
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
    same,
)
from director_ctx.history.messages.reasons import separated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

NAME = "openai-responses"
WORDS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "computer_call": "action",
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
}
"""Calls, and where their arguments are."""
OBJECTS = ("local_shell_call", "shell_call", "computer_call", "apply_patch_call")
"""Those whose arguments are no text."""
SCREEN = "computer_call_output"
"""Its output is a picture, which is not to be read as words, nor to be replaced by any."""
OUTPUTS = frozenset((
    "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output",
    "mcp_tool_call_output", "shell_call_output", "apply_patch_call_output", SCREEN,
))  # fmt: skip
_ROLES = {"user": USER, "assistant": ASSISTANT, "system": SYSTEM, "developer": SYSTEM}
_TYPES = (
    *WORDS,
    *OUTPUTS,
    "message",
    "reasoning",
    "item_reference",
    "compaction",
    "web_search_call",
)
ANSWER = 1_000_000


def fits(document: Any) -> bool:
    if not isinstance(document, dict):
        return _is_items(document)
    if "messages" in document:
        return False
    return _is_items(document.get("input")) or _is_body(document)


def _is_body(document: dict[str, Any]) -> bool:
    return isinstance(document.get("input"), str) and (
        "instructions" in document or "model" in document
    )


def _is_items(items: Any) -> bool:
    if not isinstance(items, list) or not items:
        return False

    known = False
    for item in items[:SAMPLE]:
        if not isinstance(item, dict):
            continue
        if "role" not in item and not isinstance(item.get("type"), str):
            return False
        known = known or _is_item(item)
    return known


def _is_item(item: dict[str, Any]) -> bool:
    """Whether it is one of this format, and may be of no other."""
    if "role" not in item:
        return item.get("type") in _TYPES
    return _has_typed(item)


def _has_typed(item: dict[str, Any]) -> bool:
    if item.get("type") == "message":
        return True
    content = item.get("content")
    if not isinstance(content, list):
        return False
    for part in content:
        if isinstance(part, dict) and str(part.get("type", "")).startswith(("input_", "output_")):
            return True
    return False


def decode(document: Any) -> Conversation:
    messages: list[Message] = []
    items = document
    if isinstance(document, dict):
        told = document.get("instructions")
        if isinstance(told, str) and told:
            messages.append(Message(SYSTEM, [Block(TEXT, told)], 0, told))
        items = _given(document.get("input"))

    reader = ItemReader()
    for item in items:
        messages.append(reader.message(item, len(messages)))
    return Conversation(NAME, messages, document)


def _given(items: Any) -> list[Any]:
    """The input of a request, which may be a single text."""
    if isinstance(items, list):
        return items
    return [] if items is None else [items]


class ItemReader:
    """Reads items one after the other, and knows which of them belong to one answer."""

    def __init__(self) -> None:
        self.tools: dict[str, str] = {}
        self.answers = 0
        self.inside = False

    def message(self, item: Any, index: int) -> Message:
        role, blocks = _read(item, self.tools)
        if role != ASSISTANT:
            self.inside = False
            return Message(role, blocks, index, item)

        if not self.inside:
            self.answers += 1
        self.inside = True
        return Message(role, blocks, index, item, f"answer {self.answers}")


def _read(item: Any, tools: dict[str, str]) -> tuple[str, list[Block]]:
    if isinstance(item, str):
        return USER, [Block(TEXT, item)]
    if not isinstance(item, dict):
        return USER, [Block(OTHER, "", data=item)]

    kind = word(item)
    call = item.get("call_id") or item.get("id")
    if not isinstance(call, str):
        call = ""
    if kind in WORDS:
        return ASSISTANT, [_call(item, kind, call, tools)]
    if kind in OUTPUTS:
        output = "" if kind == SCREEN else item.get("output")
        return TOOL, _answer(output, call, tools)
    if kind == "reasoning":
        return ASSISTANT, [Block(THINKING, _reason(item), 0)]
    if "role" in item:
        return _ROLES.get(str(item["role"]), USER), parts_of(item.get("content"))

    role = ASSISTANT if kind.endswith("_call") else USER
    return role, [Block(OTHER, "", data=item)]


def _call(item: dict[str, Any], kind: str, call: str, tools: dict[str, str]) -> Block:
    tool = item.get("name")
    if not isinstance(tool, str):
        tool = kind.removesuffix("_call")
    tools[call] = tool

    given = item.get(WORDS[kind])
    text = given if isinstance(given, str) else compact(given)
    return Block(CALL, text, 0, call, tool)


def _answer(output: Any, call: str, tools: dict[str, str]) -> list[Block]:
    blocks = [Block(RESULT, joined(output), ANSWER, call, tools.get(call, ""))]
    if isinstance(output, list):
        for block in parts_of(output):
            if block.kind != TEXT:
                blocks.append(block)
    return blocks


def _reason(item: dict[str, Any]) -> str:
    """What can be read of a reason."""
    texts = []
    for key in ("summary", "content"):
        parts = item.get(key)
        if not isinstance(parts, list):
            continue
        for part in parts:
            text = text_of(part) or _plain(part)
            if text:
                texts.append(text)
    return "\n".join(texts)


def _plain(part: Any) -> str:
    return str(part.get("text") or "") if isinstance(part, dict) else ""


def parts_of(content: Any) -> list[Block]:
    if isinstance(content, str) and content:
        return [Block(TEXT, content)]
    if not isinstance(content, list):
        return []
    return [_part(part, at) for at, part in enumerate(content)]


def _part(part: Any, at: int) -> Block:
    text = text_of(part)
    if text is not None:
        return Block(TEXT, text, at)
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "refusal" and isinstance(part.get("refusal"), str):
        return Block(TEXT, part["refusal"], at)
    return Block(IMAGE if kind == "input_image" else OTHER, "", at, data=part)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = conversation.messages
    document = conversation.frame
    is_body = isinstance(document, dict)
    told = document.get("instructions") if is_body else None
    has_head = isinstance(told, str) and bool(originals) and originals[0].raw is told

    head: list[str] = []
    written: list[Any] = []
    for message in separated(messages, originals):
        if has_head and message.index == 0:
            head.append("\n".join(block.text for block in message.blocks))
        elif message.index == ADDED:
            written.extend(items(message, None))
        elif message is originals[message.index]:
            written.append(message.raw)
        else:
            written.extend(items(message, originals[message.index]))
    if not is_body:
        return written

    body = dict(document)
    if head:
        body["instructions"] = head[-1]
    elif has_head:
        del body["instructions"]

    # A request whose input was one text keeps it as one.
    is_text = len(written) == 1 and isinstance(written[0], str)
    if is_text and isinstance(document.get("input"), str):
        return {**body, "input": written[0]}
    return {**body, "input": written}


def items(message: Message, original: Message | None) -> Iterator[Any]:
    """The items of a message that changed, or that is not from here."""
    raw = message.raw
    if isinstance(raw, str):
        yield "\n".join(block.text for block in message.blocks)
    elif original is not None and same(message.blocks, original.blocks):
        yield raw
    elif isinstance(raw, dict) and original is not None:
        if message.blocks:
            yield _touched(message, original, raw)
    else:
        yield from _fresh(message)


def _touched(message: Message, original: Message, raw: dict[str, Any]) -> dict[str, Any]:
    block = message.blocks[0]
    kind = word(raw)
    if kind in WORDS and block.kind == CALL:
        return _touched_call(block, original, raw, kind)
    if kind in OUTPUTS:
        return _touched_output(message, raw)
    if kind == "reasoning":
        # A shortened reason has lost what proves it, so that only its words are passed on.
        return _message(ASSISTANT, [{"type": "output_text", "text": block.text}])
    return {**raw, "content": _content(message, original, raw)}


def _touched_call(
    block: Block, original: Message, raw: dict[str, Any], kind: str
) -> dict[str, Any]:
    item = dict(raw)
    if "call_id" in raw:
        item["call_id"] = block.call

    key = WORDS[kind]
    is_same = block.text == original.blocks[0].text
    item[key] = raw.get(key) if is_same else _worded(block, kind)
    return item


def _touched_output(message: Message, raw: dict[str, Any]) -> dict[str, Any]:
    call, text = raw.get("call_id"), ""
    answer: Block | None = None
    left = {}
    for block in message.blocks:
        if block.kind == RESULT and answer is None:
            answer = block
            call, text = block.call, block.text
        else:
            left[block.at] = made(block, "input") if block.data is None else block.data

    output = retold(raw.get("output"), text, left, "input_text")
    return {**raw, "call_id": call, "output": output}


def _worded(block: Block, kind: str) -> Any:
    if kind == "custom_tool_call":
        return block.text
    given = arguments(block)
    return given if kind in OBJECTS else compact(given)


def _content(message: Message, original: Message, raw: dict[str, Any]) -> Any:
    content = raw.get("content")
    if not isinstance(content, list):
        return "\n".join(block.text for block in message.blocks)

    was = {block.at: block for block in original.blocks}
    side = "output" if raw.get("role") == "assistant" else "input"
    parts = []
    for block in message.blocks:
        if was.get(block.at) is block:
            parts.append(content[block.at])
        else:
            parts.append(_retold(block, content, side))
    return parts


def _retold(block: Block, content: list[Any], side: str) -> Any:
    old = content[block.at] if 0 <= block.at < len(content) else None
    if isinstance(old, dict) and old.get("type") in TEXTS and block.kind == TEXT:
        return {**old, "text": block.text}
    return made(block, side)


def _fresh(message: Message) -> Iterator[dict[str, Any]]:
    side = "output" if message.role == ASSISTANT else "input"
    role = USER if message.role == TOOL else message.role
    parts = [made(block, side) for block in message.blocks if _is_part(block)]
    if parts:
        yield _message(role, parts)

    for block in message.blocks:
        if block.kind == CALL:
            yield {
                "type": "function_call",
                "call_id": block.call,
                "name": block.tool,
                "arguments": compact(arguments(block)),
            }
        elif block.kind == RESULT and block.call:
            yield {"type": "function_call_output", "call_id": block.call, "output": block.text}
        elif block.kind in (OTHER, THINKING) and isinstance(block.data, dict):
            yield block.data


def _is_part(block: Block) -> bool:
    """Whether it is said in a message, and is no item of its own."""
    return block.kind in (TEXT, IMAGE) or (block.kind == RESULT and not block.call)


def _message(role: str, content: list[Any]) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content}


def made(block: Block, side: str) -> Any:
    image = picture(block.data) if block.kind == IMAGE else None
    if image is not None:
        return {"type": "input_image", "image_url": image.address}
    if block.data is not None:
        return block.data
    return {"type": f"{side}_text", "text": block.text}
