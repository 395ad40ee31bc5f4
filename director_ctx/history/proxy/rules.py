"""Who may use the proxy: whoever knows its address, no web pages. Where a path may lead. And how it says no."""

from __future__ import annotations

import json
from hmac import compare_digest
from http import HTTPStatus
from urllib.parse import unquote_to_bytes

from director_ctx.history.proxy.http_head import Refused, is_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.proxy.http_head import Head

_OURS = (b"127.0.0.1", b"localhost", b"[::1]")
_SEALS = frozenset((b"content-encoding", b"content-md5", b"digest", b"content-digest", b"x-amz-content-sha256"))
_IN_PIECES = b"multipart/"
_FOREIGN = (b"cross-site", b"same-site")
RETRY_SECONDS = 1
"""After so many, whoever found no room may come again; clients of both vendors do so by themselves."""
_READINGS = 8
"""How often a path may have been encoded; some servers decode more than once."""


def allowed_path(asked: Head, port: int, base: bytes) -> bytes:
    """The path behind the proxy's own base. A web page gives itself away by its Origin, or by the name it asks for."""
    name, _, number = asked.one(b"host").lower().rpartition(b":")
    if name not in _OURS or number != b"%d" % port:
        raise Refused(403, "This proxy is asked for by its own address only.")
    if b"origin" in asked or asked.one(b"sec-fetch-site") in _FOREIGN:
        raise Refused(403, "Web pages may not use this proxy.")
    target = asked.parts[1]
    begun, behind = target[: len(base)], target[len(base) :]
    if not compare_digest(begun, base) or behind[:1] not in (b"/", b"?", b""):
        raise Refused(403, "The address has a token in it: take all of the one that the proxy printed.")
    path = behind if behind.startswith(b"/") else b"/" + behind
    _stay_below(path.partition(b"?")[0])
    return path


def _stay_below(path: bytes) -> None:
    """Nothing that any server might take for a way out of the folder in which the model's paths begin."""
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
    later = f"Retry-After: {RETRY_SECONDS}\r\n" if refused.status == HTTPStatus.SERVICE_UNAVAILABLE else ""
    head = f"HTTP/1.1 {refused.status} {phrase}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + later.encode() + b"Connection: close\r\n\r\n" + body
