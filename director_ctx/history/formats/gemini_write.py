"""A Gemini CLI session with other messages: its records anew, and what says again what a result is."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

from director_ctx.history.formats.gemini_record import answers, renewed, said, told_again
from director_ctx.history.formats.parts import NEVER
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    RESULT,
    SYSTEM,
    Block,
    Message,
    same,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.formats.slots import Slots

    Raw = dict[str, Any]

SET = "$set"
OURS = "system-"
"""How the ids of such messages begin that we write: of all that a record has, the client keeps its
id and words.
"""


class GeminiFrame:
    __slots__ = ("copies", "single", "slots")

    def __init__(self, slots: Slots, single: bool) -> None:
        self.slots = slots
        self.single = single
        """Whether the session is one object, as older versions write it."""
        self.copies: set[int] = set()
        """The identities of records that only say again what a result is."""


class Records:
    """Makes the record of a message once, from all messages that were made of it."""

    def __init__(
        self, originals: Sequence[Message], messages: Sequence[Message], frame: GeminiFrame
    ) -> None:
        self.salt = f"{len(frame.slots.document)} lines, new "
        self.fresh = 0
        self.of = _by_record([message for message in messages if message.index != ADDED])
        self.was = _by_record(originals)
        self.told: dict[str, str] = {}
        """What became of results, by their calls."""
        self.alone = _answered_once(originals)
        """Ids that only one result has: by another nobody can tell which of them is said again."""
        self.copies = frame.copies
        self.gone = _taken_out(originals, messages) if self.copies else set()
        """Calls whose results were taken out of messages that stay, such as those put elsewhere."""

    def __call__(self, message: Message) -> Sequence[Any]:
        if message.index == ADDED:
            self.fresh += 1
            return [_fresh(message, f"{self.salt}{self.fresh}")]

        # The first of the messages of a record stands for all of them.
        now, was = self.of[id(message.raw)], self.was[id(message.raw)]
        if now[0] is not message:
            return ()
        if same(now, was):
            return (message.raw,)

        left = _all_blocks(now)
        for block in left:
            if _is_retold(block) and block.call in self.alone:
                self.told[block.call] = block.text
        return (renewed(message.raw, left, _all_blocks(was)),)

    def is_void(self, line: Any) -> bool:
        """Whether a record only says again what is there no longer."""
        return id(line) in self.copies and self.gone.issuperset(answers_in(line))

    def copied(self, line: Any) -> Any:
        """Records that say again what a result was say it as shortly; none of one that is there no
        longer.
        """
        if not (self.told or self.gone) or not isinstance(line, dict):
            return line

        inside = list_in(line)
        if inside is not None:
            records = [self.copied(record) for record in inside if not self.is_void(record)]
            return line if same(records, inside) else filled(line, records)

        if id(line) in self.copies and not self.gone.isdisjoint(answers_in(line)):
            left = [part for part in line["content"] if answers(part) not in self.gone]
            line = {**line, "content": left}
        if not self.told.keys().isdisjoint(answers_in(line)):
            line = {**line, "content": [said(part, self.told) for part in line["content"]]}
        if isinstance(line.get("toolCalls"), list):
            line = told_again(line, self.told)
        return line


def _by_record(messages: Sequence[Message]) -> dict[int, list[Message]]:
    """The messages that were made of each record, by its identity."""
    by_record: dict[int, list[Message]] = {}
    for message in messages:
        by_record.setdefault(id(message.raw), []).append(message)
    return by_record


def _answered_once(messages: Sequence[Message]) -> set[str]:
    counts = Counter(block.call for block in _all_blocks(messages) if block.kind == RESULT)
    return {call for call, count in counts.items() if count == 1}


def _taken_out(originals: Sequence[Message], messages: Sequence[Message]) -> set[str]:
    left = {message.index: message for message in messages}
    gone: set[str] = set()
    for original in originals:
        message = left.get(original.index)
        if message is not None and message is not original:
            gone |= _results(original) - _results(message)
    return gone


def _all_blocks(messages: Sequence[Message]) -> list[Block]:
    return [block for message in messages for block in message.blocks]


def _is_retold(block: Block) -> bool:
    return block.kind == RESULT and bool(block.action)


def _results(message: Message) -> set[str]:
    return {block.call for block in message.blocks if block.kind == RESULT}


def filled(line: Any, records: list[Any]) -> Any:
    if SET in line:
        return {**line, SET: {**line[SET], "messages": records}}
    return {**line, "messages": records}


def _fresh(message: Message, salt: str) -> Raw:
    """A record that we write. Its id is that of no other, for records with one id are one; nothing
    of it is random.
    """
    kind = "gemini" if message.role == ASSISTANT else "user"
    record = renewed({"type": kind, "content": []}, message.blocks, [])
    salted = f"{salt} {record}".encode("utf-8", "backslashreplace")
    name = sha256(salted).hexdigest()[:32]
    if message.role == SYSTEM:
        name = OURS + name
    return {"id": name, "timestamp": message.when or NEVER, **record}


def list_in(line: Raw) -> list[Any] | None:
    inside = line.get(SET) if isinstance(line.get(SET), dict) else line
    records = inside.get("messages") if isinstance(inside, dict) else None
    return records if isinstance(records, list) else None


def answers_in(record: Raw) -> Iterator[str]:
    content = record.get("content")
    if not isinstance(content, list):
        return
    for part in content:
        call = answers(part)
        if call is not None:
            yield call
