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


class Frame:
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
        self, originals: Sequence[Message], messages: Sequence[Message], frame: Frame
    ) -> None:
        self.salt = f"{len(frame.slots.document)} lines, new "
        self.fresh = 0
        self.of: dict[int, list[Message]] = {}
        for message in messages:
            if message.index != ADDED:
                self.of.setdefault(id(message.raw), []).append(message)
        self.was: dict[int, list[Message]] = {}
        for original in originals:
            self.was.setdefault(id(original.raw), []).append(original)
        self.told: dict[str, str] = {}
        """What became of results, by their calls."""
        named = [block.call for one in originals for block in one.blocks if block.kind == RESULT]
        self.alone = {one for one, many in Counter(named).items() if many == 1}
        """Ids that only one result has: by another nobody can tell which of them is said again."""
        self.copies = frame.copies
        left = {message.index: message for message in messages} if self.copies else {}
        self.gone = {
            one
            for original in (originals if self.copies else ())
            if (now := left.get(original.index)) is not None and now is not original
            for one in _results(original) - _results(now)
        }
        """Calls whose results were taken out of messages that stay, such as those put elsewhere."""

    def __call__(self, message: Message) -> Sequence[Any]:
        if message.index == ADDED:
            self.fresh += 1
            return [_fresh(message, f"{self.salt}{self.fresh}")]
        now, was = self.of[id(message.raw)], self.was[id(message.raw)]
        if now[0] is not message:
            return ()
        if same(now, was):
            return (message.raw,)
        left = [block for one in now for block in one.blocks]
        self.told |= {
            block.call: block.text
            for block in left
            if _is_retold(block) and block.call in self.alone
        }
        return (renewed(message.raw, left, [block for one in was for block in one.blocks]),)

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
            made = [self.copied(one) for one in inside if not self.is_void(one)]
            return line if same(made, inside) else filled(line, made)
        if id(line) in self.copies and not self.gone.isdisjoint(answers_in(line)):
            line = {
                **line,
                "content": [part for part in line["content"] if answers(part) not in self.gone],
            }
        if any(one in self.told for one in answers_in(line)):
            line = {**line, "content": [said(part, self.told) for part in line["content"]]}
        return told_again(line, self.told) if isinstance(line.get("toolCalls"), list) else line


def _is_retold(block: Block) -> bool:
    return block.kind == RESULT and bool(block.action)


def _results(message: Message) -> set[str]:
    return {block.call for block in message.blocks if block.kind == RESULT}


def filled(line: Any, records: list[Any]) -> Any:
    return (
        {**line, SET: {**line[SET], "messages": records}}
        if SET in line
        else {**line, "messages": records}
    )


def _fresh(message: Message, salt: str) -> Raw:
    """A record that we write. Its id is that of no other, for records with one id are one; nothing
    of it is random.
    """
    kind, when = "gemini" if message.role == ASSISTANT else "user", message.when or NEVER
    record = renewed({"type": kind, "content": []}, message.blocks, [])
    name = sha256(f"{salt} {record}".encode("utf-8", "backslashreplace")).hexdigest()[:32]
    return {"id": OURS + name if message.role == SYSTEM else name, "timestamp": when, **record}


def list_in(line: Raw) -> list[Any] | None:
    inside = line.get(SET) if isinstance(line.get(SET), dict) else line
    found = inside.get("messages") if isinstance(inside, dict) else None
    return found if isinstance(found, list) else None


def answers_in(record: Raw) -> Iterator[str]:
    content = record.get("content")
    for part in content if isinstance(content, list) else ():
        if (call := answers(part)) is not None:
            yield call
