"""How many come in by HTTP: requests a second, and connections at once."""

from __future__ import annotations

import threading
from socket import SHUT_RDWR
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

A_SECOND = 500
"""Requests, over some time; as many may come at once."""
MOST_CONNECTIONS = 256
MAKE_ROOM_SECONDS = 0.5


class Rate:
    """So many requests a second, with some in reserve."""

    def __init__(self) -> None:
        self._left = float(A_SECOND)
        self._when = monotonic()
        self._lock = threading.Lock()

    def allows_one(self) -> bool:
        with self._lock:
            now = monotonic()
            self._left = min(A_SECOND, self._left + (now - self._when) * A_SECOND)
            self._when = now
            if self._left < 1:
                return False
            self._left -= 1
            return True


class Connections:
    """So many at once. Where there is no room, the one that has said nothing whole for the longest time
    ends: who speaks slowly keeps nobody out.
    """

    def __init__(self) -> None:
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._silent: dict[socket.socket, float] = {}
        """Those of which no whole request has come, and since when."""

    def take(self) -> bool:
        """Whether there is a place for one more."""
        if self._places.acquire(blocking=False):
            return True
        self._end_the_slowest()
        return self._places.acquire(timeout=MAKE_ROOM_SECONDS)

    def give_back(self) -> None:
        self._places.release()

    def begins(self, connection: socket.socket) -> None:
        """From now on a request is waited for."""
        self._silent[connection] = monotonic()

    def has_spoken(self, connection: socket.socket) -> None:
        self._silent.pop(connection, None)

    def _end_the_slowest(self) -> None:
        silent = sorted(self._silent.items(), key=_since)
        for connection, _ in silent[:1]:
            try:
                connection.shutdown(SHUT_RDWR)
            except OSError:
                pass  # It ended by itself meanwhile.


def _since(silent: tuple[socket.socket, float]) -> float:
    _, since = silent
    return since
