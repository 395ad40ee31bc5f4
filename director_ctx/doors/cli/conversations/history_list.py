"""`dctx history list` and `import`: the conversations of a project, and a client's session taken
into the store.
"""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.base.record import as_dict
from director_ctx.base.text import plain
from director_ctx.clients.table import ALSO
from director_ctx.doors.cli.contexts.budget_history import local
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import MOST_SHOWN, put_lines, put_table, rows_wanted
from director_ctx.history.sessions import find
from director_ctx.history.sessions.files import CLAUDE, CODEX, GEMINI, STORE, short_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.sessions.add import Copy
    from director_ctx.history.sessions.files import Session
    from director_ctx.history.sessions.transcript import Told

_TITLE = 60
CLIENTS = (CLAUDE, CODEX, GEMINI, STORE)


def _json(found: list[Session]) -> list[dict[str, Any]]:
    return [{**as_dict(one), "parent": one.parent or None} for one in found]


def listed(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    client = _client(values["client"])
    most = last or (0 if values["json"] else MOST_SHOWN)
    found = find.listed(values["root"], client, values["all"], most + 1 if most else 0)
    ids = {one.id for one in found}
    mains = [place for place, one in enumerate(found) if not one.parent or one.parent not in ids]
    more = bool(most) and len(mains) > most
    found = found[mains[-most] :] if more else found
    if values["json"]:
        put_json(_json(found))
    elif not found:
        if values["all"]:
            say("There is no conversation here yet.")
        else:
            say(
                "There is no conversation of this project yet.",
                "--all lists those of every project.",
            )
    else:
        places = ["Project"] if values["all"] else []
        put_table(
            ["Session", "Client", "Last", ">Messages", ">Tokens", *places, "First words"],
            [_row(one, bool(places)) for one in found],
        )
        if more and not last:
            put_lines([(f"The newest {most}; --last N or --json shows more.", "dim")])
    return OK


def _client(named: str | None) -> str | None:
    name = ALSO.get(named, named) if named else None
    if name not in (None, *CLIENTS):
        raise UsageProblem(
            f"There is no client {name!r} here.", f"Choose one of: {', '.join(CLIENTS)}."
        )
    return name


def _row(one: Session, placed: bool) -> list[str]:
    about = "" if one.exact else "~"
    name = short_id(one.id)
    return [
        f"  {name}" if one.parent else name,
        one.client,
        local(one.last) if one.last else "-",
        f"{about}{one.messages:,}",
        f"~{one.tokens:,}",
        *([_short(one.folder)] if placed else []),
        one.title if len(one.title) <= _TITLE else f"{one.title[:_TITLE]}...",
    ]


def _short(folder: str) -> str:
    """A folder as people write it who are at home there."""
    import os

    home = os.path.join(os.path.expanduser("~"), "")
    return f"~/{folder[len(home) :]}" if folder.startswith(home) else folder or "-"


def imported(values: dict[str, Any]) -> int:
    from director_ctx.assembling.overfull import warnings_at
    from director_ctx.context.settings.budget import count_chars
    from director_ctx.context.settings.options import hooks_of
    from director_ctx.history.sessions.add import bring_in, copied, sent
    from director_ctx.history.sessions.transcript import tokens_of_store
    from director_ctx.memory.store.open import open_conversation, project_here

    found = _of_a_client(values)
    wanted, dry = list(sent(found)), values["dry_run"]
    project = project_here(values["root"])
    with open_conversation(project, write=not dry) as store:
        copy = copied(store, found, wanted)
        new = None if dry else len(bring_in(store, found))
        tokens = tokens_of_store(store, count_chars)
    if copy and new != 0:
        _warn(copy)
    code = _brought(values, found, len(wanted), new)
    for warning in warnings_at(tokens, hooks_of(project)):
        say(f"warning: {warning}")
    return code


def _warn(copy: Copy) -> None:
    of = "A shortened copy" if copy.shortened else "A copy"
    say(
        f"{of}: session {plain(short_id(copy.session))}, which is in the store, has {copy.messages:,} of its messages.",
        "`--dry-run` says so before anything is brought in.",
    )


def _what(rows: int, messages: int, session: str) -> str:
    """The store keeps calls and results as messages of their own, and leaves out what nobody said."""
    if rows < messages:
        return f"{rows:,} of the {messages:,} messages of session {session}"
    apart = f", {rows:,} with calls and results apart," if rows > messages else ""
    return f"{messages:,} message{'s' * (messages != 1)} of session {session}{apart}"


def _of_a_client(values: dict[str, Any]) -> Told:
    """The newest of a client, where none is named."""
    from director_ctx.base.errors import DctxError
    from director_ctx.doors.cli.shared.history_input import told_here

    found = told_here(values, "history import")
    if values["session"] is None and found.session.client == STORE:
        raise DctxError("There is no session of a client in this project.", "Name a file.")
    return found


def _brought(values: dict[str, Any], found: Told, there: int, new: int | None) -> int:
    if values["json"]:
        put_json({"session": found.session.id, "messages": there, "new": new})
        return OK
    what = _what(there, len({row.message for row, _ in found.rows}), short_id(found.session.id))
    if new is None:
        put_lines([(f"{what} would be in the store; nothing was written.", "")])
    elif new:
        known = f"; {there - new:,} of them were there" if there > new else ""
        put_lines([(f"{what} are in the store{known}.", "")])
    else:
        put_lines([(f"Nothing is new: {what} are in the store already.", "")])
    return OK
