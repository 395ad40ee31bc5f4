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
    found = _split(text.strip())
    if found is None:
        raise UsageProblem(
            f"{text!r} is not the address of a debugging port.",
            "It looks like http://127.0.0.1:9222, or only 9222.",
        )
    if not remote and not is_local(found.host):
        raise UsageProblem(
            f"{found.host} is another machine, and whoever debugs a browser can do all that its user can.",
            "If that is meant, `dctx browser` takes --remote; a context asks browsers of this machine only.",
        )
    return found


def _split(text: str) -> Endpoint | None:
    if text.isascii() and text.isdigit():
        text = f"127.0.0.1:{text}"
    scheme, mark, rest = text.partition("://")
    if mark and scheme.lower() not in _SCHEMES:
        return None
    place = (rest if mark else text).split("/", 1)[0].split("?", 1)[0].split("#", 1)[0]
    host, _, port = place.rpartition(":")
    bare = host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host
    if not _is_host(bare, bracketed=bare != host) or not (
        port.isascii() and port.isdigit() and len(port) < 6
    ):
        return None
    return Endpoint(bare.lower(), int(port)) if 0 < int(port) < 65536 else None


def _is_host(text: str, bracketed: bool) -> bool:
    allowed = "0123456789abcdef:." if bracketed else "abcdefghijklmnopqrstuvwxyz0123456789-._"
    return bool(text) and not set(text.lower()) - set(allowed)


def is_local(host: str) -> bool:
    """Whether a name means this machine. Only three ways to say so are known; a name is never
    looked up for it.
    """
    if host in ("localhost", "::1"):
        return True
    parts = host.split(".")
    return parts[0] == "127" and len(parts) == 4 and all(_is_byte(part) for part in parts)


def _is_byte(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 4 and int(text) < 256


def socket_url(endpoint: Endpoint, given: object) -> str:
    """The browser's WebSocket, which must be at the very place that was asked."""
    text = given if isinstance(given, str) else ""
    path = text.removeprefix(f"ws://{endpoint.authority}/")
    if (
        path == text
        or not path.startswith("devtools/browser/")
        or not path.isprintable()
        or " " in path
    ):
        raise DctxError(
            f"What listens at {endpoint} leads somewhere else, and was not followed.",
            "Is that a browser? See what listens there.",
        )
    return text
