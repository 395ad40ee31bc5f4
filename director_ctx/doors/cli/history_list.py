"""`dctx history list` and `import`: the conversations of a project, and a client's session taken into the store."""

from __future__ import annotations

from director_ctx.doors.cli.history import local
from director_ctx.doors.cli.output import put_json
from director_ctx.doors.cli.speak import say
from director_ctx.doors.cli.table import MOST_SHOWN, put_lines, put_table, rows_wanted
from director_ctx.errors import OK, UsageProblem
from director_ctx.outside.sessions import CLAUDE, CODEX, GEMINI, STORE, short_id
from director_ctx.record import as_dict
from director_ctx.wiring import sessions
from director_ctx.wiring.sessions import choose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.outside.sessions import Session

_TITLE = 60
CLIENTS = (CLAUDE, CODEX, GEMINI, STORE)


def _json(found: list[Session]) -> list[dict[str, Any]]:
    return [{**as_dict(one), "parent": one.parent or None} for one in found]


def listed(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    _check_client(values["client"])
    most = last or (0 if values["json"] else MOST_SHOWN)
    found = sessions.listed(values["root"], values["client"], values["all"], most + 1 if most else 0)
    mains = [place for place, one in enumerate(found) if not one.parent or one.parent not in {two.id for two in found}]
    more = bool(most) and len(mains) > most
    found = found[mains[-most] :] if more else found
    if values["json"]:
        put_json(_json(found))
    elif not found:
        say("There is no conversation of this project yet.", "--all lists those of every project.")
    else:
        put_table(
            ["Session", "Client", "Started", "Last", ">Messages", ">Tokens", "First words"], list(map(_row, found))
        )
        if more and not last:
            put_lines([(f"The newest {most}; --last N or --json shows more.", "dim")])
    return OK


def _check_client(name: str | None) -> None:
    if name not in (None, *CLIENTS):
        raise UsageProblem(f"There is no client {name!r} here.", f"Choose one of: {', '.join(CLIENTS)}.")


def _row(one: Session) -> list[str]:
    about = "" if one.exact else "~"
    name = short_id(one.id)
    return [
        f"  {name}" if one.parent else name,
        one.client,
        local(one.started) if one.started else "-",
        local(one.last) if one.last else "-",
        f"{about}{one.messages:,}",
        f"~{one.tokens:,}",
        one.title if len(one.title) <= _TITLE else f"{one.title[:_TITLE]}...",
    ]


def imported(values: dict[str, Any]) -> int:
    from director_ctx.wiring.memory import open_store, project_here
    from director_ctx.wiring.session_import import bring_in, sent
    from director_ctx.wiring.told import told

    session = _client_session(values)
    found = told(session, values["root"], values["from_"])
    wanted = list(sent(found))
    if values["dry_run"]:
        return _brought(values, session, len(wanted), None)
    with open_store(project_here(values["root"]), write=True) as store:
        new = bring_in(store, found)
    return _brought(values, session, len(wanted), len(new))


def _client_session(values: dict[str, Any]) -> Session:
    """The newest of a client, where none is named."""
    from director_ctx.errors import DctxError

    session = choose(values["session"], values["root"])
    if values["session"] is None and session.client == STORE:
        raise DctxError("There is no session of a client in this project.", "Name a file.")
    return session


def _brought(values: dict[str, Any], session: Session, there: int, new: int | None) -> int:
    if values["json"]:
        put_json({"session": session.id, "messages": there, "new": new})
        return OK
    what = f"{there:,} message{'s' * (there != 1)} of session {short_id(session.id)}"
    if new is None:
        put_lines([(f"{what} would be in the store; nothing was written.", "")])
    elif new:
        known = f"; {there - new:,} of them were there" if there > new else ""
        put_lines([(f"{what} are in the store{known}.", "")])
    else:
        put_lines([(f"Nothing is new: {what} are in the store already.", "")])
    return OK
