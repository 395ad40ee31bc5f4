"""Errors by structure: what the provider says, an exit status, the tail of a traceback, and the
call behind it.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT
from director_ctx.history.messages.stubs import command
from director_ctx.history.signals.attempts import called, tried

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from director_ctx.history.messages.message import Block, Message


class Cause:
    """Finds it in the turn of the result, else anywhere by its id."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._row: range | None = None
        self._near: dict[int | str, Block] = {}
        self._far: dict[int | str, Block] | None = None

    def __call__(self, result: Block, row: range) -> str:
        call = self.of(result, row)
        if call is not None:
            return called(result.tool or call.tool, call.text)
        return called(result.tool, "" if result.call else self._action(row))

    def of(self, result: Block, row: range) -> Block | None:
        if row is not self._row:
            self._row = row
            self._near = _by_id(self._messages[index] for index in row)
        if not result.call:
            return self._near.get(id(result))

        near = self._near.get(result.call)
        if near is not None:
            return near
        if self._far is None:
            self._far = _by_id(self._messages)
        return self._far.get(result.call)

    def _action(self, row: range) -> str:
        """What the answer says to do, as a call would have it."""
        answer = self._messages[row.start]
        if answer.role != ASSISTANT:
            return ""
        script = command("\n".join(block.text for block in answer.blocks))
        if not script:
            return ""
        import json

        return json.dumps({"command": script}, ensure_ascii=False)


def _by_id(messages: Iterable[Message]) -> dict[int | str, Block]:
    """Calls by their ids; where there are none, by the result that has the same place among those
    without one.
    """
    calls: dict[int | str, Block] = {}
    waiting: list[Block] = []
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL and block.call:
                calls[block.call] = block
            elif block.kind == CALL:
                waiting.append(block)
            elif block.kind == RESULT and not block.call and waiting:
                calls[id(block)] = waiting.pop(0)
    return calls


_RETURNED = re.compile(r"<returncode>\s*(?!0\s*<)-?\d+\s*</returncode>")
_EXITED = re.compile(r"\bexit(?:ed with)? (?:code|status):? [1-9]|\"exit_?code\":\s*[1-9]")
_NO = re.compile(
    r"<returncode>\s*1\s*<|\bexit(?:ed with)? (?:code|status):? 1\b|\"exit_?code\":\s*1\b"
)
_TAIL = re.compile(
    r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)\b.*|FAILED .*|E   \S.*)$", re.MULTILINE
)
_RED = re.compile(r"\b[1-9]\d* (?:failed|errors?|failures?)\b", re.IGNORECASE)
_END = 400
HEAD = 200
"""Characters at either end in which an exit status stands."""


def is_error(block: Block) -> bool:
    """Whether a result says that what was tried went wrong."""
    if block.kind != RESULT:
        return False
    if block.error is not None:
        return block.error
    text = block.text
    if _has_status(_ends(text).lower()):
        return True
    return "Traceback (most recent call last)" in text and bool(_TAIL.search(text[-2000:]))


def _ends(text: str) -> str:
    return text if len(text) <= 2 * HEAD else text[:HEAD] + "\n" + text[-HEAD:]


def _has_status(ends: str) -> bool:
    # The words are looked for first, as that is much faster.
    if "exit" in ends and _EXITED.search(ends):
        return True
    return "<returncode>" in ends and bool(_RETURNED.search(ends))


class Wrong(Record):
    """An error, and what became of it."""

    place: int
    block: Block
    called: str
    solved: str = ""
    """The call that put it right; empty as long as none did."""
    again: bool = False
    """Whether the same went wrong once more before that: the later error stands for both."""


class Review:
    """Goes back through a conversation. What went well is looked at only once there is an error
    that it may solve.
    """

    def __init__(self, messages: Sequence[Message], rows: Sequence[range]) -> None:
        self.messages, self.rows = messages, rows
        self.called = Cause(messages)
        self._well: list[tuple[Block, range]] = []
        self._proven: dict[str, str] = {}
        """For a mark the next call that proves it."""
        self._failed: dict[str, str] = {}
        """For a call that went wrong what solved it later."""

    def errors(self) -> Iterator[Wrong]:
        """Newest first."""
        for row in reversed(self.rows):
            for place in reversed(row):
                for block in reversed(self.messages[place].blocks):
                    if block.kind != RESULT:
                        continue
                    if is_error(block):
                        yield from self._wrong(place, block, row)
                    else:
                        self._well.append((block, row))

    def _wrong(self, place: int, block: Block, row: range) -> Iterator[Wrong]:
        """A search that found nothing is an answer."""
        call = self.called(block, row)
        if not (tried(call).asks and _NO.search(_ends(block.text).lower())):
            yield Wrong(place, block, call, *self.since(call))

    def since(self, call: str) -> tuple[str, bool]:
        """What has put right a call that went wrong, and whether it went wrong again before that."""
        self._look()
        needs = tried(call).needs
        proofs = [self._proof(need) for need in needs]
        solved = proofs[-1] if all(proofs) else ""

        name = "\n".join(need[0] for need in needs)
        again = self._failed.get(name) == solved
        self._failed[name] = solved
        return solved, again

    def _proof(self, need: Sequence[str]) -> str:
        """The call that proves one of these marks; empty where none does."""
        for mark in need:
            call = self._proven.get(mark)
            if call:
                return call
        return ""

    def _look(self) -> None:
        """A check whose end says that something failed proves nothing, whatever its exit status."""
        for block, row in self._well:
            call = self.called(block, row)
            wanted = tried(call)
            if not (wanted.checks and is_red(block.text)):
                self._proven.update(dict.fromkeys(wanted.marks(), call))
        self._well.clear()


def is_red(text: str) -> bool:
    """Whether the end of a run of checks counts failures."""
    return bool(_RED.search(text[-_END:]))


def last_open_error(messages: Sequence[Message], rows: Sequence[range]) -> range | None:
    """The turn of the last error that nothing put right."""
    if not any(map(_has_error, messages)):
        return None
    for wrong in Review(messages, rows).errors():
        if not wrong.solved:
            return next(row for row in rows if wrong.place in row)
    return None


def _has_error(message: Message) -> bool:
    return any(map(is_error, message.blocks))
