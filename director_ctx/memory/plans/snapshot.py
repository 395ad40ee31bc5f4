"""The snapshot of a project: a header and its nodes, as part 3 of a context shows them."""

from __future__ import annotations

from director_ctx.memory.store.ids import in_utc
from director_ctx.memory.store.open import open_store
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.fields import field
from director_ctx.project.tasks.nodes import COMPLETED, nodes
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

LONGEST_TIME = 40
_BORN = "SELECT created_at FROM workflows WHERE id = ?"


def snapshot(project: Project) -> dict[str, Any]:
    """The header and the nodes of a project."""
    with open_store(project) as store:
        return make_snapshot(project, store)


def make_snapshot(project: Project, store: Store) -> dict[str, Any]:
    """Everything but results. Times are those that are written down, so that every copy of a project says the same."""
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

    People write the second by the clock on their wall, so it may seem to be before the first. It never is.
    """
    row = store.engine.row(_BORN, (store.workflow,))
    created = in_utc(str(row[0])) if row else ""

    written = field(project.text(f"{FOLDER}/STATE.md"), "last updated")[0]
    updated = in_utc(written[:LONGEST_TIME])
    return created, max(created, updated)


def snapshot_text(snapshot: dict[str, Any], wanted: Callable[[dict[str, Any]], bool] = lambda _: True) -> str:
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
