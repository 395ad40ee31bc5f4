"""Tasks by the ids of another tool's plan, which their last section says."""

from __future__ import annotations

from director_ctx.project.reading.markdown import section
from director_ctx.project.taken import ORIGINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place


def called_in_source(project: Project, scope: Sequence[Place], name: str) -> list[Place]:
    """Those that another tool's plan calls so: `T006`, `#3`, `TASK-4`."""
    if project.kind(ORIGINS) != "file":
        return []
    wanted = name.casefold()
    matching: list[Place] = []
    for place in scope:
        text = project.text(place.task.path) if place.task else ""
        _, _, id = (section(text, "source") or "").strip().partition(": ")
        if id.casefold() == wanted:
            matching.append(place)
    return matching
