"""The beginning and the end of a session's file: enough to say what it is, however long it has become."""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.history.sessions.usage import said_last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

END = 64 * 1024
"""Bytes that are read at either end."""
LARGEST_VALUE = 64 * 1024 * 1024
"""Bytes of a file that is one value: its end says nothing without its beginning."""


class Ends(Record):
    """The objects at both ends of a file. Of one that is short enough, all of them are in `first`."""

    first: list[dict[str, Any]]
    last: list[dict[str, Any]]
    begin: list[bytes]
    """The first lines as they are; none where these are all of them."""
    lines: list[bytes]
    """The last lines as they are."""
    half: bytes
    """As much of the next line as was read at the beginning."""
    share: float
    """How much of the file this is."""
    whole: bool

    def tokens(self) -> int | None:
        """Tokens in use, where an answer near the end says it."""
        return said_last(self.lines)


def read_ends(path: str, size: int) -> Ends | None:
    """None for a file that cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    most = LARGEST_VALUE if path.endswith(".json") else 2 * END
    try:
        head = os.read(descriptor, most if size <= most else END)
        if size <= most:
            return _whole(path, head)
        os.lseek(descriptor, -END, os.SEEK_END)
        tail = os.read(descriptor, END)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    *before, half = head.split(b"\n")
    after = tail.split(b"\n")[1:]
    known = sum(map(len, before)) + sum(map(len, after))
    return Ends(objects(before), objects(after), before, after, half, known / size, False)


def _whole(path: str, data: bytes) -> Ends:
    lines = [data] if path.endswith(".json") else data.split(b"\n")
    return Ends(objects(lines), [], [], lines, b"", 1.0, True)


def objects(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """What is an object; half a line is none."""
    from json import loads

    found = []
    for line in lines:
        try:
            value = loads(line) if line else None
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found.append(value)
    return found
