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


def style_of(data: bytes) -> Style:
    head, end = data[:_HEAD], "\n" if data[-1:] == b"\n" else ""
    if (found := _INDENTED.match(head)) is not None:
        return Style(",", ": ", found[1].decode(), end)
    return Style(end=end) if b'": ' in head else Style(",", ":", end=end)


def written(value: Any, style: Style) -> bytes:
    """A document. Halves of surrogate pairs, which UTF-8 has no bytes for, are escaped."""
    if style.indent:
        made = together(_indented(value, "\n", style))
    else:
        made = pieces(value, encoder(style), style.comma, style.colon)
    return b"".join(
        [*(piece.encode("utf-8", "backslashreplace") for piece in made), style.end.encode()]
    )


def encoder(style: Style) -> Callable[[Any], str]:
    return json.JSONEncoder(ensure_ascii=False, separators=(style.comma, style.colon)).encode


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
