"""`dctx plan from-folder` and `check`: a version of what the folder says; what does not fit."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.record import as_dict
from director_ctx.doors.cli.memory.plan import optional_reason, put_new_version, warn_of_secrets
from director_ctx.doors.cli.memory.plan_list import to_do_list
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.plans.check import GONE, check_plan
from director_ctx.memory.plans.from_folder import plan_from_folder, planned
from director_ctx.memory.plans.plan import kept_plan, plan_version
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.plans.check import Checked, Disagreement
    from director_ctx.memory.plans.folder import FolderPlan
    from director_ctx.project.project import Project

_REMEDY = "  `dctx plan from-folder` makes a version without what is gone; earlier ones keep it"


def from_folder(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    if values["dry_run"]:
        return _dry_run(project, values["json"])

    result, folder = plan_from_folder(project, optional_reason(values))
    _say_dropped(folder)
    warn_of_secrets(result.version.data)
    if result.new or values["json"]:
        put_new_version(result, values["json"])
    else:
        version = f"version {result.version.number}"
        line = f"Plan: {version} agrees with the folder already; nothing was written."
        put_lines([(line, "")])
    return OK


def _dry_run(project: Project, as_json: bool) -> int:
    folder = planned(project)
    _say_dropped(folder)
    if as_json:
        put_json(folder.plan)
    else:
        put_lines(list(to_do_list(folder.plan)))
    return OK


def _say_dropped(folder: FolderPlan) -> None:
    """The earlier versions of the plan still have them."""
    for task in folder.dropped:
        say(f"Not in the folder any more, so not in the plan: {task}")


def check(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    checked = check_plan(project, _plan_to_check(project))
    if values["json"]:
        put_json(_json(checked))
    else:
        put_lines(_lines(checked))
    return FAILED if checked.disagreements else OK


def _plan_to_check(project: Project) -> dict[str, Any]:
    """What was written last; where nothing was, what the folder says, or that there is no plan."""
    kept = kept_plan(project)
    if kept:
        return kept.data
    return plan_version(project).data


def _json(checked: Checked) -> dict[str, Any]:
    return {
        "disagreements": [as_dict(disagreement) for disagreement in checked.disagreements],
        "not_matched": list(checked.not_matched),
    }


def _lines(checked: Checked) -> list[tuple[str, str]]:
    lines = []
    for disagreement in checked.disagreements:
        lines.append((_line(disagreement), "yellow"))
    if any(disagreement.kind == GONE for disagreement in checked.disagreements):
        lines.append((_REMEDY, "dim"))
    if not checked.disagreements:
        lines.append(("The plan and the folder agree.", ""))

    # Agents plan what has no file, too; that is no disagreement.
    if checked.not_matched:
        lines.append(("Only in the plan, so not compared:", "dim"))
    for task in checked.not_matched:
        lines.append((f"  {task}", "dim"))
    return lines


def _line(disagreement: Disagreement) -> str:
    where = disagreement.where
    if disagreement.kind == GONE:
        return f"{where}: in the plan and not in the folder any more: {disagreement.plan}"
    return f"{where}: {disagreement.plan} in the plan; {disagreement.folder}"
