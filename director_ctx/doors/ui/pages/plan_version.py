"""One version of the plan: what it changed, and the way back to it."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.doors.ui.pages.plan_words import lines_in_words, reason_in_words
from director_ctx.doors.ui.visit import NotThere, number_in
from director_ctx.memory.plans.diff import change_json, changes
from director_ctx.memory.plans.plan import kept_plan, plan_version
from director_ctx.memory.plans.text import plan_markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.plans.versions import Version

    Json = dict[str, Any]


def data(visit: Visit) -> Json:
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


def view(data: Json) -> Json:
    shown = {**data, "reason": reason_in_words(data["reason"])}
    return {"shown": shown, "may_restore": data["version"] != data["newest"]}
