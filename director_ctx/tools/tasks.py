"""Tasks of the folder: taken, given back, and done."""

from __future__ import annotations

from itertools import islice

from director_ctx.base.answer_pages import call
from director_ctx.base.errors import DctxError
from director_ctx.base.system.clock import local_minute
from director_ctx.memory.plans.set_task import follow_folder
from director_ctx.project.claims import TaskTaken, end, start, worker_here
from director_ctx.project.tasks.names import find_task
from director_ctx.project.tasks.next import MOST_NAMED, next_task, readiness, ready_and_free
from director_ctx.tools.needed import expect
from director_ctx.upkeep.tasks import finish, task_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place


def claim(project: Project, values: dict[str, Any]) -> str:
    """Takes a task, so that no other agent does it at the same time."""
    expect(values, "name")
    place = find_task(project, values["name"])
    assert place.task
    judged = readiness(project, place)
    if place.task.done or not judged.ready:
        why = "is done already" if place.task.done else f"cannot start yet: {judged.why}"
        raise DctxError(f"Task {place.ref} {why}.", _free_ones(project, values))
    # Two agents may have one name and one session, so the id of its claim says who it is.
    worker = worker_here(values["agent"] or "", values["claim"] or "").replace(is_person=False)
    try:
        taken = start(project, place, worker)
    except TaskTaken as refused:
        free = _free_ones(project, values)
        refused.hint = f"{free}\nIf it is yours, name your claim: claim=ID."
        raise
    version = task_version(project, place)
    finish_it = {"action": "done", "name": place.ref, "claim": taken.id, "version": version}
    return (
        f"{_named(project, place)} is yours. Claim {taken.id}, version {version}.\n"
        f"What it needs: {call('context', {'task': place.ref})}\n"
        f"When it is done: {call('plan', finish_it)}\n"
    )


def _free_ones(project: Project, values: dict[str, Any]) -> str:
    """Each with the call that takes it."""
    lines: list[str] = []
    for candidate in islice(ready_and_free(project), MOST_NAMED):
        take = {"action": "claim", "name": candidate.place.ref}
        if values["agent"]:
            take["agent"] = values["agent"]
        lines.append(f"Free: {_named(project, candidate.place)}: {call('plan', take)}")
    return "\n".join(lines) or "No other task is ready."


def release(project: Project, values: dict[str, Any]) -> str:
    expect(values, "name", "claim")
    place = find_task(project, values["name"])
    _expect_own(project, place, values)
    end(project, lambda claim: claim.id == values["claim"])
    return f"{_named(project, place)} is free again.\n"


def _expect_own(project: Project, place: Place, values: dict[str, Any]) -> None:
    """Refuses where another agent has the task."""
    taken = project.claims().get(place.names)
    if taken and taken.id != values["claim"]:
        raise DctxError(
            f"Task {place.ref} is {taken.says}.",
            "Only who has it can say so, with its claim: claim=ID.",
        )


def done(project: Project, values: dict[str, Any]) -> str:
    """Marks a task done that nobody else has taken, if it still says what the agent read."""
    expect(values, "name", "version")
    place = find_task(project, values["name"])
    # Its file has another name afterwards.
    name = _named(project, place)
    if place.task and place.task.done:
        raise DctxError(f"Task {place.ref} is done already.", _upcoming(project))
    _expect_own(project, place, values)
    finished = finish(project.root, place.ref, local_minute(), values["version"])

    troubles = [*finished.warnings, *(f"{each.path}: {each.why}" for each in finished.failed)]
    if finished.renamed:
        # The plan's history has it, too, where a plan is kept.
        troubles.append(follow_folder(finished.project, f"Task {place.ref}: completed"))
    said = [f"{name} is done.", *(f"  {trouble}" for trouble in troubles if trouble)]
    return "\n".join([*said, _upcoming(finished.project)]) + "\n"


def _named(project: Project, place: Place) -> str:
    assert place.task
    return f"{place.ref} {project.title(place.task)}"


def _upcoming(project: Project) -> str:
    upcoming = next_task(project)
    if upcoming.task is None:
        return f"Nothing is ready now: {upcoming.why}."
    return f"Next: {_named(project, upcoming.task.place)}"
