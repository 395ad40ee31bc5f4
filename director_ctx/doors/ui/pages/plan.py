"""The plan as a to-do list and as a board, its versions, and what can be changed about it: each change is a new
version, with its reason.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.context.place import next_json
from director_ctx.doors.ui.visit import Done, NotThere, TakeBack, Visit, number_in
from director_ctx.memory.plans.diff import CHANGED, PLAN, TASK, PlanChange, change_json, changes
from director_ctx.memory.plans.find import find_plan_task
from director_ctx.memory.plans.plan import (
    PlanConflict,
    PlanUpdate,
    current_plan,
    kept_plan,
    plan_history,
    plan_version,
    update_plan,
)
from director_ctx.memory.plans.rules import COMPLETED, FAILED, IN_PROGRESS, PENDING
from director_ctx.memory.plans.set_task import TaskChange, change_task
from director_ctx.memory.plans.tasks import counted, phases_of, tasks_of
from director_ctx.memory.plans.text import brief, lines, plan_markdown
from director_ctx.project.tasks.next import next_task, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from director_ctx.project.project import Project

    Json = dict[str, Any]
    from collections.abc import Sequence

    Line = tuple[str, str]

    Form = dict[str, str]
    from director_ctx.memory.plans.versions import Version

LIST, BOARD = "list", "board"
STATUSES = (PENDING, IN_PROGRESS, COMPLETED, FAILED)
"""In the order of the board's columns, and of the keys 1 to 4."""
WORDS = {PENDING: "To do", IN_PROGRESS: "In progress", COMPLETED: "Done", FAILED: "Failed"}
BELOW = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
"""Between a goal and its step, in the name of a phase."""
MOST_DONE = 30
"""Cards in the column of what is done; a board is about the others."""


def plan_data(visit: Visit) -> Json:
    """The plan as it is now; of what is beside it, which tasks have a file."""
    version = current_plan(visit.project)
    shown: Json = {"as": BOARD if visit.asked("as") == BOARD else LIST, "version": 0, "plan": None}
    if version is None:
        return shown
    upcoming = next_task(visit.project)
    return {
        **shown,
        "version": version.number,
        "created_at": version.created_at,
        "reason": version.reason,
        "followed": version.followed,
        "in_folder": [place.ref for place in places(visit.project)],
        # By task, why it cannot be begun yet.
        "waiting": {waits.place.ref: waits.readiness.why for waits in upcoming.waiting},
        "taken": next_json(visit.project, upcoming)["in_progress"],
        "plan": version.data,
    }


def plan_view(data: Json) -> Json:
    plan = data["plan"]
    common = {
        "as_board": data["as"] == BOARD,
        "statuses": STATUSES,
        "words": WORDS,
        "version": data["version"],
        "phases": [],
    }
    if plan is None:
        return {**common, "empty": True}
    current = plan.get("current_phase")
    phases = [_phase(each, each.get("phase_name") == current, data) for each in phases_of(plan)]
    tasks = [task for phase in phases for task in phase["tasks"]]
    return {
        **common,
        "empty": False,
        "goal": _text(plan.get("overall_goal")),
        "phases": phases,
        "groups": _by_goal(phases),
        "columns": [_column(status, tasks) for status in STATUSES],
        "done": sum(task["status"] == COMPLETED for task in tasks),
        "total": len(tasks),
        "next_actions": _texts(plan.get("next_actions"), data["in_folder"]),
        "blockers": _texts(plan.get("blockers")),
        "notes": _texts(plan.get("notes")),
        "taken": data["taken"],
        "since": data,
    }


def _phase(phase: Json, is_current: bool, data: Json) -> Json:
    tasks = tasks_of(phase)
    done, total = counted(tasks)
    name = _text(phase.get("phase_name"))
    goal, _, step = name.rpartition(BELOW)
    status = phase.get("status")
    shown = {"name": name, "goal": goal, "step": step}
    return {
        **shown,
        "status": status,
        "current": is_current,
        # Who opens the plan looks for what is left of it.
        "folded": status == COMPLETED and not is_current,
        "done": done,
        "total": total,
        "tasks": [_task(task, shown, data) for task in tasks],
    }


def _by_goal(phases: list[Json]) -> list[Json]:
    """Steps of a goal that stand together, below its name; others by themselves."""
    groups: list[Json] = []
    for phase in phases:
        is_new = not groups or not phase["goal"] or groups[-1]["title"] != phase["goal"]
        if is_new:
            groups.append({"title": phase["goal"], "phases": [], "open": False})
        groups[-1]["phases"].append(phase)
        groups[-1]["open"] |= not phase["folded"]
    return groups


def _task(task: Json, phase: Json, data: Json) -> Json:
    name = _text(task.get("task_id"))
    status = task.get("status")
    # Another program may have written it.
    if status not in STATUSES:
        status = PENDING
    waits = ""
    if status == PENDING:
        waits = data["waiting"].get(name, "")
    return {
        "id": name,
        "title": _text(task.get("description")) or name,
        "status": status,
        "waits": waits,
        "notes": _text(task.get("notes"), keep=True),
        "phase": phase["name"],
        "step": phase["step"],
        "has_file": name in data["in_folder"],
    }


def _column(status: str, tasks: list[Json]) -> Json:
    cards = [task for task in tasks if task["status"] == status]
    # The last of what is done first: they were finished last.
    shown = cards[-MOST_DONE:][::-1] if status == COMPLETED else cards
    return {"status": status, "count": len(cards), "cards": shown}


def _texts(value: Any, in_folder: Collection[str] = ()) -> list[Json]:
    """Agents write one text or a list of them, and a plan keeps what they wrote. One that begins with a
    task leads to it.
    """
    if not isinstance(value, list):
        value = [value]
    rows: list[Json] = []
    for part in value:
        text = _text(part, keep=True)
        ref, colon, rest = text.partition(":")
        if ref in in_folder:
            rows.append({"ref": ref, "rest": colon + rest})
        elif text.strip():
            rows.append({"ref": "", "rest": text})
    return rows


def _text(value: Any, keep: bool = False) -> str:
    if value is None:
        return ""
    if keep:
        return str(value)
    return " ".join(str(value).split())


ARROW = "\N{RIGHTWARDS ARROW}"


def lines_in_words(differences: Sequence[PlanChange]) -> list[Line]:
    """A line for each change, as `lines` has them for a terminal."""
    return [
        (sign, _in_words(change, text)) for change in differences for sign, text in lines([change])
    ]


def _in_words(change: PlanChange, text: str) -> str:
    if change.what != PLAN and change.field == "status":
        name = f"{change.name} {brief(change.label)}".strip()
        return f"{name}: {_word(change.before)} {ARROW} {_word(change.after)}"
    if change.what == PLAN and change.field:
        field, _, rest = text.partition(":")
        text = f"{field.replace('_', ' ').capitalize()}:{rest}"
    if change.kind == CHANGED:
        return text.replace(" -> ", f" {ARROW} ")
    return text


def reason_in_words(reason: str | None) -> str:
    """The reason that is written where nobody gave one has a status in it."""
    if not reason:
        return ""
    begins, _, status = reason.rpartition(": ")
    if begins.startswith("Task ") and status in STATUSES:
        return f"{begins}: {_word(status)}"
    return reason


def newest_reasons(project: Project) -> dict[str, str]:
    """By task, why the newest version changed its status, where somebody said why."""
    versions = plan_history(project, 2)
    if len(versions) < 2:
        return {}
    before, newest = versions
    reason = newest.reason or ""
    was_given = reason_in_words(reason) == reason
    if not was_given:
        return {}
    changed = changes(before.data, newest.data)
    tasks = [each for each in changed if each.what == TASK and each.field == "status"]
    return {change.name: reason for change in tasks}


def _word(status: object) -> str:
    name = str(status)
    return WORDS.get(name, name)


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
        raise DctxError(
            f"{planned.name} {brief(planned.description)} stands at {_quoted(before)} by now, "
            f"no longer at {_quoted(was)}, so nothing was changed.",
            LOOK_AGAIN,
        )

    waits = _waits(visit, task, status)
    reason = _reason(form)
    change = TaskChange(task, status, reason=reason)
    seen = number_in(form.get("version", ""), "a version")
    try:
        result = change_task(visit.project, change, seen)
    except PlanConflict as conflict:
        raise _too_late(conflict) from conflict
    undo = _taken_back(form, f"{task} {status} {before}", result) if result.new else None
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
    return visit.link("plan", **{"as": form.get("as", "")})


def _meant(form: Form) -> tuple[str, str, str]:
    """The task, what it was on the page, and what it is to be. In a list a button says all of it."""
    match form.get("change", "").rsplit(" ", 2):
        case [task, was, status]:
            return task, was, status
    return form.get("task", ""), form.get("was", ""), form.get("status", "")


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
    why = f", because: {reason}" if reason else ""
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


MOST = 100
MOST_LINES = 3
"""Of what a version changed; its own page has all of it."""
CANNOT_BE_TOLD = "nothing that can be told"


def plan_history_data(visit: Visit) -> Json:
    task = visit.asked("task")
    # One more than is shown: what a version changed is told by the one before it.
    versions = plan_history(visit.project, MOST + 1)
    rows = []
    before: Version | None = None
    for version in versions:
        since = _changes(before, version)
        if task:
            since = _of_task(task, version, since)
        if since or not task:
            rows.append(_row(version, since))
        before = version
    return {"task": task, "versions": rows[-MOST:]}


def _of_task(task: str, version: Version, since: list[PlanChange] | None) -> list[PlanChange]:
    """What was changed about it. With the first version it may have been begun."""
    if since is not None:
        return [change for change in since if change.what == TASK and change.name == task]
    try:
        planned = find_plan_task(version.data, task)
    except DctxError:
        return []
    status = planned.task.get("status")
    if status == PENDING:
        return []
    return [PlanChange(CHANGED, TASK, task, "status", PENDING, status, label=planned.description)]


def _changes(before: Version | None, version: Version) -> list[PlanChange] | None:
    """None where there is nothing to compare it with."""
    if before is None:
        return None
    try:
        return changes(before.data, version.data)
    except DctxError:
        return None


def _row(version: Version, since: Sequence[PlanChange] | None) -> Json:
    return {
        "version": version.number,
        "created_at": version.created_at,
        "reason": version.reason,
        "changes": None if since is None else [change_json(change) for change in since],
        "lines": [list(line) for line in lines_in_words(since or ())],
    }


def plan_history_view(data: Json) -> Json:
    rows = []
    for row in reversed(data["versions"]):
        told = row["lines"]
        if not told:
            is_first = row["version"] == 1
            told = [["", "the first one" if is_first else CANNOT_BE_TOLD]]
        more = len(told) - MOST_LINES
        shown = {
            **row,
            "reason": reason_in_words(row["reason"]),
            "lines": told[:MOST_LINES],
            "more": max(0, more),
        }
        rows.append(shown)
    return {"task": data["task"], "rows": rows}


def plan_version_data(visit: Visit) -> Json:
    """Compared with the one before it, or with the one that is asked for."""
    version = _version(visit, visit.parts["number"])
    before = str(max(1, version.number - 1))
    older = _version(visit, visit.asked("from") or before)
    changed = changes(older.data, version.data)
    newest = kept_plan(visit.project) or version
    return {
        "version": version.number,
        "from": older.number,
        "newest": newest.number,
        "created_at": version.created_at,
        "reason": version.reason,
        "changes": [change_json(change) for change in changed],
        "lines": [list(line) for line in lines_in_words(changed)],
        "text": plan_markdown(version.data, version.number),
    }


def _version(visit: Visit, number: str) -> Version:
    wanted = number_in(number, "a version of the plan")
    try:
        return plan_version(visit.project, wanted)
    except DctxError as error:
        raise NotThere(error.message, error.hint) from error


def plan_version_view(data: Json) -> Json:
    shown = {**data, "reason": reason_in_words(data["reason"])}
    return {"shown": shown, "may_restore": data["version"] != data["newest"]}
