"""A history that comes in: a file that is named, or standard input."""

from __future__ import annotations

import os
import sys

from director_ctx.base.errors import DctxError
from director_ctx.history.formats import Unread
from director_ctx.project.reading.locate import absolute

STDIN = "-"


def read_history(path: str | None, command: str) -> bytes:
    """All of it, as it is at this moment."""
    if path is None or path == STDIN:
        data = _read_pipe(command)
        if not data.strip():
            raise DctxError("The history is empty.", "Nothing came in on standard input.")
        return data

    data = _read_file(path)
    if not data.strip():
        raise DctxError(f"{path} is empty.", _FIRST)
    return data


def read_conversation(named: str | None, root: str | None, command: str) -> bytes:
    """The same, where a client's session can be named by the start of its id."""
    if named in (None, "", STDIN) or _is_path(str(named)):
        return read_history(named, command)

    # A file is shortened without a look at what clients keep.
    from director_ctx.history.sessions.files import STORE
    from director_ctx.history.sessions.find import choose, read_bytes

    session = choose(named, root)
    if session.client == STORE:
        raise DctxError(
            "The store's conversation is no file.", "`dctx history summarize` sums it up."
        )
    return read_bytes(session)


def unread_from(named: str | None, unread: Unread) -> Unread:
    """The same mistake, with the file or session that it is in."""
    if named in (None, "", STDIN):
        return unread
    return Unread(f"{named}: {unread.message}", unread.hint)


def _is_path(name: str) -> bool:
    """Whether it is there, or could be no id: that has neither a dot nor a slash in it."""
    return os.path.lexists(name) or "." in name or os.sep in name


_FIRST = "A shell empties the file behind > before dctx starts: write to another one, then move it."


def _read_pipe(command: str) -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise DctxError(
            "There is no history to read.",
            f"Name a file, or pipe one in: cat FILE | dctx {command}",
        )
    return sys.stdin.buffer.read()


def _read_file(path: str) -> bytes:
    whole_path = absolute(path)
    if os.path.isdir(whole_path):
        raise DctxError(f"{path} is a folder.", "Name a file in it.")
    try:
        with open(whole_path, "rb") as file:
            return file.read()
    except OSError as error:
        raise DctxError(
            f"{path}: {error.strerror or error}.", "Name a file, or - for standard input."
        ) from error
