"""The kept plan after goals, steps or tasks were removed, moved or renamed: notes and statuses go
with their tasks.
"""

from __future__ import annotations

from director_ctx.memory.plans.merge import is_ref, nodes
from director_ctx.memory.plans.set_task import follow_folder
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
    return follow_folder(done.project, reason, lambda plan: with_refs(plan, done.change))


def with_refs(plan: Object, change: Change) -> Object:
    """The plan with each task and step under its new reference and name, and without what is gone."""
    phases: list[Object] = []
    for phase in phases_of(plan):
        tasks = [_task(task, change) for task in tasks_of(phase)]
        there = [task for task in tasks if task]
        phases.append({**phase, "tasks": there, "node_ids": _nodes(phase, change)})
    return {**plan, "phases": phases}


def _task(task: Object, change: Change) -> Object:
    """Nothing at all where it is gone."""
    again = {**task}
    if "node_ids" in task:
        again["node_ids"] = _nodes(task, change)
    task_id = task.get("task_id")
    if isinstance(task_id, str) and _is_plain_ref(task_id):
        again["task_id"] = _now(task_id, change)
        names = change.names.get(_numbers(task_id))
        if names and task.get("description") == names[0]:
            again["description"] = names[1]
        if not again["task_id"]:
            return {}
    return again


def _nodes(thing: Object, change: Change) -> list[str]:
    """What is no reference is somebody's own, and stays."""
    now = [_now(node, change) if _is_plain_ref(node) else node for node in nodes(thing)]
    return [node for node in now if node]


def _is_plain_ref(text: str) -> bool:
    # Where two have one number, the name behind it tells them apart, and nothing was renumbered.
    return " (" not in text and (is_ref(text) or is_ref(text, units=2))


def _numbers(ref: str) -> tuple[int, ...]:
    return tuple(map(int, ref.split("/")))


def _now(ref: str, change: Change) -> str:
    return ref_text(change.moved.now(_numbers(ref)))
