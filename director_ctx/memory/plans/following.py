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
    root = None
    if where is not None:
        root = where.root
    if root is None:
        return None
    project = Project(root)
    if isinstance(where, Project):
        project.kept = where.kept
    if has_steps(project):
        return project
    return None


def has_steps(project: Project) -> bool:
    return any(project.steps(goal) for goal in project.goals())


def following(project: Project, kept: Version | None) -> Version | None:
    """The kept version with the folder's state in it; without a kept one, what the folder says.

    Nothing is written: the same folder and the same version give the same plan, so it is made once
    for each of them.
    """
    name = "plan of the files"
    if kept:
        name = f"plan {kept.id} {kept.number}"
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
    text = _as_json({**stamps, **plan})
    if kept is None:
        return Version("", 0, text, "", None)
    return kept.replace(text=text, followed=True)


def _as_json(plan: Plan) -> str:
    # Completion reads no plan, and imports this all the same.
    import json

    return json.dumps(plan, ensure_ascii=False)


def open_in_folder(root: str, plan: Plan) -> list[str]:
    """Tasks that a plan calls completed, and that the files call open."""
    done: dict[str, bool] = {}
    for phase in folder_phases(Project(root)):
        for task in phase.tasks:
            done[task.ref] = task.done
    not_done: list[str] = []
    for planned in every_task(plan):
        is_completed = planned.task.get("status") == COMPLETED
        if is_completed and done.get(planned.name) is False:
            not_done.append(planned.name)
    return not_done


def start_begun(project: Project, plan: Plan) -> None:
    """Starts the tasks of the folder that a plan calls in progress and that nobody has begun."""
    statuses = {task.name: task.task.get("status") for task in every_task(plan)}
    for phase in folder_phases(project):
        for task in phase.tasks:
            is_new = statuses.get(task.ref) == IN_PROGRESS and not task.begun and not task.done
            if is_new:
                start(project, find_task(project, task.path), worker_here())


def statuses_beside_files(project: Project, store: Store) -> dict[str, str]:
    """By its reference, each task that is in progress or failed: file names cannot say either."""
    kept = current(store)
    statuses: dict[str, str] = {}
    version = following(project, kept)
    if version is None:
        return statuses
    for task in every_task(version.data):
        status = task.task.get("status")
        if status in (IN_PROGRESS, FAILED):
            statuses[task.name] = str(status)
    return statuses
