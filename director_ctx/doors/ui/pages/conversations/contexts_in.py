"""The contexts that agents were told in a conversation, and what a sub-agent was told for its own."""

from __future__ import annotations

from director_ctx.history.sessions.find import call_of
from director_ctx.memory.runs.choose import session_runs
from director_ctx.memory.runs.storage import read_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.sessions.files import Session
    from director_ctx.memory.runs.run import Run

    Json = dict[str, Any]

AGENT = "agent-"
"""What Claude Code puts before the id of an agent, where it names the file of its conversation."""


def contexts_in(session: Session, root: str, agents: Sequence[Json]) -> list[Json]:
    """Those that were told in it, oldest first, each with the call that spawned its agent."""
    calls: dict[str, str] = {}
    for agent in agents:
        identity = agent["id"].removeprefix(AGENT)
        calls[identity] = agent["call_id"]

    rows = []
    for run in session_runs(read_runs(root), session.id):
        # A hook of an agent that has started knows the agent, and not the call.
        call = calls.get(run.call, run.call)
        rows.append(_row(run, call))
    return rows


def told_for(session: Session, root: str) -> list[Json]:
    """What the sub-agent was told that this is the conversation of."""
    if not session.parent:
        return []
    own = {session.id.removeprefix(AGENT), call_of(session.path)}
    rows = []
    for run in session_runs(read_runs(root), session.parent):
        if run.call and run.call in own:
            rows.append(_row(run, run.call))
    return rows


def _row(run: Run, call: str) -> Json:
    return {
        "id": run.id,
        "agent": run.agent,
        "task": run.task,
        "time": run.time,
        "used": run.used,
        "call_id": call,
    }
