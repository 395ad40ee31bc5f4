"""Both ends of a connection, watched together: requests as they come, answers piece by piece as
they are said.
"""

from __future__ import annotations

import selectors
import time

from director_ctx.history.proxy.http_body import Chunks, HungUp, SizedBody
from director_ctx.history.proxy.http_head import (
    CHUNKED,
    LARGEST_HEAD,
    UNTIL_CLOSED,
    Refused,
    read_status,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.proxy.http_body import ProxySide
    from director_ctx.history.proxy.http_head import Head

ENDLESS = 1 << 62
HEAD_SECONDS = 20.0
"""For a whole head, from its first byte on."""
IDLE_SECONDS = 300.0
MOST_HINTS = 32
"""Heads before the answer's own."""


class ProxiedConnection:
    """A client, and its own connection to the model, both kept open as long as both sides want it."""

    def __init__(self, client: ProxySide) -> None:
        self.client = client
        self.upstream: ProxySide | None = None
        self._watched = selectors.DefaultSelector()
        self._watched.register(client.socket, selectors.EVENT_READ, client)

    def close(self) -> None:
        self.leave()
        self._watched.close()

    def reach(self, upstream: ProxySide) -> None:
        self.upstream = upstream
        self._watched.register(upstream.socket, selectors.EVENT_READ, upstream)

    def leave(self) -> None:
        """Hangs up on the model."""
        if self.upstream:
            self._watched.unregister(self.upstream.socket)
            self.upstream.close()
        self.upstream = None

    def asked(self) -> bytes | None:
        """The next request's head, in the time that it may take; None at the end."""
        have, seconds, until = self.client.rest, IDLE_SECONDS, 0.0
        while (end := have.find(b"\r\n\r\n")) < 0:
            if len(have) > LARGEST_HEAD:
                raise Refused(431, "The header is too large.")
            if have:
                until = until or time.monotonic() + HEAD_SECONDS
                seconds = until - time.monotonic()
            piece = self._asked_piece(seconds)
            if not piece:
                return None
            have += piece
        if end > LARGEST_HEAD:
            raise Refused(431, "The header is too large.")
        self.client.rest = have[end + 4 :]
        return have[:end]

    def _asked_piece(self, seconds: float) -> bytes:
        """What the client says next. A model that speaks or hangs up before it was asked is left."""
        while True:
            ready = self._watched.select(max(0.0, seconds))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                if key.data is not self.client:
                    self._unasked()
            if (
                any(key.data is self.client for key, _ in ready)
                and (piece := self.client.piece()) is not None
            ):
                return piece

    def _unasked(self) -> None:
        """With TLS there may be nothing to it but the frame."""
        if self.upstream and self.upstream.piece() is not None:
            self.leave()

    def head(self) -> Head:
        """The head of the answer; what comes before it (103) is nobody's business."""
        have = b""
        for _ in range(MOST_HINTS):
            while (end := have.find(b"\r\n\r\n")) < 0:
                piece = self._said()
                if not piece or len(have) > LARGEST_HEAD:
                    raise Refused(502, "The model's address hung up before it answered.")
                have += piece
            try:
                head = read_status(have[:end])
            except Refused as refused:
                raise Refused(502, "The header of the answer is malformed.") from refused
            have = have[end + 4 :]
            if not head.parts[0].startswith(b"1"):
                assert self.upstream
                self.upstream.rest = have
                return head
        raise Refused(502, "The model's address gives hints, and no answer.")

    def copy(self, head: bytes, length: int) -> bool:
        """The head and the body, however it is framed. Whether it came to its end, and nothing
        behind it.
        """
        assert self.upstream
        frame = (
            Chunks()
            if length == CHUNKED
            else SizedBody(ENDLESS if length == UNTIL_CLOSED else length)
        )
        piece, self.upstream.rest = self.upstream.rest, b""
        while True:
            try:
                taken = frame.take(piece)
            except Refused as refused:
                raise HungUp from refused
            self.client.send(head + piece[:taken] if head or taken < len(piece) else piece)
            if frame.done:
                return taken == len(piece)
            head, piece = b"", self._said()
            if not piece:
                return length == UNTIL_CLOSED

    def _said(self) -> bytes:
        """What the model says next; nothing at the end. A client that hung up is not waited for."""
        upstream, client = self.upstream, self.client
        assert upstream
        while True:
            for key, _ in self._watched.select():
                if key.data is client:
                    self._hurried()
                    continue
                try:
                    piece = upstream.piece()
                except ConnectionError:
                    return b""
                if piece is not None:
                    return piece

    def _hurried(self) -> None:
        """A client that asks again before it is answered has to wait; what it says is not waited
        for meanwhile.
        """
        piece = self.client.piece()
        if piece == b"":
            raise HungUp
        self.client.rest += piece or b""
        if len(self.client.rest) > LARGEST_HEAD:
            raise HungUp
