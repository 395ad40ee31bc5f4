"""One side of the proxy: a socket that is read in pieces, and bodies as they are framed."""

from __future__ import annotations

import selectors
import socket
import ssl

from director_ctx.history.proxy.http_head import CHUNKED, LARGEST_HEAD, Refused, is_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PIECE = 262_144
LONGEST_LINE = 4_096
"""Of a chunked body's frame."""
BODY_SECONDS = 60.0
"""Between two pieces of a request."""
SEND_SECONDS = 600.0


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
        if length == CHUNKED:
            return self._chunked()
        return self._counted(length)

    def _counted(self, length: int) -> Iterator[bytes]:
        while length:
            piece = self._some()
            self.rest = piece[length:]
            yield piece[:length]
            length -= min(length, len(piece))

    def _chunked(self) -> Iterator[bytes]:
        size = _chunk_size(self._frame_line())
        while size:
            yield from self._counted(size)
            if self._frame_line():
                raise Refused(400, "A chunk does not end where it says.")
            size = _chunk_size(self._frame_line())

        trailer = 0
        line = self._frame_line()
        while line:
            trailer += len(line)
            if trailer > LARGEST_HEAD:
                raise Refused(431, "The trailer is too large.")
            line = self._frame_line()

    def _some(self) -> bytes:
        """What was read too early, else what comes next."""
        if self.rest:
            piece = self.rest
            self.rest = b""
            return piece
        come = self.piece()
        while come is None:
            self._wait(selectors.EVENT_READ, BODY_SECONDS)
            come = self.piece()
        if not come:
            raise HungUp
        return come

    def _frame_line(self) -> bytes:
        """A line of a chunked body's frame."""
        end = self.rest.find(b"\r\n")
        while end < 0:
            if len(self.rest) > LONGEST_LINE:
                raise Refused(400, "The frame of a chunk is too long.")
            begun = self.rest
            self.rest = b""  # Else what comes next would be this again.
            self.rest = begun + self._some()
            end = self.rest.find(b"\r\n")
        line = self.rest[:end]
        self.rest = self.rest[end + 2 :]
        return line

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


def _chunk_size(line: bytes) -> int:
    # What stands behind the size says nothing to anybody, but must not look like the end of a line
    # to some.
    if not is_one_line(line):
        raise Refused(400, "The frame of a chunk is malformed.")
    digits = line.partition(b";")[0].strip(b" \t")
    if not digits or len(digits) > 12 or digits.strip(b"0123456789abcdefABCDEF"):
        raise Refused(400, "The size of a chunk is no number.")
    return int(digits, 16)


class SizedBody:
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


class ChunkLines:
    """What the lines of a chunked frame say, one after the other."""

    __slots__ = ("_is_behind_chunk", "_is_in_trailer", "_left", "done")

    def __init__(self) -> None:
        self._left = 0
        """What is still to come of a chunk."""
        self._is_behind_chunk = False
        self._is_in_trailer = False
        self.done = False

    def _take_text(self, text: bytes) -> None:
        """A line without its end."""
        if self._is_in_trailer:
            self.done = not text
        elif self._is_behind_chunk:
            if text:
                raise Refused(502, "The frame of the answer is broken.")
            self._is_behind_chunk = False
        else:
            self._left = _chunk_size(text)
            self._is_behind_chunk = self._left > 0
            self._is_in_trailer = self._left == 0


class Chunks(ChunkLines):
    """Finds the end of a chunked body that is passed on as it is."""

    __slots__ = ("_line",)

    def __init__(self) -> None:
        super().__init__()
        self._line = b""
        """As much of a line of the frame as has come."""

    def take(self, piece: bytes) -> int:
        """How much of the piece belongs to this body."""
        at, end = 0, len(piece)
        while at < end and not self.done:
            if self._left:
                step = min(self._left, end - at)
                self._left -= step
                at += step
                continue
            line_end = piece.find(b"\n", at) + 1
            stop = line_end or end
            self._line += piece[at:stop]
            at = stop
            self._check_line()
            if line_end:
                self._take_line(self._line)
                self._line = b""
        return at

    def _check_line(self) -> None:
        """Also before it is whole: it may never end."""
        # Behind a chunk nothing but the end of a line may come.
        is_odd = self._is_behind_chunk and self._line not in (b"\r", b"\r\n")
        if is_odd or len(self._line) > LARGEST_HEAD:
            raise Refused(502, "The frame of the answer is broken.")

    def _take_line(self, line: bytes) -> None:
        # A line that ends otherwise is one to some readers and none to others.
        if not line.endswith(b"\r\n"):
            raise Refused(502, "The frame of the answer is broken.")
        self._take_text(line[:-2])


class ChunkPayload(ChunkLines):
    """Takes a chunked body out of its frame, piece by piece as it comes."""

    __slots__ = ("_begun",)

    def __init__(self) -> None:
        super().__init__()
        self._begun = b""
        """As much of a line of the frame as has come."""

    def take(self, piece: bytes) -> bytes:
        """What a piece holds of the body."""
        data = piece
        if self._begun:
            data = self._begun + piece
            self._begun = b""
        at = 0
        payload: list[bytes] = []
        while not self.done:
            if self._left:
                part = data[at : at + self._left]
                payload.append(part)
                at += len(part)
                self._left -= len(part)
                if self._left:
                    break
            end = data.find(b"\r\n", at)
            if end < 0:
                self._begin_line(data[at:])
                break
            self._take_text(data[at:end])
            at = end + 2
        return b"".join(payload)

    def _begin_line(self, begun: bytes) -> None:
        if len(begun) > LONGEST_LINE:
            raise Refused(502, "The frame of the answer is broken.")
        self._begun = begun
