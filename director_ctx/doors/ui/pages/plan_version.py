"""One version of the plan: what it changed, and the way back to it."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.doors.ui.visit import NotThere, number_in
from director_ctx.memory.plans.diff import change_json, changes
from director_ctx.memory.plans.plan import kept_plan, plan_version
from director_ctx.memory.plans.text import lines, plan_markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit

    Json = dict[str, Any]


def data(visit: Visit) -> Json:
    """Compared with the one before it, or with the one that is asked for."""
    number = number_in(visit.parts["number"], "a version of the plan")
    try:
        version = plan_version(visit.project, number)
    except DctxError as error:
        raise NotThere(error.message, error.hint) from error
    older = number_in(visit.asked("from", str(max(1, number - 1))), "a version of the plan")
    changed = changes(plan_version(visit.project, older).data, version.data)
    newest = kept_plan(visit.project)
    return {
        "version": number,
        "from": older,
        "newest": newest.number if newest else 0,
        "created_at": version.created_at,
        "reason": version.reason,
        "changes": [change_json(change) for change in changed],
        "lines": [list(line) for line in lines(changed)],
        "text": plan_markdown(version.data, number),
    }


def view(data: Json) -> Json:
    return {"shown": data, "may_restore": data["version"] != data["newest"]}
