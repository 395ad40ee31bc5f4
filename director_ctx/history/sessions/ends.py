"""Both ends of a session's file, which may be longer than anybody wants to read."""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.history.sessions.usage import last_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


END = 64 * 1024
"""Bytes that are read at either end."""


class FileEnds(Record):
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

    def tokens(self, of_agent: bool = False) -> int | None:
        """Tokens in use, of the session or of the sub-agent, where an answer near the end says it."""
        return last_tokens(self.lines, of_agent)


def read_ends(path: str, size: int) -> FileEnds | None:
    """None for a file that cannot be read."""
    # Neither waits for somebody to write into a pipe, nor leaves the folder by a link. Windows has
    # neither of these flags.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    try:
        if size <= 2 * END:
            return _whole_file(os.read(descriptor, 2 * END))
        head = os.read(descriptor, END)
        os.lseek(descriptor, -END, os.SEEK_END)
        tail = os.read(descriptor, END)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return _two_ends(head, tail, size)


def _whole_file(data: bytes) -> FileEnds:
    lines = data.split(b"\n")
    return FileEnds(
        first=objects(lines),
        last=[],
        begin=[],
        lines=lines,
        half=b"",
        share=1.0,
        whole=True,
    )


def _two_ends(head: bytes, tail: bytes, size: int) -> FileEnds:
    *begin, half = head.split(b"\n")
    # The first of the last is only the end of a line.
    _, *lines = tail.split(b"\n")
    known = sum(map(len, begin)) + sum(map(len, lines))
    return FileEnds(
        first=objects(begin),
        last=objects(lines),
        begin=begin,
        lines=lines,
        half=half,
        share=known / size,
        whole=False,
    )


def objects(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """What is an object; half a line is none."""
    from json import loads

    values: list[dict[str, Any]] = []
    for line in lines:
        if not line:
            continue
        try:
            value = loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            values.append(value)
    return values
