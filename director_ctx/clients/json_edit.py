"""Reads JSON as people write it, puts values in and takes them out again, and leaves the rest as it
is.

Comments and commas at the end are read too: some clients allow them in their settings.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import NamedTuple

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    Edit = tuple[int, int, str]


DEEPEST = 100
_BLANK = re.compile(r"[ \t\r\n]+|(//[^\r\n]*|/\*.*?\*/)", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(r"[\w+.\-]+", re.ASCII)
_CLOSING = {"{": "}", "[": "]"}

_STRICT_BLANK = r"[ \t\r\n]*+"
_STRICT_INSIDE = r'(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+'
_STRICT_STRING = rf'"{_STRICT_INSIDE}"'
_STRICT_NUMBER = r"-?(?:0|[1-9][0-9]{0,999})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_STRICT_VALUE = rf"(?:{_STRICT_STRING}|{_STRICT_NUMBER}|true|false|null)"
_COMMA = rf"{_STRICT_BLANK}(,){_STRICT_BLANK}"
_FOLLOWED = {
    "{": re.compile(
        rf'"({_STRICT_INSIDE})"{_STRICT_BLANK}:{_STRICT_BLANK}({_STRICT_VALUE}){_COMMA}'
    ),
    "[": re.compile(rf"()({_STRICT_VALUE}){_COMMA}"),
}
"""What most of a large file is made of, found at one go: a plain value as strict JSON has it, with
a comma behind.
"""
_DOCUMENTS_KEPT = 4


class NotJson(Exception):
    """What is wrong, and where."""


class Node(NamedTuple):
    """A value and its place: `start` is that of its key, if it has one; `open` that of the value
    itself.
    """

    text: str
    """The whole document."""
    start: int
    open: int
    end: int
    key: str = ""
    kind: str = ""
    """`{`, `[`, or nothing for a plain value."""
    children: tuple[Node, ...] = ()
    commas: tuple[int, ...] = ()
    """Where the comma after each child is; the last child may have none."""

    @property
    def value(self) -> Any:
        """What it says. Where that is no strict JSON, the children say it."""
        try:
            return json.loads(self.text[self.open : self.end])
        except ValueError:
            pass
        if self.kind == "{":
            return {child.key: child.value for child in self.children}
        return [child.value for child in self.children]

    def child(self, key: str) -> Node | None:
        """The member of that name; of several, the one that counts."""
        return next(
            (child for child in reversed(self.children) if child.key == key and self.kind == "{"),
            None,
        )


class Document(Record):
    text: str
    root: Node
    comments: tuple[tuple[int, int], ...]
    loose: bool
    """Whether a strict reader would refuse it: comments, commas at an end."""


@lru_cache(_DOCUMENTS_KEPT)
def read_json(text: str) -> Document:
    """A document, or NotJson. One edit looks at the same text several times: it is read once."""
    reader = _Reader(text)
    reader.skip()
    root = reader.value(reader.at, "", 0)
    reader.skip()
    if reader.at < len(text):
        raise reader.wrong("something follows the end")
    return Document(text, root, tuple(reader.comments), bool(reader.comments) or reader.loose)


class _Reader:
    """A place in a text that moves on."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.loose = text, int(text.startswith("\ufeff")), False
        self.comments: list[tuple[int, int]] = []

    def wrong(self, what: str) -> NotJson:
        before = self.text[: self.at]
        return NotJson(
            f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}: {what}"
        )

    def skip(self) -> None:
        while found := _BLANK.match(self.text, self.at):
            if found[1]:
                self.comments.append(found.span())
            self.at = found.end()

    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def value(self, start: int, key: str, depth: int) -> Node:
        begun, kind = self.at, self.next()
        if kind not in _CLOSING:
            self.plain()
            return Node(self.text, start, begun, self.at, key, "", (), ())
        if depth > DEEPEST:
            raise self.wrong("it is nested too deeply")
        children, commas = self.inside(kind, depth)
        self.at += 1
        return Node(self.text, start, begun, self.at, key, kind, tuple(children), tuple(commas))

    def plain(self) -> Any:
        found = (_STRING if self.next() == '"' else _SCALAR).match(self.text, self.at)
        try:
            value = json.loads(found[0] if found else "", parse_constant=_refuse)
        except ValueError:
            raise self.wrong("a value is expected") from None
        self.at += len(found[0]) if found else 0
        return value

    def inside(self, kind: str, depth: int) -> tuple[list[Node], list[int]]:
        children: list[Node] = []
        commas: list[int] = []
        self.at += 1
        self.skip()
        while self.next() != _CLOSING[kind]:
            if len(commas) < len(children):
                raise self.wrong(f"a comma or {_CLOSING[kind]} is expected")
            if self.followed(kind, children, commas):
                self.skip()
                continue
            children.append(
                self.member(depth) if kind == "{" else self.value(self.at, "", depth + 1)
            )
            self.skip()
            if self.next() == ",":
                commas.append(self.at)
                self.at += 1
                self.skip()
        self.loose |= bool(children) and len(commas) == len(children)
        return children, commas

    def followed(self, kind: str, children: list[Node], commas: list[int]) -> bool:
        """Takes the plain children that come next and have a comma behind. Whether there are any."""
        text, look, begun = self.text, _FOLLOWED[kind].match, self.at
        while found := look(text, self.at):
            key, (opened, end) = found[1], found.span(2)
            if "\\" in key:
                key = json.loads(f'"{key}"')
            children.append(Node(text, self.at, opened, end, key, "", (), ()))
            commas.append(found.start(3))
            self.at = found.end()
        return self.at > begun

    def member(self, depth: int) -> Node:
        start = self.at
        if self.next() != '"':
            raise self.wrong("a name in quotes is expected")
        key = self.plain()
        self.skip()
        if self.next() != ":":
            raise self.wrong("a colon is expected")
        self.at += 1
        self.skip()
        return self.value(start, key, depth + 1)


def _refuse(name: str) -> None:
    raise ValueError(name)


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
    """Edits that put values at the end of an object (with their keys) or of a list (keys are
    empty).
    """
    text = document.text
    inner = _inner_margin(document, place)
    if inner is None:
        return _added_in_line(text, place, values)
    line = "\r\n" if "\r\n" in text else "\n"
    items = [
        line + inner + _dumped(key, value, _unit(document), inner, line) for key, value in values
    ]
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
