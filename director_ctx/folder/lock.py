"""One writer at a time: a lock on the folder itself, gone with the process that held it, leaving no file behind."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager

from director_ctx.errors import DctxError
from director_ctx.folder.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

PATIENCE = 10.0
"""Seconds. A write takes a few milliseconds; who holds the lock for so long has been stopped."""


def held(root: str) -> AbstractContextManager[None]:
    """Alone in a project."""
    return alone_in(os.path.join(root, FOLDER))


@contextmanager
def alone_in(folder: str) -> Iterator[None]:
    """Waits for other writers. Systems without locks on folders go on without one."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _take(fcntl.flock, fcntl.LOCK_EX | fcntl.LOCK_NB, descriptor)
        yield
    finally:
        os.close(descriptor)


def _take(flock: object, how: int, descriptor: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            flock(descriptor, how)  # type: ignore[operator]
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise DctxError(
                    "Another dctx is writing here and does not finish.", "Look for it, and try again."
                ) from None
            time.sleep(0.02)
        except OSError:
            # A network file system without locks.
            return
