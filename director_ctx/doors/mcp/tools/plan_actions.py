"""The plan, shown and changed."""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError
from director_ctx.doors.mcp.tools.needed import needed, reason_of, version_seen
from director_ctx.doors.mcp.tools.remembered import remembered
from director_ctx.memory.plans.plan import (
    BadPlan,
    PlanConflict,
    current_plan,
    kept_plan,
    update_plan,
)
from director_ctx.memory.plans.set_task import TaskChange, change_task
from director_ctx.memory.plans.text import lines, plan_markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.memory.plans.diff import PlanChange
    from director_ctx.memory.plans.plan import PlanUpdate
    from director_ctx.memory.plans.versions import Version
    from director_ctx.project.project import Project

LOOKS_LIKE = (
    'A plan looks like this: {"overall_goal":"...","current_phase":"First","phases":[{"phase_name":"First",'
    '"status":"in_progress","tasks":[{"task_id":"1","description":"...","status":"pending"}]}]}'
)
AS_JSON = "json"
"""Named in the place of a task: the plan as it has to be given to change it."""
HOW_TO_CHANGE = 'As JSON, to change it: plan {"action":"show","name":"json"}\n'
NO_PLAN = "There is no plan yet: version 0.\n"


def show(project: Project, values: dict[str, Any]) -> str:
    version = plan_now(project)
    if version is None:
        return NO_PLAN
    if values["name"] == AS_JSON:
        text = json.dumps(version.data, ensure_ascii=False)
        return f"{text}\n\nVersion {version.number} of the plan.\n"
    return plan_markdown(version.data, version.number)


def plan_now(project: Project) -> Version | None:
    """The newest version with the folder's state in it."""
    kept = kept_plan(project)
    name = "plan"
    if kept:
        name = f"plan {kept.id} {kept.number}"
    return remembered(project, name, lambda: current_plan(project))


def update(project: Project, values: dict[str, Any]) -> str:
    plan = needed(values, "plan")
    reason = reason_of(values)
    seen = version_seen(values)
    return changed_plan(lambda: update_plan(project, plan, reason, seen))


def set_status(project: Project, values: dict[str, Any]) -> str:
    task = needed(values, "name")
    status = needed(values, "status")
    change = TaskChange(task, status, reason=reason_of(values))
    seen = version_seen(values)
    return changed_plan(lambda: change_task(project, change, seen))


def changed_plan(change: Callable[[], PlanUpdate]) -> str:
    """What is different now; or what somebody else changed meanwhile, and nothing was written."""
    try:
        result = change()
    except BadPlan as bad:
        raise DctxError(str(bad), LOOKS_LIKE) from bad
    except PlanConflict as conflict:
        raise _too_late(conflict) from conflict
    number = result.version.number
    if not result.new:
        return f"Nothing is different; the plan is at version {number}.\n"
    return _listed(f"The plan is at version {number} now.", result.changes) + "\n"


def _too_late(conflict: PlanConflict) -> DctxError:
    since = conflict.message
    if conflict.changes:
        heading = f"{conflict.message} Since version {conflict.expected}:"
        since = _listed(heading, conflict.changes)
    hint = 'Look at it as it is now (plan {"action":"show"}), then change that.'
    return DctxError(since, hint)


def _listed(heading: str, changes: Sequence[PlanChange]) -> str:
    shown = [heading]
    for sign, text in lines(changes):
        shown.append(f"  {sign} {text}")
    return "\n".join(shown)
