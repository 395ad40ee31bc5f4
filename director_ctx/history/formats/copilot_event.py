"""One event of a Copilot CLI session: what was said in it as blocks, and back."""

from __future__ import annotations

from director_ctx.digest import text_digest
from director_ctx.history.formats.parts import NEVER, arguments, compact, picture, word
from director_ctx.history.message import (
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
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.message import Message

    Data = dict[str, Any]

USER_SAID, ASSISTANT_SAID = "user.message", "assistant.message"
TOOL_STARTED, TOOL_ENDED = "tool.execution_start", "tool.execution_complete"
COMPACTING, COMPACTED, REWOUND = "session.compaction_start", "session.compaction_complete", "session.snapshot_rewind"
CALLS, BESIDE = 1_000_000, 2_000_000
"""Places of blocks: of calls, and of what is attached; a thought and the words come first."""
THOUGHT, WORDS = 0, 1
_OURS = "system"
"""The source of a message that is not the user's own."""


def role_of(line: Data) -> str:
    if line["type"] == ASSISTANT_SAID:
        return ASSISTANT
    if line["type"] == TOOL_ENDED:
        return TOOL
    # Skills, commands and schedules speak in the user's name.
    return USER if word(line["data"], "source") in ("", "user") else SYSTEM


def blocks_of(line: Data, tools: dict[str, str]) -> list[Block]:
    data = line["data"]
    if line["type"] == ASSISTANT_SAID:
        return _spoken(data, tools)
    if line["type"] == TOOL_ENDED:
        call = word(data, "toolCallId")
        failed = True if data.get("success") is False else None
        return [Block(RESULT, _result(data), WORDS, call, tools.get(call, ""), failed)]
    if line["type"] == COMPACTED:
        return [Block(TEXT, word(data, "summaryContent"), WORDS)]
    attached = data.get("attachments")
    said = [Block(TEXT, word(data, "content"), WORDS)] if word(data, "content") else []
    return said + [_attached(part, BESIDE + number) for number, part in enumerate(_list(attached))]


def _spoken(data: Data, tools: dict[str, str]) -> list[Block]:
    blocks = []
    if thought := word(data, "reasoningText"):
        blocks.append(Block(THINKING, thought, THOUGHT))
    if text := word(data, "content"):
        blocks.append(Block(TEXT, text, WORDS))
    for number, request in enumerate(_list(data.get("toolRequests"))):
        if not isinstance(request, dict):
            continue
        call, tool = word(request, "toolCallId"), word(request, "name")
        tools[call] = tool
        given = request.get("arguments")
        text = given if isinstance(given, str) else compact({} if given is None else given)
        blocks.append(Block(CALL, text, CALLS + number, call, tool))
    return blocks


def _result(data: Data) -> str:
    """What the model was given back: the result, or why there is none."""
    result, error = data.get("result"), data.get("error")
    if isinstance(result, dict):
        return word(result, "content")
    return word(error, "message") if isinstance(error, dict) else ""


def _attached(part: Any, at: int) -> Block:
    media = str(part.get("mimeType") or "") if isinstance(part, dict) else ""
    return Block(IMAGE if media.startswith("image/") else OTHER, "", at, data=part)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def touched(message: Message, original: Message | None) -> Iterator[tuple[str, Data]]:
    """The events of a message that changed, or that is not from here: the type and the data of each."""
    line = message.raw if original is not None else None
    data: Data = dict(line["data"]) if line else {}
    if line and line["type"] == COMPACTED:
        yield COMPACTED, {**data, "summaryContent": _text(message)}
        return

    results = [block for block in message.blocks if block.kind == RESULT and block.call]
    rest = [block for block in message.blocks if block not in results]
    if message.role == ASSISTANT:
        yield ASSISTANT_SAID, _assistant(rest, data, original)
    elif rest and message.role != TOOL:
        yield USER_SAID, _user(message.role, rest, data)
    elif rest:
        # A result without a call is what somebody observed.
        yield USER_SAID, _user(USER, rest, {})
    for block in results:
        yield TOOL_ENDED, _ended(block, data if line and line["type"] == TOOL_ENDED else {})


def _text(message: Message) -> str:
    return _joined(message.blocks, TEXT, RESULT)


def _joined(blocks: Sequence[Block], *kinds: str) -> str:
    return "\n".join(block.text for block in blocks if block.kind in kinds)


def _assistant(blocks: Sequence[Block], data: Data, original: Message | None) -> Data:
    """Words as they are now; a thought that was shortened has lost what proves it."""
    before = {block.at: block for block in original.blocks} if original else {}
    requests = _list(data.get("toolRequests"))
    called = []
    for block in blocks:
        if block.kind != CALL:
            continue
        same = before.get(block.at) is block
        raw = requests[block.at - CALLS] if block.at in before and block.at >= CALLS else {"type": "function"}
        called.append(
            raw if same else {**raw, "toolCallId": block.call, "name": block.tool, "arguments": arguments(block)}
        )

    changed: Data = {**data, "content": _joined(blocks, TEXT), "toolRequests": called}
    # Without it the client takes the whole file for broken.
    changed.setdefault("messageId", text_digest(changed["content"])[:32])
    thoughts = [block for block in blocks if block.kind == THINKING]
    if not all(before.get(block.at) is block for block in thoughts) or not thoughts:
        for key in ("reasoningText", "reasoningOpaque", "encryptedContent", "reasoningBlocks"):
            changed.pop(key, None)
    if thoughts and not data.get("reasoningOpaque"):
        changed["reasoningText"] = _joined(thoughts, THINKING)
    return changed


def _user(role: str, blocks: Sequence[Block], data: Data) -> Data:
    text = _joined(blocks, TEXT, RESULT)
    changed: Data = {**data, "content": text}
    sent, typed = word(data, "transformedContent"), word(data, "content")
    if sent and text != typed:
        # What the client put around it stays around it.
        changed["transformedContent"] = sent.replace(typed, text) if typed and typed in sent else text
    if role == SYSTEM and not word(data, "source"):
        changed["source"] = _OURS
    parts = [_part(block) for block in blocks if block.kind in (IMAGE, OTHER)]
    if parts or "attachments" in data:
        changed["attachments"] = parts
    return changed


def _part(block: Block) -> Any:
    """An attachment as it was, or a picture of another format as one."""
    data = block.data
    if isinstance(data, dict) and data.get("type") in ("file", "directory", "selection", "blob"):
        return data
    image = picture(data)
    if image is None or not image.data:
        return data
    return {"type": "blob", "data": image.data, "mimeType": image.media, "displayName": "image"}


def _ended(block: Block, data: Data) -> Data:
    """The result with another text, in every place that had it."""
    ended: Data = {**data, "toolCallId": block.call, "success": data.get("success", block.error is not True)}
    if isinstance(data.get("error"), dict) and not isinstance(data.get("result"), dict):
        return {**ended, "error": {**data["error"], "message": block.text}}
    before = data.get("result")
    result: Data = dict(before) if isinstance(before, dict) else {}
    for key in ("detailedContent", "contents"):
        result.pop(key, None)
    return {**ended, "result": {**result, "content": block.text}}


def event(kind: str, data: Data) -> Data:
    """An event that is new; its id and the one before it are put in when its place is known."""
    return {"type": kind, "data": data, "id": "", "timestamp": NEVER, "parentId": None}


def first_event() -> Data:
    """Where there was no session before, its first line."""
    nobody = "00000000-0000-4000-8000-000000000000"
    context = {"cwd": "/"}
    data = {"sessionId": nobody, "version": 1, "producer": "dctx", "copilotVersion": "0.0.0", "startTime": NEVER,
            "context": context}  # fmt: skip
    return {**event("session.start", data), "id": nobody}
