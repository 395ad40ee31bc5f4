"""`dctx history list`: the conversations of a project, whoever keeps them."""

from __future__ import annotations

import os

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.clients.table import ALSO
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import most_rows, put_lines, put_table, rows_wanted
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.history.sessions import find
from director_ctx.history.sessions.files import CLAUDE, CODEX, STORE, short_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.sessions.files import Session

_TITLE = 60
CLIENTS = (CLAUDE, CODEX, STORE)


def run(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    client = _client(values["client"])
    most = most_rows(last, values["json"])
    # One more than is shown, so that it is known whether there are more.
    asked = 0
    if most:
        asked = most + 1
    sessions = find.list_sessions(values["root"], client, values["all"], asked)
    mains = _mains(sessions)
    more = bool(most) and len(mains) > most
    if more:
        # Sub-agents stand behind the session that began them, and count with it.
        sessions = sessions[mains[-most] :]

    if values["json"]:
        put_json([session.as_json() for session in sessions])
    elif sessions:
        _put_sessions(sessions, values["all"])
        if more and not last:
            put_lines([(f"The newest {most}; --last N or --json shows more.", "dim")])
    elif values["all"]:
        say("There is no conversation here yet.")
    else:
        say(
            "There is no conversation of this project yet.",
            "--all lists the conversations of every project.",
        )
    return OK


def _mains(sessions: list[Session]) -> list[int]:
    """The indexes of those that no other session that is here has begun."""
    ids = {session.id for session in sessions}
    mains = []
    for index, session in enumerate(sessions):
        if not session.parent or session.parent not in ids:
            mains.append(index)
    return mains


def _put_sessions(sessions: list[Session], with_project: bool) -> None:
    columns = ["Session", "Client", "Last", ">Messages", ">Tokens", "~First words"]
    if with_project:
        columns.insert(-1, "/Project")
    put_table(columns, [_row(session, with_project) for session in sessions])


def _client(named: str | None) -> str | None:
    if not named:
        return None
    name = ALSO.get(named, named)
    if name not in CLIENTS:
        raise UsageProblem(
            f"There is no client {name!r} here.", f"Choose one of: {', '.join(CLIENTS)}."
        )
    return name


def _row(session: Session, with_project: bool) -> list[str]:
    about = "~"
    if session.exact:
        about = ""
    indent = ""
    if session.parent:
        # Below the session that began it.
        indent = "  "
    title = session.title
    if len(title) > _TITLE:
        title = f"{title[:_TITLE]}..."

    cells = [
        f"{indent}{short_id(session.id)}",
        session.client,
        local_time(session.last) if session.last else "-",
        f"{about}{session.messages:,}",
        f"~{session.tokens:,}",
    ]
    if with_project:
        cells.append(_short(session.folder))
    return [*cells, title]


def _short(folder: str) -> str:
    """A folder as people write it who are at home there."""
    home = os.path.join(os.path.expanduser("~"), "")
    if folder.startswith(home):
        return f"~/{folder[len(home) :]}"
    return folder or "-"
