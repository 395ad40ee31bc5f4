"""Where the project stands, and what is next."""

from __future__ import annotations

from director_ctx.base.answer_pages import call as shown_call
from director_ctx.base.answer_pages import page_of
from director_ctx.base.text import counted
from director_ctx.project.tasks.names import find_goal
from director_ctx.tools.remembered import remembered
from director_ctx.upkeep.as_json import status_json
from director_ctx.upkeep.status import status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.tools.service import ToolCall

    Object = dict[str, Any]

MOST_WAITING = 5
NARROWER = " For the tasks of one goal, name the goal."


def run(call: ToolCall, values: Object) -> str:
    project = call.project()
    goal = values["goal"] or ""
    held_now = "".join(sorted(project.claims()))
    shown = remembered(project, f"status {goal} {held_now}", lambda: _found_out(project, goal))
    text = "\n".join(_lines(shown))
    return page_of(f"{text}\n", "status", values, NARROWER)


def _found_out(project: Project, goal: str) -> Object:
    state = status(project)
    if goal:
        wanted = find_goal(project, goal)
        goals = tuple(progress for progress in state.goals if progress.goal == wanted)
        state = state.replace(goals=goals)
    return status_json(project, state, detailed=bool(goal))


def _lines(shown: Object) -> Iterator[str]:
    yield shown["name"]
    if not shown["goals"]:
        yield "No goals are planned yet."
    for goal in shown["goals"]:
        yield ""
        yield f"Goal {goal['number']}: {_progress(goal)}"
        for step in goal["steps"]:
            yield f"  Step {step['number']}: {_progress(step)}"
            for task in step.get("tasks", ()):
                begun = "~" if task["number"] in step["review"] else " "
                yield f"    [{'x' if task['done'] else begun}] {task['number']}. {task['title']}"

    yield ""
    yield from _next(shown["next"])
    for hole in shown["unplanned"]:
        yield f"Not planned yet: {hole}"
    for question in shown["questions"]:
        yield f"Open question: {question['text']} ({question['path']}:{question['line']})"
    for template in shown["templates"]:
        yield f"Not filled in: {template}"
    if shown["mismatches"]:
        disagree = counted(len(shown["mismatches"]), "record")
        yield f"{disagree} disagree with the files: `dctx doctor` shows them, `dctx doctor --fix` mends them."


def _progress(unit: Object) -> str:
    return f"{unit['title']}: {unit['done']}/{unit['total']} tasks, {unit['state']}"


def _next(upcoming: Object) -> Iterator[str]:
    for begun in upcoming["in_progress"]:
        yield f"{begun['ref']}  {begun['title']}: {begun['says']}"
    task = upcoming["task"]
    if task:
        yield f"Next: {task['ref']}  {task['title']} (ready, {task['readiness']})"
        yield f"  {task['path']}"
        yield f"  What it needs: {shown_call('context', {'task': task['ref']})}"
    else:
        yield f"Next: nothing ({upcoming['state']})"
    for other in upcoming["also_ready"]:
        yield f"Also ready, in parallel: {other['ref']}  {other['title']}"
    for other in upcoming["waiting"][:MOST_WAITING]:
        yield f"Waiting: {other['ref']}  {other['title']} ({other['why']})"
    more = len(upcoming["waiting"]) - MOST_WAITING
    if more > 0:
        yield f"Waiting: and {more} more"
