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
    found = (listed(document) or ())[:SAMPLE]
    return bool(found) and all(
        isinstance(one, dict) and _key(one, WHO) and _key(one, WHAT) for one in found
    )


def _key(row: dict[str, Any], keys: Sequence[str]) -> str:
    return next(
        (key for key in keys if key in row and (keys is WHAT or isinstance(row[key], str))), ""
    )


def decode(document: Any) -> Conversation:
    messages = [_message(raw, index) for index, raw in enumerate(listed(document) or ())]
    native = any(message.role == TOOL for message in messages)
    if not native:
        observe(messages)
    return Conversation(NAME, messages, document, native)


def _message(raw: Any, index: int) -> Message:
    if not isinstance(raw, dict):
        return Message(USER, [Block(OTHER, "", data=raw)], index, raw)
    who = str(raw.get(_key(raw, WHO), "")).casefold()
    role, content = _ROLES.get(who, USER), raw.get(_key(raw, WHAT))
    tool = raw.get("tool_name") or raw.get("name")
    kind, name = (RESULT, tool if isinstance(tool, str) else "") if role == TOOL else (TEXT, "")
    blocks = [Block(kind, text, tool=name)] if (text := joined(content)) else []
    for at, part in enumerate(content if isinstance(content, list) else ()):
        if text_of(part) is None:
            shown = isinstance(part, dict) and word(part) in _IMAGES
            blocks.append(Block(IMAGE if shown else OTHER, "", at + 1, data=part))
    return Message(role, blocks, index, raw)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    originals = conversation.messages
    sample = next((one.raw for one in originals if isinstance(one.raw, dict)), {})
    who, what = _key(sample, WHO) or WHO[0], _key(sample, WHAT) or WHAT[0]
    words = {
        one.role: one.raw[who]
        for one in reversed(originals)
        if isinstance(one.raw, dict) and who in one.raw
    }

    ours = {_BESIDE: {"compressed": True}} if sample else {}

    def fresh(one: Message) -> list[dict[str, Any]]:
        return [{who: words.get(one.role, one.role), what: _content(one.blocks), **ours}]

    made = rewritten(conversation, messages, fresh, _touched)
    return around(conversation.frame, made if sample else _told_apart(made))


def _told_apart(made: list[Any]) -> list[Any]:
    """Rows that were another format's would else be taken for messages of OpenAI's chat."""
    return [{**made[0], _BESIDE: {}}, *made[1:]] if made and chat.fits(made) else made


def _content(blocks: Sequence[Block]) -> Any:
    """A text; with images, a list of parts as OpenAI's chat has them."""
    if any(block.kind == IMAGE for block in blocks):
        return [made_part(block) for block in blocks if block.text or block.data is not None]
    return "\n".join(block.text for block in blocks)


def _touched(message: Message, original: Message) -> Any:
    if not isinstance(message.raw, dict):
        return message.raw
    key = _key(message.raw, WHAT) or WHAT[0]
    text = "\n".join(block.text for block in message.blocks if block.kind in (TEXT, RESULT))
    left = {block.at - 1: block.data for block in message.blocks if block.kind in (OTHER, IMAGE)}
    raw = {**message.raw, key: retold(message.raw.get(key), text, left)}
    if shortened(message, original):
        before = raw.get(_BESIDE)
        raw[_BESIDE] = {**(before if isinstance(before, dict) else {}), "compressed": True}
    return raw
