"""The conversation that a command is about: the named one, what is piped in, at a terminal the chosen
one, or the newest here.
"""

from __future__ import annotations

import os
import stat
import sys

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.history_input import STDIN, read_history
from director_ctx.doors.cli.shared.speak import can_be_asked, end_line, say, speak
from director_ctx.doors.cli.shared.table import plain_lines
from director_ctx.doors.cli.shared.times import age
from director_ctx.doors.cli.shared.wrapping import shortened_at_the_end
from director_ctx.history.sessions.files import STORE, Session, short_id
from director_ctx.history.sessions.find import FILE, HOW_TO_NAME, NONE_YET, choose, list_sessions
from director_ctx.history.sessions.transcript import read_transcript, transcript_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.history.sessions.transcript import WholeTranscript

MOST_OFFERED = 9
_COLUMNS = [">", "Client", "Last", ">Tokens", "Session", "First words"]
_USUAL_WIDTH = 80


def transcript_here(
    values: dict[str, Any], command: str, with_store: bool = True
) -> WholeTranscript:
    """What was said in the session that is named or chosen; in what comes in, for `-` or a file
    behind <.
    """
    name, root, form = values["session"], values["root"], values["from_"]
    # A file behind < can only be meant for this command. A pipe may belong to a loop around it.
    if name == STDIN or (name is None and _stdin_is(stat.S_ISREG)):
        piped = Session("stdin", FILE, "", "", "", 0, 0, False, "")
        return transcript_of(piped, read_history(None, command), form)
    if name is None and can_be_asked():
        return read_transcript(choose_session(root, with_store), root, form)

    session = choose(name, root)
    if name is None and _has_piped_bytes():
        newest = short_id(session.id)
        say(f"Session {newest} is the newest here; `dctx {command} -` reads what is piped in.")
    return read_transcript(session, root, form)


def named_or_chosen(name: str | None, root: str | None) -> str | None:
    """What was named, at a terminal the file of the session that is chosen, and None for standard
    input.
    """
    if name is not None or not can_be_asked():
        return name
    return choose_session(root, with_store=False).path


def choose_session(root: str | None, with_store: bool) -> Session:
    """Asks at the terminal; Enter alone takes the newest. A session that is the only one is taken
    unasked.
    """
    offered = []
    # One more than is offered, because the store's own may be among them.
    for session in reversed(list_sessions(root, most=MOST_OFFERED + 1)):
        # A sub-agent's conversation is named by its id.
        if not session.parent and (with_store or session.client != STORE):
            offered.append(session)
    if not offered:
        raise DctxError(NONE_YET, HOW_TO_NAME)
    if len(offered) == 1:
        [only] = offered
        name = short_id(only.id)
        say(f"Session {name} of {only.client} is the only conversation of this project.")
        return only

    offered = offered[:MOST_OFFERED]
    _show(offered)
    return offered[_asked_number(len(offered)) - 1]


def _show(offered: list[Session]) -> None:
    """On standard error: the result may go into a file."""
    rows = []
    for number, session in enumerate(offered, start=1):
        # Two sessions may begin with the same words; their ids tell them apart.
        about = age(session.last), f"~{session.tokens:,}", short_id(session.id)
        rows.append([str(number), session.client, *about, plain(session.title)])

    try:
        # A terminal that nobody told its size says 0.
        width = os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_WIDTH
    except (OSError, ValueError):
        width = _USUAL_WIDTH
    names, rule, *lines = plain_lines(_COLUMNS, rows)
    shown = ["Conversations of this project, the newest first:", "", names, rule[:width]]
    # The first words stand last: as many of them as the terminal has room for.
    shown += [shortened_at_the_end(line, width) for line in lines]
    if len(offered) == MOST_OFFERED:
        shown.append("`dctx history list` shows older ones; name them by their ids.")
    text = "\n".join(shown)
    speak(f"{text}\n\n")


def _asked_number(most: int) -> int:
    while True:
        speak(f"Which number? [1-{most}; Enter is 1, q stops] ")
        line = sys.stdin.readline()
        answer = line.strip().casefold()
        # Without a line end nobody answered: the terminal was closed.
        if not line:
            end_line()
        if not line or answer in ("q", "quit"):
            raise DctxError("Nothing was chosen, so nothing was done.")
        if not answer:
            return 1
        if answer in map(str, range(1, most + 1)):
            return int(answer)
        say(f"{answer!r} is not a number from 1 to {most}.")


def _has_piped_bytes() -> bool:
    """Whether something was piped in. It may be for another program, so it is read only where `-`
    says so.
    """
    try:
        # There is neither on Windows.
        from fcntl import ioctl
        from termios import FIONREAD

        # How many bytes wait, without reading one.
        return _stdin_is(stat.S_ISFIFO) and any(ioctl(sys.stdin.fileno(), FIONREAD, bytes(4)))
    except (ImportError, OSError):
        return False


def _stdin_is(kind: Callable[[int], bool]) -> bool:
    try:
        return sys.stdin is not None and kind(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError):
        return False
