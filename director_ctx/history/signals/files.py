"""Which files a call reads, which lines of them, and which it changes; and which readings a later call
has overtaken.
"""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.history.formats.parts import read_json
from director_ctx.history.messages.message import CALL, RESULT, Block, Message, size
from director_ctx.history.messages.stubs import called_before, result_stub
from director_ctx.history.signals.attempts import COMMANDS, FILES
from director_ctx.history.signals.errors import is_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Count

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
_SIGNS_OF_CHANGE = (">", "sed -i", "tee")
_CHANGED = re.compile(
    r"(?:>>?|\btee(?: -a)?) *(?P<into>[\w./@~+-]+)|\bsed -i\b[^\n|;&]* (?P<there>[\w./@~+-]+) *(?:$|[\n|;&])"
    r"|^\*\*\* (?:Update|Delete|Add) File: (?P<patched>\S+)",
    re.MULTILINE,
)


def touches(call: Block) -> tuple[Touch, ...]:
    """The files that a call reads and changes."""
    if len(call.text) <= _LONG:
        return _touches(call.tool, call.text)
    return _touches.__wrapped__(call.tool, call.text)


@lru_cache(maxsize=4096)  # A conversation is looked at again with everything that is added to it.
def _touches(tool: str, arguments: str) -> tuple[Touch, ...]:
    try:
        values = read_json(arguments)
    except (ValueError, RecursionError):
        values = arguments
    if isinstance(values, str):
        return tuple(_changed_by(values))
    # What is only tried changes nothing.
    if not isinstance(values, dict) or any(map(values.get, _TRIES)):
        return ()

    path = next((values[key] for key in FILES if isinstance(values.get(key), str)), "")
    command = command_of(values)
    if path:
        here = _touches_of_tool(tool, command, path, values)
    else:
        here = _touches_of_command(command)
    where = " ".join(str(values[key]) for key in _WHERE if values.get(key))
    if not where:
        return tuple(here)
    return tuple((f"{name} in {where}", span) for name, span in here)


def object_in(arguments: str) -> dict[str, Any]:
    """The arguments of a call; none where they are no object."""
    try:
        values = read_json(arguments)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def command_of(arguments: dict[str, Any]) -> str:
    """What a shell is to do, or an editor; in a list it is the last."""
    for key in COMMANDS:
        command = arguments.get(key)
        if isinstance(command, str):
            return command
        if isinstance(command, list):
            return str(command[-1]) if command else ""
    return ""


def _touches_of_tool(
    tool: str,
    command: str,
    path: str,
    arguments: dict[str, Any],
) -> Iterator[Touch]:
    """An editor with several abilities says in its command what it is asked to do."""
    ability = command or tool.rpartition("__")[2]
    # Only a tool whose name says nothing else is known to read, or to change, the file.
    words = set(map(str.lower, _WORD.findall(ability))) - _BESIDE
    if not words:
        return
    if words <= _EDITS:
        yield _plain(path), None
    elif words <= _READS:
        span = _span(arguments)
        if span is not None:
            yield _plain(path), span


def _span(arguments: dict[str, Any]) -> Span | None:
    """The lines that are asked for, from the first up to the one behind the last; None where that
    is not known.
    """
    if any(arguments.get(key) is not None for key in _PARTS):
        return None
    ranges = [(arguments.get(first), arguments.get(last)) for first, last in _RANGES]
    view = arguments.get("view_range")
    if isinstance(view, list) and len(view) == 2:
        ranges = [(view[0], view[1])]
    for first, last in ranges:
        # Either may be missing; a last line below 0 is that of the file.
        if isinstance(first, int) or isinstance(last, int):
            start = first if isinstance(first, int) else ALL[0]
            end = last + 1 if isinstance(last, int) and last >= 0 else ALL[1]
            return start, end

    offset = _number(arguments.get("offset"))
    many = _number(arguments.get("limit"))
    if offset is None or many is None:
        return None
    return offset, offset + many if many else ALL[1]


def _number(value: Any) -> int | None:
    """0 where nothing is said; None for what is no place in a file."""
    if value is None:
        return 0
    return value if isinstance(value, int) and value >= 0 else None


def _touches_of_command(command: str) -> Iterator[Touch]:
    """Names behind `cd FOLDER &&` are those of files in that folder."""
    aside = _ASIDE.match(command)
    if not aside:
        yield from _touches_of_line(command)
        return
    folder = aside[1]
    rest = command[aside.end() :]
    for name, span in _touches_of_line(rest):
        yield name if name[0] in "/~" else f"{folder}/{name}", span


def _touches_of_line(command: str) -> Iterator[Touch]:
    shown = _SHOWN.fullmatch(command.strip())
    if not shown:
        yield from _changed_by(command)
        return
    path = _plain(shown["all"] or shown["part"])
    first = shown["start"] or shown["first"]
    last = shown["end"] or shown["last"]
    yield path, (int(first), int(last) + 1) if first else ALL


def _changed_by(command: str) -> Iterator[Touch]:
    """What stands in a script that is written down is no command."""
    is_patch = command.startswith("***")
    if not is_patch:
        before_script, _, _ = command.partition("<<")
        command = _QUOTED.sub("''", before_script[:_LOOKED_AT])
        # Looked for first, as that is much faster, and most commands change nothing.
        if not any(sign in command for sign in _SIGNS_OF_CHANGE):
            return
    for match in _CHANGED.finditer(command):
        path = match["into"] or match["there"] or match["patched"]
        yield _plain(path), None


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

    def overtakes(self, span: Span, letters: int) -> bool:
        start, end = span
        return self.changed or any(
            first <= start and end <= behind_last and shown >= letters * _AS_MUCH
            for (first, behind_last), shown in self.shown
        )

    def note(self, span: Span | None, letters: int) -> bool:
        """What a call did, for those before it; and whether what it showed was overtaken itself."""
        if span is None:
            self.changed = True
            return False
        if self.overtakes(span, letters):
            return True
        if len(self.shown) == MOST:
            # The newest reading, which was noted first.
            self.shown.pop(0)
        self.shown.append((span, letters))
        return False


def superseded(messages: Sequence[Message]) -> set[int]:
    """The identities of results whose file was read again, all that they show of it, or changed
    afterwards. Identities, as another result of the very same words may still hold.
    """
    return {id(result) for result, holds in results_newest_first(messages) if not holds}


def results_newest_first(messages: Sequence[Message]) -> Iterator[tuple[Block, bool]]:
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

            # If a call leads into another folder for good, short names mean other files before it.
            if _GOES.search(block.text):
                files = {
                    path: known for path, known in files.items() if path.startswith(("/", "~"))
                }
            result = results.pop(block.call, None)
            if result is None:
                continue
            is_overtaken = False
            # Not all tools say in a way that a program can read that they failed.
            failed = is_error(result) or _WRONG.search(result.text[:_BEGINS])
            for path, span in touches(block) if block.call and not failed else ():
                later = files.setdefault(path, _Later())
                if later.note(span, len(result.text)):
                    is_overtaken = True
            yield result, not is_overtaken


def stub_superseded(
    messages: Sequence[Message],
    outdated: set[int],
    safe: set[int],
    target: int,
    count: Count,
) -> list[Message] | None:
    """With stubs for readings that were overtaken, for as few and as late ones as suffice; None if
    all of them do not.
    """
    if not outdated:
        return None
    calls = called_before(messages)
    shorter = list(messages)
    left = size(messages)
    # From the end, as a provider's cache holds up to the first change.
    for index in reversed(range(len(messages))):
        message = messages[index]
        is_outdated = any(id(block) in outdated for block in message.blocks)
        if index in safe or not is_outdated:
            continue

        blocks: list[Block] = []
        for block in message.blocks:
            now = block
            if id(block) in outdated:
                stub = result_stub(block, before=calls.get(id(block), ""))
                now = block.changed(stub, "superseded", count)
            blocks.append(now if now.tokens < block.tokens else block)
        shorter[index] = message.with_blocks(blocks)
        left -= message.tokens - shorter[index].tokens
        if left <= target:
            return shorter
    return None
