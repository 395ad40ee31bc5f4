"""The parts of a plan of GSD: what stands between tags, and values of its front matter as lines."""

from __future__ import annotations

import re

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_OPENING = re.compile(r"<(?P<name>[a-z][\w-]{0,40})(?:\s[^<>]{0,400})?>")
_DEEPEST = 6
_MOST_UNCLOSED = 200
"""Each is looked for up to the end of the text."""


class TaggedPart(Record):
    """A tag, and what stands in it; without a name what stands in none."""

    name: str
    text: str
    opening: str = ""


def tagged(text: str) -> Iterator[TaggedPart]:
    """The outermost tags one after the other; those that never end are text."""
    unclosed: set[str] = set()
    place = 0
    begin = 0
    while True:
        opening = _OPENING.search(text, place)
        if opening is None or len(unclosed) > _MOST_UNCLOSED:
            break
        name = opening["name"]
        end = -1
        if name not in unclosed:
            end = text.find(f"</{name}>", opening.end())
        if end < 0:
            unclosed.add(name)
            place = opening.end()
            continue
        yield TaggedPart("", text[begin : opening.start()].strip())
        yield TaggedPart(name, text[opening.end() : end].strip("\n").strip(), opening[0])
        place = begin = end + len(f"</{name}>")
    yield TaggedPart("", text[begin:].strip())


def lines_of(value: object) -> list[str]:
    """Each value of a list on a line of its own."""
    values = value if isinstance(value, list) else [value]
    return [says for says in (in_words(each) for each in values) if says]


def in_words(value: object, depth: int = 0) -> str:
    """A value of YAML: `path: app.py; provides: the page`."""
    if value is None or depth > _DEEPEST:
        return ""
    if isinstance(value, dict):
        pieces: list[str] = []
        for name, member in value.items():
            says = in_words(member, depth + 1)
            if says:
                pieces.append(f"{name}: {says}")
        return "; ".join(pieces)
    if isinstance(value, list):
        members = [in_words(member, depth + 1) for member in value]
        return ", ".join(filter(None, members))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).strip()
