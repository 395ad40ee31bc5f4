"""One writer at a time in a folder.

A lock of the system on the folder itself comes first: it leaves no file behind, and is gone with
the process that held it. Where the system has none (Windows), or the disk refuses it, a file in the
folder says who is writing.
"""

from __future__ import annotations

import os
import sys
import time

from director_ctx.base.errors import DctxError
from director_ctx.project.reading.model import FOLDER

PATIENCE = 10.0
"""Seconds. A write takes a few milliseconds; who holds the lock for so long has been stopped."""
NAP = 0.005
_WITHOUT = "dctx: warning: no lock can be had in {}, so of two commands at once one may undo what the other wrote.\n"
_warned: set[str] = set()


class Busy(DctxError):
    """Somebody else is at it, and does not finish."""


class alone_in:  # noqa: N801 - it is used as a function is
    """Waits for other writers. `Busy` if that takes too long."""

    def __init__(self, folder: str, patience: float = PATIENCE) -> None:
        self._folder = folder
        self._patience = patience

    def __enter__(self) -> None:
        deadline = time.monotonic() + self._patience
        self._file = ""
        self._descriptor = _locked(self._folder, deadline)
        if self._descriptor is None:
            # Only Windows, and disks without locks, need the file.
            self._file = _make_file(self._folder, deadline)

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        elif self._file:
            from director_ctx.project.reading.lock_file import release

            release(self._file)


def alone_in_project(root: str) -> alone_in:
    """Alone in a project."""
    return alone_in(os.path.join(root, FOLDER))


def _locked(folder: str, deadline: float) -> int | None:
    """The folder, open and locked; None where the system or the disk has no such locks."""
    try:
        import fcntl
    except ImportError:
        return None

    descriptor = os.open(folder, os.O_RDONLY)
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            pass
        except OSError:
            os.close(descriptor)
            return None
        try:
            _wait(deadline, "Look for it, and try again.")
        except Busy:
            os.close(descriptor)
            raise


def _make_file(folder: str, deadline: float) -> str:
    """The file that says that we are writing; empty where no file can be made either, which is then
    said.
    """
    from director_ctx.project.reading.lock_file import NAME, make, remove_abandoned

    place = os.path.join(folder, NAME)
    while True:
        try:
            if make(place):
                return place
            remove_abandoned(place)
        except OSError:
            _warn(folder)
            return ""
        _wait(deadline, f"Look for it, and try again; if there is none, delete {place}.")


def _wait(deadline: float, hint: str) -> None:
    if time.monotonic() > deadline:
        raise Busy("Another dctx is writing here and does not finish.", hint)
    time.sleep(NAP)


def _warn(folder: str) -> None:
    """Once for each folder."""
    if folder in _warned or sys.stderr is None:
        return
    _warned.add(folder)
    try:
        sys.stderr.write(_WITHOUT.format(folder))
    except (OSError, ValueError):
        # Nobody reads it.
        pass
