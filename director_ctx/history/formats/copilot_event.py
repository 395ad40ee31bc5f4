"""One event of a Copilot CLI session: what was said in it as blocks, and back."""

from __future__ import annotations

from director_ctx.base.hashing import text_digest
from director_ctx.history.formats.parts import NEVER, arguments, compact, picture, word
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
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message

    Data = dict[str, Any]

USER_SAID, ASSISTANT_SAID = "user.message", "assistant.message"
TOOL_STARTED, TOOL_ENDED = "tool.execution_start", "tool.execution_complete"
COMPACTING, COMPACTED, REWOUND = (
    "session.compaction_start",
    "session.compaction_complete",
    "session.snapshot_rewind",
)
CALLS, ATTACHED = 1_000_000, 2_000_000
"""Places of blocks: of calls, and of what is attached; a thought and the words come first."""
THOUGHT, WORDS = 0, 1
_OURS = "system"
"""The source of a message that is not the user's own."""
_THOUGHTS = ("reasoningText", "reasoningOpaque", "encryptedContent", "reasoningBlocks")
_ATTACHMENTS = ("file", "directory", "selection", "blob")


def role_of(line: Data) -> str:
    if line["type"] == ASSISTANT_SAID:
        return ASSISTANT
    if line["type"] == TOOL_ENDED:
        return TOOL
    # Skills, commands and schedules speak in the user's name.
    source = word(line["data"], "source")
    return USER if source in ("", "user") else SYSTEM


def blocks_of(line: Data, tools: dict[str, str]) -> list[Block]:
    """What was said in an event. `tools` knows the tool of each call so far."""
    data = line["data"]
    if line["type"] == ASSISTANT_SAID:
        return _answer_blocks(data, tools)
    if line["type"] == TOOL_ENDED:
        return [_result_block(data, tools)]
    if line["type"] == COMPACTED:
        return [Block(TEXT, word(data, "summaryContent"), WORDS)]
    return _user_blocks(data)


def _user_blocks(data: Data) -> list[Block]:
    blocks = []
    if text := word(data, "content"):
        blocks.append(Block(TEXT, text, WORDS))

    for number, attached in enumerate(_list(data.get("attachments"))):
        kind = IMAGE if _is_image(attached) else OTHER
        blocks.append(Block(kind, "", ATTACHED + number, data=attached))
    return blocks


def _is_image(attached: Any) -> bool:
    return isinstance(attached, dict) and word(attached, "mimeType").startswith("image/")


def _answer_blocks(data: Data, tools: dict[str, str]) -> list[Block]:
    blocks = []
    if thought := word(data, "reasoningText"):
        blocks.append(Block(THINKING, thought, THOUGHT))
    if text := word(data, "content"):
        blocks.append(Block(TEXT, text, WORDS))

    for number, request in enumerate(_list(data.get("toolRequests"))):
        if isinstance(request, dict):
            call = _call_block(request, CALLS + number)
            tools[call.call] = call.tool
            blocks.append(call)
    return blocks


def _call_block(request: Data, at: int) -> Block:
    given = request.get("arguments")
    if given is None:
        given = {}
    text = given if isinstance(given, str) else compact(given)
    return Block(CALL, text, at, word(request, "toolCallId"), word(request, "name"))


def _result_block(data: Data, tools: dict[str, str]) -> Block:
    """What the model was given back: the result, or why there is none."""
    result, error = data.get("result"), data.get("error")
    text = ""
    if isinstance(result, dict):
        text = word(result, "content")
    elif isinstance(error, dict):
        text = word(error, "message")

    call = word(data, "toolCallId")
    failed = True if data.get("success") is False else None
    return Block(RESULT, text, WORDS, call, tools.get(call, ""), failed)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def written(message: Message, original: Message | None) -> Iterator[tuple[str, Data]]:
    """The events of a message that changed, or that is not from here: the type and the data of
    each.
    """
    line: Data = message.raw if original is not None else {}
    data: Data = line.get("data", {})
    if line.get("type") == COMPACTED:
        yield COMPACTED, {**data, "summaryContent": _joined(message.blocks, TEXT, RESULT)}
        return

    results = [block for block in message.blocks if block.kind == RESULT and block.call]
    others = [block for block in message.blocks if block not in results]
    if message.role == ASSISTANT:
        yield ASSISTANT_SAID, _answer_data(others, data, original)
    elif message.role == TOOL and others:
        # A result without a call is what somebody observed.
        yield USER_SAID, _user_data(USER, others, {})
    elif others:
        yield USER_SAID, _user_data(message.role, others, data)

    for block in results:
        before = data if line.get("type") == TOOL_ENDED else {}
        yield TOOL_ENDED, _result_data(block, before)


def _joined(blocks: Sequence[Block], *kinds: str) -> str:
    return "\n".join(block.text for block in blocks if block.kind in kinds)


def _answer_data(blocks: Sequence[Block], data: Data, original: Message | None) -> Data:
    text = _joined(blocks, TEXT)
    changed: Data = {**data, "content": text}
    # Without it the client takes the whole file for broken.
    changed.setdefault("messageId", text_digest(text)[:32])

    untouched = set(map(id, original.blocks)) if original else set()
    requests = dict(enumerate(_list(data.get("toolRequests")), CALLS))
    changed["toolRequests"] = []
    for block in blocks:
        if block.kind == CALL:
            request = requests.get(block.at, {"type": "function"})
            changed["toolRequests"].append(
                request if id(block) in untouched else _request(block, request)
            )

    thoughts = [block for block in blocks if block.kind == THINKING]
    if thoughts and all(id(block) in untouched for block in thoughts):
        return changed
    # A thought that was shortened has lost what proves it.
    for key in _THOUGHTS:
        changed.pop(key, None)
    if thoughts:
        changed["reasoningText"] = _joined(thoughts, THINKING)
    return changed


def _request(block: Block, request: Data) -> Data:
    return {**request, "toolCallId": block.call, "name": block.tool, "arguments": arguments(block)}


def _user_data(role: str, blocks: Sequence[Block], data: Data) -> Data:
    text = _joined(blocks, TEXT, RESULT)
    changed: Data = {**data, "content": text}

    typed, sent = word(data, "content"), word(data, "transformedContent")
    if sent and text != typed:
        # What the client put around it stays around it.
        changed["transformedContent"] = (
            sent.replace(typed, text) if typed and typed in sent else text
        )
    if role == SYSTEM and not word(data, "source"):
        changed["source"] = _OURS

    attached = [_attachment(block) for block in blocks if block.kind in (IMAGE, OTHER)]
    if attached or "attachments" in data:
        changed["attachments"] = attached
    return changed


def _attachment(block: Block) -> Any:
    """An attachment as it was, or a picture of another format as one."""
    if isinstance(block.data, dict) and block.data.get("type") in _ATTACHMENTS:
        return block.data
    image = picture(block.data)
    if image is None or not image.data:
        return block.data
    return {"type": "blob", "data": image.data, "mimeType": image.media, "displayName": "image"}


def _result_data(block: Block, data: Data) -> Data:
    """The result with another text, in every place that had it."""
    success = data.get("success", block.error is not True)
    ended: Data = {**data, "toolCallId": block.call, "success": success}
    result, error = data.get("result"), data.get("error")
    if isinstance(error, dict) and not isinstance(result, dict):
        ended["error"] = {**error, "message": block.text}
        return ended

    changed: Data = dict(result) if isinstance(result, dict) else {}
    for copied in ("detailedContent", "contents"):
        changed.pop(copied, None)
    changed["content"] = block.text
    ended["result"] = changed
    return ended


NEW: Data = {"type": "", "data": {}, "id": "", "timestamp": NEVER, "parentId": None}
"""An event that is new; its id and the one before it are put in when its place is known."""


def first_event() -> Data:
    """Where there was no session before, its first line."""
    nobody = "00000000-0000-4000-8000-000000000000"
    data = {
        "sessionId": nobody,
        "version": 1,
        "producer": "dctx",
        "copilotVersion": "0.0.0",
        "startTime": NEVER,
        "context": {"cwd": "/"},
    }
    return {**NEW, "type": "session.start", "data": data, "id": nobody}
