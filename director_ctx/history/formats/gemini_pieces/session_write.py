"""A Gemini CLI session with other messages: its records anew, and what says again what a result is."""

from __future__ import annotations

from hashlib import sha256

from director_ctx.history.formats.gemini_pieces.record import answered_call
from director_ctx.history.formats.gemini_pieces.record_write import (
    changed_record,
    with_text,
    with_texts,
)
from director_ctx.history.formats.parts import NEVER, as_list
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    RESULT,
    SYSTEM,
    Block,
    Message,
    same,
)
from director_ctx.history.messages.slots import SlotWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.slots import Slots

    Raw = dict[str, Any]

SET = "$set"
OURS = "system-"
"""How the ids of such messages begin that we write: of all that a record has, the client keeps its
id and words.
"""


class GeminiFrame:
    """A session's lines, and which of their records are copies."""

    __slots__ = ("copies", "is_single", "slots")

    def __init__(self, slots: Slots, is_single: bool) -> None:
        self.slots = slots
        self.is_single = is_single
        """Whether the session is one object, as older versions write it."""
        self.copies: set[int] = set()
        """The identities of records that only say again what a result is."""


class RecordWriter(SlotWriter):
    """Makes the record of a message once, from all messages that were made of it."""

    def __init__(
        self,
        originals: Sequence[Message],
        messages: Sequence[Message],
        frame: GeminiFrame,
    ) -> None:
        super().__init__(frame.slots)
        self.salt = f"{len(frame.slots.document)} lines, new "
        self.new_count = 0
        own = [message for message in messages if message.index != ADDED]
        self.messages_of = _by_record(own)
        self.originals_of = _by_record(originals)
        self.new_text: dict[str, str] = {}
        """What became of results, by their calls."""
        self.answered_once = _answered_once(originals)
        """Ids that only one result has: by another nobody can tell which of them is said again."""
        self.copies = frame.copies
        self.taken_out: set[str] = set()
        """Calls whose results were taken out of messages that stay, such as those put elsewhere."""
        if self.copies:
            self.taken_out = _taken_out(originals, messages)

    def records_of(self, message: Message) -> Sequence[Any]:
        if message.index == ADDED:
            self.new_count += 1
            return [_new_record(message, f"{self.salt}{self.new_count}")]

        # By identity: two records may say the same.
        record = message.raw
        messages = self.messages_of[id(record)]
        originals = self.originals_of[id(record)]
        # The first of the messages of a record stands for all of them.
        if messages[0] is not message:
            return ()
        if same(messages, originals):
            return (record,)

        blocks = _all_blocks(messages)
        for block in blocks:
            was_changed = block.kind == RESULT and bool(block.action)
            if was_changed and block.call in self.answered_once:
                self.new_text[block.call] = block.text
        return (changed_record(record, blocks, _all_blocks(originals)),)

    def with_list(self, line: Any, records: list[Any]) -> Any:
        if SET in line:
            inside = {**line[SET], "messages": records}
            return {**line, SET: inside}
        return {**line, "messages": records}

    def is_void(self, line: Any) -> bool:
        """Whether a record only says again what is there no longer."""
        if id(line) not in self.copies:
            return False
        return self.taken_out.issuperset(calls_answered_in(line))

    def without_old_results(self, line: Any) -> Any:
        """Records that say again what a result was say it as shortly; none of one that is there no
        longer.
        """
        is_needless = not self.new_text and not self.taken_out
        if is_needless or not isinstance(line, dict):
            return line

        records = list_in(line)
        if records is not None:
            left = []
            for record in records:
                if not self.is_void(record):
                    left.append(self.without_old_results(record))
            if same(left, records):
                return line
            return self.with_list(line, left)
        return self._with_new_texts(line)

    def _with_new_texts(self, record: Raw) -> Raw:
        answered = set(calls_answered_in(record))
        if id(record) in self.copies and answered & self.taken_out:
            left = []
            for part in record["content"]:
                if answered_call(part) not in self.taken_out:
                    left.append(part)
            record = {**record, "content": left}
        if answered & self.new_text.keys():
            parts = [with_text(part, self.new_text) for part in record["content"]]
            record = {**record, "content": parts}
        if isinstance(record.get("toolCalls"), list):
            record = with_texts(record, self.new_text)
        return record


def _by_record(messages: Sequence[Message]) -> dict[int, list[Message]]:
    """The messages that were made of each record, by its identity."""
    by_record: dict[int, list[Message]] = {}
    for message in messages:
        of_record = by_record.setdefault(id(message.raw), [])
        of_record.append(message)
    return by_record


def _answered_once(messages: Sequence[Message]) -> set[str]:
    once: set[str] = set()
    several_times: set[str] = set()
    for block in _all_blocks(messages):
        if block.kind != RESULT:
            continue
        if block.call in once:
            several_times.add(block.call)
        once.add(block.call)
    return once - several_times


def _taken_out(originals: Sequence[Message], messages: Sequence[Message]) -> set[str]:
    left = {message.index: message for message in messages}
    taken_out: set[str] = set()
    for original in originals:
        message = left.get(original.index)
        if message is not None and message is not original:
            taken_out |= _calls_answered(original) - _calls_answered(message)
    return taken_out


def _calls_answered(message: Message) -> set[str]:
    calls: set[str] = set()
    for block in message.blocks:
        if block.kind == RESULT:
            calls.add(block.call)
    return calls


def _all_blocks(messages: Sequence[Message]) -> list[Block]:
    blocks: list[Block] = []
    for message in messages:
        blocks += message.blocks
    return blocks


def _new_record(message: Message, salt: str) -> Raw:
    """A record that we write. Its id is that of no other, for records with one id are one; nothing
    of it is random.
    """
    empty = {"type": "user", "content": []}
    if message.role == ASSISTANT:
        empty["type"] = "gemini"
    record = changed_record(empty, message.blocks, [])

    seed = f"{salt} {record}".encode("utf-8", "backslashreplace")
    name = sha256(seed).hexdigest()[:32]
    if message.role == SYSTEM:
        name = OURS + name
    return {"id": name, "timestamp": message.when or NEVER, **record}


def list_in(line: Raw) -> list[Any] | None:
    """The records in a line; None where it is one record itself."""
    inside = line.get(SET)
    if not isinstance(inside, dict):
        inside = line
    records = inside.get("messages")
    return records if isinstance(records, list) else None


def calls_answered_in(record: Raw) -> Iterator[str]:
    """The ids of the calls that the parts of a record are responses to."""
    for part in as_list(record.get("content")):
        call = answered_call(part)
        if call is not None:
            yield call
