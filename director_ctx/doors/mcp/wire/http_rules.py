"""What the protocol asks of HTTP: who may come in, and headers that say the same as the body."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from hmac import compare_digest

from director_ctx.doors.mcp.wire.messages import RefusedMessage
from director_ctx.doors.mcp.wire.revisions import (
    BAD_PARAMETERS,
    BY_HANDSHAKE,
    HEADERS_DIFFER,
    MODERN,
    NO_METHOD,
    NO_REQUEST,
    NOT_JSON,
    OTHER_REVISION,
    VERSION,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from director_ctx.doors.mcp.wire.messages import ClientRequest, Object

VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "mcp-protocol-version", "mcp-method", "mcp-name"
ONCE = (
    VERSION_HEADER,
    METHOD_HEADER,
    NAME_HEADER,
    "host",
    "origin",
    "authorization",
    "content-length",
)
"""Of two of these nobody knows which one others go by."""
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that a header repeats."""
STATUSES = {
    NOT_JSON: 400,
    NO_REQUEST: 400,
    BAD_PARAMETERS: 400,
    HEADERS_DIFFER: 400,
    OTHER_REVISION: 400,
    NO_METHOD: 404,
}
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_BEFORE, _BEHIND = "=?base64?", "?="


def hosts_of(name: str, port: int) -> frozenset[str]:
    """What a request may call this server: a page of another name that leads here is turned away."""
    names = LOOPBACK if is_loopback(name) else (name,)
    hosts = set()
    for host in names:
        hosts.add(f"{host}:{port}")
        if port == 80:
            hosts.add(host)
    return frozenset(hosts)


def is_loopback(name: str) -> bool:
    return name in (*LOOPBACK, "::1")


def may_come_in(host: str, origin: str | None, hosts: Collection[str]) -> bool:
    """Whether a request is meant for this server, and not sent by a page from elsewhere."""
    if host.lower() not in hosts:
        return False
    if origin is None:
        return True
    scheme, _, where = origin.lower().partition("://")
    return scheme in ("http", "https") and where in hosts


def has_token(authorization: str | None, token: str) -> bool:
    """In constant time, so that nobody finds it out letter by letter."""
    given = (authorization or "").encode("utf-8", "replace")
    return compare_digest(given, f"Bearer {token}".encode())


def revision_by_header(headers: Mapping[str, str], request: ClientRequest) -> str:
    """The revision of a request that does not say it itself; empty where its body does."""
    if VERSION in request.meta:
        return ""
    said = headers.get(VERSION_HEADER)
    if said is None:
        # So it was before there was such a header.
        return BY_HANDSHAKE[-1]
    revision = said.strip()
    if revision in MODERN or revision not in BY_HANDSHAKE:
        supported = [*MODERN, *BY_HANDSHAKE]
        if revision in MODERN:
            raise RefusedMessage(BAD_PARAMETERS, f"_meta lacks {VERSION}.")
        data: Object = {"supported": supported, "requested": revision[:40]}
        raise RefusedMessage(OTHER_REVISION, f"Revision {revision[:40]} is not spoken here.", data)
    return revision


def expect_same(headers: Mapping[str, str], request: ClientRequest) -> None:
    """Refuses a request whose headers say anything else than its body: who looks only at the headers
    would let pass what they forbid.
    """
    if VERSION not in request.meta:
        return
    expected = {VERSION_HEADER: request.meta[VERSION], METHOD_HEADER: request.method}
    name = NAMED_BY.get(request.method)
    if name and isinstance(request.parameters.get(name), str):
        expected[NAME_HEADER] = request.parameters[name]

    missing = [header for header in expected if header not in headers]
    if missing:
        raise RefusedMessage(HEADERS_DIFFER, f"Missing headers: {', '.join(missing)}.")
    for header, body in expected.items():
        if _decoded(headers[header]) != body:
            said = f"The header {header} says something else than the body."
            raise RefusedMessage(HEADERS_DIFFER, said)


def _decoded(value: str) -> str | None:
    """What a header says that may be written in Base64; None where that is damaged."""
    value = value.strip(" \t")
    if not (value.startswith(_BEFORE) and value.endswith(_BEHIND)):
        return value
    packed = value.removeprefix(_BEFORE).removesuffix(_BEHIND)
    try:
        return b64decode(packed, validate=True).decode("utf-8")
    except (NotBase64, ValueError):
        return None
