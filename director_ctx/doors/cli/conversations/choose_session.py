"""Which conversation a command is about, asked of whoever sits at the terminal and named none."""

from __future__ import annotations

import os
import sys

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.speak import can_be_asked, end_line, say, speak
from director_ctx.doors.cli.shared.table import plain_lines
from director_ctx.doors.cli.shared.times import age
from director_ctx.doors.cli.shared.wrapping import shortened_at_the_end
from director_ctx.history.sessions.files import STORE, short_id
from director_ctx.history.sessions.find import list_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.sessions.files import Session

MOST_OFFERED = 9
_COLUMNS = [">", "Client", "Last", ">Tokens", "Session", "First words"]
_USUAL_WIDTH = 80
NONE_YET = "There is no conversation of this project yet."
HOW_TO_NAME = "Name a file, or see `dctx history list --all` for those of other projects."


def choose_session(root: str | None, with_store: bool) -> Session:
    """The session that is chosen, the newest for Enter alone; one that is the only one is taken
    unasked.
    """
    offered = _offered(root, with_store)
    if not offered:
        raise DctxError(NONE_YET, HOW_TO_NAME)
    if len(offered) == 1:
        only = offered[0]
        name = short_id(only.id)
        say(f"Session {name} of {only.client} is the only conversation of this project.")
        return only

    _show(offered)
    return offered[_asked_number(len(offered)) - 1]


def named_or_chosen(name: str | None, root: str | None) -> str | None:
    """What is to be read: what was named, at a terminal the file of the session that is chosen, and
    None for standard input.
    """
    if name is not None or not can_be_asked():
        return name
    return choose_session(root, with_store=False).path


def _offered(root: str | None, with_store: bool) -> list[Session]:
    """The newest first; a sub-agent's conversation is named by its id."""
    # One more than is offered, because the store's own may be among them.
    sessions = list_sessions(root, most=MOST_OFFERED + 1)
    offered: list[Session] = []
    for session in reversed(sessions):
        is_asked_for = with_store or session.client != STORE
        if is_asked_for and not session.parent:
            offered.append(session)
    return offered[:MOST_OFFERED]


def _show(offered: list[Session]) -> None:
    """On standard error: the result may go into a file."""
    rows: list[list[str]] = []
    for number, session in enumerate(offered, start=1):
        last = age(session.last)
        tokens = f"~{session.tokens:,}"
        # Two sessions may begin with the same words; their ids tell them apart.
        name = short_id(session.id)
        rows.append([str(number), session.client, last, tokens, name, plain(session.title)])

    width = _width()
    names, rule, *lines = plain_lines(_COLUMNS, rows)
    shown = ["Conversations of this project, the newest first:", "", names, rule[:width]]
    for line in lines:
        # The first words stand last: as many of them as the terminal has room for.
        shown.append(shortened_at_the_end(line, width))
    if len(offered) == MOST_OFFERED:
        shown.append("`dctx history list` shows older ones; name them by their ids.")
    text = "\n".join(shown)
    speak(f"{text}\n\n")


def _width() -> int:
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return _USUAL_WIDTH
    # A terminal that nobody told its size says 0.
    return columns or _USUAL_WIDTH


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
        is_number = answer.isascii() and answer.isdigit() and len(answer) < 10
        if is_number and 1 <= int(answer) <= most:
            return int(answer)
        say(f"{answer!r} is not a number from 1 to {most}.")
