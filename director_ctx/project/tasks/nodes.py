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
from director_ctx.project.tasks.next import needed, readiness
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
        config = {"path": self.path, "size": self.size}
        links = {"parent": self.parent, "needs": list(self.needs)}
        return {
            "id": self.id,
            "position": self.position,
            "type": self.type,
            "config": {key: value for key, value in config.items() if value},
            "description": self.description,
            "status": self.status,
            **({"why": self.why} if self.why else {}),
            "relationships": {key: value for key, value in links.items() if value},
        }


def nodes(project: Project) -> tuple[Node, ...]:
    """Every goal, its steps and their tasks, in order."""
    return tuple(_nodes(project))


def _nodes(project: Project) -> Iterator[Node]:
    taken: set[str] = set()
    for goal in project.goals():
        progress = goal_progress(project, goal)
        id = told_apart(str(goal.number), goal.name, taken)
        yield Node(id, goal.number, GOAL, progress.title, _STATUS[progress.state], plain(goal.path))
        for step in progress.steps:
            yield from _step(project, Place(goal, step.step), step, id, taken)


def _step(
    project: Project, place: Place, progress: StepProgress, parent: str, taken: set[str]
) -> Iterator[Node]:
    step = progress.step
    name = f"{place.goal.name}/{step.name}"
    id = told_apart(place.ref, name, taken)
    text = project.text(f"{step.path}/STEP.md")
    needs = parse_needs(section(text, "needs first") or "")
    yield Node(
        id, step.number, STEP, progress.title, _STATUS[progress.state], plain(step.path), parent,
        _named(place, needs),
    )  # fmt: skip
    for task in project.tasks(step):
        here = place.replace(task=task)
        yield _task(project, here, told_apart(here.ref, f"{name}/{task.name}", taken), id)


def _task(project: Project, place: Place, id: str, parent: str) -> Node:
    task = place.task
    assert task
    text = project.text(task.path)
    needs = parse_needs(section(text, "needs first") or "")
    status, why = COMPLETED, ""
    if not task.done:
        judged = readiness(project, place, needs)
        status = READY if judged.ready else WAITING
        why = plain(judged.why)
    return Node(
        id, task.number, TASK, project.title(task), status, plain(task.path), parent,
        _named(place, needs), _size(text), why,
    )  # fmt: skip


def _named(place: Place, needs: Needs) -> tuple[str, ...]:
    """Ids of the units that a text names; what stands in the order anyway is not repeated."""
    if needs.kind != EXPLICIT:
        return ()
    ids = (needed(place, reference) for reference in needs.references)
    return tuple(filter(None, ids))


def _size(text: str) -> str:
    said = (section(text, "size") or field(text, "size")[0]).casefold()
    return next((size for size in _SIZES if size in said), "")


def changed(
    before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """What is different in `after`: nodes that came, went, or have other values, with both values."""
    old = {node["id"]: node for node in before}
    new = {node["id"]: node for node in after}
    found = [
        {"id": id, "change": "removed", "description": old[id].get("description")}
        for id in old
        if id not in new
    ]
    for id, node in new.items():
        if id not in old:
            found.append(
                {
                    "id": id,
                    "change": "added",
                    "description": node["description"],
                    "status": node["status"],
                }
            )
        elif fields := _fields(old[id], node):
            found.append(
                {
                    "id": id,
                    "change": "changed",
                    "description": node["description"],
                    "fields": fields,
                }
            )
    return found


def _fields(old: dict[str, Any], new: dict[str, Any]) -> dict[str, list[Any]]:
    keys = [*new, *(key for key in old if key not in new)]
    return {key: [old.get(key), new.get(key)] for key in keys if old.get(key) != new.get(key)}
