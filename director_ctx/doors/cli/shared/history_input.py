"""A history that comes in: a file that is named, or standard input."""

from __future__ import annotations

import os
import stat
import sys

from director_ctx.base.errors import DctxError
from director_ctx.doors.cli.shared.speak import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.history.sessions.transcript import WholeTranscript

STDIN = "-"


def read_history(path: str | None, command: str) -> bytes:
    """All of it, as it is at this moment."""
    is_piped = path in (None, STDIN)
    data = _piped(command) if is_piped else _named(str(path))
    if data.strip():
        return data
    if is_piped:
        raise DctxError("The history is empty.", "Nothing came in on standard input.")
    raise DctxError(f"{path} is empty.", _FIRST)


def read_conversation(named: str | None, root: str | None, command: str) -> bytes:
    """The same, where a client's session can be named by the start of its id."""
    if named in (None, "", STDIN) or _is_path(str(named)):
        return read_history(named, command)

    from director_ctx.history.sessions.files import STORE
    from director_ctx.history.sessions.find import choose, read_bytes

    session = choose(named, root)
    if session.client == STORE:
        raise DctxError(
            "The store's conversation is no file.", "`dctx history compress` sums it up."
        )
    return read_bytes(session)


def _is_path(name: str) -> bool:
    """Whether it is there, or could be no id: that has neither a dot nor a slash in it."""
    return os.path.lexists(name) or "." in name or os.sep in name


def told_here(values: dict[str, Any], command: str) -> WholeTranscript:
    """What was said in the session that is named; in what comes in, for `-` or a file behind <."""
    from director_ctx.history.sessions.files import Session, short_id
    from director_ctx.history.sessions.find import FILE, choose
    from director_ctx.history.sessions.transcript import read_transcript, transcript_of

    named = values["session"]
    root, form = values["root"], values["from_"]

    if named == STDIN or (named is None and _comes_from(stat.S_ISREG)):
        piped = Session("stdin", FILE, "", "", "", 0, 0, False, "")
        data = read_history(None, command)
        return transcript_of(piped, data, form)

    session = choose(named, root)
    if named is None and _waits():
        name = short_id(session.id)
        say(f"Session {name} is the newest here; `dctx {command} -` reads what is piped in.")
    return read_transcript(session, root, form)


def _waits() -> bool:
    """Whether something was piped in. It may be for somebody else, so it is read only where `-`
    says so.
    """
    try:
        from fcntl import ioctl
        from termios import FIONREAD

        if not _comes_from(stat.S_ISFIFO):
            return False
        waiting = ioctl(sys.stdin.fileno(), FIONREAD, bytes(4))
        return any(waiting)
    except (ImportError, OSError):
        return False


def _comes_from(kind: Callable[[int], bool]) -> bool:
    """Whether standard input is of that kind."""
    if sys.stdin is None:
        return False
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
        return kind(mode)
    except (OSError, ValueError):
        return False


_FIRST = "A shell empties the file behind > before dctx starts: write to another one, then move it."


def _piped(command: str) -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise DctxError(
            "There is no history to read.",
            f"Name a file, or pipe one in: cat FILE | dctx {command}",
        )
    return sys.stdin.buffer.read()


def _named(path: str) -> bytes:
    from director_ctx.project.reading.locate import absolute

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
