"""What can be changed about the plan: each change is a new version, with its reason."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.doors.ui.visit import Done, number_in
from director_ctx.memory.plans.find import find_plan_task
from director_ctx.memory.plans.plan import PlanConflict, plan_version, update_plan
from director_ctx.memory.plans.rules import STATUSES
from director_ctx.memory.plans.set_task import TaskChange, change_task
from director_ctx.memory.plans.text import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.plans.plan import PlanUpdate

    Form = dict[str, str]

LOOK_AGAIN = "The page shows it as it is now; decide again."


def set_status(visit: Visit, form: Form) -> Done:
    """A task's status, if it is still what the page showed; its file is renamed where it has one."""
    task, was, status = _meant(form)
    if status not in STATUSES:
        raise UsageProblem(f"{status[:40]!r} is not a status.", f"One of {', '.join(STATUSES)}.")
    _expect_status(visit, task, was)

    change = TaskChange(task, status, reason=_reason(form))
    seen = number_in(form.get("version", ""), "a version")
    try:
        result = change_task(visit.project, change, seen)
    except PlanConflict as conflict:
        raise _too_late(conflict) from conflict
    return Done(_said(task, status, result), _then(visit, form, task))


def _then(visit: Visit, form: Form, task: str) -> str:
    """The page that the form was on."""
    if form.get("then") == "task":
        return visit.link(f"tasks/{task}")
    shown_as = form.get("as", "")
    return visit.link("plan", **{"as": shown_as})


def _meant(form: Form) -> tuple[str, str, str]:
    """The task, what it was on the page, and what it is to be. In a list a button says all of it."""
    words = form.get("change", "").rsplit(" ", 2)
    if len(words) == 3:
        return words[0], words[1], words[2]
    return form.get("task", ""), form.get("was", ""), form.get("status", "")


def _expect_status(visit: Visit, name: str, was: str) -> None:
    """Files change without a new version of the plan."""
    task = find_plan_task(plan_version(visit.project).data, name)
    status = str(task.task.get("status"))
    if was and status != was:
        raise DctxError(
            f"{task.name} {task.description} is {_words(status)} by now, not {_words(was)},"
            " so nothing was changed.",
            LOOK_AGAIN,
        )


def _said(task: str, status: str, result: PlanUpdate) -> str:
    if not result.new:
        return f"{task} is {_words(status)} already."
    said = f"{task} is {_words(status)}: version {result.version.number} of the plan."
    if result.folder and result.folder.renamed:
        _, path = result.folder.renamed
        said += f" Its file is {path.rpartition('/')[2]} now."
    if result.folder:
        for failure in result.folder.failed:
            said += f" {failure.path}: {failure.why}."
    return said


def restore(visit: Visit, form: Form) -> Done:
    """An earlier version becomes the newest again; nothing is lost by it."""
    number = number_in(form.get("number", ""), "a version")
    expected = number_in(form.get("version", ""), "a version")
    plan = plan_version(visit.project, number).data
    reason = _reason(form) or f"Back to version {number}"
    try:
        result = update_plan(visit.project, plan, reason, expected)
    except PlanConflict as conflict:
        raise _too_late(conflict) from conflict
    says = f"Version {result.version.number} is a copy of version {number}."
    return Done(says, visit.link("plan/history"))


def _too_late(conflict: PlanConflict) -> DctxError:
    """Somebody was faster: what happened meanwhile is what the reader needs to see."""
    changed = tuple(f"{sign} {text}" for sign, text in lines(conflict.changes))
    return DctxError(conflict.message.rstrip("."), LOOK_AGAIN, changed)


def _reason(form: Form) -> str:
    return " ".join(form.get("reason", "").split())


def _words(status: str) -> str:
    return status.replace("_", " ")
