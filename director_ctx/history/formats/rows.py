"""Plain rows: somebody and what they said, under any words for both, in a list or in an object that
has one.
"""

from __future__ import annotations

from director_ctx.history.formats import openai_chat as chat
from director_ctx.history.formats.openai_chat import around, listed
from director_ctx.history.formats.openai_message import made_part
from director_ctx.history.formats.parts import (
    SAMPLE,
    joined,
    observe,
    retold,
    rewritten,
    shortened,
    text_of,
    word,
)
from director_ctx.history.messages.message import (
    ASSISTANT,
    IMAGE,
    OTHER,
    RESULT,
    SYSTEM,
    TEXT,
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

NAME = "rows"
WHO, WHAT = ("role", "from", "speaker", "author"), ("content", "value", "text", "message")
_ROLES = {
    **dict.fromkeys(("system", "developer"), SYSTEM),
    **dict.fromkeys(("assistant", "ai", "agent", "bot", "gpt", "model", "director"), ASSISTANT),
    **dict.fromkeys(
        ("tool", "function", "observation", "environment", "ipython", "tool_response"), TOOL
    ),
}

_BESIDE = "metadata"
"""What rows have and messages of OpenAI's chat have not; whatever we write has it, so that they
stay rows.
"""
_IMAGES = ("image_url", "image", "input_image")


def fits(document: Any) -> bool:
    rows = (listed(document) or ())[:SAMPLE]
    return bool(rows) and all(map(_is_row, rows))


def _is_row(row: Any) -> bool:
    return isinstance(row, dict) and bool(_key(row, WHO)) and bool(_key(row, WHAT))


def _key(row: dict[str, Any], keys: Sequence[str]) -> str:
    """The first of these keys that a row has. Who spoke is a name; what was said may be anything."""
    for key in keys:
        if key in row and (keys is WHAT or isinstance(row[key], str)):
            return key
    return ""


def decode(document: Any) -> Conversation:
    messages = [_message(raw, index) for index, raw in enumerate(listed(document) or ())]
    native = any(message.role == TOOL for message in messages)
    if not native:
        observe(messages)
    return Conversation(NAME, messages, document, native)


def _message(raw: Any, index: int) -> Message:
    if not isinstance(raw, dict):
        return Message(USER, [Block(OTHER, "", data=raw)], index, raw)

    speaker = str(raw.get(_key(raw, WHO), ""))
    role = _ROLES.get(speaker.casefold(), USER)
    content = raw.get(_key(raw, WHAT))

    blocks = []
    text = joined(content)
    if text and role == TOOL:
        blocks.append(Block(RESULT, text, tool=_tool(raw)))
    elif text:
        blocks.append(Block(TEXT, text))

    if isinstance(content, list):
        for number, part in enumerate(content, 1):
            if text_of(part) is None:
                kind = IMAGE if _is_image(part) else OTHER
                blocks.append(Block(kind, "", number, data=part))
    return Message(role, blocks, index, raw)


def _tool(row: dict[str, Any]) -> str:
    tool = row.get("tool_name") or row.get("name")
    return tool if isinstance(tool, str) else ""


def _is_image(part: Any) -> bool:
    return isinstance(part, dict) and word(part) in _IMAGES


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = [message for message in conversation.messages if isinstance(message.raw, dict)]
    sample = originals[0].raw if originals else {}
    who = _key(sample, WHO) or WHO[0]
    what = _key(sample, WHAT) or WHAT[0]

    # A new row calls its speaker as the first row of that role does.
    speakers: dict[str, Any] = {}
    for original in originals:
        if who in original.raw:
            speakers.setdefault(original.role, original.raw[who])

    def fresh(message: Message) -> list[dict[str, Any]]:
        speaker = speakers.get(message.role, message.role)
        row = {who: speaker, what: _content(message.blocks)}
        if sample:
            row[_BESIDE] = {"compressed": True}
        return [row]

    rows = rewritten(conversation, messages, fresh, _touched)
    if not sample:
        rows = _told_apart(rows)
    return around(conversation.frame, rows)


def _told_apart(rows: list[Any]) -> list[Any]:
    """Rows that were another format's would else be taken for messages of OpenAI's chat."""
    if not rows or not chat.fits(rows):
        return rows
    return [{**rows[0], _BESIDE: {}}, *rows[1:]]


def _content(blocks: Sequence[Block]) -> Any:
    """A text; with images, a list of parts as OpenAI's chat has them."""
    if any(block.kind == IMAGE for block in blocks):
        return [made_part(block) for block in blocks if block.text or block.data is not None]
    return "\n".join(block.text for block in blocks)


def _touched(message: Message, original: Message) -> Any:
    if not isinstance(message.raw, dict):
        return message.raw

    texts = []
    left = {}
    for block in message.blocks:
        if block.kind in (TEXT, RESULT):
            texts.append(block.text)
        elif block.kind in (OTHER, IMAGE):
            left[block.at - 1] = block.data

    key = _key(message.raw, WHAT) or WHAT[0]
    content = retold(message.raw.get(key), "\n".join(texts), left)
    row = {**message.raw, key: content}
    if shortened(message, original):
        beside = row.get(_BESIDE)
        if not isinstance(beside, dict):
            beside = {}
        row[_BESIDE] = {**beside, "compressed": True}
    return row
