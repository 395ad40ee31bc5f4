"""The conversation that a report has: the longest of the last ones."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.history.sessions.find import list_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.sessions.files import Session
    from director_ctx.project.project import Project

MOST_SESSIONS = 20


def longest_conversation(project: Project) -> str:
    """Its id; empty where there is none."""
    try:
        sessions = list_sessions(project.root, most=MOST_SESSIONS)
    except DctxError:
        return ""
    if not sessions:
        return ""
    return max(sessions, key=_length).id


def _length(session: Session) -> int:
    return session.tokens
