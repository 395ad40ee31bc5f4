"""Plans that are kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from director_ctx import load_project
from director_ctx.memory.plans import versions
from director_ctx.memory.plans.plan import current_plan, update_plan
from director_ctx.memory.plans.versions import Version
from director_ctx.memory.store.store import Store


def keep_plan(folder: Path, reason: str = "From the folder") -> None:
    """A version of what `dctx plan show` shows now."""
    project = load_project(root=str(folder))
    version = current_plan(project)
    assert version
    update_plan(project, version.data, reason)


def new_version(
    store: Store, plan: Mapping[str, Any], reason: str, expected: int | None = None
) -> Version:
    """The plan as the newest version in a store."""
    version = versions.change(store, lambda _: plan, reason, expected)
    assert version
    return version
