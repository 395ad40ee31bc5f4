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
        count = before.contexts + 1 if before else 1
        sessions[run.session] = SessionTold(run.session, run.client, count, run.time)
    return list(reversed(sessions.values()))


def session_runs(runs: Sequence[Run], session: str) -> list[Run]:
    """The runs of one session; all of them if none is named."""
    return [run for run in runs if session in ("", run.session)]


def find_run(runs: Sequence[Run], name: str) -> Run:
    """The run with this id, or the only one whose id begins like that."""
    exact = [run for run in runs if run.id == name]
    if exact:
        # A record that was copied or joined may have one twice.
        return exact[-1]
    matches = [run for run in runs if name and run.id.startswith(name)]
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

    first = find_run(known, old) if old else None
    # Contexts of two agents have little in common, so both are of the same.
    newest = first or known[-1]
    last = find_run(known, new) if new else _of_same_agent(known, newest)[-1]
    if first is None:
        own = _of_same_agent(known, last)
        if len(own) < 2:
            raise DctxError(f"{last.id} is the only context for {last.agent} on record.", HISTORY)
        first = own[-2]
    if first == last:
        raise DctxError(
            f"{last.id} is the newest context for {last.agent}.", f"Name an older one. {HISTORY}"
        )
    return first, last


def _of_same_agent(runs: Sequence[Run], one: Run) -> list[Run]:
    return [run for run in runs if run.agent == one.agent]
