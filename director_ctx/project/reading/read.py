"""Reads one file, whatever it is, without ever hanging on it."""

from __future__ import annotations

import os
import stat

from director_ctx.base.text import TOO_LONG, Remark, decode, whole_characters
from director_ctx.project.reading.model import Document

LARGEST_FILE = 4_000_000
"""Bytes. More than any model's window: such a file is not a document for an agent."""

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class Unreadable(Exception):
    """Why a file that exists cannot be used; irregular is a pipe, a device and the like."""

    def __init__(self, why: str, irregular: bool = False) -> None:
        super().__init__(why)
        self.irregular = irregular


def read_document(location: str, path: str, most: int = LARGEST_FILE) -> Document:
    """The file at `location`, known to the reader as `path`. Raises `Unreadable` or
    `FileNotFoundError`.
    """
    data, size = _bytes(location, most)
    text, notes = decode(whole_characters(data) if size > most else data)
    if size > most:
        text = text[: text.rfind("\n") + 1] or text
        notes = (
            *notes,
            Remark(TOO_LONG, f"only the first {most:,} of {size:,} bytes were read"),
        )
    return Document(path, text, notes, size, too_large=size > LARGEST_FILE)


def _bytes(location: str, most: int) -> tuple[bytes, int]:
    try:
        descriptor = os.open(location, _FLAGS)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise Unreadable(getattr(error, "strerror", None) or str(error)) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("not a regular file", irregular=True)
        return _up_to(descriptor, min(status.st_size, most)), status.st_size
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error
    finally:
        os.close(descriptor)


def _up_to(descriptor: int, size: int) -> bytes:
    data = os.read(descriptor, size)
    while len(data) < size and (more := os.read(descriptor, size - len(data))):
        data += more
    return data
