"""Whether a `.director/` folder is as it was: by what the system knows of its files, without reading
any.
"""

from __future__ import annotations

import os
from time import time_ns

from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Mark = tuple[str, int, int, int, int]
    """A path, when it was written and when anything of it changed, its size, and which file it is."""

OLD_ENOUGH = 2_000_000_000
"""Nanoseconds. Some disks tell times no finer than that, so two changes may look like one."""


def fingerprint(root: str) -> tuple[Mark, ...]:
    """The same as long as nothing was changed; nothing at all where that cannot be told: something
    is too new, leads elsewhere, or cannot be looked at.
    """
    newest = time_ns() - OLD_ENOUGH
    marks = []
    try:
        for mark in _marks(os.path.join(root, FOLDER)):
            if not mark[0] or max(mark[1], mark[2]) > newest:
                return ()
            marks.append(mark)
    except OSError:
        return ()
    return tuple(marks)


def _marks(folder: str) -> Iterator[Mark]:
    """A link is told of without a path."""
    with os.scandir(folder) as entries:
        here = sorted(entries, key=_name)
    for entry in here:
        # What is kept between runs is no document.
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            yield "", 0, 0, 0, 0
            continue
        status = entry.stat(follow_symlinks=False)
        yield entry.path, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
        if entry.is_dir(follow_symlinks=False):
            yield from _marks(entry.path)


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name
