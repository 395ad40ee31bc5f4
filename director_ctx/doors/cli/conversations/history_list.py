"""`dctx history list` and `import`: the conversations of a project, and a client's session taken
into the store.
"""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.base.record import as_dict
from director_ctx.base.text import plain
from director_ctx.clients.table import ALSO
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import MOST_SHOWN, put_lines, put_table, rows_wanted
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.history.sessions import find
from director_ctx.history.sessions.files import CLAUDE, CODEX, GEMINI, STORE, short_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.sessions.add import Copy
    from director_ctx.history.sessions.files import Session
    from director_ctx.history.sessions.transcript import WholeTranscript

_TITLE = 60
CLIENTS = (CLAUDE, CODEX, GEMINI, STORE)


def _json(sessions: list[Session]) -> list[dict[str, Any]]:
    return [{**as_dict(session), "parent": session.parent or None} for session in sessions]


def listed(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    client = _client(values["client"])
    everything = values["json"] and not last
    most = 0 if everything else (last or MOST_SHOWN)

    # One more than is shown, so that it is known whether there are more.
    asked = most + 1 if most else 0
    sessions = find.listed(values["root"], client, values["all"], asked)
    mains = _mains(sessions)
    more = bool(most) and len(mains) > most
    if more:
        sessions = sessions[mains[-most] :]

    if values["json"]:
        put_json(_json(sessions))
    elif sessions:
        _put_sessions(sessions, values["all"])
        if more and not last:
            put_lines([(f"The newest {most}; --last N or --json shows more.", "dim")])
    elif values["all"]:
        say("There is no conversation here yet.")
    else:
        say("There is no conversation of this project yet.", "--all lists those of every project.")
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
    columns = ["Session", "Client", "Last", ">Messages", ">Tokens", "First words"]
    if with_project:
        columns.insert(-1, "Project")
    put_table(columns, [_row(session, with_project) for session in sessions])


def _client(named: str | None) -> str | None:
    name = ALSO.get(named, named) if named else None
    if name not in (None, *CLIENTS):
        raise UsageProblem(
            f"There is no client {name!r} here.", f"Choose one of: {', '.join(CLIENTS)}."
        )
    return name


def _row(session: Session, with_project: bool) -> list[str]:
    about = "" if session.exact else "~"
    # Below the session that began it.
    indent = "  " if session.parent else ""
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
    import os

    home = os.path.join(os.path.expanduser("~"), "")
    if folder.startswith(home):
        return f"~/{folder[len(home) :]}"
    return folder or "-"


def imported(values: dict[str, Any]) -> int:
    from director_ctx.assembling.overfull import warnings_at
    from director_ctx.context.settings.budget import count_chars
    from director_ctx.context.settings.options import hooks_of
    from director_ctx.history.sessions.add import bring_in, copied, sent
    from director_ctx.history.sessions.transcript import tokens_of_store
    from director_ctx.memory.store.open import open_conversation, project_here

    told = _of_a_client(values)
    wanted = list(sent(told))
    only_shown = values["dry_run"]
    project = project_here(values["root"])
    with open_conversation(project, write=not only_shown) as store:
        copy = copied(store, told, wanted)
        new = None if only_shown else len(bring_in(store, told))
        tokens = tokens_of_store(store, count_chars)

    if copy and new != 0:
        _warn(copy)
    code = _brought(values, told, len(wanted), new)
    for warning in warnings_at(tokens, hooks_of(project)):
        say(f"warning: {warning}")
    return code


def _warn(copy: Copy) -> None:
    of = "A shortened copy" if copy.shortened else "A copy"
    session = plain(short_id(copy.session))
    say(
        f"{of}: session {session}, which is in the store, has {copy.messages:,} of its messages.",
        "`--dry-run` says so before anything is brought in.",
    )


def _what(rows: int, messages: int, session: str) -> str:
    """The store keeps calls and results as messages of their own, and leaves out what nobody said."""
    if rows < messages:
        return f"{rows:,} of the {messages:,} messages of session {session}"
    apart = f", {rows:,} with calls and results apart," if rows > messages else ""
    return f"{messages:,} message{'s' * (messages != 1)} of session {session}{apart}"


def _of_a_client(values: dict[str, Any]) -> WholeTranscript:
    """The newest of a client, where none is named."""
    from director_ctx.base.errors import DctxError
    from director_ctx.doors.cli.shared.history_input import told_here

    told = told_here(values, "history import")
    if values["session"] is None and told.session.client == STORE:
        raise DctxError("There is no session of a client in this project.", "Name a file.")
    return told


def _brought(values: dict[str, Any], told: WholeTranscript, wanted: int, new: int | None) -> int:
    session = told.session.id
    if values["json"]:
        put_json({"session": session, "messages": wanted, "new": new})
        return OK

    messages = {row.message for row, _ in told.rows}
    what = _what(wanted, len(messages), short_id(session))
    if new is None:
        line = f"{what} would be in the store; nothing was written."
    elif new == 0:
        line = f"Nothing is new: {what} are in the store already."
    elif wanted > new:
        line = f"{what} are in the store; {wanted - new:,} of them were there."
    else:
        line = f"{what} are in the store."
    put_lines([(line, "")])
    return OK
