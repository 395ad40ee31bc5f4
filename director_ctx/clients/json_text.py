"""Reads JSON as people write it, and remembers where everything is, so that an edit can leave the
rest as it is.

Comments and commas at the end are read too: some clients allow them in their settings.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import NamedTuple

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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


class JsonNode(NamedTuple):
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
    children: tuple[JsonNode, ...] = ()
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
            # Of two members of one name the last one counts, as in a strict reader.
            return {child.key: child.value for child in self.children}
        return [child.value for child in self.children]

    def child(self, key: str) -> JsonNode | None:
        """The member of that name; of several, the one that counts."""
        if self.kind != "{":
            return None
        for child in reversed(self.children):
            if child.key == key:
                return child
        return None


class JsonText(Record):
    text: str
    root: JsonNode
    comments: tuple[tuple[int, int], ...]
    loose: bool
    """Whether a strict reader would refuse it: comments, commas at an end."""


@lru_cache(_DOCUMENTS_KEPT)
def read_json(text: str) -> JsonText:
    """A document, or NotJson. One edit looks at the same text several times: it is read once."""
    reader = _JsonReader(text)
    reader.skip()
    root = reader.value(reader.at, "", 0)
    reader.skip()
    if reader.at < len(text):
        raise reader.wrong("something follows the end")

    comments = tuple(reader.comments)
    loose = reader.loose or bool(comments)
    return JsonText(
        text=text,
        root=root,
        comments=comments,
        loose=loose,
    )


class _JsonReader:
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

    def value(
        self,
        start: int,
        key: str,
        depth: int,
    ) -> JsonNode:
        opened = self.at
        kind = self.next()
        if kind not in _CLOSING:
            self.plain()
            return JsonNode(self.text, start, opened, self.at, key, "", (), ())
        # A file of brackets would end the program where Python's stack ends.
        if depth > DEEPEST:
            raise self.wrong("it is nested too deeply")

        children, commas = self.inside(kind, depth)
        self.at += 1
        return JsonNode(
            self.text, start, opened, self.at, key, kind, tuple(children), tuple(commas)
        )

    def plain(self) -> Any:
        shape = _SCALAR
        if self.next() == '"':
            shape = _STRING
        match = shape.match(self.text, self.at)
        written = ""
        if match:
            written = match[0]
        try:
            value = json.loads(written, parse_constant=_refuse)
        except ValueError:
            raise self.wrong("a value is expected") from None
        self.at += len(written)
        return value

    def inside(
        self,
        kind: str,
        depth: int,
    ) -> tuple[list[JsonNode], list[int]]:
        children: list[JsonNode] = []
        commas: list[int] = []
        self.at += 1
        self.skip()
        while self.next() != _CLOSING[kind]:
            if len(commas) < len(children):
                raise self.wrong(f"a comma or {_CLOSING[kind]} is expected")
            if self.followed(kind, children, commas):
                self.skip()
                continue

            if kind == "{":
                child = self.member(depth)
            else:
                child = self.value(self.at, "", depth + 1)
            children.append(child)
            self.skip()

            if self.next() == ",":
                commas.append(self.at)
                self.at += 1
                self.skip()

        ends_in_a_comma = bool(children) and len(commas) == len(children)
        self.loose = self.loose or ends_in_a_comma
        return children, commas

    def followed(
        self,
        kind: str,
        children: list[JsonNode],
        commas: list[int],
    ) -> bool:
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
            children.append(JsonNode(text, self.at, opened, end, key, "", (), ()))
            commas.append(match.start(3))
            self.at = match.end()
        return self.at > start

    def member(self, depth: int) -> JsonNode:
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
