"""Plain rows: somebody and what they said, under any words for both, in a list or in an object that
has one.
"""

from __future__ import annotations

from director_ctx.history.formats import openai_chat
from director_ctx.history.formats.openai_chat import messages_in, with_messages
from director_ctx.history.formats.openai_message_write import new_part
from director_ctx.history.formats.parts import (
    SAMPLE,
    as_list,
    as_object,
    joined_text,
    mark_observations,
    raw_messages,
    result_content,
    shortened,
    text_of,
    type_of,
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
    has_kind,
    text_of_blocks,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Row = dict[str, Any]

NAME = "rows"
WHO = ("role", "from", "speaker", "author")
WHAT = ("content", "value", "text", "message")
_SYSTEM_NAMES = ("system", "developer")
_ASSISTANT_NAMES = ("assistant", "ai", "agent", "bot", "gpt", "model", "director")
_TOOL_NAMES = ("tool", "function", "observation", "environment", "ipython", "tool_response")
_ROLES = {
    **dict.fromkeys(_SYSTEM_NAMES, SYSTEM),
    **dict.fromkeys(_ASSISTANT_NAMES, ASSISTANT),
    **dict.fromkeys(_TOOL_NAMES, TOOL),
}

_METADATA = "metadata"
"""What rows have and messages of OpenAI's chat have not; whatever we write has it, so that they
stay rows.
"""
_IMAGES = ("image_url", "image", "input_image")


def fits(document: Any) -> bool:
    rows = (messages_in(document) or ())[:SAMPLE]
    return bool(rows) and all(map(_is_row, rows))


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict):
        return False
    return bool(_key_of_speaker(row)) and bool(_key_of_words(row))


def _key_of_speaker(row: Row) -> str:
    """The first key that says who spoke, which is a name."""
    for key in WHO:
        if key in row and isinstance(row[key], str):
            return key
    return ""


def _key_of_words(row: Row) -> str:
    """The first key that says what was said, which may be anything."""
    for key in WHAT:
        if key in row:
            return key
    return ""


def decode(document: Any) -> Conversation:
    messages = []
    for index, raw in enumerate(messages_in(document) or ()):
        messages.append(_message(raw, index))

    is_native = any(message.role == TOOL for message in messages)
    if not is_native:
        mark_observations(messages)
    return Conversation(NAME, messages, document, is_native)


def _message(raw: Any, index: int) -> Message:
    if not isinstance(raw, dict):
        other = Block(OTHER, "", data=raw)
        return Message(USER, [other], index, raw)

    speaker = str(raw.get(_key_of_speaker(raw), ""))
    role = _ROLES.get(speaker.casefold(), USER)
    content = raw.get(_key_of_words(raw))

    blocks = []
    text = joined_text(content)
    if text and role == TOOL:
        blocks.append(Block(RESULT, text, tool=_tool(raw)))
    elif text:
        blocks.append(Block(TEXT, text))

    # The text is at 0, so that parts are counted from 1.
    for at, part in enumerate(as_list(content), 1):
        if text_of(part) is None:
            kind = OTHER
            if type_of(part) in _IMAGES:
                kind = IMAGE
            blocks.append(Block(kind, "", at, data=part))
    return Message(role, blocks, index, raw)


def _tool(row: Row) -> str:
    tool = row.get("tool_name") or row.get("name")
    return tool if isinstance(tool, str) else ""


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = []
    for message in conversation.messages:
        if isinstance(message.raw, dict):
            originals.append(message)
    sample: Row = {}
    if originals:
        sample = originals[0].raw
    who = _key_of_speaker(sample) or WHO[0]
    what = _key_of_words(sample) or WHAT[0]

    # A new row calls its speaker as the first row of that role does.
    speakers: dict[str, Any] = {}
    for original in originals:
        if who in original.raw:
            speakers.setdefault(original.role, original.raw[who])

    def new_rows(message: Message) -> list[Row]:
        speaker = speakers.get(message.role, message.role)
        row: Row = {who: speaker, what: _new_content(message.blocks)}
        if sample:
            row[_METADATA] = {"compressed": True}
        return [row]

    rows = raw_messages(conversation, messages, new_rows, _changed_row)
    if not sample:
        rows = _recognizable(rows)
    return with_messages(conversation.frame, rows)


def _recognizable(rows: list[Any]) -> list[Any]:
    """Rows that were another format's would else be taken for messages of OpenAI's chat."""
    if not rows or not openai_chat.fits(rows):
        return rows
    first, *others = rows
    return [{**first, _METADATA: {}}, *others]


def _new_content(blocks: Sequence[Block]) -> Any:
    """A text; with images, a list of parts as OpenAI's chat has them."""
    if not has_kind(blocks, IMAGE):
        return text_of_blocks(blocks)

    parts = []
    for block in blocks:
        if block.text or block.data is not None:
            parts.append(new_part(block))
    return parts


def _changed_row(message: Message, original: Message) -> Any:
    if not isinstance(message.raw, dict):
        return message.raw

    texts = []
    left = {}
    for block in message.blocks:
        if block.kind in (TEXT, RESULT):
            texts.append(block.text)
        elif block.kind in (OTHER, IMAGE):
            left[block.at - 1] = block.data

    key = _key_of_words(message.raw) or WHAT[0]
    text = "\n".join(texts)
    content = result_content(message.raw.get(key), text, left)
    row = {**message.raw, key: content}
    if shortened(message, original):
        metadata = as_object(row.get(_METADATA))
        row[_METADATA] = {**metadata, "compressed": True}
    return row
