"""Where requests go: one address, spoken to directly, by TLS with the usual checks where it is
https.
"""

from __future__ import annotations

import socket
import ssl
from urllib.parse import urlsplit

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.history.proxy.http_body import ProxySide

CONNECT_SECONDS = 15.0
_HINT = "Name an address such as https://api.anthropic.com."
VERSION = b"/v1"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Upstream(Record):
    host: str
    port: int
    path: str
    """In front of every path that is asked for."""
    tls: ssl.SSLContext | None

    def whole_path(self, path: bytes) -> bytes:
        """Where a path that is asked for leads. Clients are told an address that ends with the version,
        so one that stands in both is meant once.
        """
        prefix = self.path.encode()
        is_doubled = prefix.endswith(VERSION) and path.startswith(VERSION + b"/")
        if is_doubled:
            prefix = prefix.removesuffix(VERSION)
        return prefix + path

    @property
    def authority(self) -> bytes:
        name = self.host
        if ":" in name:  # An address of IPv6.
            name = f"[{name}]"
        if self.port != (443 if self.tls else 80):
            name = f"{name}:{self.port}"
        return name.encode("ascii")

    @property
    def open_to_all(self) -> bool:
        """Whether keys would travel over a network as they are."""
        return self.tls is None and self.host not in LOOPBACK

    def connect(self) -> ProxySide:
        sock = socket.create_connection((self.host, self.port), CONNECT_SECONDS)
        try:
            # While a model thinks nothing is said, and nothing else tells that it is gone.
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
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode("ascii")
    except (ValueError, UnicodeError) as error:
        raise UsageProblem("--upstream is no address.", _HINT) from error
    is_http = parts.scheme in ("http", "https")
    is_one_word = url.isprintable() and " " not in url
    if not is_http or not is_one_word or not host:
        raise UsageProblem("--upstream is no address.", _HINT)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageProblem("--upstream has more in it than a host, a port and a path.", _HINT)

    tls = None
    if parts.scheme == "https":
        # The usual checks, by the authorities of the system.
        tls = ssl.create_default_context()
        # A server that speaks HTTP/2, too, is to know that heads are read as HTTP/1.1 here.
        tls.set_alpn_protocols(["http/1.1"])
    return Upstream(host, port or (443 if tls else 80), parts.path.rstrip("/"), tls)
