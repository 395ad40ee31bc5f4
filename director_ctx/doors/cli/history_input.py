"""A history that comes in: a file that is named, or standard input; and bytes that go out."""

from __future__ import annotations

import os
import sys

from director_ctx.errors import DctxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

STDIN = "-"


def read_history(path: str | None, command: str) -> bytes:
    """All of it, as it is at this moment."""
    data = _piped(command) if path in (None, STDIN) else _named(str(path))
    if not data.strip():
        raise DctxError(_empty(path), _FIRST if path not in (None, STDIN) else "Nothing came in on standard input.")
    return data


_FIRST = "A shell empties the file behind > before dctx starts: write to another one, then move it."


def _empty(path: str | None) -> str:
    return "The history is empty." if path in (None, STDIN) else f"{path} is empty."


def _piped(command: str) -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise DctxError("There is no history to read.", f"Name a file, or pipe one in: cat FILE | dctx {command}")
    return sys.stdin.buffer.read()


def _named(path: str) -> bytes:
    from director_ctx.folder.locate import absolute

    place = absolute(path)
    if os.path.isdir(place):
        raise DctxError(f"{path} is a folder.", "Name a file in it.")
    try:
        with open(place, "rb") as file:
            return file.read()
    except OSError as error:
        raise DctxError(f"{path}: {error.strerror or error}.", "Name a file, or - for standard input.") from error


def put_bytes(data: bytes) -> None:
    """A result that is no text of ours, to the byte."""
    if sys.stdout is None:
        return
    stream: IO[bytes] = sys.stdout.buffer
    sys.stdout.flush()
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()
