"""Every version of the plan, newest first, with what it changed; or those that changed one task."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.doors.ui.pages.plan_words import lines_in_words, reason_in_words
from director_ctx.memory.plans.diff import CHANGED, TASK, PlanChange, change_json, changes
from director_ctx.memory.plans.find import find_plan_task
from director_ctx.memory.plans.plan import plan_history
from director_ctx.memory.plans.rules import PENDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.plans.versions import Version

    Json = dict[str, Any]

MOST = 100
MOST_LINES = 3
"""Of what a version changed; its own page has all of it."""
CANNOT_BE_TOLD = "nothing that can be told"


def data(visit: Visit) -> Json:
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
    documents = None
    told: list[tuple[str, str]] = []
    if since is not None:
        documents = [change_json(change) for change in since]
        told = lines_in_words(since)
    return {
        "version": version.number,
        "created_at": version.created_at,
        "reason": version.reason,
        "changes": documents,
        "lines": [list(line) for line in told],
    }


def view(data: Json) -> Json:
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
