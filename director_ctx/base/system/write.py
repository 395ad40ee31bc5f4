"""Writes beside and moves into place, so that a file is there whole or not at all."""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, TypeVar

    T = TypeVar("T")

TEMPORARY = ".tmp"
"""How the name of a file ends that is being written; its name begins with a dot."""
_NEW = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)


def write_whole(location: str, data: bytes) -> None:
    """Replaces a file's content, through links, keeping its permissions."""
    target = os.path.realpath(location)
    is_there = os.path.exists(target)
    # What is still a link leads in a circle.
    if os.path.islink(target) or (is_there and not os.path.isfile(target)):
        raise OSError(errno.EINVAL, "not a regular file", location)
    # A file in a folder of one's own can be replaced whatever it permits.
    if is_there and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file may not be written", location)
    beside, _ = _beside(target, lambda file: file.write(data))
    try:
        os.chmod(beside, _mode(target))
        os.replace(beside, target)
    except BaseException:
        _forget(beside)
        raise


def create_whole(location: str, data: bytes) -> bool:
    """Makes a file that must not be there yet; False if something is. Two at once: one wins, none
    is overwritten.
    """
    if os.path.lexists(location):
        return False
    beside, _ = _beside(location, lambda file: file.write(data))
    try:
        os.chmod(beside, 0o666 & ~_umask())
        try:
            os.link(beside, location)
        except FileExistsError:
            return False
        except OSError:
            # A file system without hard links: the check above has to do.
            os.replace(beside, location)
        return True
    finally:
        _forget(beside)


def write_private(location: str, write: Callable[[IO[bytes]], T], durable: bool = True) -> T:
    """Replaces a file, through links, by one that only its owner reads; what `write` put into it,
    and returned.
    """
    target = os.path.realpath(location)
    beside, done = _beside(target, write, durable)
    try:
        os.replace(beside, target)
    except BaseException:
        _forget(beside)
        raise
    return done


def _beside(target: str, write: Callable[[IO[bytes]], T], durable: bool = True) -> tuple[str, T]:
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name[:50]}.{os.urandom(6).hex()}{TEMPORARY}")
    descriptor = os.open(beside, _NEW, 0o600)
    try:
        with open(descriptor, "wb") as file:
            done = write(file)
            file.flush()
            if durable:
                os.fsync(file.fileno())
    except BaseException:
        _forget(beside)
        raise
    return beside, done


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _mode(target: str) -> int:
    try:
        return os.stat(target).st_mode & 0o7777
    except OSError:
        return 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
