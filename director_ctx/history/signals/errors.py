"""Errors by structure: what the provider says, an exit status, the tail of a traceback, and the
call behind it.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.record import Record
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, text_of_blocks
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
            return call_line(result.tool or call.tool, call.text)
        answer = self._messages[row.start]
        if result.call or answer.role != ASSISTANT:
            return call_line(result.tool, "")
        # What the answer says to do, as a call would have it.
        script = command(text_of_blocks(answer.blocks))
        arguments = json.dumps({"command": script}, ensure_ascii=False) if script else ""
        return call_line(result.tool, arguments)

    def call(self, result: Block, row: range) -> Block | None:
        # Results come turn by turn, so it is enough to remember one.
        if row is not self._row:
            self._row = row
            self._calls_of_row = _Calls(self._messages[row.start : row.stop])
        if not result.call:
            return self._calls_of_row.by_result.get(id(result))

        call = self._calls_of_row.by_id.get(result.call)
        if call is not None:
            return call
        if self._calls is None:
            self._calls = _Calls(self._messages)
        return self._calls.by_id.get(result.call)


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
    ends = _ends(text).lower()
    # The words are looked for first, as that is much faster.
    if "exit" in ends and _EXITED.search(ends):
        return True
    if "<returncode>" in ends and _RETURNED.search(ends):
        return True
    if "Traceback (most recent call last)" not in text:
        return False
    return _LAST_LINE.search(text[-_TRACEBACK:]) is not None


def _ends(text: str) -> str:
    if len(text) <= 2 * HEAD:
        return text
    return f"{text[:HEAD]}\n{text[-HEAD:]}"


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
        for row in reversed(self._rows):
            for index in reversed(row):
                for block in reversed(self._messages[index].blocks):
                    if block.kind != RESULT:
                        continue
                    if not is_error(block):
                        self._went_well.append((block, row))
                        continue
                    call = self._cause.line(block, row)
                    if not is_answer(block, call):
                        yield ErrorCase(index, block, call, *self.outcome(call))

    def outcome(self, call: str) -> tuple[str, bool]:
        """What has put right a call that went wrong, and whether it went wrong again before that."""
        for block, row in self._went_well:
            later_call = self._cause.line(block, row)
            attempt = attempt_of(later_call)
            # A check whose end says that something failed proves nothing, whatever its exit status.
            if not (attempt.checks and is_red(block.text)):
                self._proofs.update(dict.fromkeys(attempt.marks(), later_call))
        self._went_well.clear()

        needs = attempt_of(call).needs
        # Each need is proven by the call that proves one of its marks.
        proofs = [next(filter(None, map(self._proofs.get, need)), "") for need in needs]
        solved_by = proofs[-1] if all(proofs) else ""
        name = "\n".join(need[0] for need in needs)
        repeated = self._solutions.get(name) == solved_by
        self._solutions[name] = solved_by
        return solved_by, repeated


def is_answer(block: Block, call: str) -> bool:
    """Whether nothing went wrong: a search that found nothing is an answer."""
    if not attempt_of(call).asks:
        return False
    ends = _ends(block.text).lower()
    return _NO.search(ends) is not None


def is_red(text: str) -> bool:
    """Whether the end of a run of checks counts failures."""
    return _RED.search(text[-_END:]) is not None


def last_open_error(messages: Sequence[Message], rows: Sequence[range]) -> range | None:
    """The turn of the last error that nothing put right."""
    # Most conversations have none, and a review would read every call.
    if not any(is_error(block) for message in messages for block in message.blocks):
        return None
    for error in Review(messages, rows).errors():
        if not error.solved_by:
            return next((row for row in rows if error.index in row), None)
    return None
