"""Where a plan stands: its phases and tasks, how many are done, and what follows when one of them
is.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.plans.rules import COMPLETED, FAILED, IN_PROGRESS, PENDING, is_task_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Object = dict[str, Any]

MARKS = {
    COMPLETED: "[x]",
    IN_PROGRESS: "[~]",
    PENDING: "[ ]",
    FAILED: "[!]",
}
PHASE_RULE = (
    (all, COMPLETED, COMPLETED),
    (any, IN_PROGRESS, IN_PROGRESS),
    (any, FAILED, FAILED),
    (any, COMPLETED, IN_PROGRESS),
    (all, PENDING, PENDING),
)
"""If all (or any) tasks of a phase have the one status, the phase has the other; the first line
that fits counts.
"""


class PhaseTask(Record):
    """A task, and the phase that it is in."""

    phase: Object
    task: Object

    @property
    def name(self) -> str:
        return str(self.task.get("task_id", "?"))

    @property
    def description(self) -> str:
        return str(self.task.get("description", ""))


def phases_of(plan: Any) -> list[Object]:
    """The phases; in a plan that somebody else wrote, whatever can pass for one."""
    return _objects(plan.get("phases")) if isinstance(plan, dict) else []


def tasks_of(phase: Object) -> list[Object]:
    return _objects(phase.get("tasks"))


def _objects(things: Any) -> list[Object]:
    return (
        [thing for thing in things if isinstance(thing, dict)] if isinstance(things, list) else []
    )


def every_task(plan: Any) -> Iterator[PhaseTask]:
    for phase in phases_of(plan):
        for task in tasks_of(phase):
            if is_task_id(task.get("task_id")):
                yield PhaseTask(phase, task)


def counted(tasks: list[Object]) -> tuple[int, int]:
    """How many are completed, and how many there are."""
    statuses = [task.get("status") for task in tasks]
    return statuses.count(COMPLETED), len(statuses)


def following_status(tasks: list[Object], otherwise: str) -> str:
    """The status of a phase by that of its tasks; without tasks it is what it was."""
    for all_or_any, status, phase_status in PHASE_RULE if tasks else ():
        if all_or_any(task.get("status") == status for task in tasks):
            return phase_status
    return otherwise


def following_phase(plan: Object) -> str:
    """The current phase; where that is completed the next one that is not, or the first one before
    it.
    """
    current = str(plan.get("current_phase", ""))
    phases = phases_of(plan)
    names = [phase.get("phase_name") for phase in phases]
    if current not in names:
        return current
    index = names.index(current)
    for phase in (*phases[index:], *phases[:index]):
        if phase.get("status") != COMPLETED:
            return str(phase.get("phase_name", ""))
    return current


def next_action(name: str, description: str) -> str:
    """A task as one of the next actions; what is written otherwise is somebody's own words."""
    return f"{name}: {description}"


def with_status(plan: Object, target: PhaseTask, status: str, note: str | None) -> Object:
    """The plan with one task's status (and notes) changed, and with what follows from it."""
    phase, task = target.phase, target.task
    new_task = {**task, "status": status}
    if note is not None:
        new_task["notes"] = note

    new_tasks = _replaced(phase["tasks"], task, new_task)
    new_phase = {**phase, "tasks": new_tasks}
    # A note alone changes no phase, even one that says something else than its tasks.
    if status != task.get("status"):
        new_phase["status"] = following_status(_objects(new_tasks), str(phase.get("status")))

    new_plan = {**plan, "phases": _replaced(plan["phases"], phase, new_phase)}
    next_actions = plan.get("next_actions")
    if status == COMPLETED and isinstance(next_actions, list):
        done = next_action(target.name, target.description)
        new_plan["next_actions"] = [action for action in next_actions if action != done]
    new_plan["current_phase"] = following_phase(new_plan)
    return new_plan


def _replaced(things: list[Any], old: Object, new: Object) -> list[Any]:
    """The list with one object in the place of another; others that say the same stay."""
    return [new if thing is old else thing for thing in things]
