"""What in a conversation is worth a note, which section of a summary it belongs to, and how much it matters."""

from __future__ import annotations

import re

from director_ctx.history.message import ASSISTANT, CALL, RESULT, TEXT, USER
from director_ctx.history.reached import is_ticked
from director_ctx.history.trouble import is_error, last_open_error
from director_ctx.history.turns import open_calls, turns
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.message import Block, Message

ASKED = "What the user asked for"
DECIDED = "Key decisions and rationale"
TROUBLE = "Problems encountered and solutions"
FOUND = "Findings"
STATE = "State, variables and what was created"
FILES = "Files touched"
OPEN = "Open"
LAST = "Where it stands"
SECTIONS = (ASKED, DECIDED, TROUBLE, FOUND, STATE, FILES, OPEN, LAST)

LONGEST = 500
_DECISION = re.compile(
    r"\b(?:decid\w+|chose|choos\w+|instead of|rather than|going with|go with|settled|agreed|prefer\w*|trade-?off"
    r"|(?:I|we)(?:'ll| will)? (?:use|keep|take)|because|so that)\b",
    re.IGNORECASE,
)
_FINDING = re.compile(
    r"\b(?:found|find that|turns out|root cause|the (?:problem|reason|cause) (?:is|was)|confirm\w*|discover\w*"
    r"|shows? that|it (?:is|was) (?:in|at|caused)|stable|located|works? (?:now|with)|pass(?:es|ed)?)\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:must|never|always|do not|don't|only|without|prefer|want|need|important|require\w*|no longer|stop)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(\[])|\n+")
_CHANGES = re.compile(
    r"(?:^|_|\b)(?:create|update|set|add|delete|remove|deploy|clear|rename|move|save|insert|publish)(?=_|[A-Z]|\b|$)",
    re.IGNORECASE,
)
_PATH = re.compile(r'"(?:file_?path|path|filename|file|notebook_path|absolute_path|target_file)":\s*"([^"\n]{1,300})"')
_WRITES = re.compile(r"write|edit|create|replace|patch|insert|delete|rename", re.IGNORECASE)
_SIGNAL = re.compile(r"error|exception|fail|denied|not found|cannot|traceback|refused|timed? ?out", re.IGNORECASE)


class Note(Record):
    """One line of a summary."""

    section: str
    text: str
    order: int
    weight: int = 1
    """What is larger stays longer."""


def notes(messages: Sequence[Message]) -> list[Note]:
    """In the order of the conversation, each thing once."""
    found = [*_said(messages), *_happened(messages), *_files(messages), *_open(messages)]
    return list({(one.section, one.text): one for one in found}.values())


def _said(messages: Sequence[Message]) -> Iterator[Note]:
    last = max((place for place, one in enumerate(messages) if one.role == ASSISTANT and _text(one)), default=-1)
    for place, message in enumerate(messages):
        text = _text(message)
        if not text:
            continue
        if message.role == USER:
            yield Note(ASKED, line(text, 8 * LONGEST), place, 5 if _MUST.search(text) else 3)
        elif message.role == ASSISTANT:
            yield from _sentences(text, place)
            if place == last:
                yield Note(LAST, line(text, 2 * LONGEST), place, 6)


def _sentences(text: str, place: int) -> Iterator[Note]:
    for sentence in _SENTENCE.split(text):
        if len(sentence) > 20 and _DECISION.search(sentence):
            yield Note(DECIDED, line(sentence), place, 4)
        elif len(sentence) > 20 and _FINDING.search(sentence):
            yield Note(FOUND, line(sentence), place, 2)


def _happened(messages: Sequence[Message]) -> Iterator[Note]:
    """Errors with what solved them, and calls that changed something."""
    calls: dict[str, Block] = {}
    wrong: dict[str, tuple[str, int]] = {}
    for place, message in enumerate(messages):
        for block in message.blocks:
            if block.kind == CALL:
                calls[block.call] = block
            elif block.kind == RESULT:
                yield from _result(block, calls.get(block.call), place, wrong)
    for text, place in wrong.values():
        yield Note(TROUBLE, f"{text} (not solved here)", place, 5)


def _result(block: Block, call: Block | None, place: int, wrong: dict[str, tuple[str, int]]) -> Iterator[Note]:
    tool = block.tool or (call.tool if call else "")
    what = _called(tool, call)
    if is_error(block):
        earlier = wrong.pop(tool, None)
        if earlier:
            yield Note(TROUBLE, earlier[0], earlier[1], 2)
        wrong[tool] = f"{what}: {_signal(block.text)}", place
        return
    if tool in wrong:
        text, began = wrong.pop(tool)
        yield Note(TROUBLE, f"{text} -> solved: {what}", began, 4)
    if tool and _CHANGES.search(tool) and not _path(call):
        yield Note(STATE, f"{what}: {line(block.text, 200)}", place, 3)


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
    rows = turns(messages)
    for item in _todo(messages):
        yield Note(OPEN, item, len(messages), 6)
    waiting = open_calls(messages)
    for message in messages[-3:] if waiting else ():
        for block in message.blocks:
            if block.kind == CALL and block.call in waiting:
                yield Note(OPEN, f"not answered yet: {_called(block.tool, block)}", len(messages), 6)
    for text in open_errors(messages, rows):
        yield Note(OPEN, f"error: {text}", len(messages), 6)


def open_errors(messages: Sequence[Message], rows: Sequence[range] | None = None) -> list[str]:
    """The last error, if nothing went well since."""
    row = last_open_error(messages, turns(messages) if rows is None else rows)
    calls = {block.call: block for place in row or () for block in messages[place].blocks if block.kind == CALL}
    return [
        f"{_called(block.tool, calls.get(block.call))}: {_signal(block.text)}"
        for place in row or ()
        for block in messages[place].blocks
        if is_error(block)
    ]


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


def _text(message: Message) -> str:
    return "\n".join(block.text for block in message.blocks if block.kind == TEXT and block.text).strip()


def _path(call: Block | None) -> str:
    found = _PATH.search(call.text) if call else None
    return found[1] if found else ""


def _called(tool: str, call: Block | None) -> str:
    return line(f"{tool or 'a tool'} {call.text if call else ''}", 160)


def _signal(text: str) -> str:
    """The line of a result that says what went wrong: the last that does, else the last of all."""
    lines = [one for one in text[-20_000:].splitlines() if one.strip()]
    wrong = [one for one in lines if _SIGNAL.search(one)]
    return line((wrong or lines or [""])[-1], 300)


def line(text: str, most: int = LONGEST) -> str:
    """On one line, and not longer than this; of what is long, both ends."""
    near = text if len(text) <= 20 * most else f"{text[: 9 * most]} ... {text[-9 * most :]}"
    short = " ".join(near.split())
    if len(short) <= most:
        return short
    return f"{short[: most * 2 // 3].rstrip()} ... {short[-(most // 3) :].lstrip()}"
