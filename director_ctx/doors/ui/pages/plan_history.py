"""Every version of the plan, newest first, with what it changed."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.memory.plans.diff import change_json, changes
from director_ctx.memory.plans.plan import plan_history
from director_ctx.memory.plans.text import in_short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.plans.diff import PlanChange
    from director_ctx.memory.plans.versions import Version

    Json = dict[str, Any]

MOST = 100


def data(visit: Visit) -> Json:
    # One more than is shown: what a version changed is told by the one before it.
    versions = plan_history(visit.project, MOST + 1)
    rows = []
    before: Version | None = None
    for version in versions:
        rows.append(_row(before, version))
        before = version
    return {"versions": rows[-MOST:]}


def _row(before: Version | None, version: Version) -> Json:
    since: Sequence[PlanChange] | None = None
    if before:
        try:
            since = changes(before.data, version.data)
        except DctxError:
            since = None
    short = ""
    documents = None
    if since is not None:
        short = in_short(since)
        documents = [change_json(change) for change in since]
    return {
        "version": version.number,
        "created_at": version.created_at,
        "reason": version.reason,
        "changes": documents,
        "in_short": short,
    }


def view(data: Json) -> Json:
    rows = []
    for row in reversed(data["versions"]):
        what = row["in_short"]
        if not what and row["version"] == 1:
            what = "the first one"
        rows.append({**row, "what": what or "nothing that can be told"})
    newest = 0
    if rows:
        newest = rows[0]["version"]
    return {"rows": rows, "newest": newest}
