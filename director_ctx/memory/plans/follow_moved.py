"""The kept plan after goals, steps or tasks were removed, moved or renamed: notes and statuses go
with their tasks.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.memory.plans.diff import same_plan
from director_ctx.memory.plans.folder import plan_of
from director_ctx.memory.plans.merge import is_ref, nodes
from director_ctx.memory.plans.plan import change_plan, good, kept_plan
from director_ctx.memory.plans.tasks import phases_of, tasks_of
from director_ctx.upkeep.arranging.numbers import ref_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.upkeep.arranging.arrange import Arranged
    from director_ctx.upkeep.arranging.documents import Change

    Object = dict[str, Any]


def follow_moved(done: Arranged, reason: str) -> str:
    """Writes a version with the new references, where a plan is kept; why that could not be, else
    an empty text.
    """

    def make(old: Object | None) -> Object | None:
        if old is None:
            return None
        new = plan_of(done.project, with_refs(old, done.change))
        if same_plan(old, new):
            return None
        return good(new)

    try:
        if kept_plan(done.project):
            change_plan(done.project, make, reason)
    except DctxError as error:
        return error.message
    return ""


def with_refs(plan: Object, change: Change) -> Object:
    """The plan with each task and step under its new reference and name, and without what is gone."""
    phases: list[Object] = []
    for phase in phases_of(plan):
        tasks: list[Object] = []
        for task in tasks_of(phase):
            again = _task(task, change)
            if again is not None:
                tasks.append(again)
        phases.append({**phase, "tasks": tasks, "node_ids": _nodes(phase, change)})
    return {**plan, "phases": phases}


def _task(task: Object, change: Change) -> Object | None:
    task_id = task.get("task_id")
    again = {**task}
    if "node_ids" in task:
        again["node_ids"] = _nodes(task, change)
    if not isinstance(task_id, str) or not _is_plain_ref(task_id):
        return again

    new_id = _now(task_id, change)
    if not new_id:
        return None
    again["task_id"] = new_id
    names = change.names.get(_numbers(task_id))
    if names and task.get("description") == names[0]:
        again["description"] = names[1]
    return again


def _nodes(thing: Object, change: Change) -> list[str]:
    """What is no reference is somebody's own, and stays."""
    now: list[str] = []
    for node in nodes(thing):
        new = node
        if _is_plain_ref(node):
            new = _now(node, change)
        if new:
            now.append(new)
    return now


def _is_plain_ref(text: str) -> bool:
    # Where two have one number, the name behind it tells them apart, and nothing was renumbered.
    if " (" in text:
        return False
    return is_ref(text) or is_ref(text, units=2)


def _numbers(ref: str) -> tuple[int, ...]:
    return tuple(map(int, ref.split("/")))


def _now(ref: str, change: Change) -> str:
    return ref_text(change.moved.now(_numbers(ref)))
