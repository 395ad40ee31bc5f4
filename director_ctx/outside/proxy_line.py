"""One side of the proxy: a socket that is read in pieces, and bodies as they are framed."""

from __future__ import annotations

import selectors
import socket
import ssl

from director_ctx.outside.proxy_head import CHUNKED, LARGEST_HEAD, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 262_144
LARGEST_BODY = 100 * 1_048_576
BODY_SECONDS = 60.0
"""Between two pieces of a request."""
SEND_SECONDS = 600.0


class Gone(Exception):
    """Whoever was at the other end hung up."""


class Line:
    """A socket that never blocks, and what was read from it too early."""

    __slots__ = ("rest", "socket")

    def __init__(self, sock: socket.socket) -> None:
        self.socket, self.rest = sock, b""
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setblocking(False)

    def piece(self) -> bytes | None:
        """What is there; empty at the end, None where nothing is there yet."""
        try:
            return self.socket.recv(PIECE)
        except (BlockingIOError, ssl.SSLWantReadError):
            return None

    def send(self, data: bytes | bytearray) -> None:
        """All of it. A neighbour that takes nothing for too long is gone."""
        left = memoryview(data)
        while left:
            try:
                left = left[self.socket.send(left) :]
            except (BlockingIOError, ssl.SSLWantWriteError):
                self._wait(selectors.EVENT_WRITE, SEND_SECONDS)
            except ssl.SSLWantReadError:
                self._wait(selectors.EVENT_READ, SEND_SECONDS)

    def _wait(self, event: int, seconds: float) -> None:
        with selectors.DefaultSelector() as watched:
            watched.register(self.socket, event)
            if not watched.select(seconds):
                raise TimeoutError

    def body(self, length: int) -> bytes | bytearray:
        """A whole body, without its frame."""
        if length != CHUNKED:
            return self._exactly(length)
        whole = bytearray()
        while size := _size(self._text()):
            if len(whole) + size > LARGEST_BODY:
                raise Refused(413, "The request is larger than 100 MB.")
            whole += self._exactly(size)
            if self._exactly(2) != b"\r\n":
                raise Refused(400, "A chunk does not end where it says.")
        trailer = 0
        while text := self._text():
            trailer += len(text)
            if trailer > LARGEST_HEAD:
                raise Refused(431, "The trailer is too large.")
        return whole

    def pieces(self, length: int) -> Iterator[bytes]:
        """A body of a length as it comes."""
        while length:
            piece = self.rest or self.piece()
            self.rest = b""
            if piece is None:
                self._wait(selectors.EVENT_READ, BODY_SECONDS)
                continue
            if not piece:
                raise Gone
            self.rest = piece[length:]
            yield piece[:length]
            length -= min(length, len(piece))

    def _exactly(self, length: int) -> bytes | bytearray:
        if length > LARGEST_BODY:
            raise Refused(413, "The request is larger than 100 MB.")
        if len(self.rest) >= length:
            taken, self.rest = self.rest[:length], self.rest[length:]
            return taken
        whole = bytearray(length)
        filled = len(self.rest)
        whole[:filled], self.rest = self.rest, b""
        view = memoryview(whole)
        while filled < length:
            try:
                count = self.socket.recv_into(view[filled:])
            except BlockingIOError:
                self._wait(selectors.EVENT_READ, BODY_SECONDS)
                continue
            if not count:
                raise Gone
            filled += count
        return whole

    def _text(self) -> bytes:
        """A line of a chunked body's frame."""
        while (end := self.rest.find(b"\r\n")) < 0:
            if len(self.rest) > 4_096:
                raise Refused(400, "The frame of a chunk is too long.")
            piece = self.piece()
            if piece is None:
                self._wait(selectors.EVENT_READ, BODY_SECONDS)
            elif not piece:
                raise Gone
            else:
                self.rest += piece
        text, self.rest = self.rest[:end], self.rest[end + 2 :]
        return text

    def close(self) -> None:
        try:
            self.socket.close()
        except OSError:
            pass


def _size(text: bytes) -> int:
    digits = text.partition(b";")[0].strip(b" \t")
    if not digits or len(digits) > 12 or digits.strip(b"0123456789abcdefABCDEF"):
        raise Refused(400, "The size of a chunk is no number.")
    return int(digits, 16)


class Counted:
    """Finds the end of a body that has a length."""

    __slots__ = ("_left",)

    def __init__(self, length: int) -> None:
        self._left = length

    @property
    def done(self) -> bool:
        return not self._left

    def take(self, piece: bytes) -> int:
        """How much of the piece belongs to this body."""
        taken = min(self._left, len(piece))
        self._left -= taken
        return taken


class Chunks:
    """Finds the end of a chunked body that is passed on as it is."""

    __slots__ = ("_behind", "_have", "_left", "_trailer", "done")

    def __init__(self) -> None:
        self._have, self._left, self._behind, self._trailer, self.done = b"", 0, False, False, False

    def take(self, piece: bytes) -> int:
        at, end = 0, len(piece)
        while at < end and not self.done:
            if self._left:
                step = min(self._left, end - at)
                self._left -= step
                at += step
                continue
            stop = piece.find(b"\n", at)
            stop = end if stop < 0 else stop + 1
            self._have += piece[at:stop]
            at = stop
            if len(self._have) > LARGEST_HEAD or (self._behind and self._have not in (b"\r", b"\r\n")):
                raise Refused(502, "The frame of the answer is broken.")
            if self._have.endswith(b"\n"):
                self._framed(self._have)
                self._have = b""
        return at

    def _framed(self, line: bytes) -> None:
        """A line that ends otherwise is one to some readers and none to others."""
        if not line.endswith(b"\r\n"):
            raise Refused(502, "The frame of the answer is broken.")
        text = line[:-2]
        if self._trailer:
            self.done = not text
        elif self._behind:
            self._behind = False
        else:
            self._left = _size(text)
            self._behind, self._trailer = self._left > 0, self._left == 0
