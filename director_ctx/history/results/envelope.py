"""What clients put around a result: its exit status, the time it took, numbers before lines."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_LONGEST_HEAD = 1000
_LOOKED_AT_CHARACTERS = 20_000
_RETURNED = re.compile(r"<returncode>-?\d+</returncode>\s*<output>\n?")
_OUTPUT_ENDS = "</output>"
_STATUS = re.compile(
    r"(?:(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines|Command|Session ID):[^\n]*\n"
    r"|Process (?:exited|running)[^\n]*\n){1,9}\s*Output:\n"
)
_NUMBERED = re.compile(r" *(\d{1,7})(?:→|\t|[:-] ?)")
_IN_A_ROW = 5
"""Lines whose numbers rise: then each line has its number before it."""
_LOOKED_AT = 40
_LINES_OF_HEAD = 30
"""Lines before the first number at most: the name of the file, and what was wrong with an edit."""
_SHARE = 0.8
_OUTPUT = "output"
_RESULT_KEYS = (_OUTPUT, "stdout", "content", "text", "result")
_MOST = 0.6
"""The share of a JSON that is one text: then that is the result."""


class Envelope(Record):
    """A result, and what stands around it."""

    head: str
    body: str
    tail: str
    numbers: Sequence[str] = ()
    """What stood before each line of the body."""


def opened(text: str) -> Envelope:
    tail = ""
    match = _RETURNED.match(text, 0, _LONGEST_HEAD) or _STATUS.match(text, 0, _LONGEST_HEAD)
    if match is not None:
        head = match[0]
        body = text[match.end() :].rstrip()
    else:
        head, body = _text_of_json(text)
    if head and body.endswith(_OUTPUT_ENDS):
        body = body.removesuffix(_OUTPUT_ENDS)
        tail = f"\n{_OUTPUT_ENDS}"

    body = body.strip("\n")
    start = _start_of_numbers(body)
    if start is None:
        return Envelope(head, body, tail)
    numbers, lines = _without_numbers(body[start:])
    return Envelope(head + body[:start], lines, tail, numbers)


def _text_of_json(text: str) -> tuple[str, str]:
    """Of `{"output": "…", "metadata": …}` the rest, and the text."""
    start = text[:_LONGEST_HEAD].lstrip("{ \n\t")
    if not text.startswith("{") or not start.startswith(tuple(f'"{key}"' for key in _RESULT_KEYS)):
        return "", text
    try:
        value: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):
        return "", text
    for key in _RESULT_KEYS:
        inside = value.get(key)
        if isinstance(inside, str) and len(inside) > len(text) * _MOST:
            rest = {name: item for name, item in value.items() if name != key}
            return f"{json.dumps(rest, ensure_ascii=False)}\n", inside
    return "", text


def _start_of_numbers(body: str) -> int | None:
    """Where the first of many lines begins that have numbers, if there are any."""
    lines = body[:_LOOKED_AT_CHARACTERS].split("\n")[: _LINES_OF_HEAD + _LOOKED_AT]
    start = 0
    for place, line in enumerate(lines[:_LINES_OF_HEAD]):
        if start > _LONGEST_HEAD:
            return None
        if _NUMBERED.match(line):
            return start if _is_numbered(lines[place : place + _LOOKED_AT]) else None
        start += len(line) + 1
    return None


def _is_numbered(lines: Sequence[str]) -> bool:
    """Whether lines begin with numbers that rise; times and dates do not."""
    numbers: list[int] = []
    for line in lines:
        match = _NUMBERED.match(line)
        if match is not None:
            numbers.append(int(match[1]))
    if len(numbers) < max(_IN_A_ROW, len(lines) * _SHARE):
        return False
    return all(number < later for number, later in pairwise(numbers))


def _without_numbers(body: str) -> tuple[list[str], str]:
    """The number before each line, and the lines without."""
    numbers: list[str] = []
    lines: list[str] = []
    for line in body.split("\n"):
        match = _NUMBERED.match(line)
        end = match.end() if match else 0
        numbers.append(line[:end])
        lines.append(line[end:])
    return numbers, "\n".join(lines)
