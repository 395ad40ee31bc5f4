"""What in a conversation is worth a note beside the hand-over, which section of a summary it belongs
to, and how much it matters.
"""

from __future__ import annotations

import re

from director_ctx.base.one_line import LONGEST, line
from director_ctx.base.record import Record
from director_ctx.history.handover.checks import call_in, telling_line
from director_ctx.history.handover.handover import ERROR, OPEN
from director_ctx.history.handover.requests import worth_of
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, TEXT, Block
from director_ctx.history.messages.quoted import quoted_line
from director_ctx.history.messages.stubs import stands_for_others
from director_ctx.history.messages.turns import turns
from director_ctx.history.signals.attempts import PATH
from director_ctx.history.signals.errors import Review, is_error
from director_ctx.history.summaries.sentences import (
    FINDING,
    MADE,
    PROBLEM,
    SOLUTION,
    telling,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.messages.message import Message

TROUBLE = "Problems encountered and solutions"
FOUND = "Findings"
STATE = "State, variables and what was created"
READ = "Files read"
LAST = "Where it stands"
SECTIONS = (TROUBLE, FOUND, STATE, READ, LAST)

SOLVED = " -> solved: "
_NEWEST = 10
"""Of errors that are open so many matter more than anything else."""
_CHANGES = re.compile(
    r"(?:^|_|\b)(?i:create|update|set|add|delete|remove|deploy|clear|rename|move|save|insert|publish"
    r"|connect|link|configure|register|assign|enable|disable|attach|schedule|store|activate)(?![a-z])"
)
"""What tools are called that change something."""
_SHOWS = re.compile(
    r"(?:^|_|\b)(?i:get|list|read|show|describe|inspect)(?![a-z]).*(?i:state|status|variable|node|workflow|plan|config)"
)
"""What tools are called that say how things stand; what they said last counts."""
_CALL, _RESULT = 300, 200
"""Characters of a call that changed something, with its configuration, and of what came of it."""
_WRITES = re.compile(r"write|edit|create|replace|patch|insert|delete|rename", re.IGNORECASE)
_NO_CALL = Block(CALL, "")
"""Of a result whose call is not here."""


class NotedError(Record):
    """One that came up here, or was open in an earlier summary."""

    text: str
    place: int
    solved: str
    """What solved it; empty while nothing did."""
    again: bool
    """Whether it came again, and is told of there."""


class SummaryNote(Record):
    """One line of a summary."""

    section: str
    text: str
    order: int
    weight: int = 1
    """What is larger stays longer."""


def notes(messages: Sequence[Message], previous: str = "") -> list[SummaryNote]:
    """Each thing once; of an earlier summary the errors that were open then."""
    every = [
        *_words(messages),
        *_errors(messages, errors_in(previous)),
        *_states(messages),
        *_files_read(messages),
    ]
    # Of those that say the same the newest counts, at the place of the first.
    by_text: dict[tuple[str, str], SummaryNote] = {}
    for note in every:
        by_text[note.section, note.text] = note
    return list(by_text.values())


def _words(messages: Sequence[Message]) -> Iterator[SummaryNote]:
    """What the model said that is no decision, and what it said last."""
    last = -1
    for index, message in enumerate(messages):
        if message.role == ASSISTANT and _text(message):
            last = index

    for index, message in enumerate(messages):
        if message.role == ASSISTANT:
            text = _text(message)
            yield from _sentences(text, index)
            if index == last:
                yield SummaryNote(LAST, line(text, 2 * LONGEST), index, 6)


_WORTH = {
    SOLUTION: (TROUBLE, 3),
    MADE: (STATE, 2),
    FINDING: (FOUND, 2),
    PROBLEM: (TROUBLE, 2),
}
"""For each kind of sentence its section, and how much it matters."""


def _sentences(text: str, index: int) -> Iterator[SummaryNote]:
    for kind, sentence in telling(text):
        if worth_of(sentence):
            # The hand-over has it.
            continue
        section, weight = _WORTH[kind]
        yield SummaryNote(section, line(sentence), index, weight)


def _errors(messages: Sequence[Message], before: Sequence[SummaryNote]) -> Iterator[SummaryNote]:
    """What went wrong, with what solved it; what nothing solved is open. `before` are those that
    were open earlier.
    """
    review = Review(messages, turns(messages))
    errors: list[NotedError] = []
    for error in review.errors():
        text = f"{error.call}: {telling_line(error.block.text)}"
        errors.append(NotedError(text, error.index, error.solved_by, error.repeated))
    for note in reversed(before):
        text = note.text.removeprefix(ERROR)
        # An earlier summary has the call on one line, and that is how calls are compared.
        solved, again = review.outcome(call_in(text))
        errors.append(NotedError(text, note.order, solved, again))

    for number, noted in enumerate(errors):
        text = noted.text
        if noted.again:
            yield SummaryNote(TROUBLE, text, noted.place, 2)
        elif noted.solved:
            yield SummaryNote(TROUBLE, f"{text}{SOLVED}{noted.solved}", noted.place, 4)
        else:
            weight = 3
            if number < _NEWEST:
                weight = 6
            # Behind everything that was said: it is true now.
            order = len(messages) + noted.place
            yield SummaryNote(OPEN, f"{ERROR}{text}", order, weight)


def _states(messages: Sequence[Message]) -> Iterator[SummaryNote]:
    """Calls that changed something, and the newest of those that asked how it stands."""
    calls: dict[str, Block] = {}
    shown: dict[str, SummaryNote] = {}
    for place, message in enumerate(messages):
        for block in message.blocks:
            if block.kind == CALL:
                calls[block.call] = block
                continue
            if block.kind != RESULT or is_error(block):
                continue
            call = calls.get(block.call) or _NO_CALL
            tool = block.tool or call.tool
            # What is done to a file is noted with the files.
            if not tool or _path(call):
                continue
            asked = line(f"{tool} {call.text}", _CALL)
            text = f"{asked}: {_answer(block.text, _RESULT)}"
            if _CHANGES.search(tool):
                yield SummaryNote(STATE, text, place, 3)
            elif _SHOWS.search(tool):
                shown[asked] = SummaryNote(STATE, text, place, 2)
    yield from shown.values()


def _files_read(messages: Sequence[Message]) -> Iterator[SummaryNote]:
    """Each file once that was only read."""
    last: dict[str, int] = {}
    written: set[str] = set()
    for index, message in enumerate(messages):
        for block in message.blocks:
            path = ""
            if block.kind == CALL:
                path = _path(block)
            if path and _WRITES.search(block.tool):
                written.add(path)
            elif path:
                last[path] = index

    for path, index in last.items():
        if path not in written:
            yield SummaryNote(READ, line(path), index, 1)


def open_errors(messages: Sequence[Message], previous: str = "") -> list[str]:
    """Those that nothing has put right, newest first; also those that were open in an earlier
    summary.
    """
    errors = _errors(messages, errors_in(previous))
    return [note.text.removeprefix(ERROR) for note in errors if note.section == OPEN]


def errors_in(previous: str) -> list[SummaryNote]:
    """What stands in summaries of ours as an error that is open; older than everything after it."""
    texts: list[str] = []
    section = ""
    for row in previous.splitlines():
        if row.startswith("## "):
            section = row[3:].strip()
        elif section == OPEN and row.startswith(f"- {ERROR}"):
            texts.append(row[2:])
    return [SummaryNote(OPEN, text, order) for order, text in enumerate(texts, -len(texts))]


def _text(message: Message) -> str:
    texts: list[str] = []
    for block in message.blocks:
        if block.kind == TEXT and not stands_for_others(block.text):
            texts.append(block.text)
    return "\n".join(texts).strip()


def _answer(text: str, most: int) -> str:
    """What a tool said, on one line behind the mark of a quote."""
    return quoted_line(line(text, most))


def _path(call: Block) -> str:
    path = PATH.search(call.text)
    if path is None:
        return ""
    return path[1]
