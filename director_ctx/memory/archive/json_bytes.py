"""A file of JSON as values from which its very bytes can be made again; pure.

Where they could not be made again, such as numbers that are spelled in an odd way, the text itself
is the value.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.json_pieces import pieces, together
from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_TIGHT, _LOOSE = (",", ":"), (", ", ": ")


def _styles() -> Iterator[tuple[int | None, tuple[str, str], bool]]:
    for indent in (None, 2, 4, 1, 0):
        for comma, colon in (_TIGHT, _LOOSE):
            # With a line for each, no blank stands behind a comma.
            between = comma if indent is None else comma.rstrip()
            for ascii_only in (False, True):
                yield indent, (between, colon), ascii_only


_STYLES = tuple(_styles())
"""How JSON is usually written down: indentation, separators, and whether everything is ASCII. Only
added to.
"""
LINES, JSON, TEXT = "lines", "json", "text"
_ENCODERS = tuple(
    json.JSONEncoder(indent=indent, separators=separators, ensure_ascii=ascii_only)
    for indent, separators, ascii_only in _STYLES
)
_PEEK, _LOOKED_AT = 20_000, 50
"""Characters of a document, and lines, by which its style is known."""
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
    data: bytes, exact: bool = True, value: Any = None, lines: Sequence[Any] = ()
) -> JsonBytes:
    """With `exact` its bytes can be made again; without, its values can. `value` is what it may
    hold, and `lines` are the values of its lines, where they were read already.
    """
    try:
        if is_lines(data):
            return _lines(data, lines)
        document = None
        if isinstance(value, list | dict):
            document = _in_style(data, value, True)
        return document or _one_value(data, exact) or _lines(data, lines)
    except RecursionError:
        return as_text(data)


def is_lines(data: bytes) -> bool:
    """Whether the first line is a value of its own, and more follows."""
    start = _start(data)
    end = data.find(b"\n", start)
    if end < 0 or _SOMETHING.search(data, end) is None:
        return False
    return _parsed(data[start:end].decode("utf-8", "surrogateescape")) is not None


def _start(data: bytes) -> int:
    lead = _LEAD.match(data)
    return lead.end() if lead else 0


def _one_value(data: bytes, exact: bool) -> JsonBytes | None:
    text = data.decode("utf-8", "surrogateescape")
    inside = text.strip(_BLANK)
    value = _parsed(inside)
    if not isinstance(value, list | dict):
        return None
    return _in_style(data, value, exact) or JsonBytes(TEXT, text)


def _in_style(data: bytes, value: Any, exact: bool) -> JsonBytes | None:
    start = _start(data)
    beginning = data[start : start + _PEEK].decode("utf-8", "replace")
    for style in _likely(beginning, data.isascii()):
        if not exact:
            return JsonBytes(JSON, value, style)
        end = _end(data, start, value, style)
        if end and _SOMETHING.search(data, end) is None:
            around = (data[:start].decode(), data[end:].decode())
            return JsonBytes(JSON, value, style, around)
    return None


def _end(data: bytes, start: int, value: Any, style: int) -> int:
    """Where the value ends, written in this style; nowhere if that is not how it is written."""
    for piece in _pieces(value, style):
        try:
            written = piece.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return 0
        if not data.startswith(written, start):
            return 0
        start += len(written)
    return start


def _pieces(value: Any, style: int) -> Iterator[str]:
    indent, (comma, colon), _ = _STYLES[style]
    encoder = _ENCODERS[style]
    if indent is None:
        return pieces(value, encoder.encode, comma, colon)
    return together(encoder.iterencode(value))


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
    return _lines(data, ()) if is_lines(data) else document


def as_text(data: bytes) -> JsonBytes:
    """Any bytes, as they are."""
    return JsonBytes(TEXT, data.decode("utf-8", "surrogateescape"))


def _likely(text: str, is_ascii: bool) -> Iterator[int]:
    """The styles in which it may be written, by its beginning: writing it anew is not cheap."""
    opening = "{" if text[:1] == "{" else "["
    is_indented = text[1:2] == "\n"
    is_loose = '": ' in text and '":' not in text.replace('": ', "")
    for number, (indent, separators, ascii_only) in enumerate(_STYLES):
        if (indent is not None) != is_indented:
            continue
        if indent is not None and not text.startswith(f"{opening}\n{' ' * indent}"):
            continue
        if ascii_only and not is_ascii:
            continue
        if separators == _TIGHT and is_loose:
            continue
        yield number


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _dumped(value: Any, style: int) -> str:
    return _ENCODERS[style].encode(value)


def _lines(data: bytes, values: Sequence[Any]) -> JsonBytes:
    return JsonBytes(LINES, list(lines_of(data, values)), _lines_style(data))


def lines_of(data: bytes, values: Sequence[Any] = ()) -> Iterator[Any]:
    """What stands for each line in a document: never more than one of them at a time."""
    style = _lines_style(data)
    for number, line in enumerate(_split(data)):
        is_known = number < len(values) and isinstance(values[number], dict)
        value = values[number] if is_known else _parsed(line)
        if value is not None and _is_written(value, style, line):
            yield [value]
        else:
            yield line


def _is_written(value: Any, style: int, line: str) -> bool:
    """Whether this is how a line is written. One that is nested without end is kept as the line
    that it is.
    """
    return not _is_deep(value, line) and _dumped(value, style) == line


def _is_deep(value: Any, line: str) -> bool:
    return line.count("[") + line.count("{") > _DEEPEST and _is_deeper(value, _DEEPEST)


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, list | dict):
        return False
    if levels == 0:
        return True
    inside = value.values() if isinstance(value, dict) else value
    return any(_is_deeper(inner, levels - 1) for inner in inside)


def _split(data: bytes) -> Iterator[str]:
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end].decode("utf-8", "surrogateescape")
        start = end + 1
    yield data[start:].decode("utf-8", "surrogateescape")


def _lines_style(data: bytes) -> int:
    """That of the first line in any style."""
    for line, _ in zip(_split(data), range(_LOOKED_AT), strict=False):
        style = _style_of(line)
        if style is not None:
            return style
    return 0


def _style_of(line: str) -> int | None:
    value = _parsed(line)
    if value is None:
        return None
    # The first four are those without indentation: a line has no other.
    for style in range(4):
        if _is_written(value, style, line):
            return style
    return None


def put_together(document: JsonBytes) -> bytes:
    if document.kind == LINES:
        lines: list[str] = []
        for line in document.value:
            if isinstance(line, str):
                lines.append(line)
            else:
                lines.append(_dumped(line[0], document.style))
        text = "\n".join(lines)
    elif document.kind == JSON:
        before, behind = document.around
        text = before + _dumped(document.value, document.style) + behind
    else:
        text = document.value

    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Half of a character, in a value that is written in another style than it was read in.
        escaped = _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
        return escaped.encode("utf-8", "surrogateescape")


def as_value(document: JsonBytes) -> Any:
    """The document as JSON."""
    return [document.kind, document.style, list(document.around), document.value]


def from_value(value: Any) -> JsonBytes:
    kind, style, around, inside = value
    return JsonBytes(kind, inside, style, (around[0], around[1]))


def value_of(data: bytes) -> Any:
    """What is in a file, as JSON; of lines a list."""
    document = loose(taken_apart(data, exact=False))
    if document.kind != LINES:
        return document.value
    return [line[0] for line in document.value if isinstance(line, list)]
