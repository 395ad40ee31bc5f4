"""One client's requests, one after the other: each goes out as it came, or looked at and shorter;
then its answer.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time

from director_ctx.base.record import Record
from director_ctx.history.proxy.connection import ProxiedConnection
from director_ctx.history.proxy.http_body import ProxySide, framed
from director_ctx.history.proxy.http_head import (
    CHUNKED,
    UNTIL_CLOSED,
    Head,
    Refused,
    allowed_path,
    answer_length,
    may_change,
    read_request,
    refusal,
    request_length,
)
from director_ctx.history.proxy.usage import AnswerUsage, ProxiedRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from director_ctx.history.proxy.shorten import Shortening
    from director_ctx.history.proxy.upstream import Upstream

    Body = bytes | bytearray
    NextHead = Callable[[ProxiedConnection], bytes | None]

LARGEST_BODY = 100 * 1_048_576
"""That is looked at."""
ALL_BODIES = 256 * 1_048_576
"""That are in memory at once, for all connections; whoever finds no room is passed on as it comes.
"""
SMALL = 65_536
"""A body up to this size is sent in one piece with its head."""
LINGER_SECONDS = 1.0
STATS = b"/dctx/stats"
"""The one path that is not the model's."""
_OWN = frozenset((b"host", b"content-length", b"transfer-encoding", b"expect"))
"""What the proxy says itself."""


class Room:
    """Memory for bodies that are looked at: taken by what has come, never by what was announced."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._lock = threading.Lock()

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


class Route(Record):
    """By what the proxy may be asked, and where requests go."""

    port: int
    base: bytes
    upstream: Upstream
    shortening: Shortening
    room: Room


class ClientRequests:
    """One client, and the model that it asks."""

    def __init__(self, client: ProxySide, route: Route, next_head: NextHead) -> None:
        self._client = client
        self._route = route
        self._next_head = next_head
        self._connection = ProxiedConnection(client)
        self._sent: ProxiedRequest | None = None
        self._held = 0
        """Bytes of room that this request has taken."""

    def serve(self) -> None:
        try:
            goes_on = True
            while goes_on:
                block = self._next_head(self._connection)
                goes_on = block is not None and self._request(block)
        except Refused as refused:
            self._client.send(refusal(refused))
            linger(self._client)
        finally:
            self._connection.close()

    def _request(self, block: bytes) -> bool:
        """Whether the client may ask for more."""
        asked = read_request(block)
        path = allowed_path(asked, self._route.port, self._route.base)
        length = request_length(asked)
        if asked.parts[0] == b"GET" and path == STATS:
            return self._tell_stats(asked)
        if length and b"100-continue" in asked.words(b"expect"):
            self._client.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._sent = None
        try:
            # No name here holds what goes out: it may be large, and the answer slow.
            is_sent = self._send(*self._outgoing(asked, path, length))
        finally:
            self._let_go()
        goes_on = self._pass_on(asked, self._connection.answer_head())
        return goes_on and is_sent

    def _let_go(self) -> None:
        self._route.room.give_back(self._held)
        self._held = 0

    def _outgoing(self, asked: Head, path: bytes, length: int) -> tuple[bytes, Iterator[Body]]:
        """The head, and the body: as it comes, or whole where it has to be looked at and there is
        room for it.
        """
        pieces: Iterator[Body] = self._client.pieces(length)
        text = path.decode("latin-1")
        most = LARGEST_BODY if length == CHUNKED else length
        may_look = 0 < most <= LARGEST_BODY and may_change(asked)
        # Last, because the one that is asked counts the request.
        if may_look and self._route.shortening.wants(text, most):
            body = bytearray()
            is_whole = self._collect(pieces, body)
            if is_whole:
                chosen = self._route.shortening(text, body)
                self._sent = self._route.shortening.sent()
                return self._head(asked, path, len(chosen)), iter([chosen])
            pieces = self._rest(body, pieces)
        head = self._head(asked, path, length)
        return head, framed(pieces) if length == CHUNKED else pieces

    def _collect(self, pieces: Iterator[Body], body: bytearray) -> bool:
        """What comes, as long as there is room for it; whether that was all."""
        for piece in pieces:
            body += piece
            if len(body) > LARGEST_BODY or not self._route.room.take(len(piece)):
                return False
            self._held += len(piece)
        return True

    def _rest(self, body: Body, pieces: Iterator[Body]) -> Iterator[Body]:
        """What was collected for too long, then the rest as it comes."""
        yield body
        del body  # Before its room is given back, or it would be in memory beside what takes it.
        self._let_go()
        yield from pieces

    def _head(self, asked: Head, path: bytes, length: int) -> bytes:
        own = [b"Host: " + self._route.upstream.authority]
        if length == CHUNKED:
            own.append(b"Transfer-Encoding: chunked")
        elif length or b"content-length" in asked:
            own.append(b"Content-Length: %d" % length)
        dropped = _OWN
        if self._sent is not None:
            # An answer that is compressed cannot be read.
            own.append(b"Accept-Encoding: identity")
            dropped = _OWN | {b"accept-encoding"}
        whole_path = self._route.upstream.whole_path(path)
        fields = asked.passed(dropped, own)
        return b"%s %s HTTP/1.1\r\n%s" % (asked.parts[0], whole_path, fields)

    def _send(self, head: bytes, pieces: Iterator[Body]) -> bool:
        """Whether all of it was taken."""
        first = next(pieces, b"")  # What is broken from its beginning asks nobody.
        upstream = self._connection.upstream or self._reached()
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
            return False  # A model that hangs up meanwhile may have said why: its answer is read.
        return True

    def _reached(self) -> ProxySide:
        try:
            upstream = self._route.upstream.connect()
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise Refused(502, f"The model's address cannot be reached ({why}).") from error
        self._connection.reach(upstream)
        return upstream

    def _pass_on(self, asked: Head, answer: Head) -> bool:
        """The answer, as it comes. Whoever hangs up on one side is gone for the other, too."""
        method, _, minor_version = asked.parts
        length = answer_length(answer, method)
        if length == CHUNKED and minor_version == b"0":
            raise Refused(505, "The model answers in chunks, which HTTP/1.0 does not know.")

        # By default connections stay since HTTP/1.1, for which both sides have to speak it.
        both_stay = minor_version == b"1" and not answer.line.startswith(b"HTTP/1.0")
        has_end = length != UNTIL_CLOSED
        client_stays = both_stay and has_end and b"close" not in asked.words(b"connection")
        more = () if client_stays else (b"Connection: close",)
        head = answer.line + b"\r\n" + answer.passed(more=more)
        usage = AnswerUsage(answer) if self._sent else None
        is_whole = self._connection.copy(head, length, usage.take if usage else None)
        said = usage.end() if usage else None
        if self._sent and said:
            self._route.shortening.heard(self._sent, said)
        model_stays = both_stay and b"close" not in answer.words(b"connection")
        if not is_whole or not model_stays:
            self._connection.leave()
        return client_stays and is_whole

    def _tell_stats(self, asked: Head) -> bool:
        """The answer is the proxy's own: the model is not asked."""
        body = json.dumps(self._route.shortening.as_json(), indent=2).encode() + b"\n"
        fields = (
            b"HTTP/1.1 200 OK",
            b"Content-Type: application/json",
            b"Cache-Control: no-store",
            b"Content-Length: %d" % len(body),
            b"",
            body,
        )
        self._client.send(b"\r\n".join(fields))
        return b"close" not in asked.words(b"connection") and asked.parts[2] == b"1"


def linger(client: ProxySide) -> None:
    """What is still on its way is read, or the answer would be lost with the connection."""
    sock = client.socket
    sock.shutdown(socket.SHUT_WR)
    until = time.monotonic() + LINGER_SECONDS
    while True:
        left = until - time.monotonic()
        if left <= 0:
            return
        sock.settimeout(left)
        if not sock.recv(SMALL):
            return
