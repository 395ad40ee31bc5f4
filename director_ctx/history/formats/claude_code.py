"""Claude Code: JSON lines, a line for each block of an answer. What the model reads is the chain of
parents from the newest line back to the last compaction; everything else stays as it is.
"""

from __future__ import annotations

from director_ctx.history.formats.anthropic import blocks_of
from director_ctx.history.formats.claude_chain import Chain, effective
from director_ctx.history.formats.claude_lines import relined
from director_ctx.history.formats.parts import spoken
from director_ctx.history.messages.client_words import opens
from director_ctx.history.messages.message import (
    ASSISTANT,
    SYSTEM,
    TEXT,
    USER,
    Block,
    Conversation,
    Message,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

NAME = "claude-code"
LINES = True
_KINDS = ("user", "assistant")


def fits(document: Any) -> bool:
    if not isinstance(document, list):
        return False
    found = [one for one in document if isinstance(one, dict) and one.get("type") in _KINDS]
    return bool(found) and all(isinstance(one.get("message"), dict) for one in found)


def wanted(line: dict[str, Any]) -> bool:
    """Whether a line can be of the conversation: its own, or a link in its chain."""
    return "uuid" in line or line.get("type") in _KINDS


def decode(document: Any) -> Conversation:
    chain = effective(document)
    tools: dict[str, str] = {}
    messages: list[Message] = []
    places: list[int] = []
    for place in chain.places:
        if (message := _message(document[place], len(messages), tools)) is not None:
            messages.append(message)
            places.append(place)
    return Conversation(NAME, messages, Frame(document, chain, places), notes=chain.notes)


class Frame:
    """All lines, and which of them are messages."""

    __slots__ = ("chain", "document", "places")

    def __init__(self, document: Sequence[Any], chain: Chain, places: list[int]) -> None:
        self.document = document
        self.chain = chain
        self.places = places


def _message(line: dict[str, Any], index: int, tools: dict[str, str]) -> Message | None:
    when = line.get("timestamp")
    when = when if isinstance(when, str) else ""
    if line.get("type") == "attachment":
        return _attached(line, index, when)
    message = line.get("message")
    if line.get("type") not in _KINDS or not isinstance(message, dict) or _unread(line):
        return None
    blocks = blocks_of(message.get("content"), tools)
    if line["type"] == "assistant":
        return Message(ASSISTANT, blocks, index, line, str(message.get("id") or ""), when)
    client = _by_client(line) or opens(blocks, NAME)
    return Message(SYSTEM if client else spoken(USER, blocks), blocks, index, line, "", when)


def _by_client(line: dict[str, Any]) -> bool:
    return line.get("renderedRole") == "system"


def _unread(line: dict[str, Any]) -> bool:
    """Lines that only the person at the terminal sees."""
    return bool(
        line.get("isApiErrorMessage")
        or (line.get("isVisibleInTranscriptOnly") and not line.get("isCompactSummary"))
    )


def _attached(line: dict[str, Any], index: int, when: str) -> Message | None:
    """What a hook or the client put in. Where the line says how it was shown to the model, it is a
    message.
    """
    attachment = line.get("attachment")
    text = shown(attachment if isinstance(attachment, dict) else {}, line)
    role = SYSTEM if _by_client(line) else USER
    return Message(role, [Block(TEXT, text)], index, line, "", when) if text else None


def shown(attachment: dict[str, Any], line: dict[str, Any]) -> str:
    rendered = line.get("rendered") or attachment.get("rendered")
    if isinstance(rendered, list):
        return "\n".join(_words(one.get("content")) for one in rendered if isinstance(one, dict))
    if attachment.get("type") == "hook_additional_context":
        return _words(attachment.get("content"))
    inside = attachment.get("content")
    file = inside.get("file") if isinstance(inside, dict) else None
    return _words(file.get("content")) if isinstance(file, dict) else ""


def _words(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(
            _words(one.get("text") if isinstance(one, dict) else one) for one in content
        )
    return content if isinstance(content, str) else ""


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    frame = conversation.frame
    if not isinstance(frame, Frame):
        return relined([], Chain([], ()), [], [], messages)
    return relined(frame.document, frame.chain, frame.places, conversation.messages, messages)
