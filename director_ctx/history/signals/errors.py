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
            self._row, self._near = row, _by_id(self._messages[place] for place in row)
        if not result.call:
            return self._near.get(id(result))
        if result.call not in self._near and self._far is None:
            self._far = _by_id(self._messages)
        return self._near.get(result.call) or (self._far or {}).get(result.call)

    def _action(self, row: range) -> str:
        """What the answer says to do, as a call would have it."""
        answer = self._messages[row.start]
        found = (
            command("\n".join(block.text for block in answer.blocks))
            if answer.role == ASSISTANT
            else ""
        )
        if not found:
            return ""
        import json

        return json.dumps({"command": found}, ensure_ascii=False)


def _by_id(messages: Iterable[Message]) -> dict[int | str, Block]:
    """Calls by their ids; where there are none, by the result that has the same place among those
    without one.
    """
    found: dict[int | str, Block] = {}
    waiting: list[Block] = []
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL and block.call:
                found[block.call] = block
            elif block.kind == CALL:
                waiting.append(block)
            elif block.kind == RESULT and not block.call and waiting:
                found[id(block)] = waiting.pop(0)
    return found


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
    return _has_status(_ends(text).lower()) or (
        "Traceback (most recent call last)" in text and bool(_TAIL.search(text[-2000:]))
    )


def _ends(text: str) -> str:
    return text if len(text) <= 2 * HEAD else text[:HEAD] + "\n" + text[-HEAD:]


def _has_status(ends: str) -> bool:
    return ("exit" in ends and bool(_EXITED.search(ends))) or (
        "<returncode>" in ends and bool(_RETURNED.search(ends))
    )


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
        wanted = tried(call)
        found = [next(filter(None, map(self._proven.get, need)), "") for need in wanted.needs]
        solved = found[-1] if all(found) else ""
        name = "\n".join(need[0] for need in wanted.needs)
        again = self._failed.get(name) == solved
        self._failed[name] = solved
        return solved, again

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
    if not any(
        block.kind == RESULT and is_error(block) for one in messages for block in one.blocks
    ):
        return None
    wrong = next((one for one in Review(messages, rows).errors() if not one.solved), None)
    return next(row for row in rows if wrong.place in row) if wrong else None
