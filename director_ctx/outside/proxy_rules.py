"""Who may use the proxy: programs of this machine, no web pages. And how it says no."""

from __future__ import annotations

import json
from http import HTTPStatus

from director_ctx.outside.proxy_head import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.outside.proxy_head import Head

_OURS = (b"127.0.0.1", b"localhost", b"[::1]")
_SEALS = frozenset((b"content-encoding", b"content-md5", b"digest", b"content-digest", b"x-amz-content-sha256"))
_IN_PIECES = b"multipart/"
_FOREIGN = (b"cross-site", b"same-site")


def allow(asked: Head, port: int) -> None:
    """A web page gives itself away by its Origin, or by the name under which it came here."""
    name, _, number = asked.one(b"host").lower().rpartition(b":")
    if name not in _OURS or number != b"%d" % port:
        raise Refused(403, "This proxy is asked for by its own address only.")
    if b"origin" in asked or asked.one(b"sec-fetch-site") in _FOREIGN:
        raise Refused(403, "Web pages may not use this proxy.")


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
    head = f"HTTP/1.1 {refused.status} {phrase}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"Connection: close\r\n\r\n" + body
