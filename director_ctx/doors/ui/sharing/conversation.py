"""The longest conversation of the last ones: what it spends its tokens on. Nothing of what was said."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.context.settings.options import hooks_of
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.history.sessions.find import list_sessions
from director_ctx.history.sessions.stats import stats
from director_ctx.history.sessions.transcript import read_transcript
from director_ctx.history.sessions.usage import tokens_in_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.sessions.files import Session
    from director_ctx.project.project import Project

    Json = dict[str, Any]

MOST_SESSIONS = 20
MOST_TOOLS = 12


def conversation(project: Project) -> Json | None:
    """None where there is none, or none that can be read."""
    try:
        sessions = list_sessions(project.root, most=MOST_SESSIONS)
        if not sessions:
            return None
        longest = max(sessions, key=_length)
        return {**longest.as_json(), "spent": _spent(project, longest)}
    except DctxError:
        return None


def _length(session: Session) -> int:
    return session.tokens


def _spent(project: Project, session: Session) -> Json:
    transcript = read_transcript(session, project.root)
    count, counter = choose_counter(None)
    used = None
    if session.path:
        used = tokens_in_use(session.path)
    account = stats(transcript.now.messages, count, used, hooks_of(project).urgent)
    return {
        "messages": account["messages"],
        "turns": account["turns"],
        "tokens": account["tokens"],
        "used": account["used"],
        "limit": account["limit"],
        "kinds": account["kinds"],
        "tools": account["tools"][:MOST_TOOLS],
        "counter": counter.name,
    }
