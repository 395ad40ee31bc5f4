"""One line for each hook that could not do its work, in `.director/.dctx/hooks.log`. Bounded, never
fatal.
"""

from __future__ import annotations

import os
import time

from director_ctx.project.dctx_folder import kept_path, make_kept_path

NAME = "hooks.log"
LARGEST = 64_000
LONGEST = 500
_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_ADD = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _FLAGS


def log(root: str, message: str) -> None:
    """Adds a line, with the time; the older half goes when the file is full."""
    try:
        path = make_kept_path(root, NAME)
        descriptor = os.open(path, _ADD, 0o600)
        try:
            os.write(descriptor, _line(message))
            full = os.fstat(descriptor).st_size > LARGEST
        finally:
            os.close(descriptor)
        if full:
            _shorten(path)
    except OSError:
        # A hook that cannot say why it failed still ends well.
        pass


def _line(message: str) -> bytes:
    # One line, whatever a message has in it.
    text = "".join(char if char.isprintable() else " " for char in message)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return f"{now} {text[:LONGEST]}\n".encode("utf-8", "replace")


def _shorten(path: str) -> None:
    from director_ctx.base.system.write import write_whole

    lines = _read(path).splitlines(keepends=True)
    newer_half = lines[len(lines) // 2 :]
    write_whole(path, b"".join(newer_half))


def read_log(root: str) -> list[str]:
    """The lines, oldest first."""
    path = kept_path(root, NAME)
    if not path:
        return []
    try:
        return _read(path).decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | _FLAGS)
    try:
        return os.read(descriptor, 4 * LARGEST)
    finally:
        os.close(descriptor)
