"""A file of JSON as values from which its very bytes can be made again; pure.

Where they could not be made again, such as numbers that are spelled in an odd way, the text itself is the value.
"""

from __future__ import annotations

import json

from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_TIGHT, _LOOSE = (",", ":"), (", ", ": ")
_STYLES: tuple[tuple[int | None, tuple[str, str], bool], ...] = tuple(
    (indent, (separators[0].rstrip() if indent is not None else separators[0], separators[1]), ascii_only)
    for indent in (None, 2, 4, 1, 0)
    for separators in (_TIGHT, _LOOSE)
    for ascii_only in (False, True)
)
"""How JSON is usually written down: indentation, separators, and whether everything is ASCII. Only added to."""
LINES, JSON, TEXT = "lines", "json", "text"
_PEEK = 20_000
_BLANK = " \t\r\n\ufeff"


class Document(Record):
    kind: str
    value: Any
    """Of lines a list: the value of each in a list of its own, or the line itself where it is none that we write."""
    style: int = 0
    around: tuple[str, str] = ("", "")
    """What stands before and behind the value."""


def taken_apart(data: bytes, exact: bool = True, value: Any = None) -> Document:
    """With `exact` its bytes can be made again; without, its values can. `value` is what it may hold, read already."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        return _known_value(text, value) or _one_value(text, exact) or _lines(text)
    except RecursionError:
        return Document(TEXT, text)


def _known_value(text: str, value: Any) -> Document | None:
    inside = text.strip(_BLANK)
    return _in_style(text, inside, value, True) if isinstance(value, list | dict) and inside.startswith(("[", "{")) else None


def _one_value(text: str, exact: bool) -> Document | None:
    inside = text.strip(_BLANK)
    if "\n" in inside and _parsed(inside[: inside.index("\n")]) is not None:
        return None
    value = _parsed(inside)
    if not isinstance(value, list | dict):
        return None
    return _in_style(text, inside, value, exact) or Document(TEXT, text)


def _in_style(text: str, inside: str, value: Any, exact: bool) -> Document | None:
    start = len(text) - len(text.lstrip(_BLANK))
    for style in _likely(inside):
        if not exact or _dumped(value, style) == inside:
            return Document(JSON, value, style, (text[:start], text[start + len(inside) :]))
    return None


def loose(document: Document) -> Document:
    """The same with a value wherever there is one, even if its text would be written in another way."""
    if document.kind != TEXT:
        return document
    try:
        value = _parsed(document.value.strip(_BLANK))
    except RecursionError:
        return document
    return Document(JSON, value) if isinstance(value, list | dict) else document


def _likely(text: str) -> Iterator[int]:
    """The styles in which it may be written, by its beginning: writing it anew is not cheap."""
    second = text[1:2]
    for number, (indent, separators, ascii_only) in enumerate(_STYLES):
        if (indent is not None) != (second == "\n"):
            continue
        if indent is not None and not text.startswith(("[", "{")[text[0] == "{"] + "\n" + " " * indent):
            continue
        if ascii_only and not text.isascii():
            continue
        if separators == _TIGHT and ('": ' in text[:_PEEK] and '":' not in text[:_PEEK].replace('": ', "")):
            continue
        yield number


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _dumped(value: Any, style: int) -> str:
    indent, separators, ascii_only = _STYLES[style]
    return json.dumps(value, indent=indent, separators=separators, ensure_ascii=ascii_only)


def _lines(text: str) -> Document:
    lines = text.split("\n")
    style = next((one for line in lines[:50] if (one := _style_of(line)) is not None), 0)
    return Document(LINES, [_line(line, style) for line in lines], style)


def _style_of(line: str) -> int | None:
    value = _parsed(line)
    if value is None:
        return None
    return next((style for style in range(4) if _dumped(value, style) == line), None)


def _line(line: str, style: int) -> Any:
    value = _parsed(line)
    return [value] if value is not None and _dumped(value, style) == line else line


def put_together(document: Document) -> bytes:
    if document.kind == LINES:
        text = "\n".join(one if isinstance(one, str) else _dumped(one[0], document.style) for one in document.value)
    elif document.kind == JSON:
        text = document.around[0] + _dumped(document.value, document.style) + document.around[1]
    else:
        text = document.value
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def as_value(document: Document) -> Any:
    """The document as JSON."""
    return [document.kind, document.style, list(document.around), document.value]


def from_value(value: Any) -> Document:
    kind, style, around, inside = value
    return Document(kind, inside, style, (around[0], around[1]))


def value_of(data: bytes) -> Any:
    """What is in a file, as JSON; of lines a list."""
    found = loose(taken_apart(data, exact=False))
    return [one[0] for one in found.value if isinstance(one, list)] if found.kind == LINES else found.value
