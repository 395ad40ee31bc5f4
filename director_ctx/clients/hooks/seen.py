"""Which commit the last sessions knew, so that the next can be told what came since. May be lost
without harm.
"""

from __future__ import annotations

import time

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.project.dctx_folder import kept_rows, write_kept
from director_ctx.project.git.head import head_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project


NAME, LARGEST = "session.json", 10_000
_HEX = frozenset("0123456789abcdef")


class Seen(Record):
    """What a session saw last."""

    session: str
    head: str
    time: str


def read_seen(root: str) -> tuple[Seen, ...]:
    """The session that runs and the one before it, as far as they are known."""
    rows = kept_rows(root, NAME, LARGEST)[:2]
    return tuple(_seen(row) for row in rows if _is_seen(row))


def write_seen(root: str, sessions: tuple[Seen, ...]) -> None:
    rows = []
    for seen in sessions[:2]:
        rows.append({"session": seen.session, "head": seen.head, "time": seen.time})
    try:
        write_kept(root, NAME, dump(rows).encode("ascii"))
    except OSError:
        pass


def _is_seen(row: Any) -> bool:
    """The commit becomes a word of git's command line, so it is an id or nothing."""
    if not isinstance(row, dict):
        return False
    if not all(isinstance(row.get(key), str) for key in Seen._fields):
        return False
    head = row["head"]
    is_commit = len(head) in (0, 40, 64) and _HEX.issuperset(head)
    return is_commit and row["time"].isprintable()


def _seen(row: dict[str, str]) -> Seen:
    return Seen(row["session"][:200], row["head"], row["time"][:40])


def seen_before(project: Project, session: str) -> Seen | None:
    """What the session before this one saw last."""
    for seen in read_seen(project.root):
        if seen.session != session:
            return seen
    return None


def remember_begin(project: Project, session: str) -> None:
    known = read_seen(project.root)
    is_known = bool(known) and known[0].session == session
    if not session or is_known:
        return
    others = [seen for seen in known if seen.session != session]
    write_seen(project.root, (_now(project, session), *others))


def remember_end(project: Project, session: str) -> None:
    """What it saw last is what there is when it ends, its own work included."""
    known = read_seen(project.root)
    if known and known[0].session == session:
        write_seen(project.root, (_now(project, session), *known[1:]))


def _now(project: Project, session: str) -> Seen:
    return Seen(session, head_id(project.root), time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()))
