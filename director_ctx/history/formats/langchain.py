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
    found = (listed(document) or ())[:SAMPLE]
    return bool(found) and all(
        isinstance(one, dict) and "role" not in one and bool(word(one)) for one in found
    )


def core(raw: Any) -> Raw | None:
    """Where the fields of the message are."""
    for key in ("data", "kwargs"):
        if isinstance(raw.get(key), dict):
            found: Raw = raw[key]
            return found
    return raw if "content" in raw else None


def word(raw: Raw) -> str:
    """What LangChain calls this kind of message; nothing for what is none."""
    kind = raw.get("type")
    if raw.get("lc") and isinstance(raw.get("id"), list) and raw["id"]:
        kind = str(raw["id"][-1])
        kind = next(
            (one for one, name in _CLASSES.items() if kind.startswith(name)),
            "chat" if "Message" in kind else "",
        )
    return kind if isinstance(kind, str) and kind in _ROLES and core(raw) is not None else ""


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
    return Message(role, [*_parts(fields.get("content")), *_calls(fields, tools)], index, raw)


def _answer(fields: Raw, tools: dict[str, str]) -> list[Block]:
    call, content, status = (
        str(fields.get("tool_call_id") or ""),
        fields.get("content"),
        fields.get("status"),
    )
    name = fields.get("name") or tools.get(call, "")
    found = Block(
        RESULT, joined(content), ANSWER, call, str(name), True if status == "error" else None
    )
    return [found, *(one for one in _parts(content) if one.kind != TEXT)]


def _parts(content: Any) -> Iterator[Block]:
    if isinstance(content, str):
        if content:
            yield Block(TEXT, content)
        return
    for at, part in enumerate(content if isinstance(content, list) else ()):
        kind = part.get("type") if isinstance(part, dict) else None
        if (text := text_of(part)) is not None:
            yield Block(TEXT, text, at)
        elif kind in ("thinking", "reasoning") and isinstance(part.get(kind), str):
            yield Block(THINKING, part[kind], at)
        elif kind not in _COPIES:
            yield Block(IMAGE if kind in ("image", "image_url") else OTHER, "", at, data=part)


def _calls(fields: Raw, tools: dict[str, str]) -> Iterator[Block]:
    for start, key in ((CALLS, "tool_calls"), (BROKEN, "invalid_tool_calls")):
        found = fields.get(key)
        for number, one in enumerate(found if isinstance(found, list) else ()):
            raw = one if isinstance(one, dict) else {}
            call, tool, args = str(raw.get("id") or ""), str(raw.get("name") or ""), raw.get("args")
            tools[call] = tool
            yield Block(
                CALL, args if isinstance(args, str) else compact(args), start + number, call, tool
            )


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    form = next(
        (_form(one.raw) for one in conversation.messages if isinstance(one.raw, dict)), "data"
    )
    made = rewritten(conversation, messages, lambda message: _fresh(message, form), _touched)
    return around(conversation.frame, made)


def _form(raw: Raw) -> str:
    return "kwargs" if raw.get("lc") else "data" if isinstance(raw.get("data"), dict) else ""


def _touched(message: Message, original: Message) -> Any:
    raw = message.raw
    before = core(raw) if isinstance(raw, dict) else None
    if before is None:
        return raw
    was = {block.at: block for block in original.blocks}
    fields = {**before, **_changed_calls(before, message, was)}
    fields["content"] = _content(before.get("content"), message, was)
    if message.role == TOOL and (
        answer := next((one for one in message.blocks if one.kind == RESULT), None)
    ):
        fields["tool_call_id"] = answer.call
    if shortened(message, original):
        meta = before.get("response_metadata")
        fields["response_metadata"] = {
            **(meta if isinstance(meta, dict) else {}),
            "compressed": True,
        }
    form = _form(raw)
    return {**raw, form: fields} if form else fields


def _content(content: Any, message: Message, was: dict[int, Block]) -> Any:
    blocks = [one for one in message.blocks if one.kind != CALL]
    if message.role == TOOL:
        return answer_content(content, blocks)
    if not isinstance(content, list):
        return "\n".join(one.text for one in blocks)
    made = {one.at: one for one in blocks if one.at in was}
    kept = [_kept(part, at, made, was, message) for at, part in enumerate(content)]
    parts = [part for part in kept if part is not None]
    if reason_is_gone(content, parts):
        parts = [nameless(part) for part in parts]
    return [*parts, *(made_part(one) for one in blocks if one.at not in was)]


def _kept(
    part: Any, at: int, made: dict[int, Block], was: dict[int, Block], message: Message
) -> Any:
    block = made.get(at)
    if block is None:
        return _copied(part, message, was) if at not in was else None
    if block is was[at]:
        return part
    return (
        {**part, "text": block.text}
        if isinstance(part, dict) and text_of(part) is not None
        else made_part(block)
    )


def _copied(part: Any, message: Message, was: dict[int, Block]) -> Any:
    """A part that says again what a call says: as long as the call is there, and as it is."""
    call = next(
        (one for one in message.blocks if one.kind == CALL and one.call == part.get("id")), None
    )
    if call is None:
        return None
    return part if was.get(call.at) is call else {**part, "input": arguments(call)}


def _changed_calls(before: Raw, message: Message, was: dict[int, Block]) -> Raw:
    found: Raw = {}
    for start, end, key in ((CALLS, BROKEN, "tool_calls"), (BROKEN, ANSWER, "invalid_tool_calls")):
        raws = before.get(key)
        raws = raws if isinstance(raws, list) else []
        calls = [
            raws[one.at - start] if was.get(one.at) is one else _called(one, raws[one.at - start : one.at - start + 1])
            for one in message.blocks
            if one.kind == CALL and (start <= one.at < end or (start == CALLS and one.at not in was))
        ]  # fmt: skip
        if calls != raws:
            found[key] = calls
    extra = before.get("additional_kwargs")
    if found and isinstance(extra, dict) and "tool_calls" in extra:
        # The provider's own form of the same calls would be taken instead.
        found["additional_kwargs"] = {
            key: value for key, value in extra.items() if key != "tool_calls"
        }
    return found


def _called(block: Block, before: Sequence[Any] = ()) -> Raw:
    old = before[0] if before and isinstance(before[0], dict) else {"type": "tool_call"}
    args = block.text if old.get("type") == "invalid_tool_call" else arguments(block)
    return {**old, "name": block.tool, "args": args, "id": block.call}


def _fresh(message: Message, form: str) -> Iterator[Raw]:
    for one in message.blocks:
        if one.kind == RESULT and one.call:
            yield _formed(
                "tool",
                {"content": one.text, "type": "tool", "tool_call_id": one.call, "name": one.tool},
                form,
            )
    rest = [
        one
        for one in message.blocks
        if not (one.kind == RESULT and one.call) and one.kind != THINKING
    ]
    if not rest:
        return
    kind = _WORDS[USER if message.role == TOOL else message.role]
    parts = [one for one in rest if one.kind != CALL]
    plain = all(one.kind in (TEXT, RESULT) for one in parts)
    content = "\n".join(one.text for one in parts) if plain else [made_part(one) for one in parts]
    calls = [_called(one) for one in rest if one.kind == CALL]
    yield _formed(
        kind, {"content": content, "type": kind, **({"tool_calls": calls} if calls else {})}, form
    )


def _formed(kind: str, fields: Raw, form: str) -> Raw:
    if form == "kwargs":
        place = ["langchain", "schema", "messages", _CLASSES[kind]]
        return {"lc": 1, "type": "constructor", "id": place, "kwargs": fields}
    return {"type": kind, "data": fields} if form == "data" else fields
