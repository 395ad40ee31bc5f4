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
    # Contexts about the node, or about something below it.
    runs = [
        run
        for run in read_runs(project.root)
        if run.task == node.id or run.task.startswith(f"{node.id}/")
    ]
    return {
        **fields,
        "contexts": [
            {
                "run": run.id,
                "time": run.time,
                "agent": run.agent,
                "task": run.task,
                "tokens": run.used,
            }
            for run in runs
        ],
        "commits": _commits(project, node),
        "plan": list(_planned(project, store, node)),
        "variables": {
            shown_name(row.name): shown(row.name, row.stored) for row in variables(store, node.id)
        },
    }


def find_node(project: Project, name: str) -> Node:
    """By its id, or a task by any of its names."""
    by_id = {node.id: node for node in nodes(project)}
    if name in by_id:
        return by_id[name]
    try:
        ref = find_task(project, name).ref
    except DctxError as error:
        try:
            place = find_step(project, None, name)
        except DctxError:
            raise error from None
        ref = place.ref if place else ""
    if ref not in by_id:
        raise DctxError(f"There is no node {name!r}.", "`dctx status --nodes` lists them.")
    return by_id[ref]


def _commits(project: Project, node: Node) -> list[dict[str, str]]:
    """A finished task had another name before it was finished."""
    paths = {node.path: None}
    if node.type == TASK:
        paths[node.path.removesuffix(".md").removesuffix(".done") + ".md"] = None
    try:
        return commits_of(project.root, list(paths), MOST_COMMITS)
    except ValueError:
        return []


def _planned(project: Project, store: Store, node: Node) -> Iterator[Fields]:
    """The tasks of the plan that are about this node."""
    kept = current(store)
    if not kept:
        return
    version = following(project, kept) or kept
    for task in every_task(version.data):
        if node.id in (task.name, *merge.nodes(task.task)):
            yield {"phase": task.phase.get("phase_name"), **task.task}
