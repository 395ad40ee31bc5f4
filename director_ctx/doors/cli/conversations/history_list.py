"""`dctx history list`: the conversations of a project, whoever keeps them, or the summaries."""

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
    from director_ctx.memory.conversations.summaries import Compression

_LONGEST_TITLE, _LONGEST_BY = 60, 40
CLIENTS = (CLAUDE, CODEX, STORE)


def run(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    if values["summaries"]:
        return _list_summaries(values["root"], last, values["json"])
    client = _client(values["client"])
    most = most_rows(last, values["json"])
    # One more than is shown, so that it is known whether there are more.
    asked = most + 1 if most else 0
    sessions = find.list_sessions(values["root"], client, values["all"], asked)
    ids = {session.id for session in sessions}
    mains = [place for place, one in enumerate(sessions) if one.parent not in ids]
    more = bool(most) and len(mains) > most
    if more:
        # Sub-agents stand behind the session that began them, and count with it.
        sessions = sessions[mains[-most] :]

    if values["json"]:
        put_json([session.as_json() for session in sessions])
    elif sessions:
        columns = ["Session", "Client", "Last", ">Messages", ">Tokens", "~First words"]
        if values["all"]:
            columns.insert(-1, "/Project")
        put_table(columns, [_row(session, values["all"]) for session in sessions])
        if more and not last:
            put_lines([(f"The newest {most}; --last N or --json shows more.", "dim")])
    elif values["all"]:
        say("There is no conversation here yet.")
    else:
        say(find.NONE_YET, "--all lists the conversations of every project.")
    return OK


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
    title = session.title
    if len(title) > _LONGEST_TITLE:
        title = f"{title[:_LONGEST_TITLE]}..."
    # A sub-agent stands below the session that began it.
    indent = "  " if session.parent else ""
    about = "" if session.exact else "~"
    cells = [
        f"{indent}{short_id(session.id)}",
        session.client,
        local_time(session.last) if session.last else "-",
        f"{about}{session.messages:,}",
        f"~{session.tokens:,}",
    ]
    if with_project:
        cells.append(_in_home(session.folder))
    return [*cells, title]


def _in_home(folder: str) -> str:
    home = os.path.join(os.path.expanduser("~"), "")
    if folder.startswith(home):
        return f"~/{folder.removeprefix(home)}"
    return folder or "-"


def _list_summaries(root: str | None, last: int, as_json: bool) -> int:
    from director_ctx.memory.conversations.summaries import compressions
    from director_ctx.memory.store.open import open_conversation, project_here

    with open_conversation(project_here(root)) as store:
        # `-0` is the beginning, so without --last these are all of them.
        known = compressions(store)[-last:]
    if as_json:
        put_json([summary.as_json() for summary in known])
    elif known:
        columns = ["Summary", "Time", ">Messages", ">Tokens", ">Ratio", "By", "Builds on"]
        put_table(columns, [_summary_row(summary) for summary in known])
    else:
        hint = "`dctx history summarize` writes one; `dctx restore --list` lists what `dctx compress` did."
        say("There is no summary yet.", hint)
    return OK


def _summary_row(summary: Compression) -> list[str]:
    by = ", ".join(filter(None, (summary.created_by, summary.summarizer)))
    # Others write into these tables, too, and fill in less.
    return [
        summary.id[:8],
        local_time(summary.created_at),
        f"{summary.count:,}",
        "-" if summary.messages is None else f"{summary.tokens_out:,}",
        "-" if summary.ratio is None else f"{summary.ratio * 100:.1f}%",
        by[:_LONGEST_BY],
        (summary.previous or "-")[:8],
    ]
