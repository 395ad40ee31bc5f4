"""Claude Code: JSON lines, a line for each block of an answer. What the model reads is the chain of
parents from the newest line back to the last compaction; everything else stays as it is.
"""

from __future__ import annotations

from director_ctx.base.claude_code_lines import (
    FROM_MODEL,
    RENDERED,
    SAID,
    UUID,
    attachment_of,
    is_attachment,
    is_client_error,
    is_for_screen,
    is_shown_as_system,
    kind_of,
    message_of,
)
from director_ctx.history.formats.anthropic_parts import blocks_of
from director_ctx.history.formats.claude_chain import Chain, chain_of
from director_ctx.history.formats.claude_write import session_with
from director_ctx.history.formats.parts import as_object, role_by_blocks, word
from director_ctx.history.messages.client_words import opens_as_client
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


def fits(document: Any) -> bool:
    if not isinstance(document, list):
        return False

    said = []
    for line in document:
        if isinstance(line, dict) and kind_of(line) in SAID:
            said.append(line)
    if not said:
        return False
    return all(message_of(line) is not None for line in said)


def may_be_read(line: dict[str, Any]) -> bool:
    """Whether a line can be of the conversation: its own, or a link in its chain."""
    return UUID in line or kind_of(line) in SAID


def decode(document: Any) -> Conversation:
    chain = chain_of(document)
    messages, line_numbers = messages_on(document, chain.line_numbers)
    frame = ClaudeFrame(document, chain, line_numbers)
    return Conversation(NAME, messages, frame, notes=chain.notes)


def messages_on(
    document: Sequence[Any],
    line_numbers: Sequence[int],
) -> tuple[list[Message], list[int]]:
    """What is said on these lines, and the line of each message."""
    tools: dict[str, str] = {}
    messages: list[Message] = []
    numbers_of_messages: list[int] = []
    for line_number in line_numbers:
        message = _message(document[line_number], len(messages), tools)
        if message is not None:
            messages.append(message)
            numbers_of_messages.append(line_number)
    return messages, numbers_of_messages


class ClaudeFrame:
    """All lines, and which of them are messages."""

    __slots__ = ("chain", "document", "line_numbers")

    def __init__(self, document: Sequence[Any], chain: Chain, line_numbers: list[int]) -> None:
        self.document = document
        self.chain = chain
        self.line_numbers = line_numbers
        """Of each message. The chain has more: links in which nothing is said to the model."""


def _message(line: dict[str, Any], index: int, tools: dict[str, str]) -> Message | None:
    when = word(line, "timestamp")
    if is_attachment(line):
        return _attached_message(line, index, when)

    message = message_of(line)
    # The person at the terminal sees what the client could not send, the model does not.
    is_unread = is_client_error(line) or is_for_screen(line)
    if kind_of(line) not in SAID or message is None or is_unread:
        return None

    blocks = blocks_of(message.get("content"), tools)
    if kind_of(line) == FROM_MODEL:
        # The client writes a line for each block; the id of the answer holds them together.
        answer = str(message.get("id") or "")
        return Message(ASSISTANT, blocks, index, line, answer, when)

    role = role_by_blocks(USER, blocks)
    if is_shown_as_system(line) or opens_as_client(blocks, NAME):
        role = SYSTEM
    return Message(role, blocks, index, line, when=when)


def _attached_message(line: dict[str, Any], index: int, when: str) -> Message | None:
    """What a hook or the client put in. Where the line says how it was shown to the model, it is a
    message.
    """
    text = _shown_text(line)
    if not text:
        return None
    blocks = [Block(TEXT, text)]
    role = USER
    if is_shown_as_system(line):
        role = SYSTEM
    return Message(role, blocks, index, line, when=when)


def _shown_text(line: dict[str, Any]) -> str:
    """What the model read of an attachment; empty where nobody knows."""
    attachment = attachment_of(line)
    rendered = line.get(RENDERED) or attachment.get(RENDERED)
    if isinstance(rendered, list):
        texts = []
        for message in rendered:
            if isinstance(message, dict):
                texts.append(_text_in(message.get("content")))
        return "\n".join(texts)

    # Where the line does not say, it is known of these two kinds.
    content = attachment.get("content")
    if attachment.get("type") == "hook_additional_context":
        return _text_in(content)
    file = as_object(as_object(content).get("file"))
    return _text_in(file.get("content"))


def _text_in(content: Any) -> str:
    """All text of a content, however deep its parts are."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""

    texts = []
    for part in content:
        inner = part.get("text") if isinstance(part, dict) else part
        texts.append(_text_in(inner))
    return "\n".join(texts)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    frame = conversation.frame
    if not isinstance(frame, ClaudeFrame):
        # Of another format: there is no session yet, and every line is new.
        no_chain = Chain([], ())
        frame = ClaudeFrame([], no_chain, [])
        conversation = conversation.replace(messages=[])
    return session_with(
        messages,
        conversation.messages,
        frame.document,
        frame.chain,
        frame.line_numbers,
    )
