"""Room in memory for requests that are looked at: one for all connections."""

from __future__ import annotations

from threading import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


class Room:
    """So many bytes. Nothing is set aside: room is taken by what has come, never by what was
    announced.
    """

    def __init__(self, size: int) -> None:
        self._left = size
        self._lock = Lock()

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
        self._room = room
        self._size = 0

    def grow(self, size: int) -> bool:
        if not self._room.take(size):
            return False
        self._size += size
        return True

    def give_back(self) -> None:
        self._room.give_back(self._size)
        # Else the end of the request would give it back once more.
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()
