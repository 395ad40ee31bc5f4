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

    from director_ctx.history.messages.message import Block, Message
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
        may_end = _may_end(phase, number, aim)
        named = _named_phase(turn, aim.config.checkpoint_phases)
        if named and named != phase.name:
            phase = Phase(named, number)
            guessed.append(phase)
        elif may_end and (is_finished or _turns_over(turn)):
            phase = Phase(phase.name, number)
            guessed.append(phase)

        # A phase ends with the turn in which something came to its end, so the next turn may begin
        # another one.
        items = done_items(turn)
        is_finished = items > most_done or is_done(turn)
        most_done = max(most_done, items)
    return _as_somebody_knows(guessed, rows, aim)


def _may_end(phase: Phase, number: int, aim: Aim) -> bool:
    """Whether a phase is long enough for one that nobody named to follow."""
    if not aim.config.auto_checkpoint:
        return False
    return number - phase.start >= aim.config.phase_turns


def _as_somebody_knows(
    guessed: list[Phase],
    rows: Sequence[range],
    aim: Aim,
) -> list[Phase]:
    """What somebody knows about the phase goes before what was guessed."""
    current = guessed[-1]
    if not aim.phase or aim.phase == current.name:
        return guessed
    if aim.since is None:
        last_turn = max(0, len(rows) - 1)
        return [*guessed, Phase(aim.phase, last_turn)]

    start = _turn_at(aim.since, rows)
    phases_known: list[Phase] = []
    for phase in guessed:
        if phase.start < start:
            phases_known.append(phase)
    phases_known.append(Phase(aim.phase, max(0, start)))
    return phases_known


def _turn_at(index: int, rows: Sequence[range]) -> int:
    """The number of the turn in which a message is; the last one, where none has it."""
    for number, row in enumerate(rows):
        if row.stop > index:
            return number
    return len(rows) - 1


def _last_checkpoint(messages: Sequence[Message], rows: Sequence[range]) -> tuple[int, str]:
    """The first turn after the last checkpoint, and the phase that it says the run was in."""
    last = len(rows) - 1
    for number in reversed(range(len(rows))):
        for index in rows[number]:
            message = messages[index]
            if is_summary(message):
                after = min(number + 1, last)
                return after, _phase_of(message)
    return 0, ""


def _phase_of(summary: Message) -> str:
    for block in summary.blocks:
        if not block.text:
            continue
        line = _PHASE_LINE.search(block.text[:_HEAD])
        if line is None:
            return ""
        return line[1]
    return ""


def _named_phase(turn: Sequence[Message], names: Sequence[str]) -> str:
    """The one phase that a turn speaks of in what is said or asked for; none if it speaks of
    several.
    """
    if not names:
        return ""
    words = "\n".join(_words_of_agent(turn)).lower()
    named: list[str] = []
    for name in names:
        if _has_name(words, name.lower()):
            named.append(name)
    if len(named) != 1:
        return ""
    return named[0]


def _has_name(words: str, name: str) -> bool:
    """As a word; `git checkout` is no phase."""
    if name not in words:
        return False
    return re.search(rf"(?<!git )\b{re.escape(name)}\b", words) is not None


def _words_of_agent(turn: Sequence[Message]) -> Iterator[str]:
    """What it says and calls for, each as it begins."""
    for message in turn:
        for block in message.blocks:
            is_said = block.kind == TEXT and message.role == ASSISTANT
            if is_said or block.kind == CALL:
                yield block.text[:_LOOKED_AT]


def _turns_over(turn: Sequence[Message]) -> bool:
    """Whether a turn says itself that something else begins: a new request, or "now let's".

    A request may stand beside the results that it follows.
    """
    first = turn[0]
    if first.role == USER:
        return any(block.kind == TEXT for block in first.blocks)
    if any(map(_is_request, turn)):
        return True
    # Its thoughts may stand before what it says.
    begins = first.blocks[:2]
    return any(map(_goes_on_to_next, begins))


def _goes_on_to_next(block: Block) -> bool:
    if block.kind != TEXT:
        return False
    return _NEXT.match(block.text) is not None


def _is_request(message: Message) -> bool:
    """Whether the user says something in it."""
    if message.role != USER:
        return False
    return any(map(_is_of_user, message.blocks))


def _is_of_user(block: Block) -> bool:
    if block.kind != TEXT:
        return False
    return not says_client(block.text)


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


def is_done(turn: Sequence[Message]) -> bool:
    """Whether something came to its end in a turn: a commit, or a run of tests without a failure."""
    return any(True for _ in _ends(turn))


def done_items(turn: Sequence[Message]) -> int:
    return len(list(_ticked(turn)))


def achievements(messages: Sequence[Message], words: Sequence[str]) -> list[str]:
    """What was completed, in a few words each, in order, each once."""
    texts: dict[str, None] = {}
    for message in messages:
        for text in _ticked([message]):
            texts[text] = None
        for text in _ends([message]):
            texts[text] = None
        for text in _states(message, words):
            texts[text] = None
    return list(texts)


def _ends(turn: Sequence[Message]) -> Iterator[str]:
    """The commits and the tests that passed."""
    for message in turn:
        for block in message.blocks:
            text = block.text
            if block.kind == CALL and _COMMIT.search(text):
                yield _commit(text)
            elif block.kind == RESULT and not is_error(block):
                passed = _passed(text)
                if passed:
                    yield f"tests: {passed}"


def _commit(call: str) -> str:
    subject = _SUBJECT.search(call)
    if subject is None:
        return "a commit"
    return f"commit {subject[1]!r}"


def _passed(result: str) -> str:
    """What a run of tests says at its end, where none failed."""
    end = result[-_END:]
    # Cheaply, as most results are none of tests.
    low = end.lower()
    if not any(word in low for word in _GREEN_WORDS):
        return ""
    green = _GREEN.search(end)
    if green is None or is_red(end):
        return ""
    return green[0].strip()


def _ticked(turn: Sequence[Message]) -> Iterator[str]:
    """Items of a plan that a call says are completed."""
    for message in turn:
        for block in message.blocks:
            if block.kind != CALL:
                continue
            is_plan = _PLAN.search(block.tool) is not None
            if not is_plan:
                continue
            for item in _items(block.text):
                if is_ticked(item):
                    yield _item(item)


def _items(arguments: str) -> list[Any]:
    """Everything that stands in a list."""
    try:
        document = json.loads(arguments)
    except (ValueError, RecursionError):
        return []
    values = [document]
    if isinstance(document, dict):
        values = list(document.values())

    items: list[Any] = []
    for value in values:
        if isinstance(value, list):
            items += value
    return items


def is_ticked(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    return item.get("status") in ("completed", "done", "complete")


def _item(item: dict[str, Any]) -> str:
    """What an item says, on one line."""
    text = "an item"
    # Each client has a key of its own for it.
    for key in ("content", "step", "title", "text", "name"):
        if isinstance(item.get(key), str):
            text = item[key]
            break
    on_one_line = " ".join(text.split())
    return on_one_line[:_LONGEST]


def _states(message: Message, words: Sequence[str]) -> Iterator[str]:
    for block in message.blocks:
        if block.kind == CALL:
            continue
        text = block.text.lower()
        for word in words:
            if word in text:
                yield word
