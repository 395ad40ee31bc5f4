"""The snapshot of a project: a header and its nodes, as part 3 of a context shows them."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.context.settings.tags import SNAPSHOT
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.store import in_utc
from director_ctx.project.past import Past
from director_ctx.project.project import Project
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.fields import field
from director_ctx.project.tasks.nodes import COMPLETED, nodes
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.memory.runs.run import Run
    from director_ctx.memory.store.store import Store

    Nodes = list[dict[str, Any]]


LONGEST_TIME = 40
_BORN = "SELECT created_at FROM workflows WHERE id = ?"


def snapshot(project: Project) -> dict[str, Any]:
    """The header and the nodes of a project."""
    with open_store(project) as store:
        return make_snapshot(project, store)


def make_snapshot(project: Project, store: Store) -> dict[str, Any]:
    """Everything but results. Times are those that are written down, so that every copy of a
    project says the same.
    """
    found = [node.as_json() for node in nodes(project)]
    created, updated = _times(project, store)
    header = {
        "id": store.workflow or None,
        "name": project_name(project),
        "created_at": created or None,
        "updated_at": updated or None,
    }
    return {"workflow": header, "nodes": found}


def _times(project: Project, store: Store) -> tuple[str, str]:
    """When the workflow began and when STATE.md was brought up to date, in one form.

    People write the second by the clock on their wall, so it may seem to be before the first. It
    never is.
    """
    row = store.engine.row(_BORN, (store.workflow,))
    created = in_utc(str(row[0])) if row else ""

    written = field(project.text(f"{FOLDER}/STATE.md"), "last updated")[0]
    updated = in_utc(written[:LONGEST_TIME])
    return created, max(created, updated)


def snapshot_text(
    snapshot: dict[str, Any], wanted: Callable[[dict[str, Any]], bool] = lambda _: True
) -> str:
    """As JSON, a node on a line: whole objects to read, and as few tokens as that allows."""
    import json

    shown = [node for node in snapshot["nodes"] if wanted(node)]
    lines = ",\n".join(f"    {json.dumps(node, ensure_ascii=False)}" for node in shown)
    listed = f"[\n{lines}\n  ]" if lines else "[]"
    rest = len(snapshot["nodes"]) - len(shown)
    left = f',\n  "left_out": "{rest} completed nodes"' if rest else ""
    header = json.dumps(snapshot["workflow"], ensure_ascii=False)
    return f'{{\n  "workflow": {header},\n  "nodes": {listed}{left}\n}}'


def is_open(node: dict[str, Any]) -> bool:
    return bool(node["status"] != COMPLETED)


def nodes_then(project: Project, run: Run) -> tuple[Nodes, str]:
    """Those that a run told its agent, or where it told none, those of the last commit before it;
    and which.
    """
    told = next((one.sha256 for one in run.sections if one.tag == SNAPSHOT), "")
    if told and (found := _told(project.root, told)) is not None:
        return found, f"{run.agent}, {run.time}"
    from director_ctx.project.git.revision import commit_at

    try:
        commit = commit_at(project.root, run.time)
    except ValueError as error:
        hint = "`dctx assemble director` keeps one; in a git repository any run will do."
        raise DctxError(
            f"Run {run.id} kept no snapshot, and no commit tells of it: {error}.", hint
        ) from error
    found, _ = nodes_in(project, commit)
    return found, f"commit {commit[:12]}, the last one before {run.time}"


def _told(root: str, sha256: str) -> Nodes | None:
    """The nodes of a text that a run kept; None where it is gone, or was shortened."""
    import json

    from director_ctx.memory.runs.storage import read_text

    text = read_text(root, sha256) or ""
    try:
        data = json.loads(text[text.index("{") : text.rindex("}") + 1])
        found = data["nodes"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    whole = "left_out" not in data and isinstance(found, list)
    return (
        found
        if whole and all(isinstance(one, dict) and isinstance(one.get("id"), str) for one in found)
        else None
    )


def nodes_in(project: Project, revision: str) -> tuple[Nodes, str]:
    """The nodes of a commit, read from git's objects alone."""
    import tempfile

    from director_ctx.project.git.revision import commit_id, head, unpack

    try:
        commit = commit_id(project.root, revision)
        here = head(project.root, project.location(FOLDER))
        with tempfile.TemporaryDirectory(prefix="dctx-") as place:
            unpack(here.top, commit, here.folder, os.path.join(place, FOLDER))
            then = Project(place)
            then.past = Past(here.top, commit)
            return [node.as_json() for node in nodes(then)], f"commit {commit[:12]}"
    except (ValueError, OSError) as error:
        raise DctxError(
            f"The plan of {revision} cannot be read: {error}.", "Name a run or a commit."
        ) from error
