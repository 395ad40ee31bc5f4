"""What in a conversation is worth a note, which section of a summary it belongs to, and how much it
matters.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.one_line import LONGEST, line
from director_ctx.base.record import Record
from director_ctx.history.digest.voice import voice_of
from director_ctx.history.digest.write import users_words
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, TEXT, USER, Block
from director_ctx.history.messages.quoted import quoted_line
from director_ctx.history.messages.stubs import stands_for_others
from director_ctx.history.messages.turns import open_calls, turns
from director_ctx.history.signals.attempts import PATH
from director_ctx.history.signals.errors import Review, is_error
from director_ctx.history.signals.phases import is_ticked
from director_ctx.history.summaries.sentences import (
    DECISION,
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

ASKED = "What the user asked for"
DECIDED = "Key decisions and rationale"
TROUBLE = "Problems encountered and solutions"
FOUND = "Findings"
STATE = "State, variables and what was created"
FILES = "Files touched"
OPEN = "Open"
LAST = "Where it stands"
SECTIONS = (ASKED, DECIDED, TROUBLE, FOUND, STATE, FILES, OPEN, LAST)

ERROR, SOLVED = "error: ", " -> solved: "
_NEWEST = 10
"""Of errors that are open so many matter more than anything else."""
_MUST = re.compile(
    r"\b(?:must|never|always|do not|don't|only|without|prefer|want|need|important|require\w*|no longer|stop)\b",
    re.IGNORECASE,
)
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
_SIGNAL = re.compile(
    r"error|exception|fail|denied|not found|cannot|traceback|refused|timed? ?out", re.IGNORECASE
)


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
        *_files(messages),
        *_open(messages),
    ]
    # Of those that say the same the newest counts, at the place of the first.
    by_text: dict[tuple[str, str], SummaryNote] = {}
    for note in every:
        by_text[note.section, note.text] = note
    return list(by_text.values())


def _words(messages: Sequence[Message]) -> Iterator[SummaryNote]:
    """What the user asked for, and what the model said of it."""
    last = -1
    for index, message in enumerate(messages):
        if message.role == ASSISTANT and _text(message):
            last = index

    for index, message in enumerate(messages):
        if message.role == USER:
            asked = _asked(message)
            if asked:
                yield _request(asked, index)
        elif message.role == ASSISTANT:
            text = _text(message)
            yield from _sentences(text, index)
            if index == last:
                yield SummaryNote(LAST, line(text, 2 * LONGEST), index, 6)


def _request(asked: str, index: int) -> SummaryNote:
    weight = 3
    if _MUST.search(asked):
        weight = 5
    return SummaryNote(ASKED, line(asked, 8 * LONGEST), index, weight)


_WORTH = {
    DECISION: (DECIDED, 4),
    SOLUTION: (TROUBLE, 3),
    MADE: (STATE, 2),
    FINDING: (FOUND, 2),
    PROBLEM: (TROUBLE, 2),
}
"""For each kind of sentence its section, and how much it matters."""


def _sentences(text: str, index: int) -> Iterator[SummaryNote]:
    for kind, sentence in telling(text):
        section, weight = _WORTH[kind]
        yield SummaryNote(section, line(sentence), index, weight)


def _errors(messages: Sequence[Message], before: Sequence[SummaryNote]) -> Iterator[SummaryNote]:
    """What went wrong, with what solved it; what nothing solved is open. `before` are those that
    were open earlier.
    """
    review = Review(messages, turns(messages))
    errors: list[NotedError] = []
    for error in review.errors():
        text = f"{error.call}: {_signal(error.block.text)}"
        errors.append(NotedError(text, error.index, error.solved_by, error.repeated))
    for note in reversed(before):
        text = note.text.removeprefix(ERROR)
        # An earlier summary has the call on one line, and that is how calls are compared.
        solved, again = review.outcome(_call_in(text))
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


def _call_in(text: str) -> str:
    """The call in front of what came of it."""
    _, _, rest = text.partition(" ")
    # Arguments in JSON have colons of their own.
    if rest.startswith("{"):
        end = text.find("}: ") + 1
        if end > 0:
            return text[:end]
    call, _, _ = text.partition(": ")
    return call


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


def _files(messages: Sequence[Message]) -> Iterator[SummaryNote]:
    """Each file once, with how often it was read and written."""
    read: dict[str, int] = {}
    written: dict[str, int] = {}
    last: dict[str, int] = {}
    for index, message in enumerate(messages):
        for block in message.blocks:
            path = ""
            if block.kind == CALL:
                path = _path(block)
            if not path:
                continue
            counts = read
            if _WRITES.search(block.tool):
                counts = written
            counts[path] = counts.get(path, 0) + 1
            last[path] = index

    for path, index in last.items():
        times = [
            *_times("changed", written.get(path, 0)),
            *_times("read", read.get(path, 0)),
        ]
        text = f"{line(path)} ({', '.join(times)})"
        weight = 1
        if path in written:
            weight = 4
        yield SummaryNote(FILES, text, index, weight)


def _times(what: str, count: int) -> Iterator[str]:
    if count > 1:
        yield f"{what} {count} times"
    elif count:
        yield what


def _open(messages: Sequence[Message]) -> Iterator[SummaryNote]:
    for item in _todo(messages):
        yield SummaryNote(OPEN, item, len(messages), 6)
    waiting = open_calls(messages)
    if not waiting:
        return
    for message in messages[-3:]:
        for block in message.blocks:
            if block.kind == CALL and block.call in waiting:
                call = line(f"{block.tool or 'a tool'} {block.text}", 160)
                yield SummaryNote(OPEN, f"not answered yet: {call}", len(messages), 6)


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


def _todo(messages: Sequence[Message]) -> Iterator[str]:
    """What is not done in the newest list of things to do."""
    for message in reversed(messages):
        for block in message.blocks:
            # Most calls have no such list, and parsing them takes time.
            may_have_list = '"todos"' in block.text or '"plan"' in block.text
            if block.kind != CALL or not may_have_list:
                continue
            try:
                arguments = json.loads(block.text)
            except (ValueError, RecursionError):
                continue
            yield from _not_done(arguments)
            return


def _not_done(arguments: object) -> Iterator[str]:
    if not isinstance(arguments, dict):
        return
    items = arguments.get("todos") or arguments.get("plan")
    if not isinstance(items, list):
        return
    for item in items:
        if isinstance(item, dict) and not is_ticked(item):
            # Each client has its own word for what is to be done.
            what = item.get("content") or item.get("step") or item
            yield line(str(what))


def _asked(message: Message) -> str:
    """What the user said in a message; of a digest what it repeats of the user's words."""
    texts: list[str] = []
    for block in message.blocks:
        if block.kind != TEXT:
            continue
        if stands_for_others(block.text):
            texts.append(users_words(block.text))
        elif voice_of(message, block) == USER:
            texts.append(block.text)
    return "\n".join(texts).strip()


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


def _signal(text: str) -> str:
    """The line of a result that says what went wrong: the last that does, else the last of all."""
    last = ""
    last_signal = ""
    # What went wrong stands near the end; a log may be very long.
    for row in text[-20_000:].splitlines():
        if not row.strip():
            continue
        last = row
        if _SIGNAL.search(row):
            last_signal = row
    return _answer(last_signal or last, 300)
