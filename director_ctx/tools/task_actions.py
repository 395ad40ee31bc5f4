"""Tasks of the folder: taken, given back, and done."""

from __future__ import annotations

from director_ctx.base.answer_pages import call
from director_ctx.base.errors import DctxError
from director_ctx.base.system.clock import local_minute
from director_ctx.memory import claims
from director_ctx.memory.free_tasks import MOST_NAMED, TaskNotFree, free_tasks, take
from director_ctx.memory.plans.set_task import follow_folder
from director_ctx.project.tasks.names import find_task
from director_ctx.project.tasks.next import next_task
from director_ctx.tools.needed import expect
from director_ctx.upkeep.tasks import finish, task_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.free_tasks import FreeTasks
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place


def claim(project: Project, values: dict[str, Any]) -> str:
    """Takes a task, so that no other agent does it at the same time."""
    expect(values, "name", "agent")
    place = find_task(project, values["name"])
    agent = values["agent"]
    try:
        taken = take(project, place, agent)
    except TaskNotFree as refused:
        refused.hint = _free_ones(project, refused.tasks, agent) or refused.hint
        raise
    version = task_version(project, place)
    finish_it = {"action": "done", "name": place.ref, "agent": taken.agent, "version": version}
    return (
        f"{_named(project, place)} is {taken.agent}'s until {taken.ends}. Version {version}.\n"
        f"What it needs: {call('context', {'task': place.ref})}\n"
        f"When it is done: {call('plan', finish_it)}\n"
    )


def _free_ones(project: Project, tasks: FreeTasks, agent: str) -> str:
    """Each with the call that takes it."""
    lines = []
    for place in tasks.free[:MOST_NAMED]:
        take_it = call("plan", {"action": "claim", "name": place.ref, "agent": agent})
        lines.append(f"Free: {_named(project, place)}: {take_it}")
    return "\n".join(lines)


def release(project: Project, values: dict[str, Any]) -> str:
    expect(values, "name", "agent")
    place = find_task(project, values["name"])
    claims.release(project, place.ref, values["agent"])
    return f"{_named(project, place)} is free again.\n"


def done(project: Project, values: dict[str, Any]) -> str:
    """Marks a task done that nobody else has taken, if it still says what the agent read."""
    expect(values, "name", "agent", "version")
    place = find_task(project, values["name"])
    agent = values["agent"]
    # Its file has another name afterwards.
    name = _named(project, place)
    if place.task and place.task.done:
        raise DctxError(f"Task {place.ref} is done already.", _upcoming(project))
    claims.expect_free(project, place.ref, agent)
    finished = finish(project.root, place.ref, local_minute(), values["version"])
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
    upcoming = next_task(project)
    if upcoming.task is None:
        return "Nothing is ready now; `status` says why."
    tasks = free_tasks(project, upcoming)
    if not tasks.free:
        return f"Next: nothing that is free: {tasks.says}."
    said = f"Next: {_named(project, tasks.free[0])}"
    if tasks.taken:
        said += f" ({tasks.says})"
    return said
