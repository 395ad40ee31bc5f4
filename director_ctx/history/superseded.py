"""Reads that a later reading or edit of the same file has overtaken: what they show is there again, or true no more."""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.history.called import called_before
from director_ctx.history.formats.parts import read_json
from director_ctx.history.message import CALL, RESULT, size
from director_ctx.history.stubs import result_stub
from director_ctx.history.trouble import is_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.history.message import Block, Count, Message

    Span = tuple[float, float]

ALL = (0, float("inf"))
_LOOKED_AT = 1000
"""Characters of a command in which it says what it changes."""
MOST = 32
"""Later readings of one file that are remembered."""
_FILES = ("file_path", "path", "absolute_path", "notebook_path", "filename", "file", "target_file")
_COMMANDS = ("command", "cmd", "script")
_EDITS = re.compile(r"edit|write|replace|patch|create|insert|append", re.IGNORECASE)
_READS = re.compile(r"read|view|open|cat", re.IGNORECASE)
_ASIDE = re.compile(r"^cd (\S+) && ")
_SHOWN = re.compile(
    r"(?:cat|nl)(?: -\w+)* (?P<all>[\w./@~+-]+)(?: \| sed -n ['\"]?(?P<start>\d+),(?P<end>\d+)p['\"]?)?"
    r"|sed -n ['\"]?(?P<first>\d+),(?P<last>\d+)p['\"]? (?P<part>[\w./@~+-]+)"
)
_CHANGED = re.compile(
    r"(?:>>?|\btee(?: -a)?) *(?P<into>[\w./@~+-]+)|\bsed -i\b[^\n|;&]* (?P<there>[\w./@~+-]+) *(?:$|[\n|;&])"
    r"|^\*\*\* (?:Update|Delete|Add) File: (?P<patched>\S+)",
    re.MULTILINE,
)


def superseded(messages: Sequence[Message]) -> set[int]:
    """The identities of results whose file was read again, all that they show of it, or changed afterwards."""
    found: set[int] = set()
    results: dict[str, Block] = {}
    shown: dict[str, list[Span]] = {}
    for message in reversed(messages):
        for block in reversed(message.blocks):
            if block.kind == RESULT:
                results[block.call] = block
            elif block.kind == CALL and (result := results.get(block.call)) is not None and not is_error(result):
                for path, span in touched(block.tool, block.text):
                    spans = shown.setdefault(path, [])
                    if span is None:
                        spans[:] = [ALL]
                    elif any(start <= span[0] and span[1] <= end for start, end in spans):
                        found.add(id(result))
                    else:
                        spans[:] = [*spans[1 - MOST :], span]
    return found


@lru_cache(maxsize=4096)  # A conversation is looked at again with everything that is added to it.
def touched(tool: str, arguments: str) -> tuple[tuple[str, Span | None], ...]:
    """The files that a call reads, each with the lines that it shows, and those that it changes, with None."""
    return tuple(_touched(tool, arguments))


def _touched(tool: str, arguments: str) -> Iterator[tuple[str, Span | None]]:
    try:
        given = read_json(arguments)
    except (ValueError, RecursionError):
        given = arguments
    if isinstance(given, str):
        yield from _changed(given)
        return
    if not isinstance(given, dict):
        return
    command = next((given[key] for key in _COMMANDS if isinstance(given.get(key), str)), "")
    path = next((given[key] for key in _FILES if isinstance(given.get(key), str)), "")
    if path:
        yield from _of_tool(tool + " " + command, path, given)
    elif command:
        aside = _ASIDE.match(command)
        for name, span in _of_command(command[aside.end() :] if aside else command):
            yield f"{aside[1]}/{name}" if aside and name[0] not in "/~" else name, span


def _of_tool(said: str, path: str, given: dict[str, Any]) -> Iterator[tuple[str, Span | None]]:
    """`said` is the name of the tool, and what an editor with several abilities is asked to do."""
    tool, _, command = said.partition(" ")
    if command == "view" or (_READS.search(tool) and not command):
        yield _plain(path), _span(given)
    elif _EDITS.search(said):
        yield _plain(path), None


def _span(given: dict[str, Any]) -> Span:
    start, many = given.get("offset"), given.get("limit")
    first = start if isinstance(start, int) else 0
    return (first, first + many) if isinstance(many, int) else (first, ALL[1])


def _of_command(command: str) -> Iterator[tuple[str, Span | None]]:
    if shown := _SHOWN.fullmatch(command.strip()):
        lines = shown["start"] or shown["first"]
        end = shown["end"] or shown["last"]
        yield _plain(shown["all"] or shown["part"]), (int(lines), int(end) + 1) if lines else ALL
    else:
        yield from _changed(command)


def _changed(command: str) -> Iterator[tuple[str, None]]:
    """What stands in a script that is written down is no command."""
    if not command.startswith("***"):
        command = command.partition("<<")[0][:_LOOKED_AT]
        if ">" not in command and "sed -i" not in command and "tee" not in command:
            return
    for found in _CHANGED.finditer(command):
        yield _plain(found["into"] or found["there"] or found["patched"]), None


def _plain(path: str) -> str:
    return path.removeprefix("./")


def without_superseded(
    messages: Sequence[Message], found: set[int], safe: set[int], target: int, count: Count
) -> list[Message] | None:
    """Without readings that were overtaken, as few and as late ones as suffice; None if all of them do not."""
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
