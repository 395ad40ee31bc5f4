"""Which runs of the record are meant, by the agent or by the beginning of their id."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.context.settings.profiles import spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.memory.runs.run import Run

HISTORY = "See `dctx budget --history`."


def runs_of(runs: Sequence[Run], agent: str | None) -> list[Run]:
    """The runs of an agent, however it is spelled; all of them if none is named."""
    if agent is None:
        return list(runs)
    name = spelling(agent)
    return [run for run in runs if spelling(run.agent) == name]


class SessionTold(Record):
    """A session of a client in which agents were given contexts."""

    session: str
    client: str
    contexts: int
    last: str
    """When the last of them was handed on."""


def sessions_told(runs: Sequence[Run]) -> list[SessionTold]:
    """Newest first."""
    sessions: dict[str, SessionTold] = {}
    for run in runs:
        if not run.session:
            continue
        before = sessions.pop(run.session, None)
        count = 1
        if before:
            count += before.contexts
        sessions[run.session] = SessionTold(run.session, run.client, count, run.time)
    return list(reversed(sessions.values()))


def session_runs(runs: Sequence[Run], session: str) -> list[Run]:
    """The runs of one session; all of them if none is named."""
    if not session:
        return list(runs)
    return [run for run in runs if run.session == session]


def find_run(runs: Sequence[Run], name: str) -> Run:
    """The run with this id, or the only one whose id begins like that."""
    exact = [run for run in runs if run.id == name]
    if exact:
        # A record that was copied or joined may have one twice.
        return exact[-1]
    matches = []
    if name:
        matches = [run for run in runs if run.id.startswith(name)]
    if not matches:
        raise DctxError(f"There is no run {name!r} on record.", HISTORY)
    if len(matches) > 1:
        ids = ", ".join(run.id for run in matches[:5])
        raise DctxError(f"{name!r} could be any of {ids}.", "Write more of it.")
    return matches[0]


def choose_two(
    runs: Sequence[Run], agent: str | None, old: str | None, new: str | None
) -> tuple[Run, Run]:
    """The two runs that are meant: the newest and the one before it, unless they are named."""
    known = runs_of(runs, agent)
    if not known:
        whose = f" for {agent}" if agent else ""
        raise DctxError(f"No context{whose} is on record yet.", "`dctx assemble` puts one there.")

    first = None
    whose_newest = known[-1].agent
    if old:
        first = find_run(known, old)
        # Contexts of two agents have little in common, so the newer one is of the same.
        whose_newest = first.agent

    last = _newest(known, whose_newest)
    if new:
        last = find_run(known, new)
    if first is None:
        first = _before(known, last)

    if first == last:
        raise DctxError(
            f"{last.id} is the newest context for {last.agent}.", f"Name an older one. {HISTORY}"
        )
    return first, last


def _newest(runs: Sequence[Run], agent: str) -> Run:
    own = [run for run in runs if run.agent == agent]
    return own[-1]


def _before(runs: Sequence[Run], last: Run) -> Run:
    own = [run for run in runs if run.agent == last.agent]
    if len(own) < 2:
        raise DctxError(f"{last.id} is the only context for {last.agent} on record.", HISTORY)
    return own[-2]
