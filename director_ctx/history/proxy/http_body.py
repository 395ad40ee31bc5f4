"""One side of the proxy: a socket that is read in pieces, and bodies as they are framed."""

from __future__ import annotations

import re
import selectors
import socket
import ssl

from director_ctx.history.proxy.http_head import (
    CHUNKED,
    LARGEST_HEAD,
    UNTIL_CLOSED,
    Refused,
    is_one_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Hearing = Callable[[bytes], object]

PIECE = 262_144
LONGEST_LINE = 4_096
"""Of a chunked body's frame."""
BODY_SECONDS = 60.0
"""Between two pieces of a request."""
SEND_SECONDS = 600.0
ENDLESS = 1 << 62
_SIZE = re.compile(rb"[0-9a-fA-F]{1,12}")


class HungUp(Exception):
    """Whoever was at the other end hung up."""


class ProxySide:
    """A socket that never blocks, and what was read from it too early."""

    __slots__ = ("rest", "socket")

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self.rest = b""
        # Events of an answer are small, and go on as they come.
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

    def pieces(self, length: int) -> Iterator[bytes]:
        """A body as it comes, without its frame."""
        found: list[bytes] = []
        frame = body_frame(length, found.append)
        while not frame.done:
            piece = self._some()
            self.rest = piece[frame.take(piece) :]
            yield from found
            found.clear()

    def _some(self) -> bytes:
        """What was read too early, else what comes next."""
        if self.rest:
            piece, self.rest = self.rest, b""
            return piece
        come = self.piece()
        while come is None:
            self._wait(selectors.EVENT_READ, BODY_SECONDS)
            come = self.piece()
        if not come:
            raise HungUp
        return come

    def hang_up(self) -> None:
        """Whoever waits for what comes here is told that nothing will, in whatever thread."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        try:
            self.socket.close()
        except OSError:
            pass


def framed(pieces: Iterable[bytes | bytearray]) -> Iterator[bytes]:
    """The pieces as chunks of our own: nothing of a frame that came is passed on."""
    for piece in pieces:
        if piece:
            yield b"%x\r\n%s\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"


class SizedBody:
    """Finds the end of a body that has a length. `hear` is told what belongs to it."""

    def __init__(self, length: int, hear: Hearing | None = None) -> None:
        self._left = length
        self._hear = hear

    @property
    def done(self) -> bool:
        return not self._left

    def take(self, piece: bytes) -> int:
        """How much of the piece belongs to this body."""
        taken = min(self._left, len(piece))
        self._left -= taken
        if self._hear:
            self._hear(piece[:taken])
        return taken


class Chunks:
    """Finds the end of a chunked body. `hear` is told what is in the chunks."""

    def __init__(self, hear: Hearing | None = None) -> None:
        self._hear = hear
        self._left = 0
        """What is still to come of a chunk."""
        self._is_behind_chunk = False
        self._trailer: int | None = None
        """Bytes of it, once it has begun."""
        self._line = b""
        """As much of a line of the frame as has come."""
        self.done = False

    def take(self, piece: bytes) -> int:
        """How much of the piece belongs to this body."""
        at, end = 0, len(piece)
        while at < end and not self.done:
            if self._left:
                stop = min(at + self._left, end)
                self._left -= stop - at
                if self._hear:
                    self._hear(piece[at:stop])
            else:
                line_end = piece.find(b"\n", at) + 1
                stop = line_end or end
                self._line += piece[at:stop]
                self._check_line()
                if line_end:
                    self._take_line(self._line)
                    self._line = b""
            at = stop
        return at

    def _check_line(self) -> None:
        """Also before it is whole: it may never end."""
        if self._is_behind_chunk and not b"\r\n".startswith(self._line):
            raise Refused(400, "A chunk does not end where it says.")
        if (self._trailer or 0) + len(self._line) > LARGEST_HEAD:
            raise Refused(431, "The trailer is too large.")
        if self._trailer is None and len(self._line) > LONGEST_LINE:
            raise Refused(400, "The frame of a chunk is too long.")

    def _take_line(self, line: bytes) -> None:
        # A line that ends otherwise is one to some readers and none to others.
        if not line.endswith(b"\r\n"):
            raise Refused(400, "The frame of a chunk is malformed.")
        if self._trailer is not None:
            self._trailer += len(line)
            self.done = line == b"\r\n"
        elif self._is_behind_chunk:
            self._is_behind_chunk = False
        else:
            # What stands behind the size says nothing to anybody, but must not look like the end of a
            # line to some.
            digits = line.partition(b";")[0].strip()
            is_number = _SIZE.fullmatch(digits)
            if not is_number or not is_one_line(line[:-2]):
                raise Refused(400, "The size of a chunk is no number.")
            self._left = int(digits, 16)
            self._is_behind_chunk = self._left > 0
            self._trailer = None if self._left else 0


def body_frame(length: int, hear: Hearing | None = None) -> Chunks | SizedBody:
    if length == CHUNKED:
        return Chunks(hear)
    return SizedBody(ENDLESS if length == UNTIL_CLOSED else length, hear)
