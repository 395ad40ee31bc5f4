"""`dctx plan show`, `update` and `set`: the plan as a to-do list, replaced as a whole, or one task
of it changed.
"""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, UsageProblem
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.plans.plan import plan_version
from director_ctx.memory.plans.rules import STATUSES, meant_status
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.memory.plans.diff import PlanChange
    from director_ctx.memory.plans.plan import PlanConflict, PlanUpdate

SIGN_STYLES = {"+": "green", "-": "red", "~": ""}


def show(values: dict[str, Any]) -> int:
    from director_ctx.doors.cli.memory.plan_list import to_do_list, version_line

    number = whole(values["version"], "--version")
    version = plan_version(project_here(values["root"]), number)
    if values["json"]:
        put_json(version.data)
    else:
        put_lines([*to_do_list(version.data), ("", ""), (version_line(version), "dim")])
    return OK


def whole(text: str | None, option: str) -> int | None:
    """The number that was given with an option."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageProblem(
            f"{option} {text}: that is not a version.",
            "Give its number, as `dctx plan history` shows it.",
        )
    return int(text)


def update(values: dict[str, Any]) -> int:
    from director_ctx.doors.cli.memory.plan_file import read_plan_file
    from director_ctx.memory.plans.plan import PlanConflict, update_plan

    reason = needed_reason(values)
    expected = whole(values["expect"], "--expect-version")
    project = project_here(values["root"])
    plan = read_plan_file(values["file"])
    try:
        result = update_plan(project, plan, reason, expected)
    except PlanConflict as conflict:
        return _conflict(conflict, values["json"])
    _warn(plan, result, expected)
    put_made(result, values["json"])
    return OK


def needed_reason(values: dict[str, Any]) -> str:
    reason = given_reason(values)
    if not reason:
        raise UsageProblem("Say why: --reason TEXT.", "It is kept in the plan's history.")
    return reason


def given_reason(values: dict[str, Any]) -> str:
    """The reason in one line, with a warning where it gives something away."""
    reason = " ".join((values["reason"] or "").split())
    warn_of_secrets(reason, "the reason")
    return reason


def _conflict(conflict: PlanConflict, as_json: bool) -> int:
    """Somebody was faster: what happened meanwhile is what the user needs to see."""
    from director_ctx.memory.plans.diff import change_json

    number = conflict.current.number if conflict.current else 0
    if as_json:
        since = [change_json(change) for change in conflict.changes]
        put_json({"conflict": {"expected": conflict.expected, "current": number}, "changes": since})
    elif conflict.changes:
        heading = f"From version {conflict.expected} to {number}:"
        put_lines([(heading, "bold"), *change_lines(conflict.changes)])
    say(conflict.message, conflict.hint)
    return FAILED


def _warn(plan: dict[str, Any], result: PlanUpdate, expected: int | None) -> None:
    """What the store wrote itself although the file says something else."""
    told = plan.get("plan_version")
    if expected is None and isinstance(told, (int, float)) and 0 < told < result.previous:
        told = int(told)
        say(
            f"warning: the file is of version {told}, and the plan was at {result.previous}; it was replaced.",
            f"`dctx plan diff {told} {result.previous}` shows what was in between; --expect-version {told} refuses.",
        )
    workflow = plan.get("workflow_id")
    if workflow and workflow != result.version.data.get("workflow_id"):
        say("warning: the file's workflow_id is another one; the plan has this project's now.")
    warn_of_secrets(plan)


def warn_of_secrets(said: Any, where: str = "the plan") -> None:
    from director_ctx.memory.plans.plan import secret_places

    places = secret_places(said)
    if not places:
        return
    listed = f" ({', '.join(places[:5])})" if isinstance(said, dict) else ""
    say(
        f"warning: there seems to be a password or a key in {where}{listed}.",
        "A plan is shown to every agent; `dctx vars set NAME --secret` keeps such a thing hidden.",
    )


def put_made(result: PlanUpdate, as_json: bool, title: str = "") -> None:
    """The new version, and what is different in it."""
    from director_ctx.memory.plans.diff import change_json

    number, previous = result.version.number, result.previous
    if as_json:
        changes = [change_json(change) for change in result.changes]
        put_json({"version": number, "previous": previous or None, "changes": changes})
        return

    if not title:
        title = f"Plan: version {number}"
        if previous:
            title += f" (was {previous})"
    lines = change_lines(result.changes) if previous else _first(result)
    if not lines:
        lines = [("  Nothing is different.", "dim")]
    put_lines([(title, "bold"), *lines])


def _first(result: PlanUpdate) -> list[tuple[str, str]]:
    from director_ctx.memory.plans.tasks import every_task, phases_of

    phases = phases_of(result.version.data)
    tasks = sum(1 for _ in every_task(result.version.data))
    return [(f"  The first one: {len(phases)} phases, {tasks} tasks", "")]


def change_lines(changes: Sequence[PlanChange]) -> list[tuple[str, str]]:
    from director_ctx.memory.plans.text import lines

    return [(f"  {sign} {text}", SIGN_STYLES[sign]) for sign, text in lines(changes)]


def set_status(values: dict[str, Any]) -> int:
    from director_ctx.memory.plans.plan import set_task

    status = values["status"]
    if status not in STATUSES:
        hint = f"A status is one of {', '.join(STATUSES)}."
        meant = meant_status(status)
        if meant:
            hint = f"Did you mean {meant}?"
        raise UsageProblem(f"{status!r} is not a status.", hint)

    project = project_here(values["root"])
    result = set_task(project, values["task"], status, values["note"], given_reason(values))
    warn_of_secrets(values["note"] or "", "the note")
    if not result.new:
        say(f"Task {values['task']} is {status} already; nothing was written.")
    put_made(result, values["json"])
    return OK
