"""What a session knew: one commit, so that the next can be told what came since."""

from __future__ import annotations

import time

from director_ctx.clients.hooks.seen import Seen, read_seen, write_seen
from director_ctx.project.git.head import head_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project


def seen_before(project: Project, session: str) -> Seen | None:
    """What the session before this one saw last."""
    return next((one for one in read_seen(project.root) if one.session != session), None)


def remember_begin(project: Project, session: str) -> None:
    known = read_seen(project.root)
    if session and (not known or known[0].session != session):
        write_seen(project.root, (_now(project, session), *(one for one in known if one.session != session)))


def remember_end(project: Project, session: str) -> None:
    """What it saw last is what there is when it ends, its own work included."""
    known = read_seen(project.root)
    if known and known[0].session == session:
        write_seen(project.root, (_now(project, session), *known[1:]))


def _now(project: Project, session: str) -> Seen:
    return Seen(session, head_id(project.root), time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()))
