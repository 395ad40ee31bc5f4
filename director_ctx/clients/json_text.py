"""Reads JSON as people write it, and remembers where everything is, so that an edit can leave the rest as it is.

Comments and commas at the end are read too: some clients allow them in their settings.
"""

from __future__ import annotations

import json
import re

from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEEPEST = 100
_BLANK = re.compile(r"[ \t\r\n]+|(//[^\r\n]*|/\*.*?\*/)", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(r"[\w+.\-]+", re.ASCII)
_CLOSING = {"{": "}", "[": "]"}


class NotJson(Exception):
    """What is wrong, and where."""


class Node(Record):
    """A value and its place: `start` is that of its key, if it has one; `open` that of the value itself."""

    start: int
    open: int
    end: int
    value: Any
    key: str = ""
    kind: str = ""
    """`{`, `[`, or nothing for a plain value."""
    children: tuple[Node, ...] = ()
    commas: tuple[int, ...] = ()
    """Where the comma after each child is; the last child may have none."""

    def child(self, key: str) -> Node | None:
        """The member of that name; of several, the one that counts."""
        return next((child for child in reversed(self.children) if child.key == key and self.kind == "{"), None)


class Document(Record):
    text: str
    root: Node
    comments: tuple[tuple[int, int], ...]
    loose: bool
    """Whether a strict reader would refuse it: comments, commas at an end."""


def read_json(text: str) -> Document:
    """A document, or NotJson."""
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
        return NotJson(f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}: {what}")

    def skip(self) -> None:
        while found := _BLANK.match(self.text, self.at):
            if found[1]:
                self.comments.append(found.span())
            self.at = found.end()

    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def value(self, start: int, key: str, depth: int) -> Node:
        if self.next() in _CLOSING and self.next():
            if depth > DEEPEST:
                raise self.wrong("it is nested too deeply")
            return self.container(start, key, depth)
        begun = self.at
        return Node(start, begun, value=self.plain(), end=self.at, key=key)

    def plain(self) -> Any:
        found = (_STRING if self.next() == '"' else _SCALAR).match(self.text, self.at)
        try:
            value = json.loads(found[0] if found else "", parse_constant=_refuse)
        except ValueError:
            raise self.wrong("a value is expected") from None
        self.at += len(found[0]) if found else 0
        return value

    def container(self, start: int, key: str, depth: int) -> Node:
        begun, kind = self.at, self.next()
        children, commas = self.inside(kind, depth)
        self.at += 1
        value: Any = [child.value for child in children]
        if kind == "{":
            value = {child.key: child.value for child in children}
        return Node(start, begun, self.at, value, key, kind, tuple(children), tuple(commas))

    def inside(self, kind: str, depth: int) -> tuple[list[Node], list[int]]:
        children: list[Node] = []
        commas: list[int] = []
        self.at += 1
        self.skip()
        while self.next() != _CLOSING[kind]:
            if len(commas) < len(children):
                raise self.wrong(f"a comma or {_CLOSING[kind]} is expected")
            children.append(self.member(depth) if kind == "{" else self.value(self.at, "", depth + 1))
            self.skip()
            if self.next() == ",":
                commas.append(self.at)
                self.at += 1
                self.skip()
        self.loose |= bool(children) and len(commas) == len(children)
        return children, commas

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
