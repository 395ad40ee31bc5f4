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
    from collections.abc import Iterable, Iterator, Sequence

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
    return newest_of_each(every)


def newest_of_each(every: Iterable[SummaryNote]) -> list[SummaryNote]:
    """Of those that say the same the newest counts, at the place of the first."""
    return list({(note.section, note.text): note for note in every}.values())


def _words(messages: Sequence[Message]) -> Iterator[SummaryNote]:
    """What the model said that is no decision, and what it said last."""
    texts = [
        (index, _text(message))
        for index, message in enumerate(messages)
        if message.role == ASSISTANT
    ]
    for index, text in texts:
        for kind, sentence in telling(text):
            # The hand-over has what is worth one.
            if not worth_of(sentence):
                section, weight = _WORTH[kind]
                yield SummaryNote(section, line(sentence), index, weight)
    said = [(index, text) for index, text in texts if text]
    for index, text in said[-1:]:
        yield SummaryNote(LAST, line(text, 2 * LONGEST), index, 6)


_WORTH = {
    SOLUTION: (TROUBLE, 3),
    MADE: (STATE, 2),
    FINDING: (FOUND, 2),
    PROBLEM: (TROUBLE, 2),
}
"""For each kind of sentence its section, and how much it matters."""


def _errors(messages: Sequence[Message], before: Sequence[SummaryNote]) -> Iterator[SummaryNote]:
    """What went wrong, with what solved it; what nothing solved is open. `before` are those that
    were open earlier.
    """
    review = Review(messages, turns(messages))
    errors: list[tuple[str, int, str, bool]] = []
    for error in review.errors():
        text = f"{error.call}: {telling_line(error.block.text)}"
        errors.append((text, error.index, error.solved_by, error.repeated))
    for note in reversed(before):
        text = note.text.removeprefix(ERROR)
        # An earlier summary has the call on one line, and that is how calls are compared.
        errors.append((text, note.order, *review.outcome(call_in(text))))

    for number, (text, place, solved, came_again) in enumerate(errors):
        if came_again:
            # It is told of where it came again.
            yield SummaryNote(TROUBLE, text, place, 2)
        elif solved:
            yield SummaryNote(TROUBLE, f"{text}{SOLVED}{solved}", place, 4)
        else:
            # Behind everything that was said: it is true now.
            weight = 6 if number < _NEWEST else 3
            yield SummaryNote(OPEN, f"{ERROR}{text}", len(messages) + place, weight)


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
            text = f"{asked}: {quoted_line(line(block.text, _RESULT))}"
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
            path = _path(block) if block.kind == CALL else ""
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
    texts = (block.text for block in message.blocks if block.kind == TEXT)
    return "\n".join(text for text in texts if not stands_for_others(text)).strip()


def _path(call: Block) -> str:
    path = PATH.search(call.text)
    return path[1] if path else ""
