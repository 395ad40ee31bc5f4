"""A lock for systems and disks without locks: a file that only one process can make, with the name
of who made it.

Whoever is killed leaves the file behind. It is abandoned if its maker was a process of this machine
that is gone, and in any case after ten minutes, because a write takes milliseconds. Two may find it
abandoned at the same moment. So taking it away needs a lock of its own, whose name is made of what
is taken away: only one ever gets that, and only it may take away this very file, never the next one
in its place.

On Windows a file that is open cannot be taken away, so there the system knows who is gone.
"""

from __future__ import annotations

import os
import time

from director_ctx.base.hashing import digest

NAME = ".dctx.lock"
ABANDONED = 600.0
"""Seconds after which nobody is writing any more, wherever they were."""
LARGEST = 1000
_IS_WINDOWS = os.name == "nt"
_NEW = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_own: dict[str, tuple[int, bytes]] = {}
"""The files that this process made: open, and with what is in them."""


def make(place: str) -> bool:
    """Whether we made it; not if it is there. Raises OSError where no file can be made."""
    try:
        descriptor = os.open(place, _NEW, 0o600)
    except FileExistsError:
        return False
    except PermissionError:
        if _IS_WINDOWS and os.path.lexists(place):
            # It is just being taken away.
            return False
        raise
    said = f"{_here()} {os.getpid()} {os.urandom(8).hex()}\n".encode()
    try:
        os.write(descriptor, said)
    except OSError:
        os.close(descriptor)
        os.unlink(place)
        raise
    _own[place] = descriptor, said
    return True


def release(place: str) -> None:
    """Takes away what we made, if nobody took it for abandoned meanwhile."""
    descriptor, own_text = _own.pop(place)
    os.close(descriptor)
    lock = _read(place)
    if lock is None:
        return
    text, _ = lock
    if text == own_text:
        _unlink(place)


def remove_abandoned(place: str) -> None:
    """Takes away what somebody left who is gone. Raises OSError where no file can be made."""
    lock = _read(place)
    if lock is None or not _is_abandoned(*lock):
        return
    if _IS_WINDOWS:
        _unlink(place)
        return

    text, modified = lock
    name = digest(text + str(modified).encode())[:32]
    own = f"{place}.{name}"
    if not make(own):
        # Whoever was about to do it may have been killed as well.
        remove_abandoned(own)
        return
    try:
        if _read(place) == lock:
            _unlink(place)
    finally:
        release(own)


def _read(place: str) -> tuple[bytes, int] | None:
    """What a lock says, and when it was made."""
    try:
        descriptor = os.open(place, _READ)
    except OSError:
        return None
    try:
        return os.read(descriptor, LARGEST), os.fstat(descriptor).st_mtime_ns
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _is_abandoned(said: bytes, modified: int) -> bool:
    age = time.time() - modified / 1e9
    if age > ABANDONED:
        return True
    maker = said.decode("utf-8", "replace").rpartition(" ")[0]
    where, _, process = maker.rpartition(" ")
    if where != _here() or not process.isdecimal():
        return False
    # What is open cannot be taken away there: so no harm is done by trying.
    return _IS_WINDOWS or not _runs(int(process))


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        # It runs, for somebody else.
        pass
    return process > 0


def _here() -> str:
    """This machine, and the view of its processes that we have: a container sees others under other
    numbers.
    """
    name = os.environ.get("COMPUTERNAME", "")
    if hasattr(os, "uname"):
        name = os.uname().nodename
    try:
        processes = os.readlink("/proc/self/ns/pid")
    except OSError:
        return name
    return f"{name}/{processes}"


def _unlink(place: str) -> None:
    try:
        os.unlink(place)
    except OSError:
        # Gone, or in use.
        pass
