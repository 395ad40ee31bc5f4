"""How JSON is usually written down, so that a document can be written as it was; pure."""

from __future__ import annotations

import json

from director_ctx.base.json_pieces import pieces, together
from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class _Style(Record):
    """One way to write JSON down."""

    indent: int | None
    comma: str
    colon: str
    ascii_only: bool
    encoder: json.JSONEncoder

    @property
    def is_tight(self) -> bool:
        return self.colon == ":"


def _styles() -> Iterator[_Style]:
    for indent in (None, 2, 4, 1, 0):
        for blank in ("", " "):
            # With a line for each, no blank stands behind a comma.
            comma = f",{blank}" if indent is None else ","
            colon = f":{blank}"
            for ascii_only in (False, True):
                encoder = json.JSONEncoder(
                    indent=indent,
                    separators=(comma, colon),
                    ensure_ascii=ascii_only,
                )
                yield _Style(indent, comma, colon, ascii_only, encoder)


_STYLES = tuple(_styles())
"""How JSON is usually written down: indentation, separators, and whether everything is ASCII. Only
added to, as records name a style by its number.
"""
STYLES_OF_LINES = range(4)
"""Those without indentation: a line has no other."""


def likely_styles(text: str, is_ascii: bool) -> Iterator[int]:
    """The styles in which it may be written, by its beginning: writing it anew is not cheap."""
    opening = text[:1]
    is_indented = text[1:2] == "\n"
    has_blanks = '": ' in text
    has_none = '":' in text.replace('": ', "")
    is_loose = has_blanks and not has_none
    for number, style in enumerate(_STYLES):
        if style.ascii_only and not is_ascii:
            continue
        if style.is_tight and is_loose:
            continue
        if style.indent is None:
            if not is_indented:
                yield number
            continue
        indentation = " " * style.indent
        if text.startswith(f"{opening}\n{indentation}"):
            yield number


def dumped(value: Any, style: int) -> str:
    return _STYLES[style].encoder.encode(value)


def dumped_in_pieces(value: Any, style: int) -> Iterator[str]:
    """The same piece by piece: of a large document no second copy is made."""
    chosen = _STYLES[style]
    encoder = chosen.encoder
    if chosen.indent is None:
        return pieces(value, encoder.encode, chosen.comma, chosen.colon)
    return together(encoder.iterencode(value))
