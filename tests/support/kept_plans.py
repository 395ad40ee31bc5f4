"""A plan that is kept, of what the folder says."""

from __future__ import annotations

from pathlib import Path

from director_ctx import load_project
from director_ctx.memory.plans.plan import current_plan, update_plan


def keep_plan(folder: Path, reason: str = "From the folder") -> None:
    """A version of what `dctx plan show` shows now."""
    project = load_project(root=str(folder))
    version = current_plan(project)
    assert version
    update_plan(project, version.data, reason)
