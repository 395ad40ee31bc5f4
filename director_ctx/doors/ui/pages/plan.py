"""The plan as a to-do list and as a board."""

from __future__ import annotations

from director_ctx.context.place import next_json
from director_ctx.memory.plans.plan import current_plan
from director_ctx.memory.plans.rules import COMPLETED, FAILED, IN_PROGRESS, PENDING
from director_ctx.memory.plans.tasks import counted, phases_of, tasks_of
from director_ctx.project.tasks.next import next_task, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.project.project import Project

    Json = dict[str, Any]

LIST, BOARD = "list", "board"
STATUSES = (PENDING, IN_PROGRESS, COMPLETED, FAILED)
"""In the order of the board's columns, and of the keys 1 to 4."""
WORDS = {PENDING: "To do", IN_PROGRESS: "In progress", COMPLETED: "Done", FAILED: "Failed"}
BELOW = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
"""Between a goal and its step, in the name of a phase."""
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
        "waiting": _waiting(visit.project),
        "taken": next_json(visit.project, next_task(visit.project))["in_progress"],
        "plan": version.data,
    }


def _waiting(project: Project) -> dict[str, str]:
    """By task, why it cannot be begun yet."""
    upcoming = next_task(project)
    return {candidate.place.ref: candidate.readiness.why for candidate in upcoming.waiting}


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
    phases = []
    for phase in phases_of(plan):
        is_current = phase.get("phase_name") == plan.get("current_phase")
        phases.append(_phase(phase, is_current, data))
    tasks = [task for phase in phases for task in phase["tasks"]]
    return {
        **common,
        "empty": False,
        "goal": _text(plan.get("overall_goal")),
        "phases": phases,
        "groups": _by_goal(phases),
        "columns": [_column(status, tasks) for status in STATUSES],
        "done": sum(task["status"] == COMPLETED for task in tasks),
        "total": len(tasks),
        "next_actions": _texts(plan.get("next_actions"), data["in_folder"]),
        "blockers": _texts(plan.get("blockers")),
        "notes": _texts(plan.get("notes")),
        "taken": data["taken"],
        "since": data,
    }


def _phase(phase: Json, is_current: bool, data: Json) -> Json:
    tasks = tasks_of(phase)
    done, total = counted(tasks)
    name = _text(phase.get("phase_name"))
    goal, _, step = name.rpartition(BELOW)
    status = phase.get("status")
    shown = {"name": name, "goal": goal, "step": step}
    return {
        **shown,
        "status": status,
        "current": is_current,
        # Who opens the plan looks for what is left of it.
        "folded": status == COMPLETED and not is_current,
        "done": done,
        "total": total,
        "tasks": [_task(task, shown, data) for task in tasks],
    }


def _by_goal(phases: list[Json]) -> list[Json]:
    """Steps of a goal that stand together, below its name; others by themselves."""
    groups: list[Json] = []
    for phase in phases:
        is_new = not groups or not phase["goal"] or groups[-1]["title"] != phase["goal"]
        if is_new:
            groups.append({"title": phase["goal"], "phases": [], "open": False})
        groups[-1]["phases"].append(phase)
        groups[-1]["open"] |= not phase["folded"]
    return groups


def _task(task: Json, phase: Json, data: Json) -> Json:
    name = _text(task.get("task_id"))
    status = task.get("status")
    # Another program may have written it.
    if status not in STATUSES:
        status = PENDING
    waits = ""
    if status == PENDING:
        waits = data["waiting"].get(name, "")
    return {
        "id": name,
        "title": _text(task.get("description")) or name,
        "status": status,
        "waits": waits,
        "notes": _text(task.get("notes"), keep=True),
        "phase": phase["name"],
        "step": phase["step"],
        "has_file": name in data["in_folder"],
    }


def _column(status: str, tasks: list[Json]) -> Json:
    cards = [task for task in tasks if task["status"] == status]
    shown = cards
    if status == COMPLETED:
        # The last of the plan first: they were finished last.
        shown = cards[-MOST_DONE:][::-1]
    return {"status": status, "count": len(cards), "cards": shown}


def _texts(value: Any, in_folder: Collection[str] = ()) -> list[Json]:
    """Agents write one text or a list of them, and a plan keeps what they wrote. One that begins with a
    task leads to it.
    """
    if not isinstance(value, list):
        value = [value]
    rows: list[Json] = []
    for part in value:
        text = _text(part, keep=True)
        ref, colon, rest = text.partition(":")
        if ref in in_folder:
            rows.append({"ref": ref, "rest": colon + rest})
        elif text.strip():
            rows.append({"ref": "", "rest": text})
    return rows


def _text(value: Any, keep: bool = False) -> str:
    if value is None:
        return ""
    if keep:
        return str(value)
    return " ".join(str(value).split())
