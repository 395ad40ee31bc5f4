"""Where requests go: one address, spoken to directly, by TLS with the usual checks where it is
https.
"""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.history.proxy.http_body import ProxySide

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl

CONNECT_SECONDS = 15.0
_HINT = "Name an address such as https://api.anthropic.com."
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Upstream(Record):
    host: str
    port: int
    path: str
    """In front of every path that is asked for."""
    tls: ssl.SSLContext | None

    @property
    def authority(self) -> bytes:
        name = f"[{self.host}]" if ":" in self.host else self.host
        usual = self.port == (443 if self.tls else 80)
        return (name if usual else f"{name}:{self.port}").encode("ascii")

    @property
    def open_to_all(self) -> bool:
        """Whether keys would travel over a network as they are."""
        return self.tls is None and self.host not in LOOPBACK

    def connect(self) -> ProxySide:
        sock = socket.create_connection((self.host, self.port), CONNECT_SECONDS)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if self.tls:
                sock = self.tls.wrap_socket(sock, server_hostname=self.host)
            return ProxySide(sock)  # From here on it is waited for elsewhere.
        except BaseException:
            sock.close()
            raise


def parse_upstream(url: str) -> Upstream:
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except (ValueError, UnicodeError) as error:
        raise UsageProblem("--upstream is no address.", _HINT) from error
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        raise UsageProblem("--upstream is no address.", _HINT)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageProblem("--upstream has more in it than a host, a port and a path.", _HINT)
    secure = parts.scheme == "https"
    return Upstream(
        host, port or (443 if secure else 80), parts.path.rstrip("/"), _checks() if secure else None
    )


def _checks() -> ssl.SSLContext:
    import ssl

    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
