"""Puts values into a JSON text and takes them out again, in the style of what is there; the rest stays as it is."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from director_ctx.clients.json_text import Document, Node

    Edit = tuple[int, int, str]

INDENT = "  "
_REST_OF_LINE = re.compile(r",?[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=[\r\n]))")


def edited(text: str, edits: Collection[Edit]) -> str:
    """The text with each span replaced; spans do not overlap."""
    pieces, at = [], 0
    for start, end, new in sorted(edits):
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def added(document: Document, place: Node, values: list[tuple[str, Any]]) -> list[Edit]:
    """Edits that put values at the end of an object (with their keys) or of a list (keys are empty)."""
    text = document.text
    inner = _inner_margin(document, place)
    if inner is None:
        return _added_in_line(text, place, values)
    line = "\r\n" if "\r\n" in text else "\n"
    items = [line + inner + _dumped(key, value, _unit(document), inner, line) for key, value in values]
    if place.children:
        return _behind(text, place, ",".join(items))
    _, closing = _body(place)
    last = len(text[:closing].rstrip())
    tail = text[last:closing] if "\n" in text[last:closing] else line + _margin(text, place.open)
    return [(last, closing, ",".join(items) + tail)]


def _behind(text: str, place: Node, new: str) -> list[Edit]:
    """After the last child, its comma, and what is said about it on the same line."""
    end = place.children[-1].end
    finished = len(place.commas) == len(place.children)
    rest = _REST_OF_LINE.match(text, end)
    at = rest.end() if rest else place.commas[-1] + 1 if finished else end
    if at == end or finished:
        return [(at, at, new if finished else "," + new)]
    return [(end, end, ","), (at, at, new)]


def _added_in_line(text: str, place: Node, values: list[tuple[str, Any]]) -> list[Edit]:
    tight = not re.search(r'": ', text)
    marks = (",", ":") if tight else (", ", ": ")
    items = [(json.dumps(key) + marks[1] if key else "") + json.dumps(v, separators=marks, ensure_ascii=False)
             for key, v in values]  # fmt: skip
    if place.children:
        finished = len(place.commas) == len(place.children)
        at = place.commas[-1] + 1 if finished else place.children[-1].end
        return [(at, at, (marks[0][1:] if finished else marks[0]) + marks[0].join(items))]
    return [(place.open + 1, place.open + 1, marks[0].join(items))]


def _dumped(key: str, value: Any, unit: str, margin: str, line: str) -> str:
    """A value over several lines."""
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return (f"{json.dumps(key, ensure_ascii=False)}: " if key else "") + (line + margin).join(lines)


def _inner_margin(document: Document, place: Node) -> str | None:
    """How far the children of a container are set in; None where they stand in its own line."""
    text = document.text
    if place.children:
        first = place.children[0]
        return _margin(text, first.start) if "\n" in text[place.open : first.start] else None
    if place is document.root or "\n" in text[: place.open]:
        return _margin(text, place.open) + _unit(document)
    return None


def _unit(document: Document) -> str:
    """One step of the indentation of this file."""
    root, text = document.root, document.text
    for child in root.children:
        if "\n" in text[root.open : child.start]:
            return _margin(text, child.start) or INDENT
    return INDENT


def _margin(text: str, at: int) -> str:
    """The blanks that the line of this place begins with."""
    begun = text.rfind("\n", 0, at) + 1
    return text[begun : begun + len(text[begun:at]) - len(text[begun:at].lstrip(" \t"))]


def _body(place: Node) -> tuple[int, int]:
    return place.open + 1, place.end - 1


def removed(document: Document, place: Node, indices: Collection[int]) -> Iterator[Edit]:
    """Edits that take children out of a container; comments stay."""
    gone, count = set(indices), len(place.children)
    first_kept = next((index for index in range(count) if index not in gone), count)
    if first_kept == count:
        yield from _emptied(document, place)
        return
    for index in sorted(gone):
        child = place.children[index]
        if index < first_kept:
            following = place.children[index + 1]
            yield from _without(document, child.start, following.start, child, place.commas[index])
        else:
            before = place.children[index - 1]
            yield from _cut(document, before.end, child, place.commas[index - 1])


def _without(document: Document, start: int, end: int, child: Node, comma: int) -> Iterator[Edit]:
    """From a child to the next one, except comments between them."""
    if _comments(document, child.end, end):
        yield child.start, child.end, ""
        yield comma, comma + 1, ""
    else:
        yield start, end, ""


def _cut(document: Document, start: int, child: Node, comma: int) -> Iterator[Edit]:
    """From the end of the child before to the end of this one, except comments between them."""
    between = _comments(document, start, child.start)
    if not between:
        yield start, child.end, ""
        return
    if comma < between[-1][1]:
        yield comma, comma + 1, ""
    yield between[-1][1], child.end, ""


def _emptied(document: Document, place: Node) -> Iterator[Edit]:
    start, end = _body(place)
    starts = [child.start for child in place.children]
    if all(_within(place, starts, comment) for comment in _comments(document, start, end)):
        yield start, end, ""
        return
    for child in place.children:
        yield child.start, child.end, ""
    for comma in place.commas:
        yield comma, comma + 1, ""


def _comments(document: Document, start: int, end: int) -> list[tuple[int, int]]:
    first, behind = bisect_left(document.comments, (start,)), bisect_left(document.comments, (end,))
    return [comment for comment in document.comments[first:behind] if comment[1] <= end]


def _within(place: Node, starts: list[int], comment: tuple[int, int]) -> bool:
    """Whether a comment is inside of a child, whose own affair it is."""
    before = bisect_right(starts, comment[0])
    return before > 0 and comment[0] < place.children[before - 1].end
