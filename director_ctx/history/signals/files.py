"""Which files a call reads and changes, and which reads a later one has overtaken."""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.history.formats.parts import read_json
from director_ctx.history.messages.message import CALL, RESULT, size
from director_ctx.history.messages.stubs import called_before, result_stub
from director_ctx.history.signals.attempts import COMMANDS, FILES
from director_ctx.history.signals.errors import is_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Block, Count, Message

    Span = tuple[float, float]
    Touch = tuple[str, Span | None]
    """A file, with the lines of it that are shown; None where it is changed."""


ALL = (0.0, float("inf"))
_LONG = 4_000
"""Characters of arguments that are worth remembering."""
_LOOKED_AT = 1000
"""Characters of a command in which it says what it changes."""
_EDITS = frozenset("edit write replace patch create insert append update".split())
_READS = frozenset("read view open cat".split())
_BESIDE = frozenset(
    "file files text content contents notebook cell str string multi multiple fs lines line source code apply search"
    " and in to by range block get the media".split()
)
"""What else may be in the name of a tool that only reads, or only changes, a file."""
_WHERE = (
    "workdir",
    "cwd",
    "directory",
    "repo",
    "ref",
    "branch",
    "host",
    "container",
    "machine",
    "working_directory",
)
"""Arguments that say in which place a file is: of the same name there are others elsewhere."""
_PARTS = ("pages", "cell_id", "head", "tail", "lines", "range", "chunk", "page", "symbol")
"""Arguments that ask for some of a file in a way that is not compared."""
_TRIES = ("dryRun", "dry_run", "preview")
_WORD = re.compile(r"[A-Z]?[a-z]+")
_RANGES = (("start_line", "end_line"), ("start_line_one_indexed", "end_line_one_indexed_inclusive"))
_ASIDE = re.compile(r"^cd (\S+) && ")
_SHOWN = re.compile(
    r"(?:cat|nl)(?: -\w+)* (?P<all>[\w./@~+-]+)(?: \| sed -n ['\"]?(?P<start>\d+),(?P<end>\d+)p['\"]?)?"
    r"|sed -n ['\"]?(?P<first>\d+),(?P<last>\d+)p['\"]? (?P<part>[\w./@~+-]+)"
)
_GOES = re.compile(r'"(?:command|cmd)":\s*"\s*(?:cd|pushd|popd)\b[^"&;|\\]*"')
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
_CHANGED = re.compile(
    r"(?:>>?|\btee(?: -a)?) *(?P<into>[\w./@~+-]+)|\bsed -i\b[^\n|;&]* (?P<there>[\w./@~+-]+) *(?:$|[\n|;&])"
    r"|^\*\*\* (?:Update|Delete|Add) File: (?P<patched>\S+)",
    re.MULTILINE,
)


def goes_elsewhere(call: Block) -> bool:
    """Whether it leads into another folder for good, so that short names mean other files before
    it.
    """
    return _GOES.search(call.text) is not None


def touched(call: Block) -> tuple[Touch, ...]:
    known = len(call.text) <= _LONG
    return _touched(call.tool, call.text) if known else _touched.__wrapped__(call.tool, call.text)


@lru_cache(maxsize=4096)  # A conversation is looked at again with everything that is added to it.
def _touched(tool: str, arguments: str) -> tuple[Touch, ...]:
    return tuple(_touches(tool, arguments))


def _touches(tool: str, arguments: str) -> Iterator[Touch]:
    try:
        given = read_json(arguments)
    except (ValueError, RecursionError):
        given = arguments
    if isinstance(given, str):
        yield from _changed(given)
        return
    if not isinstance(given, dict) or any(given.get(key) for key in _TRIES):
        return

    path = _path(given)
    command = _command(given)
    touches = _of_tool(tool, command, path, given) if path else _of_command(command)
    where = " ".join(str(given[key]) for key in _WHERE if given.get(key))
    for name, span in touches:
        yield f"{name} in {where}" if where else name, span


def _path(given: dict[str, Any]) -> str:
    for key in FILES:
        path = given.get(key)
        if isinstance(path, str):
            return path
    return ""


def _command(given: dict[str, Any]) -> str:
    """What a shell is to do, or an editor; in a list it is the last."""
    for key in COMMANDS:
        command = given.get(key)
        if isinstance(command, str):
            return command
        if isinstance(command, list):
            return str(command[-1]) if command else ""
    return ""


def _of_tool(tool: str, command: str, path: str, given: dict[str, Any]) -> Iterator[Touch]:
    """An editor with several abilities says in its command what it is asked to do."""
    ability = command or tool.rpartition("__")[2]
    words = {word.lower() for word in _WORD.findall(ability)} - _BESIDE
    if not words:
        return
    if words <= _EDITS:
        yield _plain(path), None
    elif words <= _READS:
        span = _span(given)
        if span is not None:
            yield _plain(path), span


def _span(given: dict[str, Any]) -> Span | None:
    """The lines that are asked for, from the first up to the one behind the last; None where that
    is not known.
    """
    if any(given.get(key) is not None for key in _PARTS):
        return None
    for first, last in _ranges(given):
        if isinstance(first, int) or isinstance(last, int):
            start = first if isinstance(first, int) else 0
            end = last + 1 if isinstance(last, int) and last >= 0 else ALL[1]
            return start, end

    start_at, many = _number(given.get("offset")), _number(given.get("limit"))
    if start_at is None or many is None:
        return None
    return (start_at, start_at + many) if many else (start_at, ALL[1])


def _ranges(given: dict[str, Any]) -> list[list[Any]]:
    """What may be the first and the last line that are asked for."""
    view = given.get("view_range")
    if isinstance(view, list) and len(view) == 2:
        return [view]
    return [[given.get(first), given.get(last)] for first, last in _RANGES]


def _number(value: Any) -> int | None:
    """0 where nothing is said; None for what is no place in a file."""
    if value is None:
        return 0
    return value if isinstance(value, int) and value >= 0 else None


def _of_command(command: str) -> Iterator[Touch]:
    aside = _ASIDE.match(command)
    if not aside:
        yield from _of_line(command)
        return
    for name, span in _of_line(command[aside.end() :]):
        yield name if name[0] in "/~" else f"{aside[1]}/{name}", span


def _of_line(command: str) -> Iterator[Touch]:
    shown = _SHOWN.fullmatch(command.strip())
    if not shown:
        yield from _changed(command)
        return
    path = _plain(shown["all"] or shown["part"])
    first = shown["start"] or shown["first"]
    last = shown["end"] or shown["last"]
    yield path, (int(first), int(last) + 1) if first else ALL


def _changed(command: str) -> Iterator[Touch]:
    """What stands in a script that is written down is no command."""
    if not command.startswith("***"):
        command = _QUOTED.sub("''", command.partition("<<")[0][:_LOOKED_AT])
        if ">" not in command and "sed -i" not in command and "tee" not in command:
            return
    for found in _CHANGED.finditer(command):
        yield _plain(found["into"] or found["there"] or found["patched"]), None


def _plain(path: str) -> str:
    return path.removeprefix("./")


MOST = 32
"""Later readings of one file that are remembered."""
_BEGINS = 200
_WRONG = re.compile(
    r"\A\W*(?:error|failed|cannot|could not|unable|no (?:such|replacement|match))\b"
    r"|\b(?:no such file|not found|no replacement was|did not appear|permission denied|\[… )",
    re.IGNORECASE,
)
"""How a result begins of what came to nothing, or was cut before."""
_AS_MUCH = 0.5
"""A client may say of a second reading only that nothing has changed; such a result stands for
nothing.
"""


class _Later:
    """What is known of a file, going back: whether it was changed, and which lines were shown with
    how many letters.
    """

    def __init__(self) -> None:
        self.changed = False
        self.shown: list[tuple[Span, int]] = []

    def has(self, span: Span, letters: int) -> bool:
        if self.changed:
            return True
        for shown, many in self.shown:
            is_inside = shown[0] <= span[0] and span[1] <= shown[1]
            if is_inside and many >= letters * _AS_MUCH:
                return True
        return False


def superseded(messages: Sequence[Message]) -> set[int]:
    """The identities of results whose file was read again, all that they show of it, or changed
    afterwards.
    """
    return {id(result) for result, holds in looked_back(messages) if not holds}


def looked_back(messages: Sequence[Message]) -> Iterator[tuple[Block, bool]]:
    """The result of each call, newest first, and whether it still holds; where calls have no ids,
    it does.
    """
    results: dict[str, Block] = {}
    files: dict[str, _Later] = {}
    for message in reversed(messages):
        for block in reversed(message.blocks):
            if block.kind == RESULT:
                results[block.call] = block
            if block.kind != CALL:
                continue

            if goes_elsewhere(block):
                files = _with_full_names(files)
            result = results.pop(block.call, None)
            if result is not None:
                is_overtaken = bool(block.call) and _looked_at(block, result, files)
                yield result, not is_overtaken


def _with_full_names(files: dict[str, _Later]) -> dict[str, _Later]:
    return {path: later for path, later in files.items() if path.startswith(("/", "~"))}


def _looked_at(call: Block, result: Block, files: dict[str, _Later]) -> bool:
    """Whether what a call showed was overtaken; and what it did is remembered for those before it."""
    if _failed(result):
        return False
    overtaken = False
    for path, span in touched(call):
        later = files.setdefault(path, _Later())
        if _overtaken(later, span, result):
            overtaken = True
    return overtaken


def _failed(result: Block) -> bool:
    """Not all tools say so in a way that a program can read."""
    return is_error(result) or _WRONG.search(result.text[:_BEGINS]) is not None


def _overtaken(later: _Later, span: Span | None, result: Block) -> bool:
    """Whether what a call showed of a file is there again, or changed. What it did itself is
    remembered.
    """
    letters = len(result.text)
    if span is None:
        later.changed = True
    elif later.has(span, letters):
        return True
    else:
        later.shown = [*later.shown[1 - MOST :], (span, letters)]
    return False


def without_superseded(
    messages: Sequence[Message], found: set[int], safe: set[int], target: int, count: Count
) -> list[Message] | None:
    """Without readings that were overtaken, as few and as late ones as suffice; None if all of them
    do not.
    """
    calls = called_before(messages) if found else {}
    shorter = list(messages)
    left = size(messages)
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if index in safe or not any(id(block) in found for block in message.blocks):
            continue

        blocks = []
        for block in message.blocks:
            blocks.append(_stubbed(block, calls, count) if id(block) in found else block)
        shorter[index] = message.with_blocks(blocks)
        left -= message.tokens - shorter[index].tokens
        if left <= target:
            return shorter
    return None


def _stubbed(block: Block, calls: Mapping[int, str], count: Count) -> Block:
    stub = result_stub(block, before=calls.get(id(block), ""))
    short = block.changed(stub, "superseded", count)
    return short if short.tokens < block.tokens else block
