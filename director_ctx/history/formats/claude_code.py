"""Claude Code: JSON lines, a line for each block of an answer. What the model reads is the chain of
parents from the newest line back to the last compaction; everything else stays as it is.
"""

from __future__ import annotations

from director_ctx.base.claude_code_lines import (
    ATTACHMENT,
    FROM_MODEL,
    FROM_SYSTEM,
    FROM_USER,
    KIND,
    MESSAGE,
    META,
    PARENT,
    RENDERED,
    RENDERED_ROLE,
    RESULT_FOR_SCREEN,
    SAID,
    SESSION,
    SHARED,
    SIDECHAIN,
    UUID,
    attachment_of,
    is_attachment,
    is_client_error,
    is_for_screen,
    is_shown_as_system,
    kind_of,
    message_of,
    parent_of,
    uuid_of,
)
from director_ctx.base.hashing import digest
from director_ctx.history.formats.anthropic import blocks_of, content_of
from director_ctx.history.formats.claude_chain import Chain, chain_of, lines_before_gaps
from director_ctx.history.formats.parts import (
    NEST,
    NEVER,
    as_list,
    as_object,
    role_by_blocks,
    shortened,
    word,
)
from director_ctx.history.messages.client_words import opens_as_client
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    RESULT,
    SYSTEM,
    TEXT,
    USER,
    Block,
    Conversation,
    Message,
    text_of_blocks,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.base.json_bytes import Lines

    Line = dict[str, Any]

NAME = "claude-code"


class ClaudeFrame:
    """All lines, and which of them are messages."""

    __slots__ = ("chain", "document", "line_numbers")

    def __init__(self, document: Sequence[Any], chain: Chain, line_numbers: list[int]) -> None:
        self.document = document
        self.chain = chain
        self.line_numbers = line_numbers
        """Of each message. The chain has more: links in which nothing is said to the model."""


def fits(document: Any) -> bool:
    said = [line for line in as_list(document) if kind_of(as_object(line)) in SAID]
    return bool(said) and all(message_of(line) is not None for line in said)


def may_be_read(line: Line) -> bool:
    """Whether a line can be of the conversation: its own, or a link in its chain."""
    return UUID in line or kind_of(line) in SAID


def decode(document: Any) -> Conversation:
    chain = chain_of(document)
    messages, line_numbers = messages_on(document, chain.line_numbers)
    frame = ClaudeFrame(document, chain, line_numbers)
    return Conversation(NAME, messages, frame, notes=chain.notes)


def messages_on(
    document: Sequence[Any], line_numbers: Sequence[int]
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


def _message(line: Line, index: int, tools: dict[str, str]) -> Message | None:
    when = word(line, "timestamp")
    is_system = is_shown_as_system(line)
    if is_attachment(line):
        # What a hook or the client put in, where the line says how it was shown to the model.
        text = _attached_text(line)
        role = SYSTEM if is_system else USER
        return Message(role, [Block(TEXT, text)], index, line, when=when) if text else None

    message = message_of(line)
    # The person at the terminal sees what the client could not send, the model does not.
    is_unread = is_client_error(line) or is_for_screen(line)
    if kind_of(line) not in SAID or message is None or is_unread:
        return None
    blocks = blocks_of(message.get("content"), tools)
    if kind_of(line) == FROM_MODEL:
        # The client writes a line for each block; the id of the answer holds them together.
        return Message(ASSISTANT, blocks, index, line, str(message.get("id") or ""), when)
    role = role_by_blocks(USER, blocks)
    if is_system or opens_as_client(blocks, NAME):
        role = SYSTEM
    return Message(role, blocks, index, line, when=when)


def _attached_text(line: Line) -> str:
    """What the model read of an attachment; empty where nobody knows."""
    attachment = attachment_of(line)
    rendered = line.get(RENDERED) or attachment.get(RENDERED)
    if isinstance(rendered, list):
        contents = [message.get("content") for message in rendered if isinstance(message, dict)]
        return "\n".join(map(_text_in, contents))
    # Where the line does not say, it is known of these two kinds.
    content = attachment.get("content")
    if attachment.get("type") == "hook_additional_context":
        return _text_in(content)
    return _text_in(as_object(as_object(content).get("file")).get("content"))


def _text_in(content: Any) -> str:
    """All text of a content, however deep its parts are."""
    if isinstance(content, str):
        return content
    inner = (part.get("text") if isinstance(part, dict) else part for part in as_list(content))
    return "\n".join(map(_text_in, inner))


def messages_before_gaps(frame: object, raw: Lines, broken: Sequence[int]) -> list[Message]:
    """What was said before damaged lines that the chain hung on."""
    if not isinstance(frame, ClaudeFrame):
        return []
    line_numbers = lines_before_gaps(frame.document, frame.chain, raw, broken)
    return messages_on(frame.document, line_numbers)[0]


# Written


def encode(conversation: Conversation, messages: Sequence[Message]) -> list[Any]:
    """All lines in order. Messages come in the order in which they are given, each not after its
    own old line; what changed is written anew, and the parents lead on.
    """
    frame = conversation.frame
    originals: Sequence[Message] = conversation.messages
    if not isinstance(frame, ClaudeFrame):
        # Of another format: there is no session yet, and every line is new.
        frame, originals = ClaudeFrame([], Chain([], ()), []), ()
    left = {message.index for message in messages}
    index_of = {line_number: index for index, line_number in enumerate(frame.line_numbers)}
    writer = _Writer(frame, originals, left)
    links = set(frame.chain.line_numbers)
    queue = iter(messages)
    written: set[int] = set()
    for line_number, line in enumerate(frame.document):
        index = index_of.get(line_number)
        if index is None:
            writer.write_other(line, line_number in links)
        elif index in left:
            # What comes before it now is written before it: new ones, and those from further down.
            while index not in written:
                message = next(queue)
                writer.write_message(message)
                written.add(message.index)
    for message in queue:
        writer.write_message(message)
    return writer.lines


class _Writer:
    """Writes lines one after the other, and knows what became of each parent."""

    def __init__(self, frame: ClaudeFrame, originals: Sequence[Message], left: set[int]) -> None:
        self.lines: list[Any] = []
        self.originals = originals
        removed = (
            frame.document[line_number]
            for index, line_number in enumerate(frame.line_numbers)
            if index not in left
        )
        self.removed = {
            uuid: parent_of(line) for line in removed if (uuid := uuid_of(line)) is not None
        }
        """The parents of lines that are left out, by the names of those."""
        sessions = (line for line in frame.document if isinstance(line, dict) and SESSION in line)
        self.example: Line = next(sessions, {})
        """A line of this session, from which new ones have what all lines share."""
        self.parent: Any = None
        """The line of the conversation that was written last."""
        self.is_continued = bool(frame.document)
        """Whether what is added is added by us, to a session that there was."""
        self.follows_ours = False
        """Whether that line is ours, so that the next one hangs on it."""

    def write_other(self, line: Any, is_link: bool) -> None:
        """One with the name of a line that is left out goes with it, else it would be read in its
        place.
        """
        if is_link:
            self.lines.append(self._linked(line))
        elif not isinstance(line, dict) or uuid_of(line) not in self.removed:
            self.lines.append(line)

    def write_message(self, message: Message) -> None:
        if message.index == ADDED:
            self._write_added(message)
            return
        original = self.originals[message.index]
        is_same = message is original
        self.lines.append(
            self._linked(message.raw if is_same else _changed_line(message, original))
        )

    def _linked(self, line: Line) -> Line:
        """The line with a parent that is still there."""
        parent = self.parent
        if not self.follows_ours:
            parent = parent_of(line)
            passed = set()
            while isinstance(parent, str) and parent in self.removed:
                # The way there may lead in a circle.
                passed.add(parent)
                parent = self.removed[parent]
                parent = None if parent in passed else parent
        if UUID in line:
            self.parent = line[UUID]
            self.example = line
            self.follows_ours = False
        # The very same line where it can be, so that it is written by its own bytes.
        return line if parent == parent_of(line) else {**line, PARENT: parent}

    def _write_added(self, message: Message) -> None:
        line = _new_line(message, self.example, self.parent, len(self.lines))
        if line is None:
            return
        if message.role == SYSTEM:
            line[META] = True
            line[RENDERED_ROLE] = FROM_SYSTEM
        elif self.is_continued and kind_of(line) == FROM_USER:
            # Nobody typed it; in a session that was another format's, somebody did.
            line[META] = True
        self.lines.append(line)
        self.example = self.example or line
        self.parent = line[UUID]
        self.follows_ours = True


def _changed_line(message: Message, original: Message) -> Line:
    """The line of a message, with what is left of it. The copy of a result for the screen goes with
    the result.
    """
    line: Line = message.raw
    if is_attachment(line):
        # It becomes a message of the user, as an attachment has no words of its own.
        left_out = (ATTACHMENT, RENDERED, RENDERED_ROLE)
        kept = {key: value for key, value in line.items() if key not in left_out}
        said = {"role": "user", "content": text_of_blocks(message.blocks)}
        return {**kept, KIND: FROM_USER, META: True, MESSAGE: said, "compressed": True}

    content = content_of(message, original, line[MESSAGE].get("content"))
    changed = {**line, MESSAGE: {**line[MESSAGE], "content": content}}
    if _results(message) != _results(original):
        changed.pop(RESULT_FOR_SCREEN, None)
    if shortened(message, original):
        changed["compressed"] = True
    return changed


def _results(message: Message) -> list[Block]:
    """Results and what is inside of them; what nobody touched is the same."""
    return [block for block in message.blocks if block.kind == RESULT or block.at >= NEST]


def _new_line(message: Message, example: Line, parent: Any, number: int) -> Line | None:
    """The line of a message that we write; None for one that has no words here."""
    content = content_of(message, None, None)
    if not content:
        return None
    # Nothing of it is random: the same conversation gives the same bytes each time.
    seed = f"{example.get(SESSION, '')}{parent}{number}{content}"
    hexed = digest(seed.encode("utf-8", "surrogatepass"))
    # With the digits that a UUID has for its version and variant.
    uuid = f"{hexed[:8]}-{hexed[8:12]}-8{hexed[13:16]}-8{hexed[17:20]}-{hexed[20:32]}"
    shared = {key: example[key] for key in SHARED if key in example}
    said: Line = {"role": "user", "content": content}
    if message.role == ASSISTANT:
        # As the API sends one.
        if not isinstance(content, list):
            content = [{"type": "text", "text": content}]
        said = {
            "id": message.group or f"msg_{hexed[:24]}",
            "type": "message",
            "role": "assistant",
            "model": "none",
            "content": content,
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
    return {
        PARENT: parent,
        **(shared or {SIDECHAIN: False, SESSION: uuid}),
        KIND: FROM_MODEL if message.role == ASSISTANT else FROM_USER,
        MESSAGE: said,
        UUID: uuid,
        "timestamp": message.when or example.get("timestamp", NEVER),
    }
