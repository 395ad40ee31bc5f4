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
        host = f"[{self.host}]" if ":" in self.host else self.host
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
    allowed = "abcdefghijklmnopqrstuvwxyz0123456789-._"
    if host[:1] == "[" and host[-1:] == "]":
        host = host[1:-1]
        allowed = "0123456789abcdef:."
    if not host or set(host.lower()) - set(allowed) or not _is_number(port, 65535) or not int(port):
        return None
    return Endpoint(host.lower(), int(port))


def is_local(host: str) -> bool:
    """Whether a name means this machine. Only three ways to say so are known; a name is never
    looked up for it.
    """
    if host in ("localhost", "::1"):
        return True
    parts = host.split(".")
    return parts[0] == "127" and len(parts) == 4 and all(_is_number(part, 255) for part in parts)


def _is_number(text: str, most: int) -> bool:
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    return is_number and int(text) <= most


def socket_url(endpoint: Endpoint, announced: object) -> str:
    """The browser's WebSocket, which must be at the very place that was asked."""
    url = announced if isinstance(announced, str) else ""
    start = f"ws://{endpoint.authority}/devtools/browser/"
    # It becomes part of a request, where a blank or a line's end would end it.
    if not url.startswith(start) or not url.isprintable() or " " in url:
        raise DctxError(
            f"The program at {endpoint} leads to another address, which was not followed.",
            "Is it a browser? Look which program listens there.",
        )
    return url
