"""A project in the list of several: its name, how far it is, what is next."""

from __future__ import annotations

from director_ctx.context.place import next_json
from director_ctx.project.tasks.next import next_task, places
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project


def summary(project: Project) -> dict[str, Any]:
    tasks = [place.task for place in places(project) if place.task]
    return {
        "name": project_name(project),
        "root": project.root,
        "done": sum(task.done for task in tasks),
        "total": len(tasks),
        "next": next_json(project, next_task(project))["task"],
    }
