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
        if self.kind != "{":
            return None
        for child in reversed(self.children):
            if child.key == key:
                return child
        return None


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

    comments = tuple(reader.comments)
    loose = reader.loose or bool(comments)
    return Document(text, root, comments, loose)


class _Reader:
    """A place in a text that moves on."""

    def __init__(self, text: str) -> None:
        self.text = text
        # A mark of the byte order is no part of the document.
        self.at = 1 if text.startswith("\ufeff") else 0
        self.loose = False
        self.comments: list[tuple[int, int]] = []

    def wrong(self, what: str) -> NotJson:
        before = self.text[: self.at]
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        return NotJson(f"line {line}, column {column}: {what}")

    def skip(self) -> None:
        while blank := _BLANK.match(self.text, self.at):
            is_comment = blank[1]
            if is_comment:
                self.comments.append(blank.span())
            self.at = blank.end()

    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def value(self, start: int, key: str, depth: int) -> Node:
        opened = self.at
        kind = self.next()
        if kind not in _CLOSING:
            self.plain()
            return Node(self.text, start, opened, self.at, key, "", (), ())
        if depth > DEEPEST:
            raise self.wrong("it is nested too deeply")

        children, commas = self.inside(kind, depth)
        self.at += 1
        return Node(self.text, start, opened, self.at, key, kind, tuple(children), tuple(commas))

    def plain(self) -> Any:
        shape = _STRING if self.next() == '"' else _SCALAR
        match = shape.match(self.text, self.at)
        written = match[0] if match else ""
        try:
            value = json.loads(written, parse_constant=_refuse)
        except ValueError:
            raise self.wrong("a value is expected") from None
        self.at += len(written)
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

            child = self.member(depth) if kind == "{" else self.value(self.at, "", depth + 1)
            children.append(child)
            self.skip()

            if self.next() == ",":
                commas.append(self.at)
                self.at += 1
                self.skip()

        ends_in_a_comma = bool(children) and len(commas) == len(children)
        self.loose = self.loose or ends_in_a_comma
        return children, commas

    def followed(self, kind: str, children: list[Node], commas: list[int]) -> bool:
        """Takes the plain children that come next and have a comma behind. Whether there are any."""
        text = self.text
        start = self.at
        # Most of a large file goes through here: one match a child, and nothing is called twice.
        match_next = _FOLLOWED[kind].match
        while match := match_next(text, self.at):
            key = match[1]
            if "\\" in key:
                key = json.loads(f'"{key}"')
            opened, end = match.span(2)
            children.append(Node(text, self.at, opened, end, key, "", (), ()))
            commas.append(match.start(3))
            self.at = match.end()
        return self.at > start

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
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(edits):
        pieces.append(text[at:start])
        pieces.append(new)
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def added(document: Document, container: Node, values: list[tuple[str, Any]]) -> list[Edit]:
    """Edits that put values at the end of an object (with their keys) or of a list (keys are
    empty).
    """
    text = document.text
    margin = _inner_margin(document, container)
    if margin is None:
        return _added_in_line(text, container, values)

    line_end = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(document)
    items: list[str] = []
    for key, value in values:
        written = _dumped(key, value, unit, margin, line_end)
        items.append(line_end + margin + written)
    new = ",".join(items)
    if container.children:
        return _behind(text, container, new)

    # What may stand in an empty container, a comment, stays before the new values.
    _, closing = _body(container)
    last = len(text[:closing].rstrip())
    tail = text[last:closing]
    if "\n" not in tail:
        tail = line_end + _margin(text, container.open)
    return [(last, closing, new + tail)]


def _behind(text: str, container: Node, new: str) -> list[Edit]:
    """After the last child, its comma, and what is said about it on the same line."""
    end = container.children[-1].end
    has_comma = _ends_in_a_comma(container)
    rest = _REST_OF_LINE.match(text, end)
    if rest:
        at = rest.end()
    elif has_comma:
        at = container.commas[-1] + 1
    else:
        at = end

    if has_comma:
        return [(at, at, new)]
    if at == end:
        return [(at, at, "," + new)]
    return [(end, end, ","), (at, at, new)]


def _ends_in_a_comma(container: Node) -> bool:
    return len(container.commas) == len(container.children)


def _added_in_line(text: str, container: Node, values: list[tuple[str, Any]]) -> list[Edit]:
    """As tight as the rest of the file."""
    is_tight = '": ' not in text
    comma, colon = (",", ":") if is_tight else (", ", ": ")
    items: list[str] = []
    for key, value in values:
        written = json.dumps(value, separators=(comma, colon), ensure_ascii=False)
        if key:
            written = json.dumps(key) + colon + written
        items.append(written)
    new = comma.join(items)

    if not container.children:
        at = container.open + 1
        return [(at, at, new)]
    if _ends_in_a_comma(container):
        at = container.commas[-1] + 1
        blank = comma[1:]
        return [(at, at, blank + new)]
    at = container.children[-1].end
    return [(at, at, comma + new)]


def _dumped(key: str, value: Any, unit: str, margin: str, line_end: str) -> str:
    """A value over several lines."""
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    written = (line_end + margin).join(lines)
    if not key:
        return written
    return f"{json.dumps(key, ensure_ascii=False)}: {written}"


def _inner_margin(document: Document, container: Node) -> str | None:
    """How far the children of a container are set in; None where they stand in its own line."""
    text = document.text
    if container.children:
        first = container.children[0]
        has_line_of_its_own = "\n" in text[container.open : first.start]
        return _margin(text, first.start) if has_line_of_its_own else None

    if container is document.root or "\n" in text[: container.open]:
        return _margin(text, container.open) + _unit(document)
    return None


def _unit(document: Document) -> str:
    """One step of the indentation of this file."""
    text = document.text
    root = document.root
    for child in root.children:
        if "\n" in text[root.open : child.start]:
            return _margin(text, child.start) or INDENT
    return INDENT


def _margin(text: str, at: int) -> str:
    """The blanks that the line of this place begins with."""
    line_start = text.rfind("\n", 0, at) + 1
    before = text[line_start:at]
    blanks = len(before) - len(before.lstrip(" \t"))
    return before[:blanks]


def _body(container: Node) -> tuple[int, int]:
    return container.open + 1, container.end - 1


def removed(document: Document, container: Node, indices: Collection[int]) -> Iterator[Edit]:
    """Edits that take children out of a container; comments stay."""
    gone = set(indices)
    kept = [index for index in range(len(container.children)) if index not in gone]
    if not kept:
        yield from _emptied(document, container)
        return

    # A child goes with the comma that is between it and the next child that stays.
    for index in sorted(gone):
        child = container.children[index]
        if index < kept[0]:
            following = container.children[index + 1]
            comma = container.commas[index]
            yield from _without(document, child.start, following.start, child, comma)
        else:
            before = container.children[index - 1]
            comma = container.commas[index - 1]
            yield from _cut(document, before.end, child, comma)


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

    _, comments_end = between[-1]
    if comma < comments_end:
        yield comma, comma + 1, ""
    yield comments_end, child.end, ""


def _emptied(document: Document, container: Node) -> Iterator[Edit]:
    start, end = _body(container)
    starts = [child.start for child in container.children]
    comments = _comments(document, start, end)
    if all(_within(container, starts, comment) for comment in comments):
        yield start, end, ""
        return

    for child in container.children:
        yield child.start, child.end, ""
    for comma in container.commas:
        yield comma, comma + 1, ""


def _comments(document: Document, start: int, end: int) -> list[tuple[int, int]]:
    """Those that are whole between two places."""
    first = bisect_left(document.comments, (start,))
    behind = bisect_left(document.comments, (end,))
    return [comment for comment in document.comments[first:behind] if comment[1] <= end]


def _within(container: Node, starts: list[int], comment: tuple[int, int]) -> bool:
    """Whether a comment is inside of a child, whose own affair it is."""
    comment_start, _ = comment
    children_before = bisect_right(starts, comment_start)
    if children_before == 0:
        return False
    nearest = container.children[children_before - 1]
    return comment_start < nearest.end
