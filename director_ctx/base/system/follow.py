"""Follows a file that grows: only what is new of it is read. Truncated or put in another's place,
it begins anew.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 1 << 20


class Follow:
    """From the end of a file on, as it is when this is made."""

    def __init__(self, path: str) -> None:
        self.path = path
        status = os.stat(path)
        self._place = status.st_size
        self._which = (status.st_dev, status.st_ino)
        self._rest = b""

    @property
    def place(self) -> int:
        """Bytes that were seen."""
        return self._place

    def again(self) -> bool:
        """Whether it is another file now, or shorter: what was known of it no longer counts."""
        status = os.stat(self.path)
        which = (status.st_dev, status.st_ino)
        if which == self._which and status.st_size >= self._place:
            return False
        self._place = status.st_size
        self._which = which
        self._rest = b""
        return True

    def lines(self) -> Iterator[bytes]:
        """Whole lines that were added since; half a line waits for its end."""
        with open(self.path, "rb") as file:
            file.seek(self._place)
            while piece := file.read(PIECE):
                self._place += len(piece)
                *whole, self._rest = (self._rest + piece).split(b"\n")
                yield from whole
