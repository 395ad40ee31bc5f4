"""Heads of HTTP/1.1 messages, read strictly; and who may use the proxy, and where a path may lead."""

from __future__ import annotations

import json
import re
from hmac import compare_digest
from http import HTTPStatus
from urllib.parse import unquote_to_bytes

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
"""Between two neighbours only. Transfer-Encoding is one too, but the body is passed on as it is
framed.
"""
_FRAME = frozenset((b"content-length", b"transfer-encoding"))
"""What no Connection field can take away."""

_names: dict[bytes, bytes] = {}
"""Names of fields in small letters: most come again with the next request. Values, as of keys, are
kept nowhere.
"""


class Refused(Exception):
    """A message that is not passed on: the status of the answer, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Head:
    """The first line, its parts, and the fields: their names in small letters, and the lines as
    they came.
    """

    __slots__ = ("_lines", "_repeated", "_values", "line", "parts")

    def __init__(
        self, line: bytes, parts: tuple[bytes, ...], fields: list[tuple[bytes, bytes, bytes]]
    ) -> None:
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
        return b"\r\n".join(
            [*(line for name, _, line in self._lines if name not in dropped), *more, b"", b""]
        )


def read_request(block: bytes) -> Head:
    """The parts: method, target, minor version."""
    line, fields = _read(block)
    found = _REQUEST.fullmatch(line)
    if not found:
        raise Refused(
            400,
            "Only paths are asked for here, by HTTP/1.1: this proxy leads to one model, and nowhere else.",
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


_OURS = (b"127.0.0.1", b"localhost", b"[::1]")
_SEALS = frozenset(
    (b"content-encoding", b"content-md5", b"digest", b"content-digest", b"x-amz-content-sha256")
)
_IN_PIECES = b"multipart/"
_FOREIGN = (b"cross-site", b"same-site")
RETRY_SECONDS = 1
"""After so many, whoever found no room may come again; clients of both vendors do so by themselves.
"""
_READINGS = 8
"""How often a path may have been encoded; some servers decode more than once."""


def allowed_path(asked: Head, port: int, base: bytes) -> bytes:
    """The path behind the proxy's own base. A web page gives itself away by its Origin, or by the
    name it asks for.
    """
    name, _, number = asked.one(b"host").lower().rpartition(b":")
    if name not in _OURS or number != b"%d" % port:
        raise Refused(403, "This proxy is asked for by its own address only.")
    if b"origin" in asked or asked.one(b"sec-fetch-site") in _FOREIGN:
        raise Refused(403, "Web pages may not use this proxy.")
    target = asked.parts[1]
    begun, behind = target[: len(base)], target[len(base) :]
    if not compare_digest(begun, base) or behind[:1] not in (b"/", b"?", b""):
        raise Refused(
            403, "The address has a token in it: take all of the one that the proxy printed."
        )
    path = behind if behind.startswith(b"/") else b"/" + behind
    _stay_below(path.partition(b"?")[0])
    return path


def _stay_below(path: bytes) -> None:
    """Nothing that any server might take for a way out of the folder in which the model's paths
    begin.
    """
    first, *between = path.split(b"/")[:-1]
    if first or b"" in between or b"#" in path:
        raise Refused(400, "The path has an empty part in it, or a fragment.")
    for _ in range(_READINGS):
        parts = path.split(b"/")
        if b"\\" in path or not is_one_line(path) or any(map(_climbs, parts)):
            raise Refused(400, "The path does not lead straight down.")
        encoded, path = path, unquote_to_bytes(path)
        if path == encoded:
            break
    else:
        raise Refused(400, "The path is encoded too often.")
    try:
        path.decode("utf-8")
    except UnicodeError as error:
        raise Refused(400, "The path is no text.") from error


def _climbs(part: bytes) -> bool:
    """`.`, `..` and their like, whatever stands behind a semicolon, which some servers leave out."""
    name = part.partition(b";")[0]
    return bool(part) and not name.strip(b". ")


def may_change(asked: Head) -> bool:
    """Whether a body may be JSON as it stands, and nothing vouches for its bytes.

    What it is called says little: `curl -d` calls all that it sends a form.
    """
    kind = asked.one(b"content-type").strip().lower()
    return asked.parts[0] == b"POST" and not kind.startswith(_IN_PIECES) and not asked.any(_SEALS)


def refusal(refused: Refused) -> bytes:
    """An answer in the shape that clients of both vendors read."""
    kind = "invalid_request_error" if refused.status < 500 else "api_error"
    error = {"type": kind, "message": f"dctx proxy: {refused.why}", "param": None, "code": None}
    body = json.dumps({"type": "error", "error": error}).encode()
    phrase = HTTPStatus(refused.status).phrase
    later = (
        f"Retry-After: {RETRY_SECONDS}\r\n"
        if refused.status == HTTPStatus.SERVICE_UNAVAILABLE
        else ""
    )
    head = f"HTTP/1.1 {refused.status} {phrase}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + later.encode() + b"Connection: close\r\n\r\n" + body
