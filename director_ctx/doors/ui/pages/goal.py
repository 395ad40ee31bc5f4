"""The document of a goal or a step, and beside it what it consists of."""

from __future__ import annotations

from director_ctx.doors.ui.pages import project as tree
from director_ctx.doors.ui.pages.task import without_title
from director_ctx.doors.ui.visit import NotThere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Json = dict[str, Any]


def data(visit: Visit) -> Json:
    """By its reference: `2` is a goal, `2/1` a step of it."""
    ref = visit.parts["ref"]
    whole = tree.data(visit)
    number, _, step_number = ref.partition("/")
    for goal in whole["goals"]:
        if str(goal["number"]) != number:
            continue
        if not step_number:
            return _shown(visit, whole, goal, None)
        for step in goal["steps"]:
            if step["ref"] == ref:
                return _shown(visit, whole, goal, step)
    raise NotThere(f"There is no goal or step {ref[:40]!r}.", "The page Project lists them.")


def _shown(visit: Visit, whole: Json, goal: Json, step: Json | None) -> Json:
    path = f"{goal['path']}/GOAL.md"
    if step:
        path = f"{step['path']}/STEP.md"
    return {
        "goal": goal,
        "step": step,
        "path": path,
        "text": visit.project.text(path),
        "next": whole["next"],
    }


def view(data: Json) -> Json:
    upcoming = data["next"]["task"]
    return {
        "goal": data["goal"],
        "step": data["step"],
        "path": data["path"],
        "body": without_title(data["text"]),
        "next_ref": upcoming["ref"] if upcoming else "",
        "taken": data["next"]["in_progress"],
    }
