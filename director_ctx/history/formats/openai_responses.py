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
    if isinstance(document, dict):
        return "messages" not in document and (
            _is_items(document.get("input")) or _is_body(document)
        )
    return _is_items(document)


def _is_body(document: dict[str, Any]) -> bool:
    return isinstance(document.get("input"), str) and (
        "instructions" in document or "model" in document
    )


def _is_items(items: Any) -> bool:
    if not isinstance(items, list) or not items:
        return False
    found = [one for one in items[:SAMPLE] if isinstance(one, dict)]
    typed = [one for one in found if one.get("type") in _TYPES and "role" not in one]
    spoken = [one for one in found if "role" in one and _has_typed(one)]
    return bool(typed or spoken) and all(
        isinstance(one.get("type"), str) or "role" in one for one in found
    )


def _has_typed(item: dict[str, Any]) -> bool:
    content = item.get("content")
    return item.get("type") == "message" or any(
        isinstance(one, dict) and str(one.get("type", "")).startswith(("input_", "output_"))
        for one in (content if isinstance(content, list) else ())
    )


def decode(document: Any) -> Conversation:
    messages: list[Message] = []
    if isinstance(document, dict):
        if isinstance(document.get("instructions"), str) and document["instructions"]:
            messages.append(
                Message(
                    SYSTEM, [Block(TEXT, document["instructions"])], 0, document["instructions"]
                )
            )
        given = document.get("input")
        items = given if isinstance(given, list) else [] if given is None else [given]
    else:
        items = document
    reader, first = Reader(), len(messages)
    messages += [reader.message(item, first + number) for number, item in enumerate(items)]
    return Conversation(NAME, messages, document)


class Reader:
    """Reads items one after the other, and knows which of them belong to one answer."""

    def __init__(self) -> None:
        self.tools: dict[str, str] = {}
        self.answers = 0
        self.inside = False

    def message(self, item: Any, index: int) -> Message:
        role, blocks = _read(item, self.tools)
        self.answers += role == ASSISTANT and not self.inside
        self.inside = role == ASSISTANT
        return Message(role, blocks, index, item, f"answer {self.answers}" if self.inside else "")


def _read(item: Any, tools: dict[str, str]) -> tuple[str, list[Block]]:
    if isinstance(item, str):
        return USER, [Block(TEXT, item)]
    if not isinstance(item, dict):
        return USER, [Block(OTHER, "", data=item)]
    kind, call = word(item), item.get("call_id") or item.get("id")
    call = call if isinstance(call, str) else ""
    if kind in WORDS:
        tool = item.get("name")
        tools[call] = tool if isinstance(tool, str) else kind.removesuffix("_call")
        value = item.get(WORDS[kind])
        return ASSISTANT, [
            Block(CALL, value if isinstance(value, str) else compact(value), 0, call, tools[call])
        ]
    if kind in OUTPUTS:
        output = item.get("output")
        return TOOL, _answer("" if kind == SCREEN else output, call, tools)
    if kind == "reasoning":
        return ASSISTANT, [Block(THINKING, _reason(item), 0)]
    if "role" in item:
        return _ROLES.get(str(item["role"]), USER), parts_of(item.get("content"))
    return (ASSISTANT if str(kind).endswith("_call") else USER), [Block(OTHER, "", data=item)]


def _answer(output: Any, call: str, tools: dict[str, str]) -> list[Block]:
    found = Block(RESULT, joined(output), ANSWER, call, tools.get(call, ""))
    return (
        [found, *(one for one in parts_of(output) if one.kind != TEXT)]
        if isinstance(output, list)
        else [found]
    )


def _reason(item: dict[str, Any]) -> str:
    """What can be read of a reason."""
    parts = [
        part
        for key in ("summary", "content")
        if isinstance(item.get(key), list)
        for part in item[key]
    ]
    found = [text_of(part) or _plain(part) for part in parts]
    return "\n".join(text for text in found if text)


def _plain(part: Any) -> str:
    return str(part.get("text") or "") if isinstance(part, dict) else ""


def parts_of(content: Any) -> list[Block]:
    if isinstance(content, str):
        return [Block(TEXT, content)] if content else []
    return [_part(part, at) for at, part in enumerate(content if isinstance(content, list) else ())]


def _part(part: Any, at: int) -> Block:
    if (text := text_of(part)) is not None:
        return Block(TEXT, text, at)
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "refusal" and isinstance(part.get("refusal"), str):
        return Block(TEXT, part["refusal"], at)
    return Block(IMAGE if kind == "input_image" else OTHER, "", at, data=part)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals, document = conversation.messages, conversation.frame
    body = isinstance(document, dict)
    told = body and bool(originals) and originals[0].raw is document.get("instructions")
    made: list[Any] = []
    rest = dict(document) if body else {}
    if told and not any(one.index == 0 for one in messages):
        rest.pop("instructions")
    for message in separated(messages, originals):
        if told and message.index == 0:
            rest["instructions"] = "\n".join(block.text for block in message.blocks)
        elif message.index != ADDED and message is originals[message.index]:
            made.append(message.raw)
        else:
            made.extend(
                items(message, None if message.index == ADDED else originals[message.index])
            )
    if not body:
        return made
    whole = isinstance(document.get("input"), str) and len(made) == 1 and isinstance(made[0], str)
    return {**rest, "input": made[0] if whole else made}


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
    block, kind = message.blocks[0], word(raw)
    if kind in WORDS and block.kind == CALL:
        key = WORDS[kind]
        before = raw.get(key)
        same = block.text == original.blocks[0].text
        value = before if same else _worded(block, kind)
        return {**raw, **({"call_id": block.call} if "call_id" in raw else {}), key: value}
    if kind in OUTPUTS:
        answer = next((one for one in message.blocks if one.kind == RESULT), None)
        others = [one for one in message.blocks if one is not answer]
        left = {one.at: made(one, "input") if one.data is None else one.data for one in others}
        call, text = (answer.call, answer.text) if answer else (raw.get("call_id"), "")
        return {
            **raw,
            "call_id": call,
            "output": retold(raw.get("output"), text, left, "input_text"),
        }
    if kind == "reasoning":
        # A shortened reason has lost what proves it, so that only its words are passed on.
        return _message(ASSISTANT, [{"type": "output_text", "text": block.text}])
    return {**raw, "content": _content(message, original, raw)}


def _worded(block: Block, kind: str) -> Any:
    if kind == "custom_tool_call":
        return block.text
    found = arguments(block)
    return found if kind in OBJECTS else compact(found)


def _content(message: Message, original: Message, raw: dict[str, Any]) -> Any:
    content = raw.get("content")
    if not isinstance(content, list):
        return "\n".join(block.text for block in message.blocks)
    was = {block.at: block for block in original.blocks}
    side = "output" if raw.get("role") == "assistant" else "input"
    return [
        content[one.at] if was.get(one.at) is one else _retold(one, content, side) for one in message.blocks
    ]  # fmt: skip


def _retold(block: Block, content: list[Any], side: str) -> Any:
    old = content[block.at] if 0 <= block.at < len(content) else None
    if isinstance(old, dict) and old.get("type") in TEXTS and block.kind == TEXT:
        return {**old, "text": block.text}
    return made(block, side)


def _fresh(message: Message) -> Iterator[dict[str, Any]]:
    side = "output" if message.role == ASSISTANT else "input"
    role = USER if message.role == TOOL else message.role
    said = [
        one
        for one in message.blocks
        if one.kind in (TEXT, IMAGE) or (one.kind == RESULT and not one.call)
    ]
    if said:
        yield _message(role, [made(one, side) for one in said])
    for one in message.blocks:
        if one.kind == CALL:
            yield {
                "type": "function_call", "call_id": one.call, "name": one.tool,
                "arguments": compact(arguments(one)),
            }  # fmt: skip
        elif one.kind == RESULT and one.call:
            yield {"type": "function_call_output", "call_id": one.call, "output": one.text}
        elif one.kind in (OTHER, THINKING) and isinstance(one.data, dict):
            yield one.data


def _message(role: str, content: list[Any]) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content}


def made(block: Block, side: str) -> Any:
    if block.kind == IMAGE and (found := picture(block.data)) is not None:
        return {"type": "input_image", "image_url": found.address}
    return block.data if block.data is not None else {"type": f"{side}_text", "text": block.text}
