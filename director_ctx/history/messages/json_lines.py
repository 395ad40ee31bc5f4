"""JSON lines: where each line is, what was read of it, and all of them again, untouched ones by
their bytes.
"""

from __future__ import annotations

import json
import re
from collections import deque
from itertools import islice

from director_ctx.base.record import Record
from director_ctx.base.system.waiting import still_wanted
from director_ctx.history.messages.json_style import COMPACT, encoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Span = tuple[int, int]

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
    spans: list[Span]
    values: list[Any]


def starts_lines(data: bytes) -> bool:
    """Whether the first line is a value of its own, and more follows."""
    first = _SOMETHING.search(data)
    if first is None or first[0] != b"{":
        return False
    start = first.start()
    end = data.find(b"\n", start)
    if end < 0 or _SOMETHING.search(data, end) is None:
        return False
    return isinstance(_value(data[start:end]), dict)


def has_lines(data: bytes) -> bool:
    """Whether there is a value on one of the first lines, behind something broken."""
    if b"\n" not in data:
        return False
    first_lines = islice(spans_of(data), SAMPLE)
    return any(_is_object(data, span) for span in first_lines)


def _is_object(data: bytes, span: Span) -> bool:
    start, end = span
    return isinstance(_value(data[start:end]), dict)


def _value(data: bytes) -> Any:
    """What a line says; None where it is no JSON."""
    try:
        return json.loads(data.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return None


def spans_of(data: bytes) -> Iterator[Span]:
    """Where each line is, with its end."""
    start = 0
    size = len(data)
    while start < size:
        end = data.find(b"\n", start) + 1
        if not end:
            # The last line may have no end.
            end = size
        yield start, end
        start = end


def line_of(data: bytes, spans: Sequence[Span], number: int) -> Any:
    still_wanted()
    start, end = spans[number]
    value = _value(data[start:end])
    if isinstance(value, dict):
        return value
    return OtherLine(number)


def broken_lines(lines: Lines) -> list[int]:
    """The numbers of lines that are no JSON, from 0."""
    broken = []
    for value in lines.values:
        if isinstance(value, OtherLine) and _is_broken(lines, value.number):
            broken.append(value.number)
    return broken


def notes_on_broken(broken: Sequence[int], number_of_lines: int) -> tuple[str, ...]:
    """What is to be said of lines that are no JSON."""
    count = len(broken)
    if not count:
        return ()
    # A client that is at work, or was ended, has written half of it.
    first = broken[0] + 1
    if first == number_of_lines:
        return ("The last line is only half written; it stays as it is.",)
    if count == 1:
        return (f"1 line is no JSON and stays as it is: line {first}.",)
    return (f"{count:,} lines are no JSON and stay as they are, the first of them line {first}.",)


def _is_broken(lines: Lines, number: int) -> bool:
    start, end = lines.spans[number]
    line = lines.data[start:end].strip()
    return bool(line) and _value(line) is None


def write_lines(value: Sequence[Any], lines: Lines) -> bytes:
    """These values as lines, with those between them that are no messages."""
    encode = encoder(COMPACT)
    # A view, so that no line is copied before all of them are joined.
    view = memoryview(lines.data)
    # By identity: the very object that was read is written by its bytes.
    number_of: dict[int, int] = {}
    for number, line in enumerate(lines.values):
        number_of[id(line)] = number

    pieces: list[bytes | memoryview] = []
    for line in _with_other_lines(value, lines.values, number_of):
        # The last line of a file may have no end.
        if pieces and pieces[-1][-1:] != b"\n":
            pieces.append(b"\n")
        if id(line) in number_of:
            start, end = lines.spans[number_of[id(line)]]
            pieces.append(view[start:end])
        else:
            encoded = encode(line).encode("utf-8", "backslashreplace")
            pieces.append(encoded + b"\n")
    return b"".join(pieces)


def _with_other_lines(
    value: Sequence[Any],
    lines: Sequence[Any],
    number_of: Mapping[int, int],
) -> Iterator[Any]:
    """What is to be written, with the lines that are no messages where they were."""
    written = set(map(id, value))
    waiting: deque[int] = deque()
    for number, line in enumerate(lines):
        # Formats of lines give them back themselves, in their places.
        if isinstance(line, OtherLine) and id(line) not in written:
            waiting.append(number)

    for line in value:
        number = number_of.get(id(line), -1)
        while waiting and waiting[0] < number:
            yield lines[waiting.popleft()]
        yield line
    for number in waiting:
        yield lines[number]
