"""Where a plan stands: its phases and tasks, how many are done, and what follows when one of them
is.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.plans.rules import COMPLETED, FAILED, IN_PROGRESS, PENDING, is_task_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Object = dict[str, Any]

MARKS = {COMPLETED: "[x]", IN_PROGRESS: "[~]", PENDING: "[ ]", FAILED: "[!]"}
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


class Found(Record):
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
    return _objects(plan.get("phases") if isinstance(plan, dict) else None)


def tasks_of(phase: Mapping[str, Any]) -> list[Object]:
    return _objects(phase.get("tasks"))


def _objects(things: Any) -> list[Object]:
    return [one for one in things if isinstance(one, dict)] if isinstance(things, list) else []


def every_task(plan: Any) -> Iterator[Found]:
    for phase in phases_of(plan):
        yield from (
            Found(phase, task) for task in tasks_of(phase) if is_task_id(task.get("task_id"))
        )


def counted(tasks: list[Object]) -> tuple[int, int]:
    """How many are completed, and how many there are."""
    return sum(task.get("status") == COMPLETED for task in tasks), len(tasks)


def following_status(tasks: list[Object], otherwise: str) -> str:
    """The status of a phase by that of its tasks; without tasks it is what it was."""
    if not tasks:
        return otherwise
    found = [task.get("status") for task in tasks]
    return next(
        (then for how, status, then in PHASE_RULE if how(one == status for one in found)), otherwise
    )


def following_phase(plan: Object) -> str:
    """The current phase; where that is completed the next one that is not, or the first one before
    it.
    """
    current = str(plan.get("current_phase", ""))
    phases = phases_of(plan)
    at = next((place for place, one in enumerate(phases) if one.get("phase_name") == current), None)
    if at is None or phases[at].get("status") != COMPLETED:
        return current
    unfinished = (one for one in phases[at + 1 :] + phases[:at] if one.get("status") != COMPLETED)
    return next((str(one.get("phase_name", "")) for one in unfinished), current)


def next_action(name: str, description: str) -> str:
    """A task as one of the next actions; what is written otherwise is somebody's own words."""
    return f"{name}: {description}"


def with_status(plan: Object, found: Found, status: str, note: str | None) -> Object:
    """The plan with one task's status (and notes) changed, and with what follows from it."""
    task = {**found.task, "status": status, **({} if note is None else {"notes": note})}
    tasks = [task if one is found.task else one for one in found.phase["tasks"]]
    phase = {**found.phase, "tasks": tasks}
    if status != found.task.get("status"):
        phase["status"] = following_status(_objects(tasks), str(found.phase.get("status")))
    changed = {**plan, "phases": [phase if one is found.phase else one for one in plan["phases"]]}
    if status == COMPLETED and isinstance(plan.get("next_actions"), list):
        done = next_action(found.name, found.description)
        changed["next_actions"] = [one for one in plan["next_actions"] if one != done]
    return {**changed, "current_phase": following_phase(changed)}
