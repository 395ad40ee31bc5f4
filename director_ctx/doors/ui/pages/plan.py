"""The plan as a to-do list and as a board."""

from __future__ import annotations

from director_ctx.memory.free_tasks import taken_json
from director_ctx.memory.plans.plan import current_plan
from director_ctx.memory.plans.rules import COMPLETED, FAILED, IN_PROGRESS, PENDING
from director_ctx.memory.plans.tasks import counted, phases_of, tasks_of
from director_ctx.project.tasks.next import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Json = dict[str, Any]

LIST, BOARD = "list", "board"
STATUSES = (PENDING, IN_PROGRESS, COMPLETED, FAILED)
"""In the order of the board's columns, and of the keys 1 to 4."""
WORDS = {PENDING: "To do", IN_PROGRESS: "In progress", COMPLETED: "Done", FAILED: "Failed"}
MOST_DONE = 30
"""Cards in the column of what is done; a board is about the others."""


def data(visit: Visit) -> Json:
    """The plan as it is now; of what is beside it, which tasks have a file."""
    version = current_plan(visit.project)
    shown: Json = {"as": BOARD if visit.asked("as") == BOARD else LIST, "version": 0, "plan": None}
    if version is None:
        return shown
    refs = [place.ref for place in places(visit.project)]
    return {
        **shown,
        "version": version.number,
        "created_at": version.created_at,
        "reason": version.reason,
        "followed": version.followed,
        "in_folder": refs,
        "taken": taken_json(visit.project),
        "plan": version.data,
    }


def view(data: Json) -> Json:
    plan = data["plan"]
    common = {
        "as_board": data["as"] == BOARD,
        "statuses": STATUSES,
        "words": WORDS,
        "version": data["version"],
        "phases": [],
    }
    if plan is None:
        return {**common, "empty": True}
    in_folder = frozenset(data["in_folder"])
    phases = []
    for phase in phases_of(plan):
        is_current = phase.get("phase_name") == plan.get("current_phase")
        phases.append(_phase(phase, is_current, in_folder))
    tasks = [task for phase in phases for task in phase["tasks"]]
    return {
        **common,
        "empty": False,
        "goal": _text(plan.get("overall_goal")),
        "phases": phases,
        "columns": [_column(status, tasks) for status in STATUSES],
        "done": sum(task["status"] == COMPLETED for task in tasks),
        "total": len(tasks),
        "next_actions": _texts(plan.get("next_actions")),
        "blockers": _texts(plan.get("blockers")),
        "notes": _texts(plan.get("notes")),
        "taken": data["taken"],
        "since": data,
    }


def _phase(phase: Json, is_current: bool, in_folder: frozenset[str]) -> Json:
    tasks = tasks_of(phase)
    done, total = counted(tasks)
    name = _text(phase.get("phase_name"))
    status = phase.get("status")
    return {
        "name": name,
        "status": status,
        "current": is_current,
        # Who opens the plan looks for what is left of it.
        "folded": status == COMPLETED and not is_current,
        "done": done,
        "total": total,
        "tasks": [_task(task, name, in_folder) for task in tasks],
    }


def _task(task: Json, phase: str, in_folder: frozenset[str]) -> Json:
    name = _text(task.get("task_id"))
    status = task.get("status")
    # Another program may have written it.
    if status not in STATUSES:
        status = PENDING
    return {
        "id": name,
        "title": _text(task.get("description")) or name,
        "status": status,
        "notes": _text(task.get("notes"), keep=True),
        "phase": phase,
        "has_file": name in in_folder,
    }


def _column(status: str, tasks: list[Json]) -> Json:
    cards = [task for task in tasks if task["status"] == status]
    shown = cards
    if status == COMPLETED:
        # The last of the plan first: they were finished last.
        shown = cards[-MOST_DONE:][::-1]
    return {"status": status, "count": len(cards), "cards": shown}


def _texts(value: Any) -> list[str]:
    """Agents write one text or a list of them, and a plan keeps what they wrote."""
    if not isinstance(value, list):
        value = [value]
    texts = [_text(text, keep=True) for text in value]
    return [text for text in texts if text.strip()]


def _text(value: Any, keep: bool = False) -> str:
    if value is None:
        return ""
    if keep:
        return str(value)
    return " ".join(str(value).split())
