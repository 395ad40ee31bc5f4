"""Keeps the run record small: the last runs in whole lines, and the texts of the very last ones."""

from __future__ import annotations

import os
import time

from director_ctx.base.system.write import TEMPORARY, write_whole
from director_ctx.memory.runs.run import parse_run
from director_ctx.memory.runs.storage import (
    LARGEST_RECORD,
    RECORD,
    read_lines,
    read_runs,
    texts_folder,
)
from director_ctx.project.dctx_folder import kept
from director_ctx.project.reading.lock import Busy, alone_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_RUNS = 500
MOST_TEXTS = 50
"""Runs whose texts are kept."""
ALL_TEXTS = 8_000_000
"""Bytes of texts that are left after a look through; between two looks a few millions may come on
top.
"""
AN_HOUR = 3600


def forget(root: str) -> None:
    """Shortens what has grown too long. One process at a time; whoever comes second has nothing to
    do.
    """
    place = kept(root, RECORD)
    corner = os.path.dirname(place)
    try:
        with alone_in(corner, patience=0):
            if os.lstat(place).st_size > LARGEST_RECORD:
                _shorten(place)
            _forget_texts(root)
            _forget_left_over(corner)
    except Busy:
        return


def _shorten(place: str) -> None:
    """The last runs, in a new file. What others append to the old one meanwhile is brought over."""
    if os.name == "nt":  # a file that is open cannot be replaced there, so nobody else is at it now
        write_whole(place, b"".join(_last_lines(place)))
        return
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(place, flags | getattr(os, "O_BINARY", 0)), "rb") as old:
        read_until = os.fstat(old.fileno()).st_size
        write_whole(place, b"".join(_last_lines(place)))
        old.seek(read_until)
        if late := old.read(LARGEST_RECORD):
            with open(
                os.open(place, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)), "wb", 0
            ) as new:
                new.write(late)


def _last_lines(place: str) -> list[bytes]:
    lines, size = list[bytes](), 0
    for line in reversed(read_lines(place)):
        if size + len(line) > LARGEST_RECORD // 2 or len(lines) == MOST_RUNS:
            break
        if parse_run(line):
            lines.append(line + b"\n")
            size += len(line)
    return lines[::-1]


def _forget_texts(root: str) -> None:
    """Newest runs first: their texts stay while there is room; everything else in the folder goes."""
    found = {name: (place, size) for name, place, size in _texts(root)}
    room, wanted = ALL_TEXTS, dict[str, None]()
    for run in reversed(read_runs(root, MOST_TEXTS)):
        wanted.update(dict.fromkeys(one.sha256 for one in run.sections))
    for name in wanted:
        room -= found.get(name, ("", 0))[1]
        if room >= 0:
            found.pop(name, None)
    for place, _ in found.values():
        _unlink(place)


def _texts(root: str) -> Iterator[tuple[str, str, int]]:
    """Name, place and size of each file that is a text of ours by its name and place."""
    try:
        top = texts_folder(root)
    except OSError:
        return
    for folder in _entries(top):
        if len(folder.name) == 2 and folder.is_dir(follow_symlinks=False):
            for entry in _entries(folder.path):
                status = _status(entry)
                is_text = len(entry.name) == 64 or (status and _is_left_over(entry.name, status))
                if status and is_text and entry.name.startswith(folder.name):
                    yield entry.name, entry.path, status.st_size


def _forget_left_over(corner: str) -> None:
    for entry in _entries(corner):
        status = _status(entry)
        if status and entry.name.startswith(f".{RECORD}.") and _is_left_over(entry.name, status):
            _unlink(entry.path)


def _is_left_over(name: str, status: os.stat_result) -> bool:
    """Whether a file was being written by a process that is no more."""
    return name.endswith(TEMPORARY) and status.st_mtime < time.time() - AN_HOUR


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """None where another process has just moved it into place."""
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:
        return None


def _unlink(place: str) -> None:
    try:
        os.unlink(place)
    except OSError:
        pass


def _entries(place: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            return list(entries)
    except OSError:
        return []
