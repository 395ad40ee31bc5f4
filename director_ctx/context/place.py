"""Which task, step and goal a context is about."""

from __future__ import annotations

from director_ctx.base.errors import AllDone, NothingReady
from director_ctx.base.text import plain
from director_ctx.context.settings.tags import DECISIONS, STEP, TASK
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.names import find_step, find_task, numbers_meant, tasks_within
from director_ctx.project.tasks.next import DONE, choose, next_task, readiness
from director_ctx.project.templates import is_template_gameplan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.context.settings.request import Request
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Place, Step, Task
    from director_ctx.project.tasks.next import Candidate, Next, Readiness


ALL_DONE = "Every task in the gameplan is done."
NONE_READY = "No task is ready"
NO_TASKS = "no goal has a task yet"
MOST_REASONS = 3
PLAN_FIRST = "Plan first: `dctx assemble planner` and `dctx add --from FILE` are for that."


def locate_task(
    project: Project, request: Request, tags: Sequence[str]
) -> tuple[Place | None, tuple[str, ...]]:
    """The task to work on, if this agent gets one; otherwise its step, if it gets that."""
    goal = request.goal
    step = request.step
    # A quick task is said on the command line and has no place in the plan, unless one is named.
    if request.quick:
        if goal or step:
            return find_step(project, goal, step), ()
        return None, ()

    if request.task:
        place = find_task(project, request.task, goal, step)
        return place, (*taken_by_words(project, place, request.task), *task_notes(project, place))
    if TASK in tags:
        return next_or_refuse(project, request), ()
    if goal or step or STEP in tags or DECISIONS in tags:
        return find_step(project, goal, step), ()
    return None, ()


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
    if state.begun:
        ref = state.begun[0].place.ref
        hint = f"--task {ref} names one all the same; `dctx task stop {ref}` gives it back."
        raise NothingReady(f"{NONE_READY}: {state.why}.", hint)
    if state.waiting:
        judged = [(candidate.place, candidate.readiness) for candidate in state.waiting]
        waiting = _waiting(judged)
        raise NothingReady(
            f"{NONE_READY}: {waiting}.",
            "See `dctx next`, or name a task with --task.",
        )

    if is_template_gameplan(project.text(f"{FOLDER}/GAMEPLAN.md")):
        raise NothingReady(f"{FOLDER}/GAMEPLAN.md is still a template, and {NO_TASKS}.", PLAN_FIRST)
    unplanned = "; ".join(state.unplanned[:MOST_REASONS]) or "no goal has a task file yet"
    raise NothingReady(f"{NONE_READY}: {unplanned}.", PLAN_FIRST)


def next_within(project: Project, request: Request) -> Place:
    """The first ready task of a goal or step, by the same rule as without them."""
    scope = tasks_within(project, request.goal, request.step)
    judged: list[tuple[Place, Readiness]] = []
    taken = project.claims()
    for place in scope:
        if place.task and not place.task.done:
            judged.append((place, readiness(project, place)))
    for place, judgement in judged:
        if judgement.ready and place.names not in taken:
            return place

    where = f"--goal {request.goal}"
    if request.step:
        where = f"--step {request.step}"
    hint = "Name one with --task."
    if scope and not judged:
        raise AllDone(f"Every task of {where} is done.", hint)
    waiting = _waiting(judged) or "it has none yet"
    raise NothingReady(f"No task of {where} is ready: {waiting}.", hint)


def _waiting(judged: Sequence[tuple[Place, Readiness]]) -> str:
    """Why the first of them cannot start."""
    reasons: list[str] = []
    for place, judgement in judged[:MOST_REASONS]:
        reasons.append(f"{place.ref} waits: {judgement.why}")
    return "; ".join(reasons)


def taken_by_words(project: Project, place: Place, name: str) -> tuple[str, ...]:
    """Which task was taken, where only part of its name was said: it may not be the one that was meant."""
    task = place.task
    assert task
    words = name.strip().casefold()
    if words.endswith(".md") or numbers_meant(words):
        return ()
    title = project.title(task)
    whole_names = (task.name.casefold(), task.slug.casefold(), title.casefold())
    if words in whole_names or words.replace(" ", "-") in whole_names:
        return ()
    return (f"{name.strip()!r} was taken for task {place.ref}, {title}",)


def task_notes(project: Project, place: Place) -> tuple[str, ...]:
    """What is worth knowing about a task that was named outright."""
    assert place.task
    if place.task.done:
        return (f"task {place.ref} is already done",)
    judgement = readiness(project, place)
    if judgement.ready:
        return ()
    return (f"task {place.ref} is not ready: {judgement.why}",)


def task_json(
    project: Project, place: Place | None, judged: Readiness | None = None
) -> dict[str, Any] | None:
    """A task as every JSON output shows it."""
    if place is None or place.step is None or place.task is None:
        return None

    kind = None
    if judged is None and not place.task.done:
        judged = readiness(project, place)
    if judged:
        kind = judged.kind
    return {
        "ref": place.ref,
        "path": plain(place.task.path),
        "title": project.title(place.task),
        "readiness": kind,
        "goal": unit_json(project, place.goal),
        "step": unit_json(project, place.step),
    }


def place_json(project: Project, place: Place | None) -> dict[str, Any] | None:
    """A goal, step or task with what it is in."""
    if place is None:
        return None

    shown: dict[str, Any] = {"ref": place.ref}
    for name, unit in (("goal", place.goal), ("step", place.step), ("task", place.task)):
        shown[name] = None
        if unit:
            shown[name] = unit_json(project, unit)
    return shown


def unit_json(project: Project, unit: Goal | Step | Task) -> dict[str, Any]:
    return {"number": unit.number, "title": project.title(unit), "path": plain(unit.path)}


def next_json(project: Project, upcoming: Next) -> dict[str, Any]:
    """What can be done now, and what waits, as every door gives it."""
    task = None
    if upcoming.task:
        task = candidate_json(project, upcoming.task)

    waiting = []
    for candidate in upcoming.waiting:
        why = candidate.readiness.why
        waiting.append({**candidate_json(project, candidate), "why": why})

    begun = []
    for candidate in upcoming.begun:
        claim = candidate.claim.as_json() if candidate.claim else {}
        begun.append({**candidate_json(project, candidate), **claim})
    return {
        "state": upcoming.state,
        "task": task,
        "in_progress": begun,
        "also_ready": [candidate_json(project, candidate) for candidate in upcoming.also_ready],
        "waiting": waiting,
    }


def candidate_json(project: Project, candidate: Candidate) -> dict[str, Any]:
    return task_json(project, candidate.place, candidate.readiness) or {}
