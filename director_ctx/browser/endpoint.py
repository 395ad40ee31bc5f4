"""Where a browser listens for debuggers, and whether dctx may go there: this machine only, unless
told otherwise.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record

_SCHEMES = ("http", "ws")


class Endpoint(Record):
    host: str
    port: int

    def __str__(self) -> str:
        return f"http://{self.authority}"

    @property
    def authority(self) -> str:
        is_ipv6 = ":" in self.host
        host = f"[{self.host}]" if is_ipv6 else self.host
        return f"{host}:{self.port}"


def parse_endpoint(text: str, remote: bool = False) -> Endpoint:
    """`http://127.0.0.1:9222`, without the scheme, or the port alone. Whatever follows the port is
    not used.
    """
    endpoint = _split(text.strip())
    if endpoint is None:
        raise UsageProblem(
            f"{text!r} is not the address of a debugging port.",
            "Write it like http://127.0.0.1:9222, or only 9222.",
        )
    if not remote and not is_local(endpoint.host):
        raise UsageProblem(
            f"{endpoint.host} is another machine, and whoever debugs a browser can do all that its user can.",
            "If that is meant, `dctx browser` takes --remote; a context asks browsers of this machine only.",
        )
    return endpoint


def _split(text: str) -> Endpoint | None:
    if text.isascii() and text.isdigit():
        text = f"127.0.0.1:{text}"
    scheme, mark, rest = text.partition("://")
    if not mark:
        rest = text
    elif scheme.lower() not in _SCHEMES:
        return None
    for end in "/?#":
        rest = rest.partition(end)[0]

    host, _, port = rest.rpartition(":")
    is_bracketed = host[:1] == "[" and host[-1:] == "]"
    if is_bracketed:
        host = host[1:-1]
    if not _is_host(host, is_bracketed) or not _is_port(port):
        return None
    return Endpoint(host.lower(), int(port))


def _is_port(text: str) -> bool:
    is_number = text.isascii() and text.isdigit()
    if not is_number or len(text) > 5:
        return False
    return 0 < int(text) < 65536


def _is_host(text: str, bracketed: bool) -> bool:
    allowed = "abcdefghijklmnopqrstuvwxyz0123456789-._"
    if bracketed:
        allowed = "0123456789abcdef:."
    others = set(text.lower()) - set(allowed)
    return bool(text) and not others


def is_local(host: str) -> bool:
    """Whether a name means this machine. Only three ways to say so are known; a name is never
    looked up for it.
    """
    if host in ("localhost", "::1"):
        return True
    parts = host.split(".")
    if parts[0] != "127" or len(parts) != 4:
        return False
    return all(map(_is_byte, parts))


def _is_byte(text: str) -> bool:
    is_number = text.isascii() and text.isdigit()
    return is_number and len(text) < 4 and int(text) < 256


def socket_url(endpoint: Endpoint, announced: object) -> str:
    """The browser's WebSocket, which must be at the very place that was asked."""
    url = announced if isinstance(announced, str) else ""
    start = f"ws://{endpoint.authority}/devtools/browser/"
    is_there = url.startswith(start)
    # It becomes part of a request, where a blank or a line's end would end it.
    is_one_word = url.isprintable() and " " not in url
    if not is_there or not is_one_word:
        raise DctxError(
            f"The program at {endpoint} leads to another address, which was not followed.",
            "Is it a browser? Look which program listens there.",
        )
    return url
