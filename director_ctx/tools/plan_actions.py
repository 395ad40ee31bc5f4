"""The plan, shown and changed."""

from __future__ import annotations

from director_ctx.base.answer_pages import call
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
        text = strict_json(version.data)
        return f"{text}\n\nVersion {version.number} of the plan.\n"
    if values["name"]:
        return _one_task(project, version, values["name"])
    return plan_markdown(version.data, version.number)


def _one_task(project: Project, version: Version, name: str) -> str:
    task = find_plan_task(version.data, name)
    shown = list(task_lines(task.task))
    phase = plain(str(task.phase.get("phase_name")))
    shown.append(f"Of {phase}; version {version.number} of the plan.")
    if any(place.ref == task.name for place in places(project)):
        shown.append(f"What it needs: {call('context', {'task': task.name})}")
    return "\n".join(shown) + "\n"


def plan_now(project: Project) -> Version | None:
    """The newest version with the folder's state in it."""
    kept = kept_plan(project)
    name = "plan"
    if kept:
        name = f"plan {kept.id} {kept.number}"
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
        if kept is None:
            return 0
        return kept.number

    expect_version(values, "the plan is", newest)


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
