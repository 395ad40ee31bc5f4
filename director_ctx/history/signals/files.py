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
    elif isinstance(given, dict) and not any(given.get(key) for key in _TRIES):
        command, path = (
            _command(given),
            next((given[key] for key in FILES if isinstance(given.get(key), str)), ""),
        )
        where = " ".join(str(given[key]) for key in _WHERE if given.get(key))
        for name, span in _of_tool(tool, command, path, given) if path else _of_command(command):
            yield f"{name} in {where}" if where else name, span


def _command(given: dict[str, Any]) -> str:
    """What a shell is to do, or an editor; in a list it is the last."""
    found = next((given[key] for key in COMMANDS if isinstance(given.get(key), (str, list))), "")
    return found if isinstance(found, str) else str(found[-1]) if found else ""


def _of_tool(tool: str, command: str, path: str, given: dict[str, Any]) -> Iterator[Touch]:
    """An editor with several abilities says in its command what it is asked to do."""
    words = {word.lower() for word in _WORD.findall(command or tool.rpartition("__")[2])} - _BESIDE
    if words and words <= _EDITS:
        yield _plain(path), None
    elif words and words <= _READS and (span := _span(given)) is not None:
        yield _plain(path), span


def _span(given: dict[str, Any]) -> Span | None:
    """The lines that are asked for, from the first up to the one behind the last; None where that
    is not known.
    """
    if any(given.get(key) is not None for key in _PARTS):
        return None
    view = given.get("view_range")
    pairs = (
        [view]
        if isinstance(view, list) and len(view) == 2
        else [[given.get(one) for one in pair] for pair in _RANGES]
    )
    for first, last in pairs:
        if isinstance(first, int) or isinstance(last, int):
            end = last + 1 if isinstance(last, int) and last >= 0 else ALL[1]
            return (first if isinstance(first, int) else 0, end)
    first, many = (_number(given.get(key)) for key in ("offset", "limit"))
    if first is None or many is None:
        return None
    return (first, first + many) if many else (first, ALL[1])


def _number(value: Any) -> int | None:
    """0 where nothing is said; None for what is no place in a file."""
    if value is None:
        return 0
    return value if isinstance(value, int) and value >= 0 else None


def _of_command(command: str) -> Iterator[Touch]:
    aside = _ASIDE.match(command)
    for name, span in _of_line(command[aside.end() :] if aside else command):
        yield f"{aside[1]}/{name}" if aside and name[0] not in "/~" else name, span


def _of_line(command: str) -> Iterator[Touch]:
    if shown := _SHOWN.fullmatch(command.strip()):
        lines, end = shown["start"] or shown["first"], shown["end"] or shown["last"]
        yield _plain(shown["all"] or shown["part"]), (int(lines), int(end) + 1) if lines else ALL
    else:
        yield from _changed(command)


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
        return self.changed or any(
            there[0] <= span[0] and span[1] <= there[1] and many >= letters * _AS_MUCH
            for there, many in self.shown
        )


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
            elif block.kind == CALL:
                if goes_elsewhere(block):
                    files = {
                        path: later for path, later in files.items() if path.startswith(("/", "~"))
                    }
                if (result := results.pop(block.call, None)) is not None:
                    yield result, not (block.call and _looked_at(block, result, files))


def _looked_at(call: Block, result: Block, files: dict[str, _Later]) -> bool:
    """Whether what a call showed was overtaken; and what it did is remembered for those before it."""
    if _failed(result):
        return False
    found = False
    for path, span in touched(call):
        found |= _overtaken(files.setdefault(path, _Later()), span, result)
    return found


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
    made, left = list(messages), size(messages)
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if place in safe or not any(id(block) in found for block in message.blocks):
            continue
        made[place] = message.with_blocks(
            [_stubbed(one, calls, count) if id(one) in found else one for one in message.blocks]
        )
        left -= message.tokens - made[place].tokens
        if left <= target:
            return made
    return None


def _stubbed(block: Block, calls: Mapping[int, str], count: Count) -> Block:
    made = block.changed(result_stub(block, before=calls.get(id(block), "")), "superseded", count)
    return made if made.tokens < block.tokens else block
