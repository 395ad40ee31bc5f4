"""Claude Code: JSON lines, a line for each block of an answer. What the model reads is the chain of
parents from the newest line back to the last compaction; everything else stays as it is.
"""

from __future__ import annotations

from director_ctx.history.formats.anthropic import blocks_of
from director_ctx.history.formats.claude_chain import Chain, effective
from director_ctx.history.formats.claude_lines import relined
from director_ctx.history.formats.parts import spoken, word
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
    said = [line for line in document if isinstance(line, dict) and line.get("type") in _KINDS]
    return bool(said) and all(isinstance(line.get("message"), dict) for line in said)


def wanted(line: dict[str, Any]) -> bool:
    """Whether a line can be of the conversation: its own, or a link in its chain."""
    return "uuid" in line or line.get("type") in _KINDS


def decode(document: Any) -> Conversation:
    chain = effective(document)
    tools: dict[str, str] = {}
    messages: list[Message] = []
    places: list[int] = []
    for line_number in chain.places:
        message = _message(document[line_number], len(messages), tools)
        if message is not None:
            messages.append(message)
            places.append(line_number)
    return Conversation(NAME, messages, ClaudeFrame(document, chain, places), notes=chain.notes)


class ClaudeFrame:
    """All lines, and which of them are messages."""

    __slots__ = ("chain", "document", "places")

    def __init__(self, document: Sequence[Any], chain: Chain, places: list[int]) -> None:
        self.document = document
        self.chain = chain
        self.places = places


def _message(line: dict[str, Any], index: int, tools: dict[str, str]) -> Message | None:
    kind = line.get("type")
    when = word(line, "timestamp")
    if kind == "attachment":
        return _attached(line, index, when)

    message = line.get("message")
    if kind not in _KINDS or not isinstance(message, dict) or _unread(line):
        return None
    blocks = blocks_of(message.get("content"), tools)
    if kind == "assistant":
        group = str(message.get("id") or "")
        return Message(ASSISTANT, blocks, index, line, group, when)

    role = spoken(USER, blocks)
    if _by_client(line) or opens(blocks, NAME):
        role = SYSTEM
    return Message(role, blocks, index, line, "", when)


def _by_client(line: dict[str, Any]) -> bool:
    return line.get("renderedRole") == "system"


def _unread(line: dict[str, Any]) -> bool:
    """Lines that only the person at the terminal sees."""
    if line.get("isApiErrorMessage"):
        return True
    return bool(line.get("isVisibleInTranscriptOnly")) and not line.get("isCompactSummary")


def _attached(line: dict[str, Any], index: int, when: str) -> Message | None:
    """What a hook or the client put in. Where the line says how it was shown to the model, it is a
    message.
    """
    attachment = line.get("attachment")
    text = shown(attachment if isinstance(attachment, dict) else {}, line)
    if not text:
        return None
    role = SYSTEM if _by_client(line) else USER
    return Message(role, [Block(TEXT, text)], index, line, "", when)


def shown(attachment: dict[str, Any], line: dict[str, Any]) -> str:
    rendered = line.get("rendered") or attachment.get("rendered")
    if isinstance(rendered, list):
        messages = [message for message in rendered if isinstance(message, dict)]
        return "\n".join(_words(message.get("content")) for message in messages)

    content = attachment.get("content")
    if attachment.get("type") == "hook_additional_context":
        return _words(content)
    file = content.get("file") if isinstance(content, dict) else None
    return _words(file.get("content")) if isinstance(file, dict) else ""


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = []
    for part in content:
        text = part.get("text") if isinstance(part, dict) else part
        texts.append(_words(text))
    return "\n".join(texts)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    frame = conversation.frame
    if not isinstance(frame, ClaudeFrame):
        return relined([], Chain([], ()), [], [], messages)
    return relined(frame.document, frame.chain, frame.places, conversation.messages, messages)
