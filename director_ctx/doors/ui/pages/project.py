"""The folder as a tree: goals, their steps, their tasks."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.context.extracts import first_sentences
from director_ctx.context.place import next_json
from director_ctx.memory.plans.following import statuses_beside_files
from director_ctx.memory.store.open import open_store
from director_ctx.project.reading.markdown import without_comments
from director_ctx.project.tasks.next import next_task, places, readiness
from director_ctx.project.tasks.progress import goal_progress
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place
    from director_ctx.project.tasks.progress import GoalProgress, StepProgress

    Json = dict[str, Any]

MOST_SENTENCES = 2
DONE, REVIEW, READY, WAITS = "done", "review", "ready", "waits"


def data(visit: Visit) -> Json:
    project = visit.project
    by_step = _tasks_by_step(project)
    goals = []
    for goal in project.goals():
        progress = goal_progress(project, goal)
        goals.append(_goal(project, progress, by_step))
    return {
        "name": project_name(project),
        "next": next_json(project, next_task(project)),
        "goals": goals,
    }


def _tasks_by_step(project: Project) -> dict[str, list[Json]]:
    """By the path of the step."""
    beside = _beside(project)
    by_step: dict[str, list[Json]] = {}
    for place in places(project):
        if place.step:
            task = _task(project, place, beside)
            by_step.setdefault(place.step.path, []).append(task)
    return by_step


def _beside(project: Project) -> dict[str, str]:
    try:
        with open_store(project) as store:
            return statuses_beside_files(project, store)
    except DctxError:
        return {}


def _goal(project: Project, progress: GoalProgress, by_step: dict[str, list[Json]]) -> Json:
    goal = progress.goal
    return {
        "number": goal.number,
        "title": project.title(goal),
        "path": goal.path,
        "about": _gist(project.text(f"{goal.path}/GOAL.md")),
        "state": progress.state,
        "done": progress.done,
        "total": progress.total,
        "steps": [_step(project, goal.number, step, by_step) for step in progress.steps],
    }


def _step(
    project: Project, goal: int, progress: StepProgress, by_step: dict[str, list[Json]]
) -> Json:
    step = progress.step
    tasks = by_step.get(step.path, [])
    for task in tasks:
        is_open = task["state"] in (READY, WAITS)
        if is_open and task["number"] in progress.review:
            task["state"] = REVIEW
    return {
        "ref": f"{goal}/{step.number}",
        "number": step.number,
        "path": step.path,
        "title": project.title(step),
        "about": _gist(project.text(f"{step.path}/STEP.md")),
        "state": progress.state,
        "done": progress.done,
        "total": progress.total,
        "tasks": tasks,
    }


def _gist(text: str) -> str:
    """The first sentences of a document that are words, and no heading, list or field."""
    for paragraph in without_comments(text).split("\n\n"):
        lines = [line for line in paragraph.strip().split("\n") if not line.startswith("#")]
        words = "\n".join(lines).strip()
        if words[:1].isalpha():
            return first_sentences(words, MOST_SENTENCES)
    return ""


def _task(project: Project, place: Place, beside: dict[str, str]) -> Json:
    task = place.task
    assert task
    state, why = DONE, ""
    if not task.done:
        judged = readiness(project, place)
        state, why = READY, judged.ground
        if not judged.ready:
            state, why = WAITS, judged.why
    return {
        "ref": place.ref,
        "number": task.number,
        "title": project.title(task),
        "state": state,
        "why": why,
        "beside": beside.get(place.ref, ""),
    }


def view(data: Json) -> Json:
    upcoming = data["next"]["task"]
    goals = []
    for goal in data["goals"]:
        is_finished = goal["total"] > 0 and goal["done"] == goal["total"]
        goals.append({**goal, "open": not is_finished})
    return {
        "goals": goals,
        "next_ref": upcoming["ref"] if upcoming else "",
        "taken": data["next"]["in_progress"],
    }
