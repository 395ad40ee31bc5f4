"""A request that a proxy may shorten: which ones are looked at, by their paths, and what they say. Some of its messages
are replaced, the others stay to the byte.
"""

from __future__ import annotations

import json
import re
from json import JSONDecoder

from director_ctx.context.tokens.by_provider import as_provider
from director_ctx.history.formats import load
from director_ctx.history.messages.message import measure
from director_ctx.history.proxy.cuts import PrefixCut, chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from director_ctx.history.compress.options import Wish

    Bytes = bytes | bytearray

RESPONSES = "openai-responses"
WIRES = (
    ("/v1/messages", "anthropic", "messages"),
    ("/v1/messages/count_tokens", "anthropic", "messages"),
    ("/chat/completions", "openai-chat", "messages"),
    ("/responses", RESPONSES, "input"),
    ("/responses/input_tokens", RESPONSES, "input"),
)
"""How a path ends; the format of its messages, and where they are."""
KEPT_THERE = ("previous_response_id", "conversation")
"""Where a request says that the provider has what came before: what it brings, the model has never
seen.
"""
REFERENCE = "item_reference"


def wire_of(path: str) -> tuple[str, str, str] | None:
    without_query, _, _ = path.partition("?")
    for wire in WIRES:
        end_of_path, _, _ = wire
        if without_query.endswith(end_of_path):
            return wire
    return None


_MODEL = re.compile(rb'"model"\s*:\s*"([\x21\x23-\x5b\x5d-\x7e]{1,100})"')
_END = 4_096
"""Bytes at both ends of a request in which clients write what they ask beside the messages."""


def model_of(body: Bytes) -> str:
    """The model that a request asks, without reading all of it; empty where it does not stand at
    either end.
    """
    named = _MODEL.search(body[:_END]) or _MODEL.search(body[-_END:])
    if named is None:
        return ""
    return named[1].decode("ascii")


OPENING = 4
"""Messages by which a conversation is told from others, where it matters little if two are taken for
one.
"""


class ProxyRequest:
    """One request, read."""

    def __init__(
        self,
        number: int,
        format: str,
        key: str,
        body: Bytes,
        wish: Wish,
    ) -> None:
        self.number = number
        self.format = format
        text = str(body, "utf-8")
        self.body = Body(text, key)
        self._count = wish.count
        self._links: list[bytes] = []
        self.raw = body
        self._counted: tuple[PrefixCut | None, int] | None = None
        self.factor = 1.0
        """What its provider counts for each token of our counter, as far as anybody knows."""
        self.tools = 0
        """Tokens of what it says about tools, by our counter."""
        tools = self.body.document.get("tools")
        if tools:
            self.tools = self._count_written(tools)

    @property
    def links(self) -> list[bytes]:
        """A hash for each beginning of its messages."""
        # Only when they are asked for: a request that is short enough goes out without them.
        if not self._links:
            self._links = chain(self.body)
        return self._links

    @property
    def opening(self) -> list[bytes]:
        """The first of these."""
        return chain(self.body, OPENING)

    @property
    def model(self) -> str:
        """As it names it in its body; empty where it does not."""
        name = self.body.document.get("model")
        return name if isinstance(name, str) else ""

    def reach(self, length: int) -> int:
        """Where so many messages end in the request."""
        if not self.body.elements:
            return len(self.raw)
        return self.body.offset(length - 1)

    @property
    def kept_there(self) -> bool:
        """Whether the provider keeps the conversation, or a part of it."""
        if self.format != RESPONSES:
            return False
        if any(self.body.document.get(key) is not None for key in KEPT_THERE):
            return True
        elements = [element for element in self.body.elements if isinstance(element, dict)]
        return any(element.get("type") == REFERENCE for element in elements)

    def size(self, cut: PrefixCut | None) -> int:
        """Tokens of what would go out, as its provider counts: instructions, messages and tools."""
        return as_provider(self.counted(cut), self.factor)

    def counted(self, cut: PrefixCut | None) -> int:
        """The same by our counter."""
        # Asked for several times, and a large request takes long to count.
        if self._counted is None or self._counted[0] is not cut:
            tokens = self.tools
            if cut is None or cut.text is None:
                tokens += self.tokens(self.body.document)
            else:
                tokens += cut.tokens + self.tokens(self.body.begins(cut.length))
            self._counted = (cut, tokens)
        return self._counted[1]

    def tokens(self, document: dict[str, Any]) -> int:
        """Of its messages; what is none of a format is counted as it is written."""
        conversation = load(self.format).decode(document)
        tokens = measure(conversation.messages, self._count)
        elements = document.get(self.body.key)
        if not isinstance(elements, list):
            return tokens
        strange = [element for element in elements if not isinstance(element, dict)]
        if strange:
            tokens += self._count_written(strange)
        return tokens

    def _count_written(self, value: Any) -> int:
        text = json.dumps(value, ensure_ascii=False)
        return self._count(text)


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
    return space.end() if space else at


def _behind(text: str, at: int, sign: str) -> int:
    """Behind a sign that has to come now."""
    at = _skip_space(text, at)
    if not text.startswith(sign, at):
        raise ValueError(f"no {sign} where there has to be one")
    return at + 1


def written(elements: Iterable[Any]) -> str:
    """Elements that we made, the way most clients write them."""
    listed = list(elements)
    text = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # Half a character can only be written by its number.
        text = json.dumps(listed, separators=(",", ":"))
    return text[1:-1]
