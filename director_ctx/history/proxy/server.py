"""A proxy on the loopback, to one address: a thread for each connection, and one room in memory for
all.
"""

from __future__ import annotations

import selectors
import socket
import ssl
import threading
import time
from threading import Lock

from director_ctx.history.proxy.connection import ProxiedConnection
from director_ctx.history.proxy.http_body import HungUp, ProxySide, framed
from director_ctx.history.proxy.http_head import (
    CHUNKED,
    UNTIL_CLOSED,
    Refused,
    allowed_path,
    answer_length,
    may_change,
    read_request,
    refusal,
    request_length,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol, Self

    from director_ctx.history.proxy.http_head import Head
    from director_ctx.history.proxy.upstream import Upstream

    Body = bytes | bytearray
    Work = Callable[[socket.socket], None]

    class Outgoing(Protocol):
        def wants(self, path: str, length: int) -> bool:
            """Whether a body that may be of this length is looked at; else it is passed on as it
            comes.
            """
            ...

        def __call__(self, path: str, body: Body) -> Body:
            """The body that goes out in its place."""
            ...


class Room:
    """So many bytes. Nothing is set aside: room is taken by what has come, never by what was
    announced.
    """

    def __init__(self, size: int) -> None:
        self._left, self._lock = size, Lock()

    def share(self) -> Share:
        return Share(self)

    def take(self, size: int) -> bool:
        """Whether there was room for that much."""
        with self._lock:
            enough = size <= self._left
            if enough:
                self._left -= size
        return enough

    def give_back(self, size: int) -> None:
        with self._lock:
            self._left += size


class Share:
    """What one request has taken; it is given back with its end at the latest."""

    def __init__(self, room: Room) -> None:
        self._room, self._size = room, 0

    def grow(self, size: int) -> bool:
        if not self._room.take(size):
            return False
        self._size += size
        return True

    def give_back(self) -> None:
        self._room.give_back(self._size)
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()


ADDRESS = "127.0.0.1"
MOST_CONNECTIONS = 256
LARGEST_BODY = 100 * 1_048_576
"""That is looked at."""
ALL_BODIES = 256 * 1_048_576
"""That are in memory at once, for all connections; whoever finds no room is passed on as it comes.
"""
SMALL = 65_536
"""A body up to this size is sent in one piece with its head."""
LINGER_SECONDS = 1.0
LEAVE_SECONDS = 0.5
MOST_REFUSALS = 16
"""Connections that are told at once that there are too many; others wait until they are let in."""
FULL = refusal(Refused(503, "Too many requests are under way. Try again in a moment."))
_OWN = frozenset((b"host", b"content-length", b"transfer-encoding", b"expect"))
"""What the proxy says itself."""


class Proxy:
    """Listens as soon as it is made. `serve` goes on until something is written to `end`.

    `base` is how every path begins by which it may be asked.
    """

    def __init__(
        self,
        port: int,
        upstream: Upstream,
        outgoing: Outgoing,
        base: str,
        say: Callable[[str], None],
    ) -> None:
        """`say` is told a sentence when there are too many connections."""
        self.upstream, self.outgoing, self.base = upstream, outgoing, base.encode("ascii")
        self.host, self.prefix = b"Host: " + upstream.authority, upstream.path.encode()
        self._listening = socket.create_server((ADDRESS, port), backlog=128)
        self.port = int(self._listening.getsockname()[1])
        self.room, self.waiting = Room(ALL_BODIES), Waiting()
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._refusals = threading.BoundedSemaphore(MOST_REFUSALS)
        self._say, self._is_full = say, False
        # A signal that comes just before accept() would not end its waiting; what is written here
        # does.
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
        if self._has_room():
            self._is_full = False
            self._start(self._serve, client, self._free)
        else:
            self._refuse(client)

    def _has_room(self) -> bool:
        """Whether one more may come in; who has been silent longest makes room."""
        if self._free.acquire(blocking=False):
            return True
        return self.waiting.leave_the_longest() and self._free.acquire(timeout=LEAVE_SECONDS)

    def _refuse(self, client: socket.socket) -> None:
        """With an answer: a connection that only breaks tells nobody when to come again."""
        if not self._is_full:
            self._is_full = True
            self._say(
                f"{MOST_CONNECTIONS} connections are busy, so more are refused (503) until one of them ends."
            )
        self._refusals.acquire()
        self._start(self._tell_full, client, self._refusals)

    def _start(self, work: Work, client: socket.socket, place: threading.Semaphore) -> None:
        try:
            threading.Thread(target=self._run, args=(work, client, place), daemon=True).start()
        except RuntimeError:  # The system has no more threads, so everybody waits for this answer.
            self._run(self._tell_full, client, place)

    def _run(self, work: Work, client: socket.socket, place: threading.Semaphore) -> None:
        """To its end, whichever way that comes; then its place is free again."""
        try:
            with client:
                work(client)
        except (HungUp, OSError):
            pass
        finally:
            place.release()

    def _serve(self, client: socket.socket) -> None:
        Connection(ProxySide(client), self).serve()

    def _tell_full(self, client: socket.socket) -> None:
        line = ProxySide(client)
        line.send(FULL)
        linger(line)


class Waiting:
    """The clients that have not asked yet, or not to the end: who has been silent longest makes
    room for others.
    """

    def __init__(self) -> None:
        self._clients: dict[ProxySide, None] = {}
        self._lock = threading.Lock()

    def asked(self, ends: ProxiedConnection) -> bytes | None:
        """What the client asks next."""
        with self._lock:
            self._clients[ends.client] = None
        try:
            return ends.asked()
        finally:
            with self._lock:
                self._clients.pop(ends.client, None)

    def leave_the_longest(self) -> bool:
        """Whether there was one."""
        with self._lock:
            client = next(iter(self._clients), None)
            if client:
                del self._clients[client]
                client.hang_up()
        return client is not None


class Connection:
    """One client: its requests one after the other."""

    def __init__(self, client: ProxySide, proxy: Proxy) -> None:
        self.client, self.proxy, self.ends = client, proxy, ProxiedConnection(client)

    def serve(self) -> None:
        try:
            while (block := self.proxy.waiting.asked(self.ends)) is not None and self._request(
                block
            ):
                pass
        except Refused as refused:
            self.client.send(refusal(refused))
            linger(self.client)
        finally:
            self.ends.close()

    def _request(self, block: bytes) -> bool:
        """Whether the client may ask for more."""
        asked = read_request(block)
        path = allowed_path(asked, self.proxy.port, self.proxy.base)
        length = request_length(asked)
        if length and b"100-continue" in asked.words(b"expect"):
            self.client.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        with self.proxy.room.share() as share:
            whole = self._send(*self._outgoing(asked, path, length, share))
        return self._answer(asked) and whole

    def _outgoing(
        self, asked: Head, path: bytes, length: int, share: Share
    ) -> tuple[bytes, Iterator[Body]]:
        """The head, and the body: as it comes, or whole where it has to be looked at and there is
        room for it.
        """
        name, pieces = path.decode("latin-1"), self.client.pieces(length)
        most = LARGEST_BODY if length == CHUNKED else length
        looked_at = (
            0 < most <= LARGEST_BODY and may_change(asked) and self.proxy.outgoing.wants(name, most)
        )
        if not looked_at:
            return self._passed(asked, path, length, pieces)
        body, whole = _held(pieces, share)
        if not whole:
            return self._passed(asked, path, length, _let_go(body, pieces, share))
        chosen = self.proxy.outgoing(name, body)
        return self._head(asked, path, len(chosen)), iter([chosen])

    def _passed(
        self, asked: Head, path: bytes, length: int, pieces: Iterator[Body]
    ) -> tuple[bytes, Iterator[Body]]:
        return self._head(asked, path, length), framed(pieces) if length == CHUNKED else pieces

    def _head(self, asked: Head, path: bytes, length: int) -> bytes:
        method, more = asked.parts[0], [self.proxy.host]
        if length == CHUNKED:
            more.append(b"Transfer-Encoding: chunked")
        elif length or b"content-length" in asked:
            more.append(b"Content-Length: %d" % length)
        return b"%s %s%s HTTP/1.1\r\n%s" % (
            method,
            self.proxy.prefix,
            path,
            asked.passed(_OWN, more),
        )

    def _send(self, head: bytes, pieces: Iterator[Body]) -> bool:
        """Whether all of it was taken. A model that hangs up meanwhile may have said why."""
        first = next(pieces, b"")  # What is broken from its beginning asks nobody.
        upstream = self.ends.upstream or self._reached()
        try:
            if len(head) + len(first) <= SMALL:
                upstream.send(head + first)
            else:
                upstream.send(head)
                upstream.send(first)
            del first  # It may be large, and the rest slow.
            for piece in pieces:
                upstream.send(piece)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            return False
        return True

    def _reached(self) -> ProxySide:
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


def linger(client: ProxySide) -> None:
    """What is still on its way is read, or the answer would be lost with the connection."""
    sock = client.socket
    sock.shutdown(socket.SHUT_WR)
    until = time.monotonic() + LINGER_SECONDS
    while (left := until - time.monotonic()) > 0:
        sock.settimeout(left)
        if not sock.recv(SMALL):
            break


def _held(pieces: Iterator[bytes], share: Share) -> tuple[bytearray, bool]:
    """What comes, as long as there is room for it; and whether that was all."""
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > LARGEST_BODY or not share.grow(len(piece)):
            return body, False
    return body, True


def _let_go(body: Body, pieces: Iterator[bytes], share: Share) -> Iterator[Body]:
    """What was held too long, then the rest as it comes."""
    yield body
    del body
    share.give_back()
    yield from pieces
