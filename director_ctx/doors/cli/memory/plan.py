"""`dctx plan show`, `update` and `set`: the plan as a to-do list, replaced as a whole, or one task
of it changed.
"""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, UsageProblem
from director_ctx.base.resources import read_shipped
from director_ctx.base.text import plain
from director_ctx.doors.cli.memory.plan_list import to_do_list, version_line
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.upkeep_troubles import complaints
from director_ctx.memory.plans.diff import change_json
from director_ctx.memory.plans.following import open_in_folder
from director_ctx.memory.plans.plan import (
    PlanConflict,
    plan_version,
    secret_places,
    update_plan,
)
from director_ctx.memory.plans.rules import COMPLETED, STATUSES, meant_status
from director_ctx.memory.plans.set_task import set_task
from director_ctx.memory.plans.tasks import every_task, phases_of
from director_ctx.memory.plans.text import lines as lines_of
from director_ctx.memory.plans.text import plan_markdown
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.memory.plans.diff import PlanChange
    from director_ctx.memory.plans.plan import PlanUpdate
    from director_ctx.project.project import Project
    from director_ctx.upkeep.tasks import Upkeep

SIGN_STYLES = {"+": "green", "-": "red", "~": ""}
NOTHING_DIFFERENT = ("  Nothing is different.", "dim")


def show(values: dict[str, Any]) -> int:
    if values["schema"]:
        put(read_shipped("templates", "plan.schema.json"))
        return OK
    number = version_number(values["version"], "--version")
    version = plan_version(project_here(values["root"]), number)
    if values["json"]:
        put_json(version.data)
    elif values["markdown"]:
        put(plan_markdown(version.data, version.number))
    else:
        put_lines([*to_do_list(version.data), ("", ""), (version_line(version), "dim")])
    return OK


def version_number(text: str | None, option: str) -> int | None:
    """The number that was given with an option."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageProblem(
            f"{option} {text}: that is not a version of the plan.",
            "Give its number, as `dctx plan history` shows it.",
        )
    return int(text)


def update(values: dict[str, Any]) -> int:
    # It brings `json`; a task that is set or a plan that is shown does without.
    from director_ctx.doors.cli.memory.plan_file import read_plan_file

    reason = required_reason(values)
    expected = version_number(values["expect"], "--expect-version")
    project = project_here(values["root"])
    plan = read_plan_file(values["file"])
    try:
        result = update_plan(project, plan, reason, expected)
    except PlanConflict as conflict:
        return _conflict(conflict, values["json"])
    _warn(plan, result, expected)
    _warn_of_files(project, plan)
    put_new_version(result, values["json"])
    return OK


def required_reason(values: dict[str, Any]) -> str:
    reason = optional_reason(values)
    if not reason:
        raise UsageProblem(
            "No reason is given.",
            "Say why with --reason TEXT; the reason is kept with the version.",
        )
    return reason


def optional_reason(values: dict[str, Any]) -> str:
    """The reason in one line, with a warning where it gives something away."""
    reason = " ".join((values["reason"] or "").split())
    warn_of_secrets(reason, "the reason")
    return reason


def _conflict(conflict: PlanConflict, as_json: bool) -> int:
    """Somebody was faster: what happened meanwhile is what the user needs to see."""
    number = 0
    if conflict.current:
        number = conflict.current.number
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
    version = plan.get("plan_version")
    before = result.previous
    is_older = isinstance(version, (int, float)) and 0 < version < before
    # With --expect-version the same was refused before anything was written.
    if is_older and expected is None:
        number = int(version or 0)
        say(
            f"warning: the file was made from version {number}, and version {before} of the plan was "
            "replaced by it.",
            f"`dctx plan diff {number} {before}` shows the changes in between; "
            f"--expect-version {number} would have refused.",
        )
    workflow = plan.get("workflow_id")
    if workflow and workflow != result.version.data.get("workflow_id"):
        say(
            "warning: the file has the workflow_id of another project; the plan was saved with this project's."
        )
    warn_of_secrets(plan)


def _warn_of_files(project: Project | None, plan: dict[str, Any]) -> None:
    """That a task is completed in the file that was given, and open in the folder, which counts."""
    if project is None:
        return
    not_done = open_in_folder(project.root, plan)
    for ref in not_done:
        say(
            f"warning: {ref} is completed there and open in the folder, so it stays open.",
            f"`dctx task done {ref}` finishes it.",
        )


def warn_of_secrets(said: Any, where: str = "the plan") -> None:
    """That somebody may have written down what nobody should read."""
    places = secret_places(said)
    if not places:
        return
    # A reason or a note is one line, in which there are no places to name.
    listed = ""
    if isinstance(said, dict):
        listed = f" ({', '.join(places[:5])})"
    say(
        f"warning: there seems to be a password or a key in {where}{listed}.",
        "A plan is shown to every agent; `dctx vars set NAME --secret` keeps a secret hidden.",
    )


def put_new_version(result: PlanUpdate, as_json: bool, title: str = "") -> None:
    """The new version, and what is different in it."""
    number, previous = result.version.number, result.previous
    if as_json:
        changes = [change_json(change) for change in result.changes]
        put_json({"version": number, "previous": previous or None, "changes": changes})
        return

    if not title:
        title = f"Plan: version {number}"
        if previous:
            title += f" (was {previous})"
    if previous:
        lines = change_lines(result.changes) or [NOTHING_DIFFERENT]
    else:
        # Every task of it is new; a list of them would be the plan itself.
        lines = _first_version(result)
    put_lines([(title, "bold"), *lines])


def _first_version(result: PlanUpdate) -> list[tuple[str, str]]:
    phases = phases_of(result.version.data)
    tasks = list(every_task(result.version.data))
    return [(f"  The first one: {len(phases)} phases, {len(tasks)} tasks", "")]


def change_lines(changes: Sequence[PlanChange]) -> list[tuple[str, str]]:
    return [(f"  {sign} {text}", SIGN_STYLES[sign]) for sign, text in lines_of(changes)]


def set_status(values: dict[str, Any]) -> int:
    status = values["status"]
    if status == "done":
        status = COMPLETED
    if status not in STATUSES:
        hint = f"A status is one of {', '.join(STATUSES)}."
        meant = meant_status(status)
        if meant:
            hint = f"Did you mean {meant}?"
        raise UsageProblem(f"{status!r} is not a status.", hint)

    project = project_here(values["root"])
    result = set_task(project, values["task"], status, values["note"], optional_reason(values))
    warn_of_secrets(values["note"] or "", "the note")
    if not result.new:
        say(f"Task {values['task']} is {status} already; nothing was written.")
    put_new_version(result, values["json"])
    if result.folder:
        return _put_folder(result.folder, values["json"])
    return OK


def _put_folder(done: Upkeep, as_json: bool) -> int:
    """The file that was renamed for it; 1 if a record could not follow."""
    if done.renamed and not as_json:
        _, path = done.renamed
        put_lines([(f"  {plain(path)}", "")])
    return complaints(done)
