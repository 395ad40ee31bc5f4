"""One event of a Copilot CLI session: what was said in it as blocks, and back."""

from __future__ import annotations

from director_ctx.base.hashing import text_digest
from director_ctx.history.formats.parts import (
    NEVER,
    arguments,
    as_list,
    as_object,
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
)
from director_ctx.history.messages.pictures import picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message

    Data = dict[str, Any]

USER_SAID = "user.message"
ASSISTANT_SAID = "assistant.message"
TOOL_STARTED = "tool.execution_start"
TOOL_ENDED = "tool.execution_complete"
COMPACTING = "session.compaction_start"
COMPACTED = "session.compaction_complete"
REWOUND = "session.snapshot_rewind"

THOUGHT = 0
WORDS = 1
CALLS = 1_000_000
ATTACHED = 2_000_000
"""Places of blocks: of calls, and of what is attached; a thought and the words come first."""

_OURS = "system"
"""The source of a message that is not the user's own."""
_PROOFS_AND_THOUGHTS = ("reasoningText", "reasoningOpaque", "encryptedContent", "reasoningBlocks")
_ATTACHMENTS = ("file", "directory", "selection", "blob")
_NOBODY = "00000000-0000-4000-8000-000000000000"


def role_of(line: Data) -> str:
    if line["type"] == ASSISTANT_SAID:
        return ASSISTANT
    if line["type"] == TOOL_ENDED:
        return TOOL
    # Skills, commands and schedules speak in the user's name.
    source = word(line["data"], "source")
    if source in ("", "user"):
        return USER
    return SYSTEM


def blocks_of(line: Data, tools: dict[str, str]) -> list[Block]:
    """What was said in an event. `tools` knows the tool of each call so far."""
    data = line["data"]
    if line["type"] == ASSISTANT_SAID:
        return _answer_blocks(data, tools)
    if line["type"] == TOOL_ENDED:
        return [_result_block(data, tools)]
    if line["type"] == COMPACTED:
        summary = word(data, "summaryContent")
        return [Block(TEXT, summary, WORDS)]
    return _user_blocks(data)


def _user_blocks(data: Data) -> list[Block]:
    blocks = []
    text = word(data, "content")
    if text:
        blocks.append(Block(TEXT, text, WORDS))

    attachments = as_list(data.get("attachments"))
    for at, attached in enumerate(attachments, ATTACHED):
        kind = IMAGE if _is_image(attached) else OTHER
        blocks.append(Block(kind, "", at, data=attached))
    return blocks


def _is_image(attached: Any) -> bool:
    return word(as_object(attached), "mimeType").startswith("image/")


def _answer_blocks(data: Data, tools: dict[str, str]) -> list[Block]:
    blocks = []
    thought = word(data, "reasoningText")
    if thought:
        blocks.append(Block(THINKING, thought, THOUGHT))
    text = word(data, "content")
    if text:
        blocks.append(Block(TEXT, text, WORDS))

    requests = as_list(data.get("toolRequests"))
    for at, request in enumerate(requests, CALLS):
        if isinstance(request, dict):
            call = _call_block(request, at)
            tools[call.call] = call.tool
            blocks.append(call)
    return blocks


def _call_block(request: Data, at: int) -> Block:
    value = request.get("arguments")
    if value is None:
        value = {}
    return Block(
        kind=CALL,
        text=text_of_arguments(value),
        at=at,
        call=word(request, "toolCallId"),
        tool=word(request, "name"),
    )


def _result_block(data: Data, tools: dict[str, str]) -> Block:
    """What the model was given back: the result, or why there is none."""
    result = data.get("result")
    error = data.get("error")
    text = ""
    if isinstance(result, dict):
        text = word(result, "content")
    elif isinstance(error, dict):
        text = word(error, "message")

    call = word(data, "toolCallId")
    has_failed = data.get("success") is False
    return Block(
        kind=RESULT,
        text=text,
        at=WORDS,
        call=call,
        tool=tools.get(call, ""),
        error=has_failed or None,
    )


def events_of(message: Message, original: Message | None) -> Iterator[tuple[str, Data]]:
    """The events of a message that changed, or that is not from here: the type and the data of
    each.
    """
    line: Data = {}
    if original is not None:
        line = message.raw
    data: Data = line.get("data", {})
    if line.get("type") == COMPACTED:
        summary = _joined(message.blocks, TEXT, RESULT)
        yield COMPACTED, {**data, "summaryContent": summary}
        return

    results = []
    others = []
    for block in message.blocks:
        if block.kind == RESULT and block.call:
            results.append(block)
        else:
            others.append(block)

    if message.role == ASSISTANT:
        yield ASSISTANT_SAID, _answer_data(others, data, original)
    elif message.role == TOOL and others:
        # A result without a call is what somebody observed.
        yield USER_SAID, _user_data(USER, others, {})
    elif others:
        yield USER_SAID, _user_data(message.role, others, data)

    for block in results:
        if line.get("type") == TOOL_ENDED:
            yield TOOL_ENDED, _result_data(block, data)
        else:
            yield TOOL_ENDED, _result_data(block, {})


def _joined(blocks: Sequence[Block], *kinds: str) -> str:
    return "\n".join(block.text for block in blocks if block.kind in kinds)


def _answer_data(blocks: Sequence[Block], data: Data, original: Message | None) -> Data:
    text = _joined(blocks, TEXT)
    changed: Data = {**data, "content": text}
    # Without it the client takes the whole file for broken.
    changed.setdefault("messageId", text_digest(text)[:32])

    # By identity: a block that nobody touched is the very same one.
    untouched: set[int] = set()
    if original is not None:
        untouched.update(map(id, original.blocks))
    changed["toolRequests"] = _requests(blocks, data, untouched)

    thoughts = [block for block in blocks if block.kind == THINKING]
    if thoughts and all(id(block) in untouched for block in thoughts):
        return changed
    # A thought that was shortened has lost what proves it.
    for key in _PROOFS_AND_THOUGHTS:
        changed.pop(key, None)
    if thoughts:
        changed["reasoningText"] = _joined(thoughts, THINKING)
    return changed


def _requests(blocks: Sequence[Block], data: Data, untouched: set[int]) -> list[Any]:
    """The calls of an answer, each from its raw form as far as that is still true."""
    request_at = dict(enumerate(as_list(data.get("toolRequests")), CALLS))
    requests = []
    for block in blocks:
        if block.kind != CALL:
            continue
        request = request_at.get(block.at, {"type": "function"})
        if id(block) not in untouched:
            request = {
                **request,
                "toolCallId": block.call,
                "name": block.tool,
                "arguments": arguments(block),
            }
        requests.append(request)
    return requests


def _user_data(role: str, blocks: Sequence[Block], data: Data) -> Data:
    text = _joined(blocks, TEXT, RESULT)
    changed: Data = {**data, "content": text}

    typed = word(data, "content")
    sent = word(data, "transformedContent")
    if sent and text != typed:
        # What the client put around it stays around it.
        is_inside = bool(typed) and typed in sent
        if is_inside:
            changed["transformedContent"] = sent.replace(typed, text)
        else:
            changed["transformedContent"] = text
    if role == SYSTEM and not word(data, "source"):
        changed["source"] = _OURS

    attached = []
    for block in blocks:
        if block.kind in (IMAGE, OTHER):
            attached.append(_attachment(block))
    if attached or "attachments" in data:
        changed["attachments"] = attached
    return changed


def _attachment(block: Block) -> Any:
    """An attachment as it was, or a picture of another format as one."""
    if type_of(block.data) in _ATTACHMENTS:
        return block.data
    image = picture(block.data)
    if image is None or not image.data:
        return block.data
    return {
        "type": "blob",
        "data": image.data,
        "mimeType": image.media,
        "displayName": "image",
    }


def _result_data(block: Block, data: Data) -> Data:
    """The result with another text, in every place that had it."""
    ended: Data = {
        **data,
        "toolCallId": block.call,
        "success": data.get("success", block.error is not True),
    }
    result = data.get("result")
    error = data.get("error")
    if isinstance(error, dict) and not isinstance(result, dict):
        ended["error"] = {**error, "message": block.text}
        return ended

    changed = dict(as_object(result))
    # These say the result again, as it was.
    for copied in ("detailedContent", "contents"):
        changed.pop(copied, None)
    changed["content"] = block.text
    ended["result"] = changed
    return ended


NEW: Data = {
    "type": "",
    "data": {},
    "id": "",
    "timestamp": NEVER,
    "parentId": None,
}
"""An event that is new; its id and the one before it are put in when its place is known."""


def first_event() -> Data:
    """Where there was no session before, its first line."""
    data = {
        "sessionId": _NOBODY,
        "version": 1,
        "producer": "dctx",
        "copilotVersion": "0.0.0",
        "startTime": NEVER,
        "context": {"cwd": "/"},
    }
    return {**NEW, "type": "session.start", "data": data, "id": _NOBODY}
