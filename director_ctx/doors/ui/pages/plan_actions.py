"""What can be changed about the plan: each change is a new version, with its reason."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.doors.ui.pages.plan import WORDS
from director_ctx.doors.ui.pages.plan_words import lines_in_words
from director_ctx.doors.ui.visit import Done, TakeBack, number_in
from director_ctx.memory.plans.diff import TASK
from director_ctx.memory.plans.find import find_plan_task
from director_ctx.memory.plans.plan import PlanConflict, plan_version, update_plan
from director_ctx.memory.plans.rules import COMPLETED, FAILED, IN_PROGRESS, STATUSES
from director_ctx.memory.plans.set_task import TaskChange, change_task
from director_ctx.memory.plans.text import brief
from director_ctx.project.tasks.next import next_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.plans.plan import PlanUpdate
    from director_ctx.memory.plans.tasks import PhaseTask

    Form = dict[str, str]

LOOK_AGAIN = "The page shows it as it is now; decide again."


def set_status(visit: Visit, form: Form) -> Done:
    """A task's status, if it is still what the page showed; its file is renamed where it has one."""
    task, was, status = _meant(form)
    if status not in STATUSES:
        raise UsageProblem(f"{status[:40]!r} is not a status.", f"One of {', '.join(STATUSES)}.")
    planned = find_plan_task(plan_version(visit.project).data, task)
    before = str(planned.task.get("status"))
    taken_back = form.get("taken_back", "")
    if before == status and not taken_back:
        # Who presses twice means one.
        return Done(f"{task} {_stands(status)} already.", _then(visit, form, task))
    # Files change without a new version of the plan.
    if was and before != was:
        raise DctxError(_moved_on(planned, before, was), LOOK_AGAIN)

    waits = _waits(visit, task, status)
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
    says = _said(task, status, reason, result) + waits
    if taken_back and result.new:
        number = number_in(taken_back, "a version")
        says = f"Version {number} taken back: {task} is {WORDS[status].lower()} again."
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


def _moved_on(task: PhaseTask, now: str, was: str) -> str:
    named = f"{task.name} {brief(task.description)}"
    stands = f"stands at {_quoted(now)} by now, no longer at {_quoted(was)}"
    return f"{named} {stands}, so nothing was changed."


def _waits(visit: Visit, name: str, status: str) -> str:
    """What to know of a task that is begun or done before what it needs."""
    if status not in (IN_PROGRESS, COMPLETED):
        return ""
    for candidate in next_task(visit.project).waiting:
        if candidate.place.ref == name:
            return f" It was waiting: {candidate.readiness.why}."
    return ""


def _said(task: str, status: str, reason: str, result: PlanUpdate) -> str:
    if not result.new:
        return f"{task} {_stands(status)} already."
    why = ""
    if reason:
        why = f", because: {reason}"
    said = f"{task} {_stands(status)}{why} (version {result.version.number} of the plan)."
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
    about_tasks = [change for change in conflict.changes if change.what == TASK]
    changed = [text for _, text in lines_in_words(about_tasks or conflict.changes)]
    number = conflict.current.number if conflict.current else 0
    message = f"Somebody changed the plan meanwhile (version {number}), so nothing was changed"
    if not changed:
        message += "."
    return DctxError(message, LOOK_AGAIN, tuple(changed))


def _reason(form: Form) -> str:
    return " ".join(form.get("reason", "").split())


def _stands(status: str) -> str:
    if status == FAILED:
        return "has failed"
    return f"is {WORDS[status].lower()}"


def _quoted(status: str) -> str:
    """As buttons say it."""
    return (
        f"\N{LEFT DOUBLE QUOTATION MARK}{WORDS.get(status, status)}\N{RIGHT DOUBLE QUOTATION MARK}"
    )
