"""Tasks that somebody has started."""

from __future__ import annotations

from pathlib import Path

from director_ctx import load_project
from director_ctx.project.claims import Claim, Worker, start
from director_ctx.project.tasks.names import find_task


def started(root: Path | str, task: str, agent: str = "", seconds: int = 0, **worker: str) -> Claim:
    project = load_project(root=str(root))
    return start(project, find_task(project, task), Worker(agent=agent, **worker), seconds)
