"""What came of one node: contexts it was worked on with, commits that touched it, its tasks in the
plan, variables.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.memory.plans import merge
from director_ctx.memory.plans.following import following
from director_ctx.memory.plans.tasks import every_task
from director_ctx.memory.plans.versions import current
from director_ctx.memory.runs.storage import read_runs
from director_ctx.memory.variables.display import shown, shown_name
from director_ctx.memory.variables.variables import variables
from director_ctx.project.git.revision import commits_of
from director_ctx.project.tasks.names import find_step, find_task
from director_ctx.project.tasks.nodes import TASK, nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Fields = dict[str, Any]

    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project
    from director_ctx.project.tasks.nodes import Node

MOST_COMMITS = 20


def results(project: Project, store: Store, name: str) -> Fields:
    """Everything that is on record for a node; lists that are empty say that nothing is."""
    node = find_node(project, name)
    fields = node.as_json()
    fields.pop("relationships", None)
    return {
        **fields,
        "contexts": list(_contexts(project, node)),
        "commits": _commits(project, node),
        "plan": list(_planned(project, store, node)),
        "variables": _variables(store, node),
    }


def find_node(project: Project, name: str) -> Node:
    """By its id, or a task by any of its names."""
    by_id = {node.id: node for node in nodes(project)}
    if name in by_id:
        return by_id[name]
    ref = _ref(project, name)
    node = by_id.get(ref)
    if node is None:
        raise DctxError(f"There is no node {name!r}.", "`dctx status --nodes` lists them.")
    return node


def _ref(project: Project, name: str) -> str:
    try:
        return find_task(project, name).ref
    except DctxError as error:
        try:
            place = find_step(project, None, name)
        except DctxError:
            raise error from None
        return place.ref if place else ""


def _contexts(project: Project, node: Node) -> Iterator[Fields]:
    """Those about the node, or about something below it."""
    for run in read_runs(project.root):
        is_below = run.task.startswith(f"{node.id}/")
        if run.task == node.id or is_below:
            yield {
                "run": run.id,
                "time": run.time,
                "agent": run.agent,
                "task": run.task,
                "tokens": run.used,
            }


def _commits(project: Project, node: Node) -> list[dict[str, str]]:
    """A finished task had another name before it was finished."""
    paths = [node.path]
    if node.type == TASK:
        stem = node.path.removesuffix(".md").removesuffix(".done")
        unfinished = f"{stem}.md"
        if unfinished != node.path:
            paths.append(unfinished)
    try:
        return commits_of(project.root, paths, MOST_COMMITS)
    except ValueError:
        return []


def _planned(project: Project, store: Store, node: Node) -> Iterator[Fields]:
    """The tasks of the plan that are about this node."""
    kept = current(store)
    if not kept:
        return
    version = following(project, kept) or kept
    for task in every_task(version.data):
        names = (task.name, *merge.nodes(task.task))
        if node.id in names:
            phase = task.phase.get("phase_name")
            yield {"phase": phase, **task.task}


def _variables(store: Store, node: Node) -> dict[str, str]:
    values: dict[str, str] = {}
    for variable in variables(store, node.id):
        name = shown_name(variable.name)
        values[name] = shown(variable.name, variable.stored)
    return values
