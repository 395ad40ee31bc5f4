"""The lines of a Claude Code session with other messages: what changed is written anew, and the
parents lead on.
"""

from __future__ import annotations

from hashlib import sha256

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
    SESSION,
    SHARED,
    SIDECHAIN,
    UUID,
    is_attachment,
    kind_of,
    parent_of,
    uuid_of,
)
from director_ctx.history.formats.anthropic_parts import content_of
from director_ctx.history.formats.parts import NEST, NEVER, shortened
from director_ctx.history.messages.message import ADDED, ASSISTANT, RESULT, SYSTEM, text_of_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.formats.claude_chain import Chain
    from director_ctx.history.messages.message import Block, Message

    Line = dict[str, Any]


def session_with(
    messages: Sequence[Message],
    originals: Sequence[Message],
    document: Sequence[Any],
    chain: Chain,
    line_numbers: Sequence[int],
) -> list[Any]:
    """All lines in order. Messages come in the order in which they are given, each not after its
    own old line.
    """
    left = {message.index for message in messages}
    index_of: dict[int, int] = {}
    removed = []
    for index, line_number in enumerate(line_numbers):
        index_of[line_number] = index
        if index not in left:
            removed.append(document[line_number])

    links = set(chain.line_numbers)
    writer = _Writer(document, originals, removed)
    queue = iter(messages)
    written: set[int] = set()
    for line_number, line in enumerate(document):
        message_index = index_of.get(line_number)
        if message_index is None:
            writer.write_other(line, line_number in links)
        elif message_index in left:
            # What comes before it now is written before it: new ones, and those from further down.
            while message_index not in written:
                message = next(queue)
                writer.write_message(message)
                written.add(message.index)
    for message in queue:
        writer.write_message(message)
    return writer.lines


class _Writer:
    """Writes lines one after the other, and knows what became of each parent."""

    def __init__(
        self,
        document: Sequence[Any],
        originals: Sequence[Message],
        removed: Sequence[Line],
    ) -> None:
        self.lines: list[Any] = []
        self.originals = originals
        self.removed: dict[str, Any] = {}
        """The parents of lines that are left out, by the names of those."""
        for line in removed:
            uuid = uuid_of(line)
            if uuid is not None:
                self.removed[uuid] = parent_of(line)

        self.example = _first_with_session(document)
        """A line of this session, from which new ones have what all lines share."""
        self.parent: Any = None
        """The line of the conversation that was written last."""
        self.is_continued = bool(document)
        """Whether what is added is added by us, to a session that there was."""
        self.follows_ours = False
        """Whether that line is ours, so that the next one hangs on it."""

    def write_other(self, line: Any, is_link: bool) -> None:
        """One with the name of a line that is left out goes with it, else it would be read in its
        place.
        """
        if is_link:
            self.lines.append(self._linked(line))
            return
        name = uuid_of(line) if isinstance(line, dict) else None
        if name not in self.removed:
            self.lines.append(line)

    def write_message(self, message: Message) -> None:
        if message.index == ADDED:
            self._write_added(message)
            return

        original = self.originals[message.index]
        line = message.raw
        if message is not original:
            line = _changed_line(message, original)
        self.lines.append(self._linked(line))

    def _parent_that_is_left(self, line: Line) -> Any:
        """The next one that is still there; none where the way there leads in a circle."""
        parent = parent_of(line)
        passed = set()
        while isinstance(parent, str) and parent in self.removed:
            if parent in passed:
                return None
            passed.add(parent)
            parent = self.removed[parent]
        return parent

    def _linked(self, line: Line) -> Line:
        """The line with a parent that is still there."""
        parent = self.parent
        if not self.follows_ours:
            parent = self._parent_that_is_left(line)
        if UUID in line:
            self.parent = line[UUID]
            self.example = line
            self.follows_ours = False
        if parent == parent_of(line):
            # The very same line, so that it is written by its own bytes.
            return line
        return {**line, PARENT: parent}

    def _write_added(self, message: Message) -> None:
        number = len(self.lines)
        line = _new_line(message, self.example, self.parent, number)
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


def _first_with_session(document: Sequence[Any]) -> Line:
    for line in document:
        if isinstance(line, dict) and SESSION in line:
            return line
    return {}


def _changed_line(message: Message, original: Message) -> Line:
    """The line of a message, with what is left of it. The copy of a result for the screen goes with
    the result.
    """
    line: Line = message.raw
    if is_attachment(line):
        return _former_attachment(message, line)

    old_message = line[MESSAGE]
    content = content_of(message, original, old_message.get("content"))
    changed = {**line, MESSAGE: {**old_message, "content": content}}
    if _results(message) != _results(original):
        changed.pop(RESULT_FOR_SCREEN, None)
    if shortened(message, original):
        changed["compressed"] = True
    return changed


def _former_attachment(message: Message, line: Line) -> Line:
    """It becomes a message of the user, as an attachment has no words of its own."""
    changed = dict(line)
    for key in (ATTACHMENT, RENDERED, RENDERED_ROLE):
        changed.pop(key, None)

    text = text_of_blocks(message.blocks)
    changed[KIND] = FROM_USER
    changed[META] = True
    changed[MESSAGE] = {"role": "user", "content": text}
    changed["compressed"] = True
    return changed


def _results(message: Message) -> list[Block]:
    """Results and what is inside of them; what nobody touched is the same."""
    results = []
    for block in message.blocks:
        if block.kind == RESULT or block.at >= NEST:
            results.append(block)
    return results


def _new_line(message: Message, example: Line, parent: Any, number: int) -> Line | None:
    """The line of a message that we write; None for one that has no words here."""
    content = content_of(message, None, None)
    if not content:
        return None

    # Nothing of it is random: the same conversation gives the same bytes each time.
    seed = f"{example.get(SESSION, '')}{parent}{number}{content}"
    digest = sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()
    uuid = _as_uuid(digest)

    shared = {}
    for key in SHARED:
        if key in example:
            shared[key] = example[key]
    if not shared:
        shared = {SIDECHAIN: False, SESSION: uuid}

    kind = FROM_USER
    said = {"role": "user", "content": content}
    if message.role == ASSISTANT:
        kind = FROM_MODEL
        said = _answer(message.group or f"msg_{digest[:24]}", content)
    return {
        PARENT: parent,
        **shared,
        KIND: kind,
        MESSAGE: said,
        UUID: uuid,
        "timestamp": message.when or example.get("timestamp", NEVER),
    }


def _as_uuid(digest: str) -> str:
    # The digits that a UUID has for its version and variant.
    return f"{digest[:8]}-{digest[8:12]}-8{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def _answer(name: str, content: Any) -> dict[str, Any]:
    """A message of the model, as the API sends one."""
    if not isinstance(content, list):
        content = [{"type": "text", "text": content}]
    return {
        "id": name,
        "type": "message",
        "role": "assistant",
        "model": "none",
        "content": content,
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
