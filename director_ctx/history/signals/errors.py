"""Errors by structure: what the provider says, an exit status, the tail of a traceback, and the
call behind it.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.record import Record
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT
from director_ctx.history.messages.stubs import command
from director_ctx.history.signals.attempts import attempt_of, call_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from director_ctx.history.messages.message import Block, Message


class Cause:
    """Finds the call behind a result: in the turn of the result, else anywhere by its id."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._row: range | None = None
        self._calls_of_row = _Calls(())
        self._calls: _Calls | None = None
        """Of all messages; only looked for where a result has no call in its turn."""

    def line(self, result: Block, row: range) -> str:
        """The call on one line."""
        call = self.call(result, row)
        if call is not None:
            tool = result.tool or call.tool
            return call_line(tool, call.text)
        if result.call:
            return call_line(result.tool, "")
        arguments = self._said_to_do(row)
        return call_line(result.tool, arguments)

    def call(self, result: Block, row: range) -> Block | None:
        # Results come turn by turn, so it is enough to remember one.
        if row is not self._row:
            self._row = row
            own_messages = self._messages[row.start : row.stop]
            self._calls_of_row = _Calls(own_messages)
        if not result.call:
            return self._calls_of_row.by_result.get(id(result))

        call = self._calls_of_row.by_id.get(result.call)
        if call is not None:
            return call
        if self._calls is None:
            self._calls = _Calls(self._messages)
        return self._calls.by_id.get(result.call)

    def _said_to_do(self, row: range) -> str:
        """What the answer says to do, as a call would have it."""
        answer = self._messages[row.start]
        if answer.role != ASSISTANT:
            return ""
        texts: list[str] = []
        for block in answer.blocks:
            texts.append(block.text)
        script = command("\n".join(texts))
        if not script:
            return ""
        return json.dumps({"command": script}, ensure_ascii=False)


class _Calls:
    """The calls in some messages."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self.by_id: dict[str, Block] = {}
        self.by_result: dict[int, Block] = {}
        """Those without an id, by the identity of the result that has the same place among those
        without one: two such results may say the same.
        """
        waiting: list[Block] = []
        for message in messages:
            for block in message.blocks:
                if block.kind == CALL and block.call:
                    self.by_id[block.call] = block
                elif block.kind == CALL:
                    waiting.append(block)
                elif block.kind == RESULT and not block.call and waiting:
                    call = waiting.pop(0)
                    self.by_result[id(block)] = call


_RETURNED = re.compile(r"<returncode>\s*(?!0\s*<)-?\d+\s*</returncode>")
_EXITED = re.compile(r"\bexit(?:ed with)? (?:code|status):? [1-9]|\"exit_?code\":\s*[1-9]")
_NO = re.compile(
    r"<returncode>\s*1\s*<|\bexit(?:ed with)? (?:code|status):? 1\b|\"exit_?code\":\s*1\b"
)
_LAST_LINE = re.compile(
    r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)\b.*|FAILED .*|E   \S.*)$", re.MULTILINE
)
_RED = re.compile(
    r"\b(?i:[1-9]\d* (?:failed|errors?|failures?))\b"
    r"|^(?:FAIL\b|[ \t]*--- FAIL|not ok\b|npm ERR!|make: \*\*\*|error(?:\[\w+\])?:)|\bERROR task failed\b",
    re.MULTILINE,
)
_END = 400
_TRACEBACK = 2000
"""Characters at the end in which the last line of a traceback stands."""
HEAD = 200
"""Characters at either end in which an exit status stands."""


def is_error(block: Block) -> bool:
    """Whether a result says that what was tried went wrong."""
    if block.kind != RESULT:
        return False
    # What the provider says goes before what it looks like.
    if block.error is not None:
        return block.error
    text = block.text
    if _has_status(_ends(text).lower()):
        return True
    if "Traceback (most recent call last)" not in text:
        return False
    end = text[-_TRACEBACK:]
    return _LAST_LINE.search(end) is not None


def _ends(text: str) -> str:
    if len(text) <= 2 * HEAD:
        return text
    return f"{text[:HEAD]}\n{text[-HEAD:]}"


def _has_status(ends: str) -> bool:
    # The words are looked for first, as that is much faster.
    if "exit" in ends and _EXITED.search(ends):
        return True
    if "<returncode>" not in ends:
        return False
    return _RETURNED.search(ends) is not None


class ErrorCase(Record):
    """An error, and what became of it."""

    index: int
    """The place of its message."""
    block: Block
    call: str
    """What went wrong, on one line."""
    solved_by: str = ""
    """The call that put it right; empty as long as none did."""
    repeated: bool = False
    """Whether the same went wrong once more before that: the later error stands for both."""


class Review:
    """Goes back through a conversation. What went well is looked at only once there is an error
    that it may solve.
    """

    def __init__(self, messages: Sequence[Message], rows: Sequence[range]) -> None:
        self._messages = messages
        self._rows = rows
        self._cause = Cause(messages)
        self._went_well: list[tuple[Block, range]] = []
        self._proofs: dict[str, str] = {}
        """For a mark the next call that proves it."""
        self._solutions: dict[str, str] = {}
        """For a call that went wrong what solved it later."""

    def errors(self) -> Iterator[ErrorCase]:
        """Newest first."""
        for index, block, row in self._results():
            if not is_error(block):
                self._went_well.append((block, row))
                continue
            call = self._cause.line(block, row)
            if is_answer(block, call):
                continue
            solved_by, repeated = self.outcome(call)
            yield ErrorCase(index, block, call, solved_by, repeated)

    def _results(self) -> Iterator[tuple[int, Block, range]]:
        """Newest first, each with the place of its message and its turn."""
        for row in reversed(self._rows):
            for index in reversed(row):
                message = self._messages[index]
                for block in reversed(message.blocks):
                    if block.kind == RESULT:
                        yield index, block, row

    def outcome(self, call: str) -> tuple[str, bool]:
        """What has put right a call that went wrong, and whether it went wrong again before that."""
        self._look_at_what_went_well()
        proofs: list[str] = []
        own_marks: list[str] = []
        for need in attempt_of(call).needs:
            proofs.append(self._proof(need))
            own_marks.append(need[0])
        solved_by = ""
        if all(proofs):
            solved_by = proofs[-1]

        name = "\n".join(own_marks)
        repeated = self._solutions.get(name) == solved_by
        self._solutions[name] = solved_by
        return solved_by, repeated

    def _proof(self, need: Sequence[str]) -> str:
        """The call that proves one of these marks; empty where none does."""
        for mark in need:
            call = self._proofs.get(mark)
            if call:
                return call
        return ""

    def _look_at_what_went_well(self) -> None:
        """A check whose end says that something failed proves nothing, whatever its exit status."""
        for block, row in self._went_well:
            call = self._cause.line(block, row)
            attempt = attempt_of(call)
            failed_after_all = attempt.checks and is_red(block.text)
            if failed_after_all:
                continue
            for mark in attempt.marks():
                self._proofs[mark] = call
        self._went_well.clear()


def is_answer(block: Block, call: str) -> bool:
    """Whether nothing went wrong: a search that found nothing is an answer."""
    if not attempt_of(call).asks:
        return False
    ends = _ends(block.text).lower()
    return _NO.search(ends) is not None


def is_red(text: str) -> bool:
    """Whether the end of a run of checks counts failures."""
    end = text[-_END:]
    return _RED.search(end) is not None


def last_open_error(messages: Sequence[Message], rows: Sequence[range]) -> range | None:
    """The turn of the last error that nothing put right."""
    # Most conversations have none, and a review would read every call.
    if not any(map(_has_error, messages)):
        return None
    review = Review(messages, rows)
    for error in review.errors():
        if error.solved_by:
            continue
        for row in rows:
            if error.index in row:
                return row
    return None


def _has_error(message: Message) -> bool:
    return any(map(is_error, message.blocks))
