"""JSON in the style of the source: compact or indented, piece by piece, so that no second copy of
it all is made.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.json_pieces import pieces, together
from director_ctx.base.record import Record

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
"""Bytes that show the style."""


def style_of(data: bytes) -> Style:
    head = data[:_HEAD]
    end = "\n" if data.endswith(b"\n") else ""
    match = _INDENTED.match(head)
    if match is not None:
        indent = match[1].decode()
        return Style(",", ": ", indent, end)
    if b'": ' in head:
        return Style(end=end)
    return Style(",", ":", end=end)


def written(value: Any, style: Style) -> bytes:
    """A document. Halves of surrogate pairs, which UTF-8 has no bytes for, are escaped."""
    if style.indent:
        texts = together(_indented_pieces(value, "\n", style))
    else:
        texts = pieces(value, encoder(style), style.comma, style.colon)

    encoded = []
    for text in texts:
        encoded.append(text.encode("utf-8", "backslashreplace"))
    encoded.append(style.end.encode())
    return b"".join(encoded)


def encoder(style: Style) -> Callable[[Any], str]:
    separators = (style.comma, style.colon)
    return json.JSONEncoder(ensure_ascii=False, separators=separators).encode


_encode_text = json.encoder.encode_basestring
_encode = json.JSONEncoder(ensure_ascii=False).encode


def _indented_pieces(value: Any, line: str, style: Style) -> Iterator[str]:
    """On many lines; `line` is the break before the closing bracket."""
    if isinstance(value, str):
        yield _encode_text(value)
        return
    if not value or not isinstance(value, (dict, list)):
        yield _encode(value)
        return

    before, closing = "[", "]"
    if isinstance(value, dict):
        before, closing = "{", "}"
    inside = line + style.indent
    for key, inner in _entries(value, style):
        head = f"{before}{inside}{key}"
        if isinstance(inner, str):
            # Most values are texts, and a generator for each costs a quarter of the time.
            yield head + _encode_text(inner)
        else:
            yield head
            yield from _indented_pieces(inner, inside, style)
        before = ","
    yield line + closing


def _entries(value: dict[str, Any] | list[Any], style: Style) -> Iterator[tuple[str, Any]]:
    """Each element, with its key as it stands before it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield _encode_text(key) + style.colon, inner
    else:
        for inner in value:
            yield "", inner
