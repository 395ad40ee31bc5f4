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
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.tasks.needs import Needs

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
    taken: set[str] = set()
    found: list[Node] = []
    for goal in project.goals():
        progress = goal_progress(project, goal)
        place = Place(goal)
        id = told_apart(place.ref, place.names, taken)
        found.append(_node(project, place, id, GOAL, _STATUS[progress.state]))
        for step in progress.steps:
            place = Place(goal, step.step)
            step_id = told_apart(place.ref, place.names, taken)
            text = project.text(f"{step.step.path}/STEP.md")
            node = _node(project, place, step_id, STEP, _STATUS[step.state])
            found.append(node.replace(parent=id, needs=_needed_ids(place, _needs_in(text))))
            for task in project.tasks(step.step):
                here = place.replace(task=task)
                task_id = told_apart(here.ref, here.names, taken)
                found.append(_task(project, here, task_id).replace(parent=step_id))
    return tuple(found)


def _node(project: Project, place: Place, id: str, kind: str, status: str) -> Node:
    unit = place.units[-1]
    return Node(id, unit.number, kind, project.title(unit), status, plain(unit.path))


def _task(project: Project, place: Place, id: str) -> Node:
    task = place.task
    assert task
    text = project.text(task.path)
    needs = _needs_in(text)
    status = COMPLETED
    why = ""
    if not task.done:
        judged = readiness(project, place, needs)
        why = plain(judged.why)
        status = READY if judged.ready else WAITING
    node = _node(project, place, id, TASK, status)
    return node.replace(needs=_needed_ids(place, needs), size=_size(text), why=why)


def _needs_in(text: str) -> Needs:
    return parse_needs(section(text, "needs first") or "")


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
    new_ids = {node["id"] for node in after}
    changes: list[dict[str, Any]] = []
    for id, old in old_nodes.items():
        if id not in new_ids:
            changes.append({"id": id, "change": "removed", "description": old.get("description")})
    for new in after:
        known = old_nodes.get(new["id"])
        change = {"id": new["id"], "change": "added", "description": new["description"]}
        if known is None:
            changes.append({**change, "status": new["status"]})
            continue
        # First in the order of the new ones.
        keys = dict.fromkeys((*new, *known))
        fields = {
            key: [known.get(key), new.get(key)] for key in keys if known.get(key) != new.get(key)
        }
        if fields:
            changes.append({**change, "change": "changed", "fields": fields})
    return changes
