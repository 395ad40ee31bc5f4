"""Both ends of a connection, watched together: requests as they come, answers piece by piece as
they are said.
"""

from __future__ import annotations

import selectors
import time

from director_ctx.history.proxy.http_body import HungUp, ProxySide, body_frame
from director_ctx.history.proxy.http_head import (
    LARGEST_HEAD,
    UNTIL_CLOSED,
    Head,
    Refused,
    read_status,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.proxy.http_body import Hearing


HEAD_SECONDS = 20.0
"""For a whole head, from its first byte on."""
IDLE_SECONDS = 300.0
END_OF_HEAD = b"\r\n\r\n"
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

    def next_head(self) -> bytes | None:
        """The next request's head, in the time that it may take; None at the end."""
        data = self.client.rest
        seconds = IDLE_SECONDS
        # From the first byte on: else a head that trickles in would hold its place for ever.
        until = 0.0
        while True:
            end = data.find(END_OF_HEAD)
            if end > LARGEST_HEAD or (end < 0 and len(data) > LARGEST_HEAD):
                raise Refused(431, "The header is too large.")
            if end >= 0:
                self.client.rest = data[end + len(END_OF_HEAD) :]
                return data[:end]
            if data:
                until = until or time.monotonic() + HEAD_SECONDS
                seconds = until - time.monotonic()
            piece = self._piece_of_client(seconds)
            if not piece:
                return None
            data += piece

    def _piece_of_client(self, seconds: float) -> bytes:
        """What the client says next. A model that speaks or hangs up before it was asked is left."""
        while True:
            ready = self._watched.select(max(0.0, seconds))
            if not ready:
                raise TimeoutError
            client_speaks = False
            for key, _ in ready:
                if key.data is self.client:
                    client_speaks = True
                elif self.upstream and self.upstream.piece() is not None:
                    # With TLS there may be nothing to it but the frame.
                    self.leave()
            if not client_speaks:
                continue
            piece = self.client.piece()
            if piece is not None:
                return piece

    def answer_head(self) -> Head:
        assert self.upstream
        data = b""
        for _ in range(MOST_HINTS):
            end = data.find(END_OF_HEAD)
            while end < 0:
                piece = self._piece_of_answer()
                if not piece or len(data) > LARGEST_HEAD:
                    raise Refused(502, "The model's address hung up before it answered.")
                data += piece
                end = data.find(END_OF_HEAD)
            try:
                head = read_status(data[:end])
            except Refused as refused:
                raise Refused(502, "The header of the answer is malformed.") from refused
            data = data[end + len(END_OF_HEAD) :]
            # What comes before the answer (103) is nobody's business.
            is_hint = head.parts[0].startswith(b"1")
            if not is_hint:
                self.upstream.rest = data
                return head
        raise Refused(502, "The model's address gives hints, and no answer.")

    def copy(self, head: bytes, length: int, hear: Hearing | None = None) -> bool:
        """The head and the body, however it is framed. Whether it came to its end, and nothing
        behind it. `hear` is told the body without its frame.
        """
        assert self.upstream
        heard: list[bytes] = []
        frame = body_frame(length, heard.append if hear else None)
        piece = self.upstream.rest
        self.upstream.rest = b""
        while True:
            try:
                taken = frame.take(piece)
            except Refused as refused:
                # The client has the head already: nothing but the end can tell it.
                raise HungUp from refused
            # Most pieces go on as they are, without being copied.
            going_on = piece
            if head or taken < len(piece):
                going_on = head + piece[:taken]
            self.client.send(going_on)
            # Bytes pass first, and are looked at then.
            while hear and heard:
                hear(heard.pop(0))
            if frame.done:
                return taken == len(piece)
            head = b""
            piece = self._piece_of_answer()
            if not piece:
                return length == UNTIL_CLOSED

    def _piece_of_answer(self) -> bytes:
        """What the model says next; nothing at the end. A client that hung up is not waited for."""
        upstream, client = self.upstream, self.client
        assert upstream
        while True:
            for key, _ in self._watched.select():
                if key.data is client:
                    self._put_by()
                    continue
                try:
                    piece = upstream.piece()
                except ConnectionError:
                    return b""
                if piece is not None:
                    return piece

    def _put_by(self) -> None:
        """What a client says before it is answered waits until then."""
        piece = self.client.piece()
        if piece is None:
            return
        if not piece:
            raise HungUp
        self.client.rest += piece
        if len(self.client.rest) > LARGEST_HEAD:
            raise HungUp
