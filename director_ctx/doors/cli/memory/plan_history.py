"""`dctx plan history`, `diff`, `restore` and `export`: the versions of the plan."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.doors.cli.memory.plan import change_lines, needed_reason, put_made, whole
from director_ctx.doors.cli.shared.output import json_text, put, put_file, put_json
from director_ctx.doors.cli.shared.table import MOST_SHOWN, put_lines, put_table, rows_wanted
from director_ctx.memory.plans.diff import change_json, changes
from director_ctx.memory.plans.plan import NONE_YET, plan_history, plan_version, restore_plan
from director_ctx.memory.plans.text import in_short
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.plans.diff import Change
    from director_ctx.memory.plans.versions import Version


def history(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    most = last or (0 if values["json"] else MOST_SHOWN)
    found = plan_history(project_here(values["root"]), most + 1 if most else 0)
    if not found:
        raise DctxError(*NONE_YET)
    older = [None, *found]
    told = [
        (version, _since(before, version)) for before, version in zip(older, found, strict=False)
    ][-most:]
    if values["json"]:
        put_json([_json(version, since) for version, since in told])
        return OK
    put_table(
        [">Version", "Time", "Why", "What changed"],
        [_row(version, since) for version, since in told],
    )
    if not last and found[0].number > 1 and len(found) > most:
        put_lines(
            [(f"The last {most} of {found[-1].number}; --last N or --json shows more.", "dim")]
        )
    return OK


def _since(before: Version | None, version: Version) -> list[Change] | None:
    """What a version changed; None for the first one, and where a version cannot be read."""
    try:
        return changes(before.data, version.data) if before else None
    except DctxError:
        return None


def _json(version: Version, since: list[Change] | None) -> dict[str, Any]:
    told = None if since is None else [change_json(one) for one in since]
    return {
        "version": version.number,
        "created_at": version.created_at,
        "reason": version.reason,
        "changes": told,
    }


def _row(version: Version, since: list[Change] | None) -> list[str]:
    from director_ctx.doors.cli.contexts.budget_history import local

    short = (
        in_short(since) if since is not None else "the first one" if version.number == 1 else "?"
    )
    return [str(version.number), local(version.created_at), version.reason or "", short]


def diff(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    new = plan_version(project, whole(values["new"], "new"))
    number = whole(values["old"], "old")
    old = plan_version(project, max(1, new.number - 1) if number is None else number)
    found = changes(old.data, new.data)
    if values["json"]:
        put_json(
            {"from": old.number, "to": new.number, "changes": [change_json(one) for one in found]}
        )
        return OK
    title = f"From version {old.number} to {new.number}:"
    put_lines([(title, "bold"), *(change_lines(found) or [("  Nothing is different.", "dim")])])
    return OK


def restore(values: dict[str, Any]) -> int:
    reason = needed_reason(values)
    number = whole(values["version"], "version")
    made = restore_plan(project_here(values["root"]), number or 0, reason)
    put_made(
        made,
        values["json"],
        f"Plan: version {made.version.number}, which is {number} again (was {made.previous})",
    )
    return OK


def export(values: dict[str, Any]) -> int:
    form = values["format"] or "json"
    if form not in ("json", "markdown"):
        raise UsageProblem(f"--format {form} is unknown.", "It is json or markdown.")
    if values["all"] and (values["version"] or form != "json"):
        raise UsageProblem("--all is every version, as JSON.", "Leave out --version and --format.")
    project = project_here(values["root"])
    if values["all"]:
        text = json_text(_every(plan_history(project)))
    else:
        found = plan_version(project, whole(values["version"], "--version"))
        text = json_text(found.data) if form == "json" else _markdown(found)
    if values["output"]:
        put_file(values["output"], text)
    else:
        put(text)
    return OK


def _every(found: list[Version]) -> list[dict[str, Any]]:
    if not found:
        raise DctxError(*NONE_YET)
    return [
        {
            "version": one.number,
            "created_at": one.created_at,
            "reason": one.reason,
            "plan": one.data,
        }
        for one in found
    ]


def _markdown(version: Version) -> str:
    from director_ctx.memory.plans.text import plan_markdown

    return plan_markdown(version.data, version.number)
