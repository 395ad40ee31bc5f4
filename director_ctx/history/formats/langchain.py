"""LangChain messages, in each of the forms in which they are written: `messages_to_dict`, `dumpd`,
`model_dump`.
"""

from __future__ import annotations

from director_ctx.history.formats.openai_chat import around
from director_ctx.history.formats.openai_message import answer_content, made_part
from director_ctx.history.formats.parts import (
    SAMPLE,
    arguments,
    compact,
    joined,
    listed,
    rewritten,
    shortened,
    text_of,
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
    Conversation,
    Message,
)
from director_ctx.history.messages.reasons import nameless, reason_is_gone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Raw = dict[str, Any]

NAME = "langchain"
CALLS, BROKEN, ANSWER = 1_000_000, 2_000_000, 3_000_000
_ROLES = {
    "human": USER, "ai": ASSISTANT, "system": SYSTEM, "tool": TOOL, "function": TOOL, "chat": USER, "remove": USER,
    "HumanMessageChunk": USER, "AIMessageChunk": ASSISTANT, "SystemMessageChunk": SYSTEM, "ToolMessageChunk": TOOL,
}  # fmt: skip
_WORDS = {USER: "human", ASSISTANT: "ai", SYSTEM: "system", TOOL: "tool"}
_CLASSES = {
    "human": "HumanMessage",
    "ai": "AIMessage",
    "system": "SystemMessage",
    "tool": "ToolMessage",
}
_COPIES = ("tool_use", "tool_call", "function_call", "input_json_delta")
"""Parts of a content that say again what the calls say."""


def fits(document: Any) -> bool:
    messages = (listed(document) or ())[:SAMPLE]
    return bool(messages) and all(map(_is_message, messages))


def _is_message(raw: Any) -> bool:
    return isinstance(raw, dict) and "role" not in raw and bool(word(raw))


def core(raw: Any) -> Raw | None:
    """Where the fields of the message are."""
    for key in ("data", "kwargs"):
        if isinstance(raw.get(key), dict):
            fields: Raw = raw[key]
            return fields
    return raw if "content" in raw else None


def word(raw: Raw) -> str:
    """What LangChain calls this kind of message; nothing for what is none."""
    kind = raw.get("type")
    path = raw.get("id")
    if raw.get("lc") and isinstance(path, list) and path:
        kind = _kind_of_class(str(path[-1]))
    if isinstance(kind, str) and kind in _ROLES and core(raw) is not None:
        return kind
    return ""


def _kind_of_class(name: str) -> str:
    for kind, class_name in _CLASSES.items():
        if name.startswith(class_name):
            return kind
    return "chat" if "Message" in name else ""


def decode(document: Any) -> Conversation:
    tools: dict[str, str] = {}
    messages = [_message(raw, index, tools) for index, raw in enumerate(listed(document) or ())]
    return Conversation(NAME, messages, document)


def _message(raw: Any, index: int, tools: dict[str, str]) -> Message:
    kind = word(raw) if isinstance(raw, dict) else ""
    fields = core(raw) if kind else None
    if fields is None or kind == "remove":
        return Message(USER, [Block(OTHER, "", data=raw)], index, raw)

    role = _ROLES[kind]
    if role == TOOL:
        return Message(role, _answer(fields, tools), index, raw)
    blocks = [*_parts(fields.get("content")), *_calls(fields, tools)]
    return Message(role, blocks, index, raw)


def _answer(fields: Raw, tools: dict[str, str]) -> list[Block]:
    call = str(fields.get("tool_call_id") or "")
    name = str(fields.get("name") or tools.get(call, ""))
    content = fields.get("content")
    error = True if fields.get("status") == "error" else None

    blocks = [Block(RESULT, joined(content), ANSWER, call, name, error)]
    for block in _parts(content):
        if block.kind != TEXT:
            blocks.append(block)
    return blocks


def _parts(content: Any) -> Iterator[Block]:
    if isinstance(content, str) and content:
        yield Block(TEXT, content)
    if not isinstance(content, list):
        return

    for at, part in enumerate(content):
        kind = part.get("type") if isinstance(part, dict) else None
        text = text_of(part)
        if text is not None:
            yield Block(TEXT, text, at)
        elif kind in ("thinking", "reasoning") and isinstance(part.get(kind), str):
            yield Block(THINKING, part[kind], at)
        elif kind in ("image", "image_url"):
            yield Block(IMAGE, "", at, data=part)
        elif kind not in _COPIES:
            yield Block(OTHER, "", at, data=part)


def _calls(fields: Raw, tools: dict[str, str]) -> Iterator[Block]:
    for start, key in ((CALLS, "tool_calls"), (BROKEN, "invalid_tool_calls")):
        calls = fields.get(key)
        if not isinstance(calls, list):
            continue
        for at, raw in enumerate(calls, start):
            yield _call(raw if isinstance(raw, dict) else {}, at, tools)


def _call(raw: Raw, at: int, tools: dict[str, str]) -> Block:
    call = str(raw.get("id") or "")
    tool = str(raw.get("name") or "")
    tools[call] = tool

    given = raw.get("args")
    text = given if isinstance(given, str) else compact(given)
    return Block(CALL, text, at, call, tool)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    form = "data"
    for original in conversation.messages:
        if isinstance(original.raw, dict):
            form = _form(original.raw)
            break

    def fresh(message: Message) -> Iterator[Raw]:
        return _fresh(message, form)

    return around(conversation.frame, rewritten(conversation, messages, fresh, _touched))


def _form(raw: Raw) -> str:
    """The key under which the fields stand; empty where they are the message itself."""
    if raw.get("lc"):
        return "kwargs"
    return "data" if isinstance(raw.get("data"), dict) else ""


def _touched(message: Message, original: Message) -> Any:
    raw = message.raw
    before = core(raw) if isinstance(raw, dict) else None
    if before is None:
        return raw

    was = {block.at: block for block in original.blocks}
    fields = {**before, **_changed_calls(before, message, was)}
    fields["content"] = _content(before.get("content"), message, was)
    if message.role == TOOL:
        results = [block for block in message.blocks if block.kind == RESULT]
        if results:
            fields["tool_call_id"] = results[0].call

    if shortened(message, original):
        metadata = before.get("response_metadata")
        if not isinstance(metadata, dict):
            metadata = {}
        fields["response_metadata"] = {**metadata, "compressed": True}

    form = _form(raw)
    return {**raw, form: fields} if form else fields


def _content(content: Any, message: Message, was: dict[int, Block]) -> Any:
    blocks = [block for block in message.blocks if block.kind != CALL]
    if message.role == TOOL:
        return answer_content(content, blocks)
    if not isinstance(content, list):
        return "\n".join(block.text for block in blocks)

    left: dict[int, Block] = {}
    added: list[Block] = []
    for block in blocks:
        if block.at in was:
            left[block.at] = block
        else:
            added.append(block)

    parts = []
    for at, part in enumerate(content):
        kept = _kept(part, at, left, was, message)
        if kept is not None:
            parts.append(kept)
    if reason_is_gone(content, parts):
        parts = [nameless(part) for part in parts]
    return parts + [made_part(block) for block in added]


def _kept(
    part: Any, at: int, left: dict[int, Block], was: dict[int, Block], message: Message
) -> Any:
    """What is left of a part; None where nothing is."""
    block = left.get(at)
    if block is None:
        return _copied(part, message, was) if at not in was else None
    if block is was[at]:
        return part
    if isinstance(part, dict) and text_of(part) is not None:
        return {**part, "text": block.text}
    return made_part(block)


def _copied(part: Any, message: Message, was: dict[int, Block]) -> Any:
    """A part that says again what a call says: as long as the call is there, and as it is."""
    for block in message.blocks:
        if block.kind == CALL and block.call == part.get("id"):
            if was.get(block.at) is block:
                return part
            return {**part, "input": arguments(block)}
    return None


def _changed_calls(before: Raw, message: Message, was: dict[int, Block]) -> Raw:
    """Of the fields that hold calls, those that are otherwise now."""
    changed: Raw = {}
    for start, end, key in ((CALLS, BROKEN, "tool_calls"), (BROKEN, ANSWER, "invalid_tool_calls")):
        raws = before.get(key)
        if not isinstance(raws, list):
            raws = []

        calls = []
        for block in message.blocks:
            is_added = start == CALLS and block.at not in was
            if block.kind != CALL or not (is_added or start <= block.at < end):
                continue
            number = block.at - start
            if was.get(block.at) is block:
                calls.append(raws[number])
            else:
                calls.append(_called(block, raws[number : number + 1]))
        if calls != raws:
            changed[key] = calls

    extra = before.get("additional_kwargs")
    if changed and isinstance(extra, dict) and "tool_calls" in extra:
        # The provider's own form of the same calls would be taken instead.
        rest = dict(extra)
        del rest["tool_calls"]
        changed["additional_kwargs"] = rest
    return changed


def _called(block: Block, before: Sequence[Any] = ()) -> Raw:
    old = before[0] if before and isinstance(before[0], dict) else {"type": "tool_call"}
    is_broken = old.get("type") == "invalid_tool_call"
    args = block.text if is_broken else arguments(block)
    return {**old, "name": block.tool, "args": args, "id": block.call}


def _fresh(message: Message, form: str) -> Iterator[Raw]:
    """The messages that say what one of ours says: each result is one by itself."""
    parts: list[Block] = []
    calls: list[Raw] = []
    for block in message.blocks:
        if block.kind == RESULT and block.call:
            yield _formed("tool", _result_fields(block), form)
        elif block.kind == CALL:
            calls.append(_called(block))
        elif block.kind != THINKING:
            parts.append(block)
    if not parts and not calls:
        return

    kind = _WORDS[USER if message.role == TOOL else message.role]
    fields: Raw = {"content": _fresh_content(parts), "type": kind}
    if calls:
        fields["tool_calls"] = calls
    yield _formed(kind, fields, form)


def _result_fields(block: Block) -> Raw:
    return {
        "content": block.text,
        "type": "tool",
        "tool_call_id": block.call,
        "name": block.tool,
    }


def _fresh_content(blocks: Sequence[Block]) -> Any:
    if all(block.kind in (TEXT, RESULT) for block in blocks):
        return "\n".join(block.text for block in blocks)
    return [made_part(block) for block in blocks]


def _formed(kind: str, fields: Raw, form: str) -> Raw:
    if form == "kwargs":
        path = ["langchain", "schema", "messages", _CLASSES[kind]]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": fields}
    return {"type": kind, "data": fields} if form == "data" else fields
