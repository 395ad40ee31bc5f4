"""`dctx plan from-folder`, `check` and `schema`: the plan and the folder as one truth."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.plans.check import Checked, Disagreement
    from director_ctx.memory.plans.folder import Planned
    from director_ctx.project.project import Project


def from_folder(values: dict[str, Any]) -> int:
    from director_ctx.doors.cli.memory.plan import given_reason, put_made, warn_of_secrets
    from director_ctx.memory.plans.folder import plan_from_folder

    project = load_project(root=values["root"])
    if values["dry_run"]:
        return _dry_run(project, values["json"])
    made, found = plan_from_folder(project, given_reason(values))
    _say_dropped(found)
    warn_of_secrets(made.version.data)
    title = (
        ""
        if made.new
        else f"Plan: version {made.version.number} is that of the folder already; nothing was written"
    )
    if title and not values["json"]:
        put_lines([(f"{title}.", "")])
    else:
        put_made(made, values["json"])
    return OK


def _dry_run(project: Project, as_json: bool) -> int:
    from director_ctx.doors.cli.memory.plan_list import to_do_list
    from director_ctx.memory.plans.folder import planned

    found = planned(project)
    _say_dropped(found)
    if as_json:
        put_json(found.plan)
    else:
        put_lines(list(to_do_list(found.plan)))
    return OK


def _say_dropped(found: Planned) -> None:
    for task in found.dropped:
        say(f"Not in the folder any more, so not in the plan: {task}")


def check(values: dict[str, Any]) -> int:
    from director_ctx.memory.plans.check import check_plan
    from director_ctx.memory.plans.plan import plan_version

    project = load_project(root=values["root"])
    found = check_plan(project, plan_version(project).data)
    if values["json"]:
        put_json(_json(found))
    else:
        put_lines(_lines(found))
    return FAILED if found.disagreements else OK


def _json(found: Checked) -> dict[str, Any]:
    from director_ctx.base.record import as_dict

    return {
        "disagreements": [as_dict(one) for one in found.disagreements],
        "not_matched": list(found.not_matched),
    }


def _lines(found: Checked) -> list[tuple[str, str]]:
    lines = [(_line(one), "yellow") for one in found.disagreements]
    if found.disagreements:
        lines.append(
            (
                "  `dctx plan from-folder` writes what the folder says; `dctx task done` marks what is done",
                "dim",
            )
        )
    else:
        lines.append(("The plan and the folder agree.", ""))
    if found.not_matched:
        lines.append(("Only in the plan, so not compared:", "dim"))
        lines += [(f"  {task}", "dim") for task in found.not_matched]
    return lines


def _line(one: Disagreement) -> str:
    from director_ctx.memory.plans.check import ONLY_FOLDER, ONLY_PLAN

    if one.kind == ONLY_FOLDER:
        return f"{one.where}: missing in the plan: {one.folder}"
    if one.kind == ONLY_PLAN:
        return f"{one.where}: missing in the folder: {one.plan}"
    return f"{one.where}: {one.kind} in the plan: {one.plan}. The folder says: {one.folder}"


def schema(_: dict[str, Any]) -> int:
    from director_ctx.base.resources import read_shipped

    put(read_shipped("templates", "plan.schema.json"))
    return OK
