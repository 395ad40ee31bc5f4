"""Heads of HTTP/1.1 messages, read strictly: what two readers could understand differently is refused, not guessed."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_HEAD = 65_536
MOST_FIELDS = 200
CHUNKED = -1
UNTIL_CLOSED = -2
_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_REQUEST = re.compile(rb"([A-Z]{1,20}) (/[\x21-\x7e\x80-\xff]*) HTTP/1\.([01])")
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\x00-\x08\x0a-\x1f\x7f]*)?")
_LENGTH = re.compile(rb"[0-9]{1,15}")
HOP = frozenset((b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"proxy-authorization",
                  b"te", b"trailer", b"upgrade"))  # fmt: skip
"""Between two neighbours only. Transfer-Encoding is one too, but the body is passed on as it is framed."""
_FRAME = frozenset((b"content-length", b"transfer-encoding"))
"""What no Connection field can take away."""

_names: dict[bytes, bytes] = {}
"""Names of fields in small letters: most come again with the next request. Values, as of keys, are kept nowhere."""


class Refused(Exception):
    """A message that is not passed on: the status of the answer, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Head:
    """The first line, its parts, and the fields: their names in small letters, and the lines as they came."""

    __slots__ = ("_lines", "_repeated", "_values", "line", "parts")

    def __init__(self, line: bytes, parts: tuple[bytes, ...], fields: list[tuple[bytes, bytes, bytes]]) -> None:
        self.line, self.parts, self._lines = line, parts, fields
        self._values: dict[bytes, bytes] = {}
        self._repeated: set[bytes] = set()
        for name, value, _ in fields:
            if name in self._values:
                self._repeated.add(name)
                self._values[name] += b"," + value
            else:
                self._values[name] = value

    def __contains__(self, name: bytes) -> bool:
        return name in self._values

    def any(self, names: frozenset[bytes]) -> bool:
        return not names.isdisjoint(self._values)

    def one(self, name: bytes) -> bytes:
        """The value of a field that may stand there once; empty without it."""
        if name in self._repeated:
            raise Refused(400, f"There is more than one {name.decode()} field.")
        return self._values.get(name, b"")

    def words(self, name: bytes) -> set[bytes]:
        value = self._values.get(name)
        return {word.strip().lower() for word in value.split(b",")} if value else set()

    def passed(self, without: frozenset[bytes] = frozenset(), more: Sequence[bytes] = ()) -> bytes:
        """The fields as they came, except those between neighbours, and other lines behind them."""
        dropped = HOP | without
        if own := self.words(b"connection") - _FRAME:
            dropped |= own
        return b"\r\n".join([*(line for name, _, line in self._lines if name not in dropped), *more, b"", b""])


def read_request(block: bytes) -> Head:
    """The parts: method, target, minor version."""
    line, fields = _read(block)
    found = _REQUEST.fullmatch(line)
    if not found:
        raise Refused(
            400, "Only paths are asked for here, by HTTP/1.1: this proxy leads to one model, and nowhere else."
        )
    return Head(line, found.groups(), fields)


def read_status(block: bytes) -> Head:
    """The parts: the status."""
    line, fields = _read(block)
    found = _STATUS.fullmatch(line)
    if not found:
        raise Refused(502, "The model's address does not speak HTTP/1.1.")
    return Head(line, found.groups(), fields)


def _read(block: bytes) -> tuple[bytes, list[tuple[bytes, bytes, bytes]]]:
    first, *lines = block.split(b"\r\n")
    if len(lines) > MOST_FIELDS:
        raise Refused(431, "There are too many header fields.")
    return first, [_field(line) for line in lines]


def _field(line: bytes) -> tuple[bytes, bytes, bytes]:
    """Name, value, line."""
    name, colon, value = line.partition(b":")
    if not colon or _CONTROL.search(value):
        raise Refused(400, "A header field is malformed.")
    return _names.get(name) or _name(name), value.strip(b" \t"), line


def is_one_line(text: bytes) -> bool:
    return not _CONTROL.search(text)


def _name(name: bytes) -> bytes:
    looks_like_frame = b"_" in name and name.lower().replace(b"_", b"-") in _FRAME
    if looks_like_frame or not _NAME.fullmatch(name):
        raise Refused(400, "A header field is malformed.")
    if len(_names) >= MOST_FIELDS:
        _names.clear()
    found = _names[name] = name.lower()
    return found


def request_length(head: Head) -> int:
    """How long the body is, or CHUNKED."""
    length = _framed(head)
    if length == CHUNKED and head.parts[2] == b"0":
        raise Refused(400, "HTTP/1.0 knows no chunks.")
    return 0 if length is None else length


def answer_length(head: Head, method: bytes) -> int:
    """How long the body of an answer is, CHUNKED, or UNTIL_CLOSED."""
    status = head.parts[0]
    if method == b"HEAD" or status in (b"204", b"304"):
        return 0
    try:
        length = _framed(head)
    except Refused as refused:
        raise Refused(502, f"The answer is malformed: {refused.why}") from refused
    if length == CHUNKED and head.line.startswith(b"HTTP/1.0"):
        raise Refused(502, "The answer is malformed: HTTP/1.0 knows no chunks.")
    return UNTIL_CLOSED if length is None else length


def _framed(head: Head) -> int | None:
    coding, length = head.one(b"transfer-encoding"), head.one(b"content-length")
    is_coded, is_counted = b"transfer-encoding" in head, b"content-length" in head
    if is_coded and is_counted:
        raise Refused(400, "A body has a length or is chunked, not both.")
    if is_coded:
        if coding.lower() != b"chunked":
            raise Refused(501, "No other transfer encoding than chunked is understood here.")
        return CHUNKED
    if is_counted and not _LENGTH.fullmatch(length):
        raise Refused(400, "The length of the body is no number.")
    return int(length) if is_counted else None
