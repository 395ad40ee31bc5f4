"""Which task, step and goal a context is about."""

from __future__ import annotations

from director_ctx.base.errors import AllDone, NothingReady
from director_ctx.base.text import plain
from director_ctx.context.settings.tags import DECISIONS, STEP, TASK
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.names import find_step, find_task, tasks_within
from director_ctx.project.tasks.next import DONE, choose, next_task, readiness
from director_ctx.project.templates import is_template_gameplan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.context.settings.request import Request
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Place, Step, Task
    from director_ctx.project.tasks.next import Readiness


ALL_DONE, NONE_READY, NO_TASKS = (
    "Every task in the gameplan is done.",
    "No task is ready",
    "no goal has a task yet",
)
PLAN_FIRST = "Plan first: the blueprint skill, `dctx assemble planner` and `dctx add` are for that."


def locate_task(
    project: Project, request: Request, wanted: Sequence[str]
) -> tuple[Place | None, tuple[str, ...]]:
    """The task to work on, if this agent gets one; otherwise its step, if it gets that."""
    if request.quick:
        place = (
            find_step(project, request.goal, request.step) if request.step or request.goal else None
        )
        return (place, ())
    if request.task:
        place = find_task(project, request.task, request.goal, request.step)
        return place, task_notes(project, place)
    if TASK in wanted:
        return next_or_refuse(project, request), ()
    needs_step = STEP in wanted or DECISIONS in wanted or bool(request.step or request.goal)
    return (find_step(project, request.goal, request.step) if needs_step else None), ()


def next_or_refuse(project: Project, request: Request) -> Place:
    """The next task, within a goal or step if one is named; or an error that says why there is
    none.
    """
    if request.goal or request.step:
        return next_within(project, request)
    candidate = choose(project)
    if candidate:
        return candidate.place
    state = next_task(project)
    if state.state == DONE:
        raise AllDone(ALL_DONE, "Name one with --task, or plan the next goal.")
    waiting = "; ".join(f"{one.place.ref} waits: {one.readiness.why}" for one in state.waiting[:3])
    if not waiting and is_template_gameplan(project.text(f"{FOLDER}/GAMEPLAN.md")):
        raise NothingReady(f"{FOLDER}/GAMEPLAN.md is still a template, and {NO_TASKS}.", PLAN_FIRST)
    reasons = waiting or "; ".join(state.unplanned[:3]) or "no goal has a task file yet"
    hint = "See `dctx next`, or name a task with --task." if waiting else PLAN_FIRST
    raise NothingReady(f"{NONE_READY}: {reasons}.", hint)


def next_within(project: Project, request: Request) -> Place:
    """The first ready task of a goal or step, by the same rule as without them."""
    scope = tasks_within(project, request.goal, request.step)
    pending = [place for place in scope if place.task and not place.task.done]
    judged = [(place, readiness(project, place)) for place in pending]
    for place, found in judged:
        if found.ready:
            return place
    where = f"--step {request.step}" if request.step else f"--goal {request.goal}"
    if scope and not judged:
        raise AllDone(f"Every task of {where} is done.", "Name one with --task.")
    waiting = "; ".join(f"{place.ref} waits: {found.why}" for place, found in judged[:3])
    raise NothingReady(
        f"No task of {where} is ready: {waiting or 'it has none yet'}.", "Name one with --task."
    )


def task_notes(project: Project, place: Place) -> tuple[str, ...]:
    """What is worth knowing about a task that was named outright."""
    assert place.task
    if place.task.done:
        return (f"task {place.ref} is already done",)
    judged = readiness(project, place)
    return () if judged.ready else (f"task {place.ref} is not ready: {judged.why}",)


def task_json(
    project: Project, place: Place | None, judged: Readiness | None = None
) -> dict[str, Any] | None:
    """A task as every JSON output shows it."""
    if place is None or place.step is None or place.task is None:
        return None
    if judged is None and not place.task.done:
        judged = readiness(project, place)
    return {
        "ref": place.ref,
        "path": plain(place.task.path),
        "title": project.title(place.task),
        "readiness": judged.kind if judged else None,
        "goal": unit_json(project, place.goal),
        "step": unit_json(project, place.step),
    }


def place_json(project: Project, place: Place | None) -> dict[str, Any] | None:
    """A goal, step or task with what it is in."""
    if place is None:
        return None
    units = (("goal", place.goal), ("step", place.step), ("task", place.task))
    return {
        "ref": place.ref,
        **{name: unit_json(project, unit) if unit else None for name, unit in units},
    }


def unit_json(project: Project, unit: Goal | Step | Task) -> dict[str, Any]:
    return {"number": unit.number, "title": project.title(unit), "path": plain(unit.path)}
