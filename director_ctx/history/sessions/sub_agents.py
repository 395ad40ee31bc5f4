"""The sub-agents of a session, each with the call that began it, where its client says so."""

from __future__ import annotations

import os
from json import loads

from director_ctx.history.sessions.files import CODEX, files, look
from director_ctx.history.sessions.find import list_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.history.sessions.files import Session

MOST_LOOKED_AT = 100
LARGEST_NOTE = 100_000


def sub_agents(session: Session, root: str) -> list[tuple[Session, str]]:
    """Oldest first; an empty text for a call that nobody knows."""
    if not session.path:
        return []
    agents = []
    for other in _others(session, root):
        if other.parent == session.id and other.id != session.id:
            agents.append((other, call_of(other.path)))
    return agents


def _others(session: Session, root: str) -> Iterator[Session]:
    """Those that may be its sub-agents: most clients keep them in a folder of its name."""
    if session.client == CODEX:
        is_here = session.folder == root or session.folder.startswith(os.path.join(root, ""))
        yield from list_sessions(root, CODEX, every=not is_here, most=MOST_LOOKED_AT)
        return
    for file in files("", session.client):
        if session.id in file.path and file.path != session.path:
            other = look(file, "")
            if other:
                yield other


def call_of(path: str) -> str:
    """The call that began an agent: Claude Code writes it into a file beside that of the agent."""
    base, _ = os.path.splitext(path)
    try:
        with open(f"{base}.meta.json", encoding="utf-8") as file:
            note = loads(file.read(LARGEST_NOTE))
    except (OSError, ValueError, RecursionError):
        return ""
    if not isinstance(note, dict):
        return ""
    call = note.get("toolUseId")
    if isinstance(call, str):
        return call
    return ""
