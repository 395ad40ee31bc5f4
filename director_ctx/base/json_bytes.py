"""JSON and JSON lines to the byte: read line by line, written in the style of their source, and cut
into slices of which two states of one conversation share all but the last.
"""

from __future__ import annotations

import json
import re
from collections import deque
from itertools import islice

from director_ctx.base.record import Record
from director_ctx.base.system.waiting import still_wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

SAMPLE = 200
"""So many lines are read before the format has to be known."""
MANY, TOGETHER = 1000, 64
"""Of more than so many elements so many are encoded at once: one by one is slow, and all together
is a second copy.
"""
DEEPEST = 100
"""Levels of a line's value; what is nested more deeply is no message, and is too deep to be walked."""
_HEAD = 4096
"""Bytes that show the style."""
_SOMETHING = re.compile(rb"\S")
_FIRST_KEY = re.compile(rb'^[\s\[{]*"(?:[^"\\]|\\.)*":( ?)')
_INDENTED = re.compile(rb"^\s*[\[{]\r?\n([ \t]+)")
_SPACE = re.compile(r"[ \t\r\n]*")
_value_at = json.JSONDecoder().raw_decode


def value_of(data: bytes | str) -> Any:
    """What a JSON text says; None where it is no JSON."""
    try:
        if isinstance(data, bytes):
            data = data.decode("utf-8", "surrogateescape")
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


# Lines


class OtherLine:
    """Stands by its number for a line that is no message: it is not read any further, and written
    back as it was.
    """

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Lines:
    """JSON lines: their bytes, where each is, and what was read of each."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data
        self.spans = list(spans_of(data))
        self.values: list[Any] = []

    def read(self, number: int) -> Any:
        """The object on a line, else an `OtherLine`."""
        still_wanted()
        start, end = self.spans[number]
        value = value_of(self.data[start:end])
        return value if isinstance(value, dict) else OtherLine(number)

    def broken(self) -> list[int]:
        """The numbers of lines that are no JSON, from 0."""
        broken = []
        for line in self.values:
            if isinstance(line, OtherLine):
                start, end = self.spans[line.number]
                text = self.data[start:end].strip()
                if text and value_of(text) is None:
                    broken.append(line.number)
        return broken

    def written(self, values: Sequence[Any]) -> bytes:
        """These values as lines, with those between them that are no messages."""
        encode = COMPACT.encoder()
        # A view, so that no line is copied before all of them are joined.
        view = memoryview(self.data)
        # By identity: the very object that was read is written by its bytes.
        number_of = {id(line): number for number, line in enumerate(self.values)}
        pieces: list[bytes | memoryview] = []
        for line in self._with_other_lines(values, number_of):
            # The last line of a file may have no end.
            if pieces and pieces[-1][-1:] != b"\n":
                pieces.append(b"\n")
            if id(line) in number_of:
                start, end = self.spans[number_of[id(line)]]
                pieces.append(view[start:end])
            else:
                pieces.append(encode(line).encode("utf-8", "backslashreplace") + b"\n")
        return b"".join(pieces)

    def _with_other_lines(self, values: Sequence[Any], number_of: dict[int, int]) -> Iterator[Any]:
        """With the lines that are no messages where they were. Formats of lines give them back
        themselves.
        """
        given = set(map(id, values))
        waiting = deque(
            number
            for number, line in enumerate(self.values)
            if isinstance(line, OtherLine) and id(line) not in given
        )
        for line in values:
            number = number_of.get(id(line), -1)
            while waiting and waiting[0] < number:
                yield self.values[waiting.popleft()]
            yield line
        for number in waiting:
            yield self.values[number]


def spans_of(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each line is, with its end. The last line may have none."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield start, end
        start = end


def starts_lines(data: bytes) -> bool:
    """Whether the first line is an object of its own, and more follows."""
    first = _SOMETHING.search(data)
    if first is None or first[0] != b"{":
        return False
    end = data.find(b"\n", first.start())
    if end < 0 or _SOMETHING.search(data, end) is None:
        return False
    return isinstance(value_of(data[first.start() : end]), dict)


def has_lines(data: bytes) -> bool:
    """Whether there is an object on one of the first lines, behind something broken."""
    if b"\n" not in data:
        return False
    return any(
        isinstance(value_of(data[start:end]), dict) for start, end in islice(spans_of(data), SAMPLE)
    )


def notes_on_broken(broken: Sequence[int], number_of_lines: int) -> tuple[str, ...]:
    """What is to be said of lines that are no JSON."""
    if not broken:
        return ()
    # A client that is at work, or was ended, has written half of it.
    first = broken[0] + 1
    if first == number_of_lines:
        return ("The last line is only half written; it stays as it is.",)
    if len(broken) == 1:
        return (f"1 line is no JSON and stays as it is: line {first}.",)
    count = f"{len(broken):,} lines are no JSON and stay as they are"
    return (f"{count}, the first of them line {first}.",)


# Style


class Style(Record):
    """How a source writes JSON."""

    comma: str = ", "
    colon: str = ": "
    indent: str = ""
    """What a level is indented by; empty where everything is on one line."""
    end: str = "\n"
    ascii_only: bool = False

    def encoder(self) -> Callable[[Any], str]:
        separators = (self.comma, self.colon)
        return json.JSONEncoder(ensure_ascii=self.ascii_only, separators=separators).encode


COMPACT = Style(",", ":")


def style_of(data: bytes) -> Style:
    head = data[:_HEAD]
    end = "\n" if data.endswith(b"\n") else ""
    indented = _INDENTED.match(head)
    if indented is not None:
        return Style(",", ": ", indented[1].decode(), end)
    first_key = _FIRST_KEY.match(head)
    is_spaced = first_key[1] == b" " if first_key else b'": ' in head
    return Style(end=end) if is_spaced else Style(",", ":", end=end)


def written(value: Any, style: Style) -> bytes:
    """A document. Halves of surrogate pairs, which UTF-8 has no bytes for, are escaped."""
    encode = style.encoder()
    texts = _one_line(value, style, encode)
    if style.indent:
        pieces = _indented(value, "\n", style, encode)
        # Small pieces joined to fewer ones, as each has its price.
        texts = iter(lambda: "".join(islice(pieces, MANY)), "")
    encoded = [text.encode("utf-8", "backslashreplace") for text in texts]
    return b"".join((*encoded, style.end.encode()))


def _one_line(value: Any, style: Style, encode: Callable[[Any], str]) -> Iterator[str]:
    """Long lists by their elements, so that no second copy of the document is made."""
    if isinstance(value, list):
        yield from _list_pieces(value, style.comma, encode)
    elif isinstance(value, dict) and value:
        before = "{"
        for key, inner in value.items():
            yield f"{before}{encode(key)}{style.colon}"
            if isinstance(inner, list):
                yield from _list_pieces(inner, style.comma, encode)
            else:
                yield encode(inner)
            before = style.comma
        yield "}"
    else:
        yield encode(value)


def _list_pieces(value: list[Any], comma: str, encode: Callable[[Any], str]) -> Iterator[str]:
    step = TOGETHER if len(value) > MANY else 1
    before = "["
    for start in range(0, len(value), step):
        # Without the brackets around them.
        yield before + encode(value[start : start + step])[1:-1]
        before = comma
    yield "]" if value else "[]"


def _indented(value: Any, line: str, style: Style, encode: Callable[[Any], str]) -> Iterator[str]:
    """On many lines; `line` is the break before the closing bracket."""
    if not value or not isinstance(value, (dict, list)):
        yield encode(value)
        return

    before, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    inside = line + style.indent
    for key in value:
        head, inner = f"{before}{inside}", key
        if isinstance(value, dict):
            head, inner = f"{head}{encode(key)}{style.colon}", value[key]
        if isinstance(inner, str):
            # Most values are texts, and a generator for each costs a quarter of the time.
            yield head + encode(inner)
        else:
            yield head
            yield from _indented(inner, inside, style, encode)
        before = ","
    yield line + closing


# A whole history: its elements, and its slices


class History(Record):
    """A file of JSON as a value, or as the list of its lines."""

    value: Any
    """Of lines a list: the value of each in a list of its own, or the text where it is no JSON."""
    is_lines: bool = False
    texts: Mapping[int, str] = {}
    """Of each line its text, by the `id()` of what stands for it."""


def history_of(data: bytes, known: Sequence[Any] = ()) -> History:
    """Any bytes. `known` are the values of lines that were read already."""
    if not starts_lines(data):
        # The mark of UTF-8, and blanks, may stand around a value.
        value = value_of(data.decode("utf-8", "surrogateescape").strip(" \t\r\n\ufeff"))
        if isinstance(value, (list, dict)):
            return History(value)
    lines: list[Any] = []
    texts = {}
    for number, (start, end) in enumerate(spans_of(data)):
        text = data[start:end].decode("utf-8", "surrogateescape").removesuffix("\n")
        value = known[number] if number < len(known) else None
        if not isinstance(value, dict):
            value = value_of(text)
        is_text = value is None or _is_deep(value, text)
        lines.append(text if is_text else [value])
        texts[id(lines[-1])] = text
    return History(lines, is_lines=True, texts=texts)


def document_of(data: bytes) -> Any:
    """What is in a file, as JSON; of lines a list of those that are JSON."""
    history = history_of(data)
    if not history.is_lines:
        return history.value
    return [line[0] for line in history.value if isinstance(line, list)]


def _is_deep(value: Any, text: str) -> bool:
    # Counting the brackets is cheap, and says of nearly every line that it is not.
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    level = [value]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                below += one.values()
            elif isinstance(one, list):
                below += one
        level = below
    return any(isinstance(one, (list, dict)) for one in level)


def lines_written(history: History, style: Style) -> bytes:
    """Lines with their own texts where these are known."""
    encode = style.encoder()
    lines = []
    for line in history.value:
        text = history.texts.get(id(line))
        if text is None:
            text = line if isinstance(line, str) else encode(line[0])
        try:
            lines.append(text.encode("utf-8", "surrogateescape"))
        except UnicodeEncodeError:
            lines.append(text.encode("utf-8", "backslashreplace"))
    return b"\n".join(lines) + style.end.encode()


def slices(data: bytes) -> list[str]:
    """The text of a history in pieces: its lines, or the elements of its longest list. Joined, and
    encoded as they were decoded, they are the very bytes.
    """
    if starts_lines(data):
        return [data[start:end].decode("utf-8", "surrogateescape") for start, end in spans_of(data)]
    text = data.decode("utf-8", "surrogateescape")
    try:
        ends = max(_ends_in_lists(text), key=len, default=[])
    except (ValueError, IndexError, RecursionError):
        ends = []
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def _ends_in_lists(text: str) -> Iterator[list[int]]:
    """Where the elements end of the text's own list, or of each list in its object."""
    at = _after_space(text, 0)
    if text[at] == "[":
        yield _element_ends(text, at)[0]
        return
    while text[at] in "{,":
        _, at = _value_at(text, _after_space(text, at + 1))  # the key
        at = _after_space(text, _after_space(text, at) + 1)
        if text[at] == "[":
            ends, at = _element_ends(text, at)
            yield ends
        else:
            _, at = _value_at(text, at)
        at = _after_space(text, at)


def _element_ends(text: str, at: int) -> tuple[list[int], int]:
    """Where the elements of a list end, and where the list does."""
    ends = []
    at = _after_space(text, at + 1)
    while text[at] != "]":
        _, at = _value_at(text, at)
        ends.append(at)
        at = _after_space(text, at)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return ends, at + 1


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
