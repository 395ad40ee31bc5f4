"""A proxy on the loopback, to one address: a thread for each connection, every byte of an answer as it comes.

What goes out instead of a body is decided elsewhere.
"""

from __future__ import annotations

import selectors
import socket
import ssl
import threading
import time

from director_ctx.outside.proxy_ends import Ends
from director_ctx.outside.proxy_head import CHUNKED, UNTIL_CLOSED, Refused, answer_length, read_request, request_length
from director_ctx.outside.proxy_line import LARGEST_BODY, Gone, Line
from director_ctx.outside.proxy_rules import allow, may_change, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from director_ctx.outside.proxy_head import Head
    from director_ctx.outside.proxy_upstream import Upstream

    Body = bytes | bytearray

    class Outgoing(Protocol):
        def wants(self, path: str, length: int) -> bool:
            """Whether a body of this length is looked at; else it is passed on as it comes."""
            ...

        def __call__(self, path: str, body: Body) -> Body:
            """The body that goes out in its place."""
            ...


ADDRESS = "127.0.0.1"
MOST_CONNECTIONS = 256
SMALL = 65_536
"""A body up to this size is sent in one piece with its head."""
LINGER_SECONDS = 1.0
_OWN = frozenset((b"host", b"content-length", b"transfer-encoding", b"expect"))
"""What the proxy says itself."""


class Proxy:
    """Listens as soon as it is made. `serve` goes on until something is written to `end`."""

    def __init__(self, port: int, upstream: Upstream, outgoing: Outgoing) -> None:
        self.upstream, self.outgoing = upstream, outgoing
        self.host, self.prefix = b"Host: " + upstream.authority, upstream.path.encode()
        self._listening = socket.create_server((ADDRESS, port), backlog=128)
        self.port = int(self._listening.getsockname()[1])
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        # A signal that comes just before accept() would not end its waiting; what is written here does.
        self._ended, self.end = socket.socketpair()
        self.end.setblocking(False)

    def serve(self) -> None:
        self._listening.setblocking(False)
        with self._listening, selectors.DefaultSelector() as watched:
            watched.register(self._listening, selectors.EVENT_READ)
            watched.register(self._ended, selectors.EVENT_READ)
            while all(key.fileobj is self._listening for key, _ in watched.select()):
                self._accept()

    def _accept(self) -> None:
        try:
            client, _ = self._listening.accept()
        except BlockingIOError:
            return
        except OSError:  # Too many open files, or a client that was gone at once.
            time.sleep(0.05)
            return
        if not self._free.acquire(blocking=False):
            client.close()
            return
        threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            with client:
                Connection(Line(client), self).serve()
        except (Gone, OSError):
            pass
        finally:
            self._free.release()


class Connection:
    """One client: its requests one after the other."""

    def __init__(self, client: Line, proxy: Proxy) -> None:
        self.client, self.proxy, self.ends = client, proxy, Ends(client)

    def serve(self) -> None:
        try:
            while (block := self.ends.asked()) is not None and self._request(block):
                pass
        except Refused as refused:
            self.client.send(refusal(refused))
            self._linger()
        finally:
            self.ends.close()

    def _linger(self) -> None:
        """What is still on its way is read, or the answer would be lost with the connection."""
        sock = self.client.socket
        sock.shutdown(socket.SHUT_WR)
        sock.settimeout(LINGER_SECONDS)
        for _ in range(64):
            if not sock.recv(SMALL):
                break

    def _request(self, block: bytes) -> bool:
        """Whether the client may ask for more."""
        asked = read_request(block)
        allow(asked, self.proxy.port)
        length = request_length(asked)
        if length and b"100-continue" in asked.words(b"expect"):
            self.client.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        whole = self._send(*self._outgoing(asked, length))
        return self._answer(asked) and whole

    def _outgoing(self, asked: Head, length: int) -> tuple[bytes, Iterable[Body]]:
        """The head, and the body: as it comes, or whole where it has to be looked at."""
        path, changes, choose = asked.parts[1].decode("latin-1"), may_change(asked), self.proxy.outgoing
        if length != CHUNKED and not (0 < length <= LARGEST_BODY and changes and choose.wants(path, length)):
            return self._head(asked, length or None), self.client.pieces(length)
        body = self.client.body(length)
        if changes and (length != CHUNKED or choose.wants(path, len(body))):
            body = choose(path, body)
        return self._head(asked, len(body)), [body]

    def _head(self, asked: Head, length: int | None) -> bytes:
        method, path, _ = asked.parts
        more = [self.proxy.host]
        if length is not None or b"content-length" in asked:
            more.append(b"Content-Length: %d" % (length or 0))
        return b"%s %s%s HTTP/1.1\r\n%s" % (method, self.proxy.prefix, path, asked.passed(_OWN, more))

    def _send(self, head: bytes, pieces: Iterable[Body]) -> bool:
        """Whether all of it was taken. A model that hangs up meanwhile may have said why."""
        upstream = self.ends.upstream or self._reached()
        try:
            for piece in pieces:
                if len(head) + len(piece) > SMALL:
                    upstream.send(head)
                    head = b""
                upstream.send(head + piece if head else piece)
                head = b""
            if head:
                upstream.send(head)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            return False
        return True

    def _reached(self) -> Line:
        try:
            upstream = self.proxy.upstream.connect()
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise Refused(502, f"The model's address cannot be reached ({why}).") from error
        self.ends.reach(upstream)
        return upstream

    def _answer(self, asked: Head) -> bool:
        """Passes the answer on. Whoever hangs up on one side is gone for the other, too."""
        answer = self.ends.head()
        length = answer_length(answer, asked.parts[0])
        if length == CHUNKED and asked.parts[2] == b"0":
            raise Refused(505, "The model answers in chunks, which HTTP/1.0 does not know.")
        newer = asked.parts[2] == b"1" and not answer.line.startswith(b"HTTP/1.0")
        stays = newer and length != UNTIL_CLOSED and b"close" not in asked.words(b"connection")
        head = answer.line + b"\r\n" + answer.passed(more=() if stays else (b"Connection: close",))
        whole = self.ends.copy(head, length)
        if not (whole and newer) or b"close" in answer.words(b"connection"):
            self.ends.leave()
        return stays and whole
