"""The status of one task: in the plan and, where the task has a file, by the file's name."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.clock import local_minute
from director_ctx.memory.plans.diff import same_plan
from director_ctx.memory.plans.find import find_plan_task
from director_ctx.memory.plans.folder import folder_phases, plan_of
from director_ctx.memory.plans.following import folder_of
from director_ctx.memory.plans.plan import (
    PlanUpdate,
    change_plan,
    expect_version,
    good,
    kept_plan,
    plan_version,
)
from director_ctx.memory.plans.rules import COMPLETED, IN_PROGRESS
from director_ctx.memory.plans.tasks import every_task, with_status
from director_ctx.memory.store.open import open_store
from director_ctx.project.claims import end, start, worker_here
from director_ctx.project.tasks.names import find_task
from director_ctx.upkeep.tasks import finish, reopen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.plans.merge import FolderTask
    from director_ctx.memory.plans.tasks import PhaseTask
    from director_ctx.memory.store.open import Where
    from director_ctx.project.project import Project
    from director_ctx.upkeep.tasks import Upkeep

    Plan = dict[str, Any]


class TaskChange(Record):
    """A task of the plan, and what it is to be."""

    task: str
    status: str
    note: str | None = None
    reason: str = ""


def set_task(
    project: Where,
    task: str | int,
    status: str,
    note: str | None = None,
    reason: str = "",
) -> PlanUpdate:
    """Changes the status of one task, and what follows from it; no new version where that changes
    nothing. A task of the folder is finished or opened again there, too.
    """
    return change_task(project, TaskChange(str(task), status, note, reason))


def change_task(project: Where, change: TaskChange, expected: int | None = None) -> PlanUpdate:
    """The same; with `expected`, only on top of that version of the plan."""
    # Which task is meant is settled before the transaction; somebody may change the plan meanwhile.
    current = plan_version(project).data
    target = find_plan_task(current, change.task)
    named = change.replace(task=target.name)
    # What the plan would not take shall not have renamed a file either.
    good(with_status(current, target, change.status, change.note))

    reason = named.reason or f"Task {named.task}: {named.status}"
    with open_store(project, write=True) as store:
        # Nor shall what comes too late.
        expect_version(store, expected)
        in_folder = _in_folder(folder_of(project), named.task, named.status)
        _claimed(folder_of(project), named.task, named.status)
        # Read once more, as the file may have another name now.
        folder = folder_of(project)

        def make(old: Plan | None) -> Plan | None:
            return _changed(folder, old, named)

        update = change_plan(store, make, reason, expected)
    return update.replace(folder=in_folder)


def _changed(folder: Project | None, old: Plan | None, change: TaskChange) -> Plan | None:
    plan = _following(folder, old or {})
    target = _same_task(plan, change.task)
    changed = with_status(plan, target, change.status, change.note)
    # Which phase is current, and what comes next, the folder says.
    new = _following(folder, changed)
    if old is not None and same_plan(old, new):
        return None
    return good(new)


def _following(folder: Project | None, plan: Plan) -> Plan:
    if folder is None:
        return plan
    return plan_of(folder, plan)


def _same_task(plan: Plan, name: str) -> PhaseTask:
    """The task that was found before: somebody may have taken it out since, and no other one is
    meant then.
    """
    for task in every_task(plan):
        if task.name == name:
            return task
    raise DctxError(
        f"Task {name!r} is not in the plan any more.",
        "`dctx plan show` lists the tasks that the plan has.",
    )


def _in_folder(folder: Project | None, name: str, status: str) -> Upkeep | None:
    """Renames the task's file where its name says something else; None where nothing is to do."""
    task = _folder_task(folder, name)
    is_completed = status == COMPLETED
    if folder is None or task is None or task.done == is_completed:
        return None
    if is_completed:
        return finish(folder.root, task.path, local_minute())
    return reopen(folder.root, task.path, local_minute())


def _claimed(folder: Project | None, name: str, status: str) -> None:
    """Whoever calls a task of the folder in progress starts it; any other status gives it back."""
    task = _folder_task(folder, name)
    if folder is None or task is None or task.done:
        return
    place = find_task(folder, task.path)
    if status == IN_PROGRESS:
        start(folder, place, worker_here())
    else:
        end(folder, lambda claim: claim.task == place.names)


def _folder_task(folder: Project | None, name: str) -> FolderTask | None:
    if folder is None:
        return None
    for phase in folder_phases(folder):
        for task in phase.tasks:
            if task.ref == name:
                return task
    return None


def follow_folder(project: Project, reason: str) -> str:
    """Writes what was just done in the folder into the plan that is kept, if one is; why it could
    not be, else an empty text.

    Nothing depends on it but the plan's history: whoever reads the plan sees the folder's state.
    """

    def make(old: Plan | None) -> Plan | None:
        new = plan_of(project, old)
        if old is not None and same_plan(old, new):
            return None
        return good(new)

    try:
        if kept_plan(project):
            change_plan(project, make, reason)
    except DctxError as error:
        return error.message
    return ""
