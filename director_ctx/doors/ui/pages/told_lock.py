"""What is needed to make a context again. The twin of this page is the lock itself."""

from __future__ import annotations

from director_ctx.assembling.locks.lock import make_lock
from director_ctx.assembling.locks.lockfile import lock_json
from director_ctx.assembling.told.now import options_again
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.doors.ui.visit import NotThere
from director_ctx.memory.runs.choose import find_run
from director_ctx.memory.runs.storage import read_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Json = dict[str, Any]

MOST_SHOWN = 20


def data(visit: Visit) -> Json:
    """Of the project as it is: a lock names the revision that is there."""
    project = visit.project
    try:
        run = find_run(read_runs(project.root), visit.parts["id"])
    except DctxError as error:
        raise NotThere(error.message, error.hint) from error
    agent, options = options_again(project, run)
    if agent is None:
        raise UsageProblem(
            f"{run.agent} is a skill, and a lock is of an agent's context.",
            "What it was given is on the page of the context.",
        )
    wanted = {**options, "window": str(run.window), "budget": str(run.limit)}
    return lock_json(make_lock(project, agent, wanted).lock)


def view(data: Json) -> Json:
    used = [file for file in data["unreproducible"] if file["used"]]
    return {
        "lock": data,
        "used": used[:MOST_SHOWN],
        "used_more": max(0, len(used) - MOST_SHOWN),
        "again": bool(data["git"]) and not used,
    }
