"""The session that a command is about: the named one, what is piped in, at a terminal the chosen one,
or the newest here.
"""

from __future__ import annotations

import os
import stat
import sys

from director_ctx.doors.cli.conversations.choose_session import choose_session
from director_ctx.doors.cli.shared.history_input import STDIN, read_history
from director_ctx.doors.cli.shared.speak import can_be_asked, say
from director_ctx.history.sessions.files import Session, short_id
from director_ctx.history.sessions.find import FILE, choose
from director_ctx.history.sessions.transcript import read_transcript, transcript_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.history.sessions.transcript import WholeTranscript


def transcript_here(
    values: dict[str, Any], command: str, with_store: bool = True
) -> WholeTranscript:
    """What was said in the session that is named or chosen; in what comes in, for `-` or a file
    behind <.
    """
    name = values["session"]
    root = values["root"]
    form = values["from_"]

    # A file behind < can only be meant for us. A pipe may belong to the loop that we run in.
    is_unnamed = name is None
    if name == STDIN or (is_unnamed and _comes_from(stat.S_ISREG)):
        piped = Session("stdin", FILE, "", "", "", 0, 0, False, "")
        data = read_history(None, command)
        return transcript_of(piped, data, form)

    if is_unnamed and can_be_asked():
        return read_transcript(choose_session(root, with_store), root, form)

    session = choose(name, root)
    if is_unnamed and _is_piped_to():
        newest = short_id(session.id)
        say(f"Session {newest} is the newest here; `dctx {command} -` reads what is piped in.")
    return read_transcript(session, root, form)


def _is_piped_to() -> bool:
    """Whether something was piped in. It may be for somebody else, so it is read only where `-`
    says so.
    """
    try:
        # There is neither on Windows.
        from fcntl import ioctl
        from termios import FIONREAD

        if not _comes_from(stat.S_ISFIFO):
            return False
        # How many bytes wait, without reading one.
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
