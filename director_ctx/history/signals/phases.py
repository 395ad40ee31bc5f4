"""Phases of a run: where one ends by itself, and what was reached in it."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.history.messages.client_words import says_client
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, TEXT, USER
from director_ctx.history.messages.stubs import is_summary
from director_ctx.history.signals.errors import is_error, is_red

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim


_NEXT = re.compile(
    r"\s*(?:now,? let.?s|next[,:]|moving on|let.?s move on|with (?:that|this) done)", re.IGNORECASE
)
_LOOKED_AT = 400
"""Characters of a call or a text that are searched for the name of a phase."""


class Phase(Record):
    """A stretch of turns."""

    name: str
    start: int
    """The number of its first turn."""


def phases(messages: Sequence[Message], rows: Sequence[range], aim: Aim) -> list[Phase]:
    """Every phase since the last checkpoint, in order; the last one is the one that the run is in."""
    first, name = _since(messages, rows)
    so_far = [Phase(name, first)]
    finished = False
    done = 0
    for number in range(first, len(rows)):
        turn = [messages[index] for index in rows[number]]
        phase = so_far[-1]
        named = _named(turn, aim.config.checkpoint_phases)
        if named and named != phase.name:
            so_far.append(Phase(named, number))
        elif _may_end(phase, number, aim) and (finished or _turns_over(turn)):
            so_far.append(Phase(phase.name, number))

        items = done_items(turn)
        finished = items > done or is_done(turn)
        done = max(done, items)
    return _told(so_far, rows, aim)


def _may_end(phase: Phase, number: int, aim: Aim) -> bool:
    """Whether a phase is long enough for one that nobody named to follow."""
    return aim.config.auto_checkpoint and number - phase.start >= aim.config.phase_turns


def _told(guessed: list[Phase], rows: Sequence[range], aim: Aim) -> list[Phase]:
    """What somebody knows about the phase goes before what was guessed."""
    if not aim.phase or aim.phase == guessed[-1].name:
        return guessed
    if aim.since is None:
        return [*guessed, Phase(aim.phase, max(0, len(rows) - 1))]

    start = _turn_at(aim.since, rows)
    before = [phase for phase in guessed if phase.start < start]
    return [*before, Phase(aim.phase, max(0, start))]


def _turn_at(index: int, rows: Sequence[range]) -> int:
    """The number of the turn in which a message is; the last one, where none has it."""
    for number, row in enumerate(rows):
        if row.stop > index:
            return number
    return len(rows) - 1


def _since(messages: Sequence[Message], rows: Sequence[range]) -> tuple[int, str]:
    """The first turn after the last checkpoint, and the phase that it says the run was in."""
    for number in range(len(rows) - 1, -1, -1):
        for index in rows[number]:
            if is_summary(messages[index]):
                return min(number + 1, len(rows) - 1), _phase_of(messages[index])
    return 0, ""


def _phase_of(summary: Message) -> str:
    texts = [block.text for block in summary.blocks if block.text]
    if not texts:
        return ""
    line = re.search(r"^Phase: (.*)$", texts[0][:500], re.MULTILINE)
    return line[1] if line else ""


def _named(turn: Sequence[Message], names: Sequence[str]) -> str:
    """The one phase that a turn speaks of in what is said or asked for; none if it speaks of
    several.
    """
    if not names:
        return ""
    said = "\n".join(_said(turn)).lower()
    named = [name for name in names if _has(said, name.lower())]
    return named[0] if len(named) == 1 else ""


def _has(said: str, name: str) -> bool:
    """As a word; `git checkout` is no phase."""
    return name in said and re.search(rf"(?<!git )\b{re.escape(name)}\b", said) is not None


def _said(turn: Sequence[Message]) -> Iterator[str]:
    for message in turn:
        for block in message.blocks:
            if block.kind == CALL or (block.kind == TEXT and message.role == ASSISTANT):
                yield block.text[:_LOOKED_AT]


def _turns_over(turn: Sequence[Message]) -> bool:
    """Whether a turn says itself that something else begins: a new request, or "now let's".

    A request may stand beside the results that it follows.
    """
    first = turn[0]
    if first.role == USER:
        return any(block.kind == TEXT for block in first.blocks)
    if any(map(_requests, turn)):
        return True
    return any(block.kind == TEXT and _NEXT.match(block.text) for block in first.blocks[:2])


def _requests(message: Message) -> bool:
    """Whether the user says something in it."""
    if message.role != USER:
        return False
    return any(block.kind == TEXT and not says_client(block.text) for block in message.blocks)


def results(messages: Sequence[Message]) -> Iterator[str]:
    """What tools answered, the newest first."""
    for message in reversed(messages):
        for block in reversed(message.blocks):
            if block.kind == RESULT:
                yield block.text


_PLAN = re.compile(r"todo|plan", re.IGNORECASE)
_COMMIT = re.compile(r"\bgit\b[^\n|;&]*\bcommit\b")
_SUBJECT = re.compile(r"""-\w*m\s*\\?["']([^"'\\\n]{1,80})""")
_GREEN = re.compile(
    r"\b\d+ passed\b|^Ran \d+ tests?[^\n]*\n+OK\b|\b0 failures\b|all tests pass|test result: ok",
    re.MULTILINE | re.IGNORECASE,
)
_END = 400
_LONGEST = 100


def is_done(turn: Sequence[Message]) -> bool:
    """Whether something came to its end in a turn: a commit, or a run of tests without a failure."""
    return any(True for _ in _ends(turn))


def done_items(turn: Sequence[Message]) -> int:
    return sum(1 for _ in _ticked(turn))


def reached(messages: Sequence[Message], words: Sequence[str]) -> list[str]:
    """In a few words each, in order, each once."""
    texts: dict[str, None] = {}
    for message in messages:
        for text in (*_ticked([message]), *_ends([message]), *_states(message, words)):
            texts[text] = None
    return list(texts)


def _ends(turn: Sequence[Message]) -> Iterator[str]:
    for message in turn:
        for block in message.blocks:
            if block.kind == CALL and _COMMIT.search(block.text):
                subject = _SUBJECT.search(block.text)
                yield f"commit {subject[1]!r}" if subject else "a commit"
            elif block.kind == RESULT and not is_error(block):
                end = block.text[-_END:]
                green = _GREEN.search(end) if _may_be_green(end) else None
                if green and not is_red(end):
                    yield f"tests: {green[0].strip()}"


def _may_be_green(end: str) -> bool:
    """Cheaply, as most results are none of tests."""
    low = end.lower()
    return "pass" in low or "ok" in low or "0 failures" in low


def _ticked(turn: Sequence[Message]) -> Iterator[str]:
    """Items of a plan that a call says are completed."""
    for message in turn:
        for block in message.blocks:
            if block.kind != CALL or not _PLAN.search(block.tool):
                continue
            for item in _items(block.text):
                if is_ticked(item):
                    yield _item(item)


def _items(arguments: str) -> list[Any]:
    """Everything that stands in a list."""
    import json

    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        return []
    items = []
    for value in given.values() if isinstance(given, dict) else [given]:
        if isinstance(value, list):
            items += value
    return items


def is_ticked(item: Any) -> bool:
    return isinstance(item, dict) and item.get("status") in ("completed", "done", "complete")


def _item(item: dict[str, Any]) -> str:
    """What an item says, on one line."""
    said = "an item"
    for key in ("content", "step", "title", "text", "name"):
        if isinstance(item.get(key), str):
            said = item[key]
            break
    return " ".join(said.split())[:_LONGEST]


def _states(message: Message, words: Sequence[str]) -> Iterator[str]:
    for block in message.blocks:
        if block.kind == CALL:
            continue
        text = block.text.lower()
        for word in words:
            if word in text:
                yield word
