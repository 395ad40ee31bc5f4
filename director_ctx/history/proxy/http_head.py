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

    Field = tuple[bytes, bytes, bytes]
    """Its name in small letters, its value, and the line as it came."""

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
FRAME = frozenset((b"content-length", b"transfer-encoding"))
"""What says how long a body is: no Connection field can take it away."""

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

    __slots__ = ("_fields", "_repeated", "_values", "line", "parts")

    def __init__(
        self,
        line: bytes,
        parts: tuple[bytes, ...],
        fields: list[Field],
    ) -> None:
        self.line = line
        self.parts = parts
        self._fields = fields
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

    def has_any(self, names: frozenset[bytes]) -> bool:
        return not names.isdisjoint(self._values)

    def value_of(self, name: bytes) -> bytes:
        """The value of a field that may stand there once; empty without it."""
        if name in self._repeated:
            raise Refused(400, f"There is more than one {name.decode()} field.")
        return self._values.get(name, b"")

    def words(self, name: bytes) -> set[bytes]:
        value = self._values.get(name)
        if not value:
            return set()
        return {word.strip().lower() for word in value.split(b",")}

    def passed(self, without: frozenset[bytes] = frozenset(), more: Sequence[bytes] = ()) -> bytes:
        """The fields as they came, except those between neighbours, and other lines behind them."""
        # A Connection field names others that are for the neighbour alone, if it names any.
        for_neighbour = self.words(b"connection") - FRAME
        dropped = HOP | without | for_neighbour
        lines = [line for name, _, line in self._fields if name not in dropped]
        return b"\r\n".join([*lines, *more, b"", b""])


def read_request(block: bytes) -> Head:
    """The parts: method, target, minor version."""
    line, fields = _read(block)
    match = _REQUEST.fullmatch(line)
    if not match:
        raise Refused(
            400,
            "Only paths are asked for here, by HTTP/1.1: this proxy leads to one model, and nowhere else.",
        )
    return Head(line, match.groups(), fields)


def read_status(block: bytes) -> Head:
    """The parts: the status."""
    line, fields = _read(block)
    match = _STATUS.fullmatch(line)
    if not match:
        raise Refused(502, "The model's address does not speak HTTP/1.1.")
    return Head(line, match.groups(), fields)


def _read(block: bytes) -> tuple[bytes, list[Field]]:
    first, *lines = block.split(b"\r\n")
    if len(lines) > MOST_FIELDS:
        raise Refused(431, "There are too many header fields.")
    fields: list[Field] = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not is_one_line(value):
            raise Refused(400, "A header field is malformed.")
        small_name = _names.get(name) or _checked_name(name)
        fields.append((small_name, value.strip(b" \t"), line))
    return first, fields


def is_one_line(text: bytes) -> bool:
    return not _CONTROL.search(text)


def _checked_name(name: bytes) -> bytes:
    small_name = name.lower()
    # Some servers read an underscore as a dash, and find a frame in what is none to us.
    looks_like_frame = b"_" in name and small_name.replace(b"_", b"-") in FRAME
    if looks_like_frame or not _NAME.fullmatch(name):
        raise Refused(400, "A header field is malformed.")
    if len(_names) >= MOST_FIELDS:
        _names.clear()
    _names[name] = small_name
    return small_name


def request_length(head: Head) -> int:
    """How long the body is, or CHUNKED."""
    return _framed(head, is_old=head.parts[2] == b"0", otherwise=0)


def answer_length(head: Head, method: bytes) -> int:
    """How long the body of an answer is, CHUNKED, or UNTIL_CLOSED."""
    # These have no body, whatever their fields say of one.
    if method == b"HEAD" or head.parts[0] in (b"204", b"304"):
        return 0
    try:
        return _framed(head, head.line.startswith(b"HTTP/1.0"), UNTIL_CLOSED)
    except Refused as refused:
        raise Refused(502, f"The answer is malformed: {refused.why}") from refused


def _framed(head: Head, is_old: bool, otherwise: int) -> int:
    coding = head.value_of(b"transfer-encoding")
    length = head.value_of(b"content-length")
    is_counted = b"content-length" in head
    if b"transfer-encoding" in head:
        # Two readers could take either: the way to smuggle a request behind another one.
        if is_counted:
            raise Refused(400, "A body has a length or is chunked, not both.")
        if coding.lower() != b"chunked":
            raise Refused(501, "No other transfer encoding than chunked is understood here.")
        if is_old:
            raise Refused(400, "HTTP/1.0 knows no chunks.")
        return CHUNKED
    if not is_counted:
        return otherwise
    if not _LENGTH.fullmatch(length):
        raise Refused(400, "The length of the body is no number.")
    return int(length)


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
    """The path behind the proxy's own base."""
    # A web page gives itself away by its Origin, or by the name it asks for.
    host = asked.value_of(b"host").lower()
    name, _, number = host.rpartition(b":")
    if name not in _OURS or number != b"%d" % port:
        raise Refused(403, "This proxy is asked for by its own address only.")
    if b"origin" in asked or asked.value_of(b"sec-fetch-site") in _FOREIGN:
        raise Refused(403, "Web pages may not use this proxy.")
    _, target, _ = asked.parts
    begun = target[: len(base)]
    behind = target[len(base) :]
    # In a time that does not tell how much of a token was right.
    has_token = compare_digest(begun, base)
    if not has_token or behind[:1] not in (b"/", b"?", b""):
        raise Refused(
            403, "The address has a token in it: take all of the one that the proxy printed."
        )
    path = behind
    if not behind.startswith(b"/"):
        path = b"/" + behind
    without_query, _, _ = path.partition(b"?")
    _expect_below(without_query)
    return path


def _expect_below(path: bytes) -> None:
    """Nothing that any server might take for a way out of the folder in which the model's paths
    begin.
    """
    first, *between, _ = path.split(b"/")
    if first or b"" in between or b"#" in path:
        raise Refused(400, "The path has an empty part in it, or a fragment.")

    # As it came, and as a server that decodes it once, twice or more often would read it.
    for _ in range(_READINGS):
        # Whatever stands behind a semicolon, some servers leave out.
        names = [part.partition(b";")[0] if part else b"-" for part in path.split(b"/")]
        climbs = any(not name.strip(b". ") for name in names)
        if climbs or b"\\" in path or not is_one_line(path):
            raise Refused(400, "The path does not lead straight down.")
        decoded = unquote_to_bytes(path)
        if decoded == path:
            break
        path = decoded
    else:
        raise Refused(400, "The path is encoded too often.")
    try:
        path.decode("utf-8")
    except UnicodeError as error:
        raise Refused(400, "The path is no text.") from error


def may_change(asked: Head) -> bool:
    """Whether a body may be JSON as it stands, and nothing vouches for its bytes."""
    method, _, _ = asked.parts
    if method != b"POST" or asked.has_any(_SEALS):
        return False
    # What it is called says little: `curl -d` calls all that it sends a form.
    kind = asked.value_of(b"content-type").strip().lower()
    return not kind.startswith(_IN_PIECES)


def refusal(refused: Refused) -> bytes:
    """An answer in the shape that clients of both vendors read."""
    kind = "api_error"
    if refused.status < 500:
        kind = "invalid_request_error"
    error = {
        "type": kind,
        "message": f"dctx history proxy: {refused.why}",
        "param": None,
        "code": None,
    }
    body = json.dumps({"type": "error", "error": error}).encode()
    phrase = HTTPStatus(refused.status).phrase
    lines = [
        f"HTTP/1.1 {refused.status} {phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    if refused.status == HTTPStatus.SERVICE_UNAVAILABLE:
        lines.append(f"Retry-After: {RETRY_SECONDS}")
    lines += ["Connection: close", "", ""]
    return "\r\n".join(lines).encode() + body
