"""`dctx next`: the task to do now, what else could be done, and what waits."""

from __future__ import annotations

from director_ctx.base.errors import ALL_DONE, NOTHING_READY, OK
from director_ctx.context.place import PLAN_FIRST, candidate_json, next_json
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.project import load_project
from director_ctx.project.tasks.child_lists import step_lines
from director_ctx.project.tasks.next import DONE, READY, UNPLANNED, next_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place
    from director_ctx.project.tasks.next import Candidate, Next

MOST_SHOWN = 10
EXIT_CODES = {READY: OK, DONE: ALL_DONE}
"""By the state of the plan; in any other nothing is ready."""


def run(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    upcoming = next_task(project)
    if values["json"]:
        put_json(next_json(project, upcoming))
    else:
        put_lines(list(_lines(project, upcoming)))
    # A loop in a shell ends by the exit code, and tells a finished plan from one that is stuck.
    return EXIT_CODES.get(upcoming.state, NOTHING_READY)


def _lines(project: Project, upcoming: Next) -> Iterator[tuple[str, str]]:
    yield from _candidate_lines("In progress:", project, upcoming.begun)
    if upcoming.begun:
        yield "", ""
    if upcoming.task and upcoming.task.place.task:
        task = candidate_json(project, upcoming.task)
        yield f"{task['ref']}  {task['title']}", "bold"
        goal, step = task["goal"], task["step"]
        yield f"Goal {goal['number']}: {goal['title']}, step {step['number']}: {step['title']}", ""
        yield task["path"], "dim"
        yield f"Ready: {upcoming.why}.", ""
        if upcoming.task.claim:
            yield f"It was {upcoming.task.claim.says}.", "yellow"
        elif _is_marked(project, upcoming.task.place):
            yield "STEP.md marks it as begun.", "yellow"
    elif upcoming.state == DONE:
        yield "Everything in the gameplan is done.", "bold"
    elif upcoming.begun:
        yield "Nothing else is ready.", "bold"
    else:
        yield f"Nothing is ready: {upcoming.why}.", "bold"
    yield from _candidate_lines("Also ready, at the same time:", project, upcoming.also_ready)
    if upcoming.state != READY:
        yield from _candidate_lines("Waiting:", project, upcoming.waiting)
        for hole in upcoming.unplanned:
            yield f"Not planned yet: {hole}", ""
    if upcoming.state == UNPLANNED:
        yield PLAN_FIRST, "dim"


def _candidate_lines(
    label: str, project: Project, candidates: tuple[Candidate, ...]
) -> Iterator[tuple[str, str]]:
    if candidates:
        yield label, "bold"
    for candidate in candidates[:MOST_SHOWN]:
        task = candidate_json(project, candidate)
        # Who has or had it; why it waits; for one that is ready, on what ground it is.
        ground = candidate.readiness.why or candidate.readiness.ground
        if candidate.claim:
            ground = candidate.claim.says
        elif _is_marked(project, candidate.place):
            ground = f"{ground}; STEP.md marks it as begun"
        yield f"  {task['ref']}  {task['title']} ({ground})", ""
    if len(candidates) > MOST_SHOWN:
        yield f"  and {len(candidates) - MOST_SHOWN} more; --json lists them all", "dim"


def _is_marked(project: Project, place: Place) -> bool:
    """Whether a person, or a plan that was taken over, says that a task was begun: `[~]`."""
    assert place.step and place.task
    lines = step_lines(project.text(f"{place.step.path}/STEP.md"))
    return any(line.mark == "~" and line.number == place.task.number for line in lines)
