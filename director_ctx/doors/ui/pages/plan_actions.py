"""What can be changed about the plan: each change is a new version, with its reason."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.doors.ui.pages.plan import WORDS
from director_ctx.doors.ui.visit import Done, TakeBack, number_in
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
    before = _expect_status(visit, task, was)

    reason = _reason(form)
    change = TaskChange(task, status, reason=reason)
    seen = number_in(form.get("version", ""), "a version")
    try:
        result = change_task(visit.project, change, seen)
    except PlanConflict as conflict:
        raise _too_late(conflict) from conflict
    undo = None
    if result.new:
        undo = _taken_back(form, f"{task} {status} {before}", result)
    says = _said(task, status, reason, result)
    if form.get("taken_back") and result.new:
        taken_back = number_in(form["taken_back"], "a version")
        says = f"Version {taken_back} taken back: {task} is {_words(status)} again."
    return Done(says, _then(visit, form, task), undo)


def _taken_back(form: Form, change: str, result: PlanUpdate) -> TakeBack:
    """The other way round, as long as nobody changes the plan meanwhile."""
    number = result.version.number
    fields = {
        "change": change,
        "version": str(number),
        "reason": f"Taken back: version {number}",
        "taken_back": str(number),
        "then": form.get("then", ""),
        "as": form.get("as", ""),
    }
    return TakeBack("plan/set", fields)


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
        task, was, status = words
        return task, was, status
    return form.get("task", ""), form.get("was", ""), form.get("status", "")


def _expect_status(visit: Visit, name: str, was: str) -> str:
    """Its status as it is: files change without a new version of the plan."""
    task = find_plan_task(plan_version(visit.project).data, name)
    status = str(task.task.get("status"))
    if was and status != was:
        raise DctxError(
            f"{task.name} {task.description} is {_words(status)} by now, not {_words(was)},"
            " so nothing was changed.",
            LOOK_AGAIN,
        )
    return status


def _said(task: str, status: str, reason: str, result: PlanUpdate) -> str:
    if not result.new:
        return f"{task} is {_words(status)} already."
    why = ""
    if reason:
        why = f", because: {reason}"
    said = f"{task} is {_words(status)}{why} (version {result.version.number} of the plan)."
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
    """As buttons say it."""
    return WORDS.get(status, status).lower()
