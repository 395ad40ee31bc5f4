"""The plan, shown and changed; variables and tasks have modules of their own."""

from __future__ import annotations

from director_ctx.base.answer_pages import call as shown_call
from director_ctx.base.answer_pages import page_of
from director_ctx.base.errors import DctxError
from director_ctx.base.strict_json import strict_json
from director_ctx.base.text import plain
from director_ctx.memory.plans.find import find_plan_task
from director_ctx.memory.plans.plan import (
    BadPlan,
    PlanConflict,
    current_plan,
    kept_plan,
    update_plan,
)
from director_ctx.memory.plans.set_task import TaskChange, change_task
from director_ctx.memory.plans.text import lines, plan_markdown, task_lines
from director_ctx.project.tasks.next import places
from director_ctx.tools.needed import expect, expect_version, version_seen
from director_ctx.tools.remembered import remembered
from director_ctx.tools.tool import PLAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.memory.plans.diff import PlanChange
    from director_ctx.memory.plans.plan import PlanUpdate
    from director_ctx.memory.plans.versions import Version
    from director_ctx.project.project import Project
    from director_ctx.tools.service import ToolCall

LOOKS_LIKE = (
    'A plan looks like this: {"overall_goal":"...","current_phase":"First","phases":[{"phase_name":"First",'
    '"status":"in_progress","tasks":[{"task_id":"1","description":"...","status":"pending"}]}]}'
)
AS_JSON = "json"
"""Named in the place of a task: the plan as it has to be given to change it."""
MODULES = {
    "variables": "variables",
    "set_variable": "variables",
    "clear_variable": "variables",
    "claim": "tasks",
    "release": "tasks",
    "done": "tasks",
}
"""The module whose function has the action's name; the others are here."""


def run(call: ToolCall, values: dict[str, Any]) -> str:
    action = values["action"]
    name = f"director_ctx.tools.{MODULES.get(action, 'plan')}"
    text = getattr(__import__(name, fromlist=[action]), action)(call.project(), values)
    if action == "show" and PLAN in call.service.writable and not values["name"]:
        text += '\nAs JSON, to change it: plan {"action":"show","name":"json"}\n'
    return page_of(text, "plan", values)


def show(project: Project, values: dict[str, Any]) -> str:
    version = plan_now(project)
    if version is None:
        return "There is no plan yet: version 0.\n"
    if values["name"] == AS_JSON:
        return f"{strict_json(version.data)}\n\nVersion {version.number} of the plan.\n"
    if not values["name"]:
        return plan_markdown(version.data, version.number)
    task = find_plan_task(version.data, values["name"])
    phase = plain(str(task.phase.get("phase_name")))
    shown = [*task_lines(task.task), f"Of {phase}; version {version.number} of the plan."]
    if any(place.ref == task.name for place in places(project)):
        shown.append(f"What it needs: {shown_call('context', {'task': task.name})}")
    return "\n".join(shown) + "\n"


def plan_now(project: Project) -> Version | None:
    """The newest version with the folder's state in it."""
    kept = kept_plan(project)
    name = f"plan {kept.id} {kept.number}" if kept else "plan"
    return remembered(project, name, lambda: current_plan(project))


def update(project: Project, values: dict[str, Any]) -> str:
    expect(values, "plan", "reason")
    expect_plan_version(project, values)
    plan, reason = values["plan"], values["reason"]
    seen = version_seen(values)
    return changed_plan(lambda: update_plan(project, plan, reason, seen))


def set_status(project: Project, values: dict[str, Any]) -> str:
    expect(values, "name", "status", "reason")
    expect_plan_version(project, values)
    change = TaskChange(values["name"], values["status"], reason=values["reason"])
    seen = version_seen(values)
    return changed_plan(lambda: change_task(project, change, seen))


def expect_plan_version(project: Project, values: dict[str, Any]) -> None:
    def newest() -> int:
        kept = kept_plan(project)
        return kept.number if kept else 0

    expect_version(values, "the plan is", newest)


def changed_plan(change: Callable[[], PlanUpdate]) -> str:
    """What is different now; or what somebody else changed meanwhile, and nothing was written."""
    try:
        result = change()
    except BadPlan as bad:
        raise DctxError(str(bad), LOOKS_LIKE) from bad
    except PlanConflict as conflict:
        since = conflict.message
        if conflict.changes:
            since = _listed(f"{since} Since version {conflict.expected}:", conflict.changes)
        hint = 'Look at it as it is now (plan {"action":"show"}), then change that.'
        raise DctxError(since, hint) from conflict
    number = result.version.number
    if not result.new:
        return f"Nothing is different; the plan is at version {number}.\n"
    return _listed(f"The plan is at version {number} now.", result.changes) + "\n"


def _listed(heading: str, changes: Sequence[PlanChange]) -> str:
    return "\n".join([heading, *(f"  {sign} {text}" for sign, text in lines(changes))])
