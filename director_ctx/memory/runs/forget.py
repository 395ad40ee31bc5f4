"""Keeps the run record small: the last runs in whole lines, and the texts of the very last ones."""

from __future__ import annotations

import os
import time

from director_ctx.base.system.write import TEMPORARY, write_whole
from director_ctx.memory.runs.run import parse_run
from director_ctx.memory.runs.storage import (
    BINARY,
    LARGEST_RECORD,
    RECORD,
    SAFE,
    read_lines,
    read_runs,
    texts_folder,
)
from director_ctx.project.dctx_folder import kept_path
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
    record = kept_path(root, RECORD)
    corner = os.path.dirname(record)
    try:
        with alone_in(corner, patience=0):
            if os.lstat(record).st_size > LARGEST_RECORD:
                _shorten(record)
            _forget_texts(root)
            _forget_left_over(corner)
    except Busy:
        return


def _shorten(record: str) -> None:
    """The last runs, in a new file. What others append to the old one meanwhile is brought over."""
    if os.name == "nt":  # a file that is open cannot be replaced there, so nobody else is at it now
        write_whole(record, b"".join(_last_lines(record)))
        return

    with open(os.open(record, os.O_RDONLY | SAFE | BINARY), "rb") as old:
        read_until = os.fstat(old.fileno()).st_size
        write_whole(record, b"".join(_last_lines(record)))
        # Whoever had the old file open wrote behind what was read. All of it, however much: these are
        # the newest lines.
        old.seek(read_until)
        late = old.read()
    if late:
        with open(os.open(record, os.O_WRONLY | os.O_APPEND | BINARY), "wb", 0) as new:
            new.write(late)


def _last_lines(record: str) -> list[bytes]:
    lines: list[bytes] = []
    size = 0
    for line in reversed(read_lines(record)):
        # Half of what is allowed, so that it is not shortened again at once.
        if size + len(line) > LARGEST_RECORD // 2 or len(lines) == MOST_RUNS:
            break
        if parse_run(line):
            lines.append(line + b"\n")
            size += len(line)
    lines.reverse()
    return lines


def _forget_texts(root: str) -> None:
    """Newest runs first: their texts stay while there is room; everything else in the folder goes."""
    # The files first: what is written meanwhile is not among them, and stays.
    doomed = dict(_texts(root))
    room = ALL_TEXTS
    in_use: dict[str, None] = {}
    for run in reversed(read_runs(root, MOST_TEXTS)):
        in_use |= dict.fromkeys([*(section.sha256 for section in run.sections), run.account])
    for name in in_use:
        if name in doomed:
            room -= doomed[name][1]
            if room >= 0:
                del doomed[name]
    for path, _ in doomed.values():
        _unlink(path)


def _texts(root: str) -> Iterator[tuple[str, tuple[str, int]]]:
    """The files that are texts of ours by their names and places: path and size, by name."""
    try:
        top = texts_folder(root)
    except OSError:
        return
    for folder in _entries(top):
        # A link might lead out of the project, where nothing is ours to delete.
        if len(folder.name) != 2 or not folder.is_dir(follow_symlinks=False):
            continue
        for entry in _entries(folder.path):
            # Another process may just have moved it into place.
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            is_text = len(entry.name) == 64 or _is_left_over(entry.name, status)
            if is_text and entry.name.startswith(folder.name):
                yield entry.name, (entry.path, status.st_size)


def _forget_left_over(corner: str) -> None:
    for entry in _entries(corner):
        if entry.name.startswith(f".{RECORD}."):
            try:
                is_left = _is_left_over(entry.name, entry.stat(follow_symlinks=False))
            except OSError:
                continue
            if is_left:
                _unlink(entry.path)


def _is_left_over(name: str, status: os.stat_result) -> bool:
    """Whether a file was being written by a process that is no more."""
    return name.endswith(TEMPORARY) and status.st_mtime < time.time() - AN_HOUR


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
