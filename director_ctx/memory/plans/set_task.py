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
    from collections.abc import Callable
    from typing import Any

    from director_ctx.memory.plans.merge import FolderTask
    from director_ctx.memory.store.open import Where
    from director_ctx.project.project import Project

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
    name, status = target.name, change.status
    # What the plan would not take shall not have renamed a file either.
    good(with_status(current, target, status, change.note))

    with open_store(project, write=True) as store:
        # Nor shall what comes too late.
        expect_version(store, expected)
        folder, in_folder = folder_of(project), None
        task = _folder_task(folder, name)
        is_completed = status == COMPLETED
        if folder and task and task.done != is_completed:
            set_done = finish if is_completed else reopen
            in_folder = set_done(folder.root, task.path, local_minute())
        _claim(folder_of(project), name, status)
        # Read once more, as the file may have another name now.
        folder = folder_of(project)

        def made(old: Plan | None) -> Plan | None:
            plan = plan_of(folder, old) if folder else old or {}
            # Somebody may have taken it out since, and no other one is meant then.
            same = [task for task in every_task(plan) if task.name == name]
            if not same:
                raise DctxError(
                    f"Task {name!r} is not in the plan any more.",
                    "`dctx plan show` lists the tasks that the plan has.",
                )
            new = with_status(plan, same[0], status, change.note)
            # Which phase is current, and what comes next, the folder says.
            return _changed(old, plan_of(folder, new) if folder else new)

        reason = change.reason or f"Task {name}: {status}"
        return change_plan(store, made, reason, expected).replace(folder=in_folder)


def _changed(old: Plan | None, new: Plan) -> Plan | None:
    """The new plan; None where it says what the old one says."""
    return None if old is not None and same_plan(old, new) else good(new)


def _claim(folder: Project | None, name: str, status: str) -> None:
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
    tasks = (task for phase in folder_phases(folder) for task in phase.tasks if task.ref == name)
    return next(tasks, None)


def follow_folder(
    project: Project, reason: str, prepared: Callable[[Plan], Plan] = lambda plan: plan
) -> str:
    """Writes what was just done in the folder into the plan that is kept, if one is; why it could
    not be, else an empty text.

    Nothing depends on it but the plan's history: whoever reads the plan sees the folder's state.
    """
    try:
        if kept_plan(project):
            change_plan(
                project,
                lambda old: None if old is None else _changed(old, plan_of(project, prepared(old))),
                reason,
            )
    except DctxError as error:
        return error.message
    return ""
