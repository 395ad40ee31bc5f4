"""Which commit the last sessions knew, so that the next can be told what came since. May be lost
without harm.
"""

from __future__ import annotations

import time

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.project.dctx_folder import kept_rows, write_kept
from director_ctx.project.git.repository import head_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project


NAME = "session.json"
LARGEST = 10_000
_HEX = frozenset("0123456789abcdef")


class Seen(Record):
    """What a session saw last."""

    session: str
    head: str
    time: str


def read_seen(root: str) -> tuple[Seen, ...]:
    """The session that runs and the one before it, as far as they are known."""
    rows = kept_rows(root, NAME, LARGEST)[:2]
    return tuple(
        Seen(row["session"][:200], row["head"], row["time"][:40]) for row in rows if _is_seen(row)
    )


def _write(root: str, sessions: tuple[Seen, ...]) -> None:
    rows = [{key: getattr(seen, key) for key in Seen._fields} for seen in sessions[:2]]
    try:
        write_kept(root, NAME, dump(rows).encode("ascii"))
    except OSError:
        # Only a list of commits is lost with it, and a hook harms nobody.
        pass


def _is_seen(row: Any) -> bool:
    """The commit becomes a word of git's command line, so it is an id or nothing."""
    if not isinstance(row, dict):
        return False
    if not all(isinstance(row.get(key), str) for key in Seen._fields):
        return False
    # Nothing, SHA-1, or SHA-256.
    is_id = len(row["head"]) in (0, 40, 64) and _HEX.issuperset(row["head"])
    # The time is shown to an agent, in a line of its own.
    return is_id and bool(row["time"].isprintable())


def seen_before(project: Project, session: str) -> Seen | None:
    """What the session before this one saw last."""
    for seen in read_seen(project.root):
        if seen.session != session:
            return seen
    return None


def remember_begin(project: Project, session: str) -> None:
    known = read_seen(project.root)
    if not session or _is_running(known, session):
        return
    others = [seen for seen in known if seen.session != session]
    newest = _now(project, session)
    _write(project.root, (newest, *others))


def remember_end(project: Project, session: str) -> None:
    """What it saw last is what there is when it ends, its own work included."""
    known = read_seen(project.root)
    if _is_running(known, session):
        newest = _now(project, session)
        _write(project.root, (newest, *known[1:]))


def _is_running(known: tuple[Seen, ...], session: str) -> bool:
    return bool(known) and known[0].session == session


def _now(project: Project, session: str) -> Seen:
    head = head_id(project.root)
    now = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    return Seen(session, head, now)
