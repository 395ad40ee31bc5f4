"""JSON in the style of the source: compact or indented, piece by piece, so that no second copy of it all is made."""

from __future__ import annotations

import json
import re

from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


class Style(Record):
    """How a source writes JSON."""

    comma: str = ", "
    colon: str = ": "
    indent: str = ""
    """What a level is indented by; empty where everything is on one line."""
    end: str = "\n"


COMPACT = Style(",", ":")
_INDENTED = re.compile(rb"^\s*[\[{]\r?\n([ \t]+)")
_HEAD = 4096
MANY, TOGETHER = 1000, 64
"""Of more than so many elements so many are encoded at once: one by one is slow, and all together is a second copy."""


def style_of(data: bytes) -> Style:
    head, end = data[:_HEAD], "\n" if data[-1:] == b"\n" else ""
    if (found := _INDENTED.match(head)) is not None:
        return Style(",", ": ", found[1].decode(), end)
    return Style(end=end) if b'": ' in head else Style(",", ":", end=end)


def written(value: Any, style: Style) -> bytes:
    """A document. Halves of surrogate pairs, which UTF-8 has no bytes for, are escaped."""
    pieces = _indented(value, "\n", style) if style.indent else _plain(value, style)
    return b"".join([*(piece.encode("utf-8", "backslashreplace") for piece in pieces), style.end.encode()])


def encoder(style: Style) -> Callable[[Any], str]:
    return json.JSONEncoder(ensure_ascii=False, separators=(style.comma, style.colon)).encode


def _plain(value: Any, style: Style) -> Iterator[str]:
    """On one line; long lists by their elements."""
    encode = encoder(style)
    if isinstance(value, dict):
        comma = "{"
        for key, inner in value.items():
            yield f"{comma}{encode(key)}{style.colon}"
            yield from _listed(inner, style, encode) if isinstance(inner, list) else (encode(inner),)
            comma = style.comma
        yield "}" if value else "{}"
    else:
        yield from _listed(value, style, encode) if isinstance(value, list) else (encode(value),)


def _listed(value: list[Any], style: Style, encode: Callable[[Any], str]) -> Iterator[str]:
    comma = "["
    step = TOGETHER if len(value) > MANY else 1
    for start in range(0, len(value), step):
        yield comma + encode(value[start : start + step])[1:-1]
        comma = style.comma
    yield "]" if value else "[]"


_text = json.encoder.encode_basestring
_simple = json.JSONEncoder(ensure_ascii=False).encode


def _indented(value: Any, line: str, style: Style) -> Iterator[str]:
    """On many lines; `line` is the break before the closing bracket."""
    if not (isinstance(value, (dict, list)) and value):
        yield _text(value) if isinstance(value, str) else _simple(value)
        return
    inside = line + style.indent
    named = isinstance(value, dict)
    comma, end = ("{", "}") if named else ("[", "]")
    for entry in value:
        key, inner = (_text(entry) + style.colon, value[entry]) if named else ("", entry)
        if isinstance(inner, str):
            yield f"{comma}{inside}{key}{_text(inner)}"
        else:
            yield f"{comma}{inside}{key}"
            yield from _indented(inner, inside, style)
        comma = ","
    yield line + end
