"""A request as text, with the place of each of its messages: some are replaced, the others stay to
the byte.
"""

from __future__ import annotations

import json
import re
from json import JSONDecoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_SPACE = re.compile(r"[ \t\n\r]*")
_value = JSONDecoder().raw_decode


class Body:
    """A JSON object with a list in it, read once."""

    __slots__ = ("_inside", "_spans", "_text", "document", "key")

    def __init__(self, text: str, key: str) -> None:
        """Raises ValueError where the text is no object, or says something twice."""
        self.key = key
        self._text = text
        self.document: dict[str, Any] = {}
        self._spans: list[tuple[int, int]] = []
        """Where each message begins and ends."""
        self._inside = (0, 0)
        """Where the list of messages begins and ends, without its brackets."""
        start = _behind(text, 0, "{")
        end = self._read_object(start)
        if _skip_space(text, end) != len(text):
            raise ValueError("there is something behind the object")

    @property
    def elements(self) -> list[Any]:
        """The messages; none where they are not listed."""
        _, end = self._inside
        if not end:
            return []
        messages: list[Any] = self.document[self.key]
        return messages

    @property
    def others(self) -> dict[str, Any]:
        """Everything but the messages."""
        return {key: value for key, value in self.document.items() if key != self.key}

    def begins(self, place: int) -> dict[str, Any]:
        """The same object with the messages from a place on."""
        return {**self.document, self.key: self.elements[place:]}

    def raw(self, place: int) -> str:
        """An element as it was written."""
        start, end = self._spans[place]
        return self._text[start:end]

    def offset(self, place: int) -> int:
        """Where an element ends in the text."""
        return self._spans[place][1]

    def spliced(self, first: str, kept: int) -> str:
        """The text with `first` in the place of the elements before number `kept`, and the others
        as they are.
        """
        start, end = self._inside
        before = self._text[:start]
        behind = self._text[end:]
        if kept >= len(self._spans):
            return before + first + behind
        rest_starts, _ = self._spans[kept]
        _, rest_ends = self._spans[-1]
        rest = self._text[rest_starts:rest_ends]
        if not first:
            return before + rest + behind
        return f"{before}{first},{rest}{behind}"

    def _read_object(self, at: int) -> int:
        """Where it ends."""
        # By hand, value by value: the decoder tells where a whole document ends, and no more.
        text = self._text
        at = _skip_space(text, at)
        if text.startswith("}", at):
            return at + 1
        while True:
            key, at = _value(text, _skip_space(text, at))
            # Of two readers one could take the first, and the other the last of them.
            if not isinstance(key, str) or key in self.document:
                raise ValueError("a key stands there twice")
            at = _skip_space(text, _behind(text, at, ":"))
            if key == self.key and text.startswith("[", at):
                self.document[key], at = self._read_list(at + 1)
            else:
                self.document[key], at = _value(text, at)
            at = _skip_space(text, at)
            if not text.startswith(",", at):
                return _behind(text, at, "}")
            at += 1

    def _read_list(self, start: int) -> tuple[list[Any], int]:
        """The messages, and where their list ends."""
        text = self._text
        elements: list[Any] = []
        at = _skip_space(text, start)
        while not text.startswith("]", at):
            element, end = _value(text, at)
            elements.append(element)
            self._spans.append((at, end))
            at = _skip_space(text, end)
            if text.startswith(",", at):
                at = _skip_space(text, at + 1)
            elif not text.startswith("]", at):
                raise ValueError("the list does not end")
        self._inside = (start, at)
        return elements, at + 1


def _skip_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    if space is None:
        return at
    return space.end()


def _behind(text: str, at: int, sign: str) -> int:
    """Behind a sign that has to come now."""
    at = _skip_space(text, at)
    if not text.startswith(sign, at):
        raise ValueError(f"no {sign} where there has to be one")
    return at + 1


def written(elements: Iterable[Any]) -> str:
    """Elements that we made, the way most clients write them."""
    text = _list(elements, plain=True)
    try:
        text.encode()
    except UnicodeEncodeError:  # Half a character can only be written by its number.
        text = _list(elements, plain=False)
    return text[1:-1]


def _list(elements: Iterable[Any], plain: bool) -> str:
    return json.dumps(list(elements), ensure_ascii=not plain, separators=(",", ":"))
