"""The nodes as they were: when a context was assembled, or in a revision of the repository."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.context.settings.tags import SNAPSHOT
from director_ctx.project.past import Past
from director_ctx.project.project import Project
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.nodes import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.runs.run import Run

    Nodes = list[dict[str, Any]]


def nodes_then(project: Project, run: Run) -> tuple[Nodes, str]:
    """Those that a run told its agent, or where it told none, those of the last commit before it; and which."""
    told = next((one.sha256 for one in run.sections if one.tag == SNAPSHOT), "")
    if told and (found := _told(project.root, told)) is not None:
        return found, f"{run.agent}, {run.time}"
    from director_ctx.project.git.revision import commit_at

    try:
        commit = commit_at(project.root, run.time)
    except ValueError as error:
        hint = "`dctx assemble director` keeps one; in a git repository any run will do."
        raise DctxError(f"Run {run.id} kept no snapshot, and no commit tells of it: {error}.", hint) from error
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
    return found if whole and all(isinstance(one, dict) and isinstance(one.get("id"), str) for one in found) else None


def nodes_in(project: Project, revision: str) -> tuple[Nodes, str]:
    """The nodes of a commit, read from git's objects alone."""
    import tempfile

    from director_ctx.project.git.revision import commit_id, head
    from director_ctx.project.git.unpack import unpack

    try:
        commit = commit_id(project.root, revision)
        here = head(project.root, project.location(FOLDER))
        with tempfile.TemporaryDirectory(prefix="dctx-") as place:
            unpack(here.top, commit, here.folder, os.path.join(place, FOLDER))
            then = Project(place)
            then.past = Past(here.top, commit)
            return [node.as_json() for node in nodes(then)], f"commit {commit[:12]}"
    except (ValueError, OSError) as error:
        raise DctxError(f"The plan of {revision} cannot be read: {error}.", "Name a run or a commit.") from error
