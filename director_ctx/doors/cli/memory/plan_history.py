"""`dctx plan history`, `diff` and `restore`: the versions of the plan."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError
from director_ctx.doors.cli.memory.plan import (
    NOTHING_DIFFERENT,
    change_lines,
    put_new_version,
    required_reason,
    version_number,
)
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import most_rows, put_lines, put_table, rows_wanted
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.memory.plans.diff import change_json, changes
from director_ctx.memory.plans.plan import NONE_YET, plan_history, plan_version, restore_plan
from director_ctx.memory.plans.text import in_short
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.plans.diff import PlanChange
    from director_ctx.memory.plans.versions import Version


def history(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    most = most_rows(last, values["json"])
    # One more than is shown: what a version changed is told by the one before it.
    asked = 0
    if most:
        asked = most + 1
    versions = plan_history(project_here(values["root"]), asked)
    if not versions:
        raise DctxError(*NONE_YET)

    with_changes = []
    before: Version | None = None
    for version in versions:
        with_changes.append((version, _since(before, version)))
        before = version
    with_changes = with_changes[-most:]

    if values["json"]:
        put_json([_json(version, since) for version, since in with_changes])
        return OK
    rows = [_row(version, since) for version, since in with_changes]
    put_table([">Version", "Time", "Why", "What changed"], rows)
    if not last and versions[0].number > 1 and len(versions) > most:
        newest = versions[-1].number
        put_lines([(f"The last {most} of {newest}; --last N or --json shows more.", "dim")])
    return OK


def _since(before: Version | None, version: Version) -> list[PlanChange] | None:
    """What a version changed; None for the first one, and where a version cannot be read."""
    if before is None:
        return None
    try:
        return changes(before.data, version.data)
    except DctxError:
        return None


def _json(version: Version, since: list[PlanChange] | None) -> dict[str, Any]:
    documents = None
    if since is not None:
        documents = [change_json(change) for change in since]
    return {
        "version": version.number,
        "created_at": version.created_at,
        "reason": version.reason,
        "changes": documents,
    }


def _row(version: Version, since: list[PlanChange] | None) -> list[str]:
    if since is not None:
        short = in_short(since)
    elif version.number == 1:
        short = "the first one"
    else:
        short = "?"
    return [str(version.number), local_time(version.created_at), version.reason or "", short]


def diff(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    new = plan_version(project, version_number(values["new"], "new"))
    number = version_number(values["old"], "old")
    if number is None:
        # The first one is compared with itself: nothing came before it.
        number = max(1, new.number - 1)
    old = plan_version(project, number)

    changed = changes(old.data, new.data)
    if values["json"]:
        documents = [change_json(change) for change in changed]
        put_json({"from": old.number, "to": new.number, "changes": documents})
        return OK

    title = f"From version {old.number} to {new.number}:"
    lines = change_lines(changed) or [NOTHING_DIFFERENT]
    put_lines([(title, "bold"), *lines])
    return OK


def restore(values: dict[str, Any]) -> int:
    reason = required_reason(values)
    number = version_number(values["version"], "version")
    result = restore_plan(project_here(values["root"]), number or 0, reason)
    now = f"version {result.version.number}"
    title = f"Plan: {now}, a copy of {number} (before: {result.previous})"
    put_new_version(result, values["json"], title)
    return OK
