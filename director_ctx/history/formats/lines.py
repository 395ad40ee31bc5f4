"""JSON lines: where each line is, what was read of it, and all of them again, untouched ones by
their bytes.
"""

from __future__ import annotations

import json
import re
from collections import deque
from itertools import islice

from director_ctx.base.record import Record
from director_ctx.history.messages.json_style import COMPACT, encoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

SAMPLE = 200
"""So many lines are read before the format has to be known."""
_SOMETHING = re.compile(rb"\S")


class OtherLine:
    """Stands by its number for a line that is no message: it is not read any further, and written
    back as it was.
    """

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Lines(Record):
    """JSON lines: their bytes, and what was read of each."""

    data: bytes
    spans: list[tuple[int, int]]
    values: list[Any]


def starts_lines(data: bytes) -> bool:
    """Whether the first line is a value of its own, and more follows."""
    found = _SOMETHING.search(data)
    start = found.start() if found else 0
    end = data.find(b"\n", start)
    if data[start : start + 1] != b"{" or end < 0 or _SOMETHING.search(data, end) is None:
        return False
    return isinstance(_value(data[start:end]), dict)


def has_lines(data: bytes) -> bool:
    """Whether there is a value on one of the first lines, behind something broken."""
    if data.find(b"\n") < 0:
        return False
    first = islice(spans_of(data), SAMPLE)
    return any(isinstance(_value(data[start:end]), dict) for start, end in first)


def _value(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return None


def spans_of(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each line is, with its end."""
    start, size = 0, len(data)
    while start < size:
        end = data.find(b"\n", start) + 1 or size
        yield start, end
        start = end


def line_of(data: bytes, spans: Sequence[tuple[int, int]], number: int) -> Any:
    start, end = spans[number]
    value = _value(data[start:end])
    return value if isinstance(value, dict) else OtherLine(number)


def broken(lines: Lines) -> tuple[str, ...]:
    """What is to be said of lines that are no JSON."""
    odd = []
    for value in lines.values:
        if isinstance(value, OtherLine) and _is_broken(lines, value.number):
            odd.append(value.number + 1)

    if not odd:
        return ()
    if odd == [len(lines.spans)]:
        return ("The last line is only half written; it stays as it is.",)
    if len(odd) == 1:
        return (f"1 line is no JSON and stays as it is: line {odd[0]}.",)
    return (
        f"{len(odd):,} lines are no JSON and stay as they are, the first of them line {odd[0]}.",
    )


def _is_broken(lines: Lines, number: int) -> bool:
    line = lines.data[slice(*lines.spans[number])].strip()
    return bool(line) and _value(line) is None


def write_lines(value: Sequence[Any], lines: Lines) -> bytes:
    """These values as lines, with those between them that are no messages."""
    encode = encoder(COMPACT)
    view = memoryview(lines.data)
    numbers = {id(line): number for number, line in enumerate(lines.values)}
    pieces: list[bytes | memoryview] = []
    for line in _with_all_lines(value, lines.values, numbers):
        if pieces and pieces[-1][-1:] != b"\n":
            pieces.append(b"\n")
        number = numbers.get(id(line))
        if number is None:
            pieces.append(encode(line).encode("utf-8", "backslashreplace") + b"\n")
        else:
            start, end = lines.spans[number]
            pieces.append(view[start:end])
    return b"".join(pieces)


def _with_all_lines(
    value: Sequence[Any], lines: Sequence[Any], numbers: Mapping[int, int]
) -> Iterator[Any]:
    """What is to be written, with the lines that are no messages where they were."""
    written = {id(line) for line in value}
    waiting: deque[int] = deque()
    for number, line in enumerate(lines):
        if isinstance(line, OtherLine) and id(line) not in written:
            waiting.append(number)

    for line in value:
        number = numbers.get(id(line), -1)
        while waiting and waiting[0] < number:
            yield lines[waiting.popleft()]
        yield line
    for number in waiting:
        yield lines[number]
