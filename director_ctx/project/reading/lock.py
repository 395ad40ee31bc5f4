"""One writer at a time in a folder.

A lock of the system on the folder itself comes first: it leaves no file behind, and is gone with
the process that held it. Where the system has none (Windows), or the disk refuses it, a file in the
folder says who is writing.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager

from director_ctx.base.errors import DctxError
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

PATIENCE = 10.0
"""Seconds. A write takes a few milliseconds; who holds the lock for so long has been stopped."""
NAP = 0.02
_WITHOUT = "dctx: warning: no lock can be had in {}, so of two commands at once one may undo what the other wrote.\n"
_warned: set[str] = set()


class Busy(DctxError):
    """Somebody else is at it, and does not finish."""


def alone_in_project(root: str) -> AbstractContextManager[None]:
    """Alone in a project."""
    return alone_in(os.path.join(root, FOLDER))


@contextmanager
def alone_in(folder: str, patience: float = PATIENCE) -> Iterator[None]:
    """Waits for other writers. `Busy` if that takes too long."""
    deadline = time.monotonic() + patience
    descriptor = _locked(folder, deadline)
    if descriptor is not None:
        try:
            yield
        finally:
            os.close(descriptor)
        return

    # Only Windows, and disks without locks, need the file.
    from director_ctx.project.reading.lock_file import release

    own = _make_file(folder, deadline)
    try:
        yield
    finally:
        if own:
            release(own)


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
