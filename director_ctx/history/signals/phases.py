"""Phases of a run: where one ends by itself, and what was reached in it."""

from __future__ import annotations

import json
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
_HEAD = 500
"""Characters of a checkpoint in which its phase stands."""
_PHASE_LINE = re.compile(r"^Phase: (.*)$", re.MULTILINE)
_LOOKED_AT = 400
"""Characters of a call or a text that are searched for the name of a phase."""


class Phase(Record):
    """A stretch of turns."""

    name: str
    start: int
    """The number of its first turn."""


def phases(
    messages: Sequence[Message],
    rows: Sequence[range],
    aim: Aim,
) -> list[Phase]:
    """Every phase since the last checkpoint, in order; the last one is the one that the run is in."""
    first, name = _last_checkpoint(messages, rows)
    phase = Phase(name, first)
    guessed = [phase]
    is_finished = False
    most_done = 0
    for number in range(first, len(rows)):
        turn = [messages[index] for index in rows[number]]
        # Long enough for one that nobody named to follow.
        is_long = number - phase.start >= aim.config.phase_turns
        may_end = aim.config.auto_checkpoint and is_long
        named = _named_phase(turn, aim.config.checkpoint_phases)
        if named and named != phase.name:
            phase = Phase(named, number)
            guessed.append(phase)
        elif may_end and (is_finished or _turns_over(turn)):
            phase = Phase(phase.name, number)
            guessed.append(phase)

        # A phase ends with the turn in which something came to its end, so the next turn may begin
        # another one.
        items = len(list(_ticked(turn)))
        is_finished = items > most_done or any(_ends(turn))
        most_done = max(most_done, items)
    return _as_somebody_knows(guessed, rows, aim)


def _as_somebody_knows(
    guessed: list[Phase],
    rows: Sequence[range],
    aim: Aim,
) -> list[Phase]:
    """What somebody knows about the phase goes before what was guessed."""
    current = guessed[-1]
    if not aim.phase or aim.phase == current.name:
        return guessed
    last = len(rows) - 1
    since = aim.since
    if since is None:
        return [*guessed, Phase(aim.phase, max(0, last))]
    # The turn in which the message is; the last one, where none has it.
    start = next((number for number, row in enumerate(rows) if row.stop > since), last)
    earlier = [phase for phase in guessed if phase.start < start]
    return [*earlier, Phase(aim.phase, max(0, start))]


def _last_checkpoint(messages: Sequence[Message], rows: Sequence[range]) -> tuple[int, str]:
    """The first turn after the last checkpoint, and the phase that it says the run was in."""
    for number in reversed(range(len(rows))):
        for index in rows[number]:
            message = messages[index]
            if is_summary(message):
                text = next((block.text for block in message.blocks if block.text), "")
                phase = _PHASE_LINE.search(text[:_HEAD])
                return min(number + 1, len(rows) - 1), phase[1] if phase else ""
    return 0, ""


def _named_phase(turn: Sequence[Message], names: Sequence[str]) -> str:
    """The one phase that a turn speaks of in what is said or asked for; none if it speaks of
    several.
    """
    if not names:
        return ""
    begins: list[str] = []
    for message in turn:
        for block in message.blocks:
            if block.kind == CALL or (block.kind == TEXT and message.role == ASSISTANT):
                begins.append(block.text[:_LOOKED_AT].lower())
    words = "\n".join(begins)
    named: list[str] = []
    for name in names:
        # As a word; `git checkout` is no phase.
        pattern = rf"(?<!git )\b{re.escape(name.lower())}\b"
        if name.lower() in words and re.search(pattern, words):
            named.append(name)
    return named[0] if len(named) == 1 else ""


def _turns_over(turn: Sequence[Message]) -> bool:
    """Whether a turn says itself that something else begins: a new request, or "now let's".

    A request may stand beside the results that it follows.
    """
    first = turn[0]
    if first.role == USER:
        return any(block.kind == TEXT for block in first.blocks)
    for message in turn:
        for block in message.blocks if message.role == USER else ():
            if block.kind == TEXT and not says_client(block.text):
                return True
    # Its thoughts may stand before what it says.
    return any(block.kind == TEXT and _NEXT.match(block.text) for block in first.blocks[:2])


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
_GREEN_WORDS = ("pass", "ok", "0 failures")
"""One of these is in whatever the pattern finds."""
_END = 400
"""Characters at the end of a result, where tests are counted."""
_LONGEST = 100
"""Characters of an item."""


def achievements(messages: Sequence[Message], words: Sequence[str]) -> list[str]:
    """What was completed, in a few words each, in order, each once."""
    texts: dict[str, None] = {}
    for message in messages:
        texts.update(dict.fromkeys(_ticked([message])))
        texts.update(dict.fromkeys(_ends([message])))
        for block in message.blocks:
            if block.kind != CALL:
                text = block.text.lower()
                texts.update(dict.fromkeys(word for word in words if word in text))
    return list(texts)


def _ends(turn: Sequence[Message]) -> Iterator[str]:
    """What came to its end: commits, and runs of tests without a failure."""
    for message in turn:
        for block in message.blocks:
            if block.kind == CALL and _COMMIT.search(block.text):
                subject = _SUBJECT.search(block.text)
                yield f"commit {subject[1]!r}" if subject else "a commit"
            elif block.kind == RESULT and not is_error(block):
                end = block.text[-_END:]
                # Cheaply first, as most results are none of tests.
                low = end.lower()
                green = any(word in low for word in _GREEN_WORDS) and _GREEN.search(end)
                if green and not is_red(end):
                    yield f"tests: {green[0].strip()}"


def _ticked(turn: Sequence[Message]) -> Iterator[str]:
    """Items of a plan that a call says are completed."""
    for message in turn:
        for block in message.blocks:
            if block.kind != CALL or not _PLAN.search(block.tool):
                continue
            for item in _items(block.text):
                if is_ticked(item):
                    # Each client has a key of its own for what it says.
                    texts = map(item.get, ("content", "step", "title", "text", "name"))
                    text = next((text for text in texts if isinstance(text, str)), "an item")
                    yield " ".join(text.split())[:_LONGEST]


def _items(arguments: str) -> list[Any]:
    """Everything that stands in a list."""
    try:
        document = json.loads(arguments)
    except (ValueError, RecursionError):
        return []
    values = document.values() if isinstance(document, dict) else [document]
    return [item for value in values if isinstance(value, list) for item in value]


def is_ticked(item: Any) -> bool:
    is_object = isinstance(item, dict)
    return is_object and item.get("status") in ("completed", "done", "complete")
