"""The plan's files as nodes: what each goal, step and task is and where it stands, without what
came of it.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain, told_apart
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import Place
from director_ctx.project.tasks.fields import field
from director_ctx.project.tasks.needs import EXPLICIT, parse_needs
from director_ctx.project.tasks.next import needed_id, readiness
from director_ctx.project.tasks.progress import (
    COMPLETE,
    IN_PROGRESS,
    NOT_STARTED,
    UNPLANNED,
    goal_progress,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.tasks.needs import Needs
    from director_ctx.project.tasks.progress import StepProgress

GOAL, STEP, TASK = "goal", "step", "task"
COMPLETED, READY, WAITING = "completed", "ready", "waiting"
_STATUS = {
    COMPLETE: COMPLETED,
    IN_PROGRESS: "in_progress",
    NOT_STARTED: "pending",
    UNPLANNED: "unplanned",
}
_SIZES = ("small", "medium", "large")


class Node(Record):
    """One goal, step or task. Its id is its reference: `1`, `1/2`, `1/2/3`; with its name where two
    have the same.
    """

    id: str
    position: int
    type: str
    description: str
    status: str
    path: str
    parent: str = ""
    needs: tuple[str, ...] = ()
    """What must be complete first, by id."""
    size: str = ""
    why: str = ""
    """What a waiting task waits for."""

    def as_json(self) -> dict[str, Any]:
        """As the seed writes a node; what is empty is left out."""
        node: dict[str, Any] = {
            "id": self.id,
            "position": self.position,
            "type": self.type,
            "config": _present(path=self.path, size=self.size),
            "description": self.description,
            "status": self.status,
        }
        if self.why:
            node["why"] = self.why
        node["relationships"] = _present(parent=self.parent, needs=list(self.needs))
        return node


def _present(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


def nodes(project: Project) -> tuple[Node, ...]:
    """Every goal, its steps and their tasks, in order."""
    return tuple(_nodes(project))


def _nodes(project: Project) -> Iterator[Node]:
    taken: set[str] = set()
    for goal in project.goals():
        progress = goal_progress(project, goal)
        id = told_apart(str(goal.number), goal.name, taken)
        yield Node(
            id=id,
            position=goal.number,
            type=GOAL,
            description=progress.title,
            status=_STATUS[progress.state],
            path=plain(goal.path),
        )
        for step_progress in progress.steps:
            place = Place(goal, step_progress.step)
            yield from _step_and_tasks(project, place, step_progress, id, taken)


def _step_and_tasks(
    project: Project,
    place: Place,
    progress: StepProgress,
    parent: str,
    taken: set[str],
) -> Iterator[Node]:
    step = progress.step
    name = f"{place.goal.name}/{step.name}"
    id = told_apart(place.ref, name, taken)
    text = project.text(f"{step.path}/STEP.md")
    needs = parse_needs(section(text, "needs first") or "")
    yield Node(
        id=id,
        position=step.number,
        type=STEP,
        description=progress.title,
        status=_STATUS[progress.state],
        path=plain(step.path),
        parent=parent,
        needs=_needed_ids(place, needs),
    )
    for task in project.tasks(step):
        here = place.replace(task=task)
        task_id = told_apart(here.ref, f"{name}/{task.name}", taken)
        yield _task(project, here, task_id, id)


def _task(
    project: Project,
    place: Place,
    id: str,
    parent: str,
) -> Node:
    task = place.task
    assert task
    text = project.text(task.path)
    needs = parse_needs(section(text, "needs first") or "")
    status = COMPLETED
    why = ""
    if not task.done:
        judged = readiness(project, place, needs)
        why = plain(judged.why)
        status = READY if judged.ready else WAITING
    return Node(
        id=id,
        position=task.number,
        type=TASK,
        description=project.title(task),
        status=status,
        path=plain(task.path),
        parent=parent,
        needs=_needed_ids(place, needs),
        size=_size(text),
        why=why,
    )


def _needed_ids(place: Place, needs: Needs) -> tuple[str, ...]:
    """Ids of the units that a text names; what stands in the order anyway is not repeated."""
    if needs.kind != EXPLICIT:
        return ()
    ids = (needed_id(place, reference) for reference in needs.references)
    return tuple(filter(None, ids))


def _size(text: str) -> str:
    words = section(text, "size")
    if not words:
        words, _ = field(text, "size")
    words = words.casefold()
    for size in _SIZES:
        if size in words:
            return size
    return ""


def changed_nodes(
    before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """What is different in `after`: nodes that came, went, or have other values, with both values."""
    old_nodes = {node["id"]: node for node in before}
    new_nodes = {node["id"]: node for node in after}
    changes: list[dict[str, Any]] = []
    for id, old in old_nodes.items():
        if id not in new_nodes:
            changes.append({"id": id, "change": "removed", "description": old.get("description")})

    for id, new in new_nodes.items():
        change = {"id": id, "change": "added", "description": new["description"]}
        if id not in old_nodes:
            change["status"] = new["status"]
            changes.append(change)
            continue
        fields = _fields(old_nodes[id], new)
        if fields:
            change["change"] = "changed"
            change["fields"] = fields
            changes.append(change)
    return changes


def _fields(old: dict[str, Any], new: dict[str, Any]) -> dict[str, list[Any]]:
    """The values that differ, before and after; first in the order of the new ones."""
    fields: dict[str, list[Any]] = {}
    for key in (*new, *old):
        before = old.get(key)
        after = new.get(key)
        if before != after:
            fields[key] = [before, after]
    return fields
