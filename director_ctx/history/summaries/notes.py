"""What in a conversation is worth a note, which section of a summary it belongs to, and how much it
matters.
"""

from __future__ import annotations

import re

from director_ctx.base.one_line import LONGEST, line
from director_ctx.base.record import Record
from director_ctx.history.digest.voice import voice_of
from director_ctx.history.digest.write import users_words
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, TEXT, USER
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

    from director_ctx.history.messages.message import Block, Message

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


class Note(Record):
    """One line of a summary."""

    section: str
    text: str
    order: int
    weight: int = 1
    """What is larger stays longer."""


def notes(messages: Sequence[Message], previous: str = "") -> list[Note]:
    """Each thing once; of an earlier summary the errors that were open then."""
    errors = _errors(messages, errors_in(previous))
    found = [*_said(messages), *errors, *_states(messages), *_files(messages), *_open(messages)]
    return list({(one.section, one.text): one for one in found}.values())


def _said(messages: Sequence[Message]) -> Iterator[Note]:
    last = max(
        (place for place, one in enumerate(messages) if one.role == ASSISTANT and _text(one)),
        default=-1,
    )
    for place, message in enumerate(messages):
        text = _asked(message) if message.role == USER else _text(message)
        if not text:
            continue
        if message.role == USER:
            yield Note(ASKED, line(text, 8 * LONGEST), place, 5 if _MUST.search(text) else 3)
        elif message.role == ASSISTANT:
            yield from _sentences(text, place)
            if place == last:
                yield Note(LAST, line(text, 2 * LONGEST), place, 6)


_WORTH = {
    DECISION: (DECIDED, 4),
    SOLUTION: (TROUBLE, 3),
    MADE: (STATE, 2),
    FINDING: (FOUND, 2),
    PROBLEM: (TROUBLE, 2),
}
"""For each kind of sentence its section, and how much it matters."""


def _sentences(text: str, place: int) -> Iterator[Note]:
    for kind, sentence in telling(text):
        section, weight = _WORTH[kind]
        yield Note(section, line(sentence), place, weight)


def _errors(messages: Sequence[Message], before: Sequence[Note]) -> Iterator[Note]:
    """What went wrong, with what solved it; what nothing solved is open. `before` are those that
    were open earlier.
    """
    review = Review(messages, turns(messages))
    now = [(f"{one.called}: {_signal(one.block.text)}", one.place, one) for one in review.errors()]
    found = [(text, place, one.solved, one.again) for text, place, one in now]
    for note in reversed(before):
        text = note.text.removeprefix(ERROR)
        found.append((text, note.order, *review.since(_call_in(text))))
    for number, (text, place, solved, again) in enumerate(found):
        if again:
            yield Note(TROUBLE, text, place, 2)
        elif solved:
            yield Note(TROUBLE, f"{text}{SOLVED}{solved}", place, 4)
        else:
            yield Note(OPEN, f"{ERROR}{text}", len(messages) + place, 6 if number < _NEWEST else 3)


def _call_in(text: str) -> str:
    """The call in front of what came of it."""
    _, _, rest = text.partition(" ")
    end = text.find("}: ") + 1 if rest.startswith("{") else 0
    return text[:end] if end > 0 else text.partition(": ")[0]


def _states(messages: Sequence[Message]) -> Iterator[Note]:
    """Calls that changed something, and the newest of those that asked how it stands."""
    calls: dict[str, Block] = {}
    shown: dict[str, Note] = {}
    for place, message in enumerate(messages):
        for block in message.blocks:
            if block.kind == CALL:
                calls[block.call] = block
                continue
            if block.kind != RESULT or is_error(block):
                continue
            call = calls.get(block.call)
            tool = block.tool or (call.tool if call else "")
            if not tool or _path(call):
                continue
            asked = line(f"{tool} {call.text if call else ''}", _CALL)
            text = f"{asked}: {_answer(block.text, _RESULT)}"
            if _CHANGES.search(tool):
                yield Note(STATE, text, place, 3)
            elif _SHOWS.search(tool):
                shown[asked] = Note(STATE, text, place, 2)
    yield from shown.values()


def _files(messages: Sequence[Message]) -> Iterator[Note]:
    """Each file once, with how often it was read and written."""
    seen: dict[str, list[int]] = {}
    for place, message in enumerate(messages):
        for block in message.blocks:
            if block.kind == CALL and (path := _path(block)):
                counts = seen.setdefault(path, [0, 0, place])
                counts[1 if _WRITES.search(block.tool) else 0] += 1
                counts[2] = place
    for path, (read, written, place) in seen.items():
        counted = (("changed", written), ("read", read))
        words = [f"{what} {count} times" if count > 1 else what for what, count in counted if count]
        yield Note(FILES, f"{line(path)} ({', '.join(words)})", place, 4 if written else 1)


def _open(messages: Sequence[Message]) -> Iterator[Note]:
    for item in _todo(messages):
        yield Note(OPEN, item, len(messages), 6)
    waiting = open_calls(messages)
    for message in messages[-3:] if waiting else ():
        for block in message.blocks:
            if block.kind == CALL and block.call in waiting:
                yield Note(
                    OPEN, f"not answered yet: {_called(block.tool, block)}", len(messages), 6
                )


def open_errors(messages: Sequence[Message], previous: str = "") -> list[str]:
    """Those that nothing has put right, newest first; also those that were open in an earlier
    summary.
    """
    found = [one for one in _errors(messages, errors_in(previous)) if one.section == OPEN]
    return [one.text.removeprefix(ERROR) for one in found]


def errors_in(previous: str) -> list[Note]:
    """What stands in summaries of ours as an error that is open; older than everything after it."""
    found, section = [], ""
    for row in previous.splitlines():
        if row.startswith("## "):
            section = row[3:].strip()
        elif section == OPEN and row.startswith(f"- {ERROR}"):
            found.append(row[2:])
    return [Note(OPEN, text, place - len(found)) for place, text in enumerate(found)]


def _todo(messages: Sequence[Message]) -> Iterator[str]:
    """What is not done in the newest list of things to do."""
    import json

    for message in reversed(messages):
        for block in message.blocks:
            if block.kind != CALL or ('"todos"' not in block.text and '"plan"' not in block.text):
                continue
            try:
                found = json.loads(block.text)
            except (ValueError, RecursionError):
                continue
            items = found.get("todos") or found.get("plan") if isinstance(found, dict) else None
            for item in items if isinstance(items, list) else ():
                if isinstance(item, dict) and not is_ticked(item):
                    yield line(str(item.get("content") or item.get("step") or item))
            return


def _asked(message: Message) -> str:
    """What the user said in a message; of a digest what it repeats of the user's words."""
    said: list[str] = []
    for block in message.blocks:
        if block.kind != TEXT:
            continue
        if stands_for_others(block.text):
            said.append(users_words(block.text))
        elif voice_of(message, block) == USER:
            said.append(block.text)
    return "\n".join(said).strip()


def _text(message: Message) -> str:
    said = [
        block.text
        for block in message.blocks
        if block.kind == TEXT and not stands_for_others(block.text)
    ]
    return "\n".join(said).strip()


def _answer(text: str, most: int) -> str:
    """What a tool said, on one line behind the mark of a quote."""
    return quoted_line(line(text, most))


def _path(call: Block | None) -> str:
    found = PATH.search(call.text) if call else None
    return found[1] if found else ""


def _called(tool: str, call: Block | None) -> str:
    return line(f"{tool or 'a tool'} {call.text if call else ''}", 160)


def _signal(text: str) -> str:
    """The line of a result that says what went wrong: the last that does, else the last of all."""
    lines = [one for one in text[-20_000:].splitlines() if one.strip()]
    wrong = [one for one in lines if _SIGNAL.search(one)]
    return _answer((wrong or lines or [""])[-1], 300)
