"""The kept plan as it is now: what the folder says since, with what only the plan knows beside it."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.memory.plans.diff import same_plan
from director_ctx.memory.plans.folder import folder_phases, plan_of
from director_ctx.memory.plans.rules import COMPLETED, FAILED, IN_PROGRESS, STAMPS
from director_ctx.memory.plans.tasks import every_task
from director_ctx.memory.plans.versions import Version, current
from director_ctx.project.claims import start, worker_here
from director_ctx.project.project import Project
from director_ctx.project.tasks.names import find_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.store.open import Where
    from director_ctx.memory.store.store import Store

    Plan = dict[str, Any]


def folder_of(where: Where) -> Project | None:
    """The folder that a plan follows, read anew; None where there is none, or no step in it yet."""
    root = where.root if where is not None else None
    if root is None:
        return None
    project = Project(root)
    if isinstance(where, Project):
        project.kept = where.kept
    return project if has_steps(project) else None


def has_steps(project: Project) -> bool:
    return any(project.steps(goal) for goal in project.goals())


def following(project: Project, kept: Version | None) -> Version | None:
    """The kept version with the folder's state in it; without a kept one, what the folder says.

    Nothing is written: the same folder and the same version give the same plan, so it is made once
    for each of them.
    """
    name = f"plan {kept.id} {kept.number}" if kept else "plan of the files"
    return project.once(name, lambda: _followed(project, kept))


def _followed(project: Project, kept: Version | None) -> Version | None:
    if not has_steps(project):
        return kept
    old: Plan = {}
    try:
        if kept:
            old = kept.data
    except DctxError:
        # Whoever reads it is told that it is damaged.
        return kept

    plan = plan_of(project, old)
    if kept and same_plan(old, plan):
        return kept
    # The folder has no stamps; those of the kept version stay.
    stamps = {name: old[name] for name in STAMPS if name in old}
    # Completion reads no plan, and imports this all the same.
    import json

    text = json.dumps({**stamps, **plan}, ensure_ascii=False)
    if kept is None:
        return Version("", 0, text, "", None)
    return kept.replace(text=text, followed=True)


def open_in_folder(root: str, plan: Plan) -> list[str]:
    """Tasks that a plan calls completed, and that the files call open."""
    tasks = [task for phase in folder_phases(Project(root)) for task in phase.tasks]
    still_open = {task.ref for task in tasks if not task.done}
    return [
        task.name
        for task in every_task(plan)
        if task.task.get("status") == COMPLETED and task.name in still_open
    ]


def start_begun(project: Project, plan: Plan) -> None:
    """Starts the tasks of the folder that a plan calls in progress and that nobody has begun."""
    statuses = {task.name: task.task.get("status") for task in every_task(plan)}
    for phase in folder_phases(project):
        for task in phase.tasks:
            if statuses.get(task.ref) == IN_PROGRESS and not (task.begun or task.done):
                start(project, find_task(project, task.path), worker_here())


def statuses_beside_files(project: Project, store: Store) -> dict[str, str]:
    """By its reference, each task that is in progress or failed: file names cannot say either."""
    version = following(project, current(store))
    tasks = every_task(version.data) if version else ()
    statuses = {task.name: str(task.task.get("status")) for task in tasks}
    return {name: status for name, status in statuses.items() if status in (IN_PROGRESS, FAILED)}
