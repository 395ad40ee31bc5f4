"""The snapshot of a project: a header and its nodes, now, when a context was assembled, or in a
revision.
"""

from __future__ import annotations

import json
import os

from director_ctx.base.errors import DctxError
from director_ctx.base.strict_json import strict_json
from director_ctx.context.settings.tags import SNAPSHOT
from director_ctx.memory.plans.following import statuses_beside_files
from director_ctx.memory.runs.storage import read_text
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.store import beginning_of_workflow, in_utc
from director_ctx.project.project import Project
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.fields import field
from director_ctx.project.tasks.nodes import COMPLETED, nodes
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from director_ctx.memory.runs.run import Run
    from director_ctx.memory.store.store import Store

    Object = dict[str, Any]
    Nodes = list[Object]


LONGEST_TIME = 40
NONE_BESIDE: dict[str, str] = {}


def snapshot(project: Project) -> Object:
    """The header and the nodes of a project."""
    with open_store(project) as store:
        return make_snapshot(project, store)


def make_snapshot(project: Project, store: Store) -> Object:
    """Everything but results. Times are those that are written down, so that every copy of a
    project says the same.
    """
    created, updated = _times(project, store)
    header = {
        "id": store.workflow or None,
        "name": project_name(project),
        "created_at": created or None,
        "updated_at": updated or None,
    }
    statuses = statuses_beside_files(project, store)
    return {"workflow": header, "nodes": _nodes_of(project, statuses)}


def _nodes_of(project: Project, statuses: Mapping[str, str] = NONE_BESIDE) -> Nodes:
    """The files' nodes; where the plan knows more of an open task, its status is the plan's."""
    return [
        node.replace(status=statuses.get(node.id, node.status)).as_json() for node in nodes(project)
    ]


def _times(project: Project, store: Store) -> tuple[str, str]:
    """When the workflow began and when STATE.md was brought up to date, in one form.

    People write the second by the clock on their wall, so it may seem to be before the first. It
    never is.
    """
    created = in_utc(beginning_of_workflow(store.engine, store.workflow))
    written, *_ = field(project.text(f"{FOLDER}/STATE.md"), "last updated")
    return created, max(created, in_utc(written[:LONGEST_TIME]))


def snapshot_text(
    snapshot: Object,
    wanted: Callable[[Object], bool] = lambda _: True,
) -> str:
    """As JSON, a node on a line: whole objects to read, and as few tokens as that allows."""
    lines = [f"    {strict_json(node)}" for node in snapshot["nodes"] if wanted(node)]
    text = ",\n".join(lines)
    listed = f"[\n{text}\n  ]" if lines else "[]"
    rest = len(snapshot["nodes"]) - len(lines)
    left_out = f',\n  "left_out": "{rest} completed nodes"' if rest else ""
    header = strict_json(snapshot["workflow"])
    return f'{{\n  "workflow": {header},\n  "nodes": {listed}{left_out}\n}}'


def is_open(node: Object) -> bool:
    return bool(node["status"] != COMPLETED)


def nodes_then(project: Project, run: Run) -> tuple[Nodes, str]:
    """Those that a run told its agent, or where it told none, those of the last commit before it;
    and which.
    """
    nodes_told = _nodes_told(project.root, run)
    if nodes_told is not None:
        return nodes_told, f"{run.agent}, {run.time}"
    # 6 ms, which an assembly that shows a snapshot does not wait for.
    from director_ctx.project.git.revision import commit_at

    try:
        commit = commit_at(project.root, run.time)
    except ValueError as error:
        hint = "`dctx assemble director` keeps one; in a git repository any run will do."
        raise DctxError(
            f"Run {run.id} kept no snapshot, and no commit tells of it: {error}.", hint
        ) from error
    of_commit, _ = nodes_in(project, commit)
    return of_commit, f"commit {commit[:12]}, the last one before {run.time}"


def _nodes_told(root: str, run: Run) -> Nodes | None:
    """The nodes of the snapshot that a run kept; None where there is none, it is gone, or was
    shortened.
    """
    hashes = [section.sha256 for section in run.sections if section.tag == SNAPSHOT]
    text = (hashes and read_text(root, hashes[0])) or ""
    try:
        # The tags of a section are around it.
        data = json.loads(text[text.index("{") : text.rindex("}") + 1])
        told = data["nodes"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if "left_out" in data or not isinstance(told, list):
        return None
    are_nodes = all(isinstance(node, dict) and isinstance(node.get("id"), str) for node in told)
    return told if are_nodes else None


def nodes_in(project: Project, revision: str) -> tuple[Nodes, str]:
    """The nodes of a commit, read from git's objects alone."""
    import tempfile

    from director_ctx.project.git.revision import commit_id, folder_at, unpack

    try:
        commit = commit_id(project.root, revision)
        top, place = folder_at(project.root, project.location(FOLDER))
        with tempfile.TemporaryDirectory(prefix="dctx-") as directory:
            # Nothing of the repository is run, as a checkout would.
            unpack(top, commit, place, os.path.join(directory, FOLDER))
            of_commit = _nodes_of(Project(directory))
    except (ValueError, OSError) as error:
        raise DctxError(
            f"The plan of {revision} cannot be read: {error}.", "Name a run or a commit."
        ) from error
    return of_commit, f"commit {commit[:12]}"
