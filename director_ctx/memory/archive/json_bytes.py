"""A file of JSON as values from which its very bytes can be made again; pure.

Where they could not be made again, such as numbers that are spelled in an odd way, the text itself
is the value.
"""

from __future__ import annotations

import json
import re
from itertools import islice

from director_ctx.base.record import Record
from director_ctx.memory.archive.json_styles import (
    STYLES_OF_LINES,
    dumped,
    dumped_in_pieces,
    likely_styles,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


LINES = "lines"
JSON = "json"
TEXT = "text"
_PEEK = 20_000
"""Characters of a document by which its style is known."""
_LOOKED_AT = 50
"""Lines by which their style is known."""
_DEEPEST = 100
"""Levels of a line's value; what is nested more deeply is no message, and would be too deep for
whoever walks it.
"""
_BLANK = " \t\r\n\ufeff"
_LEAD = re.compile(rb"(?:\s|\xef\xbb\xbf)*")
_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Those that stand for no byte."""
_SOMETHING = re.compile(rb"[^ \t\r\n]")


class JsonBytes(Record):
    kind: str
    value: Any
    """Of lines a list: the value of each in a list of its own, or the line itself where it is none
    that we write.
    """
    style: int = 0
    around: tuple[str, str] = ("", "")
    """What stands before and behind the value."""


def taken_apart(
    data: bytes,
    exact: bool = True,
    value: Any = None,
    lines: Sequence[Any] = (),
) -> JsonBytes:
    """With `exact` its bytes can be made again; without, its values can. `value` is what it may
    hold, and `lines` are the values of its lines, where they were read already.
    """
    try:
        if is_lines(data):
            return _lines(data, lines)
        document = None
        if isinstance(value, list | dict):
            document = _in_style(data, value, exact=True)
        if document is None:
            document = _one_value(data, exact)
        if document is None:
            document = _lines(data, lines)
        return document
    except RecursionError:
        return as_text(data)


def is_lines(data: bytes) -> bool:
    """Whether the first line is a value of its own, and more follows."""
    start = _start(data)
    end = data.find(b"\n", start)
    if end < 0 or not _has_more(data, end):
        return False
    first = data[start:end].decode("utf-8", "surrogateescape")
    return _parsed(first) is not None


def _start(data: bytes) -> int:
    lead = _LEAD.match(data)
    return lead.end() if lead else 0


def _has_more(data: bytes, start: int) -> bool:
    """Whether anything but blanks stands from here on."""
    return _SOMETHING.search(data, start) is not None


def _one_value(data: bytes, exact: bool) -> JsonBytes | None:
    text = data.decode("utf-8", "surrogateescape")
    value = _parsed(text.strip(_BLANK))
    if not isinstance(value, list | dict):
        return None
    document = _in_style(data, value, exact)
    return document or JsonBytes(TEXT, text)


def _in_style(data: bytes, value: Any, exact: bool) -> JsonBytes | None:
    start = _start(data)
    beginning = data[start : start + _PEEK]
    # Replaced, because it may end inside of a character.
    text = beginning.decode("utf-8", "replace")
    for style in likely_styles(text, data.isascii()):
        if not exact:
            return JsonBytes(JSON, value, style)
        end = _end(data, start, value, style)
        if end == 0 or _has_more(data, end):
            continue
        before = data[:start].decode()
        behind = data[end:].decode()
        return JsonBytes(JSON, value, style, (before, behind))
    return None


def _end(
    data: bytes,
    start: int,
    value: Any,
    style: int,
) -> int:
    """Where the value ends, written in this style; nowhere if that is not how it is written."""
    end = start
    for piece in dumped_in_pieces(value, style):
        try:
            written = piece.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return 0
        if not data.startswith(written, end):
            return 0
        end += len(written)
    return end


def loose(document: JsonBytes) -> JsonBytes:
    """The same with a value wherever there is one, even if its text would be written in another
    way.
    """
    if document.kind != TEXT:
        return document
    try:
        value = _parsed(document.value.strip(_BLANK))
    except RecursionError:
        return document
    if isinstance(value, list | dict):
        return JsonBytes(JSON, value)

    data = document.value.encode("utf-8", "surrogateescape")
    if is_lines(data):
        return _lines(data, ())
    return document


def as_text(data: bytes) -> JsonBytes:
    """Any bytes, as they are."""
    # What is no UTF-8 becomes halves of characters, which `put_together` makes bytes again.
    text = data.decode("utf-8", "surrogateescape")
    return JsonBytes(TEXT, text)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        # `null` is None too, and is kept as the text that it is.
        return None


def _lines(data: bytes, values: Sequence[Any]) -> JsonBytes:
    lines = list(lines_of(data, values))
    return JsonBytes(LINES, lines, _lines_style(data))


def lines_of(data: bytes, values: Sequence[Any] = ()) -> Iterator[Any]:
    """What stands for each line in a document: never more than one of them at a time."""
    style = _lines_style(data)
    for number, line in enumerate(_split(data)):
        value = None
        if number < len(values):
            value = values[number]
        if not isinstance(value, dict):
            value = _parsed(line)

        if value is not None and _is_written(value, style, line):
            yield [value]
        else:
            yield line


def _is_written(value: Any, style: int, line: str) -> bool:
    """Whether this is how a line is written. One that is nested without end is kept as the line
    that it is.
    """
    if _is_deep(value, line):
        return False
    return dumped(value, style) == line


def _is_deep(value: Any, line: str) -> bool:
    # Counting the brackets is cheap, and says of nearly every line that it is not.
    opened = line.count("[") + line.count("{")
    if opened <= _DEEPEST:
        return False
    return _is_deeper(value, _DEEPEST)


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, list | dict):
        return False
    if levels == 0:
        return True
    if isinstance(value, dict):
        value = list(value.values())
    return any(_is_deeper(inner, levels - 1) for inner in value)


def _split(data: bytes) -> Iterator[str]:
    start = 0
    end = data.find(b"\n")
    while end >= 0:
        yield data[start:end].decode("utf-8", "surrogateescape")
        start = end + 1
        end = data.find(b"\n", start)
    yield data[start:].decode("utf-8", "surrogateescape")


def _lines_style(data: bytes) -> int:
    """That of the first line in any style."""
    first_lines = islice(_split(data), _LOOKED_AT)
    for line in first_lines:
        style = _style_of(line)
        if style is not None:
            return style
    return 0


def _style_of(line: str) -> int | None:
    value = _parsed(line)
    if value is None:
        return None
    for style in STYLES_OF_LINES:
        if _is_written(value, style, line):
            return style
    return None


def put_together(document: JsonBytes) -> bytes:
    text = _text_of(document)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Half of a character, in a value that is written in another style than it was read in.
        escaped = _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
        return escaped.encode("utf-8", "surrogateescape")


def _text_of(document: JsonBytes) -> str:
    if document.kind == TEXT:
        return str(document.value)
    if document.kind == JSON:
        before, behind = document.around
        inside = dumped(document.value, document.style)
        return before + inside + behind

    lines: list[str] = []
    for line in document.value:
        if isinstance(line, str):
            lines.append(line)
            continue
        [value] = line
        lines.append(dumped(value, document.style))
    return "\n".join(lines)


def as_value(document: JsonBytes) -> Any:
    """The document as JSON."""
    around = list(document.around)
    return [document.kind, document.style, around, document.value]


def from_value(value: Any) -> JsonBytes:
    kind, style, around, inside = value
    return JsonBytes(kind, inside, style, tuple(around))


def value_of(data: bytes) -> Any:
    """What is in a file, as JSON; of lines a list."""
    document = loose(taken_apart(data, exact=False))
    if document.kind != LINES:
        return document.value

    values: list[Any] = []
    for line in document.value:
        if isinstance(line, list):
            values.append(line[0])
    return values
