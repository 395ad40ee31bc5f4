"""Tasks of the folder: taken, given back, and done."""

from __future__ import annotations

from director_ctx.base.answer_pages import call
from director_ctx.base.errors import DctxError
from director_ctx.base.system.clock import local_minute
from director_ctx.doors.mcp.tools.needed import needed
from director_ctx.memory import claims
from director_ctx.memory.plans.set_task import follow_folder
from director_ctx.project.tasks.names import find_task
from director_ctx.project.tasks.next import next_task
from director_ctx.upkeep.tasks import finish, task_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place


def claim(project: Project, values: dict[str, Any]) -> str:
    """Takes a task, so that no other agent does it at the same time."""
    place = find_task(project, needed(values, "name"))
    agent = needed(values, "agent")
    if place.task and place.task.done:
        raise DctxError(f"Task {place.ref} is done already.", "`status` names the next one.")
    taken = claims.claim(project, place.ref, agent)
    until = taken.until[:16]
    version = task_version(project, place)
    finish_it = {"action": "done", "name": place.ref, "agent": taken.agent, "version": version}
    return (
        f"{_named(project, place)} is {taken.agent}'s until {until} UTC. Version {version}.\n"
        f"What it needs: {call('context', {'task': place.ref})}\n"
        f"When it is done: {call('plan', finish_it)}\n"
    )


def release(project: Project, values: dict[str, Any]) -> str:
    place = find_task(project, needed(values, "name"))
    claims.release(project, place.ref, needed(values, "agent"))
    return f"{_named(project, place)} is free again.\n"


def done(project: Project, values: dict[str, Any]) -> str:
    """Marks a task done that nobody else has taken, if it still says what the agent read."""
    place = find_task(project, needed(values, "name"))
    agent = needed(values, "agent")
    version = str(needed(values, "version"))
    # Its file has another name afterwards.
    name = _named(project, place)
    claims.expect_free(project, place.ref, agent)
    finished = finish(project.root, place.ref, local_minute(), version)
    claims.release(project, place.ref, agent)

    said = [f"{name} is done."]
    for warning in finished.warnings:
        said.append(f"  {warning}")
    for failure in finished.failed:
        said.append(f"  {failure.path}: {failure.why}")
    trouble = ""
    if finished.renamed:
        # The plan's history has it, too, where a plan is kept.
        trouble = follow_folder(finished.project, f"Task {place.ref}: completed")
    if trouble:
        said.append(f"  {trouble}")
    said.append(_upcoming(finished.project))
    return "\n".join(said) + "\n"


def _named(project: Project, place: Place) -> str:
    assert place.task
    return f"{place.ref} {project.title(place.task)}"


def _upcoming(project: Project) -> str:
    candidate = next_task(project).task
    if candidate is None:
        return "Nothing is ready now; `status` says why."
    return f"Next: {_named(project, candidate.place)}"
