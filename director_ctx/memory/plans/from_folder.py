"""The plan of the folder, written down as a version."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.context.place import PLAN_FIRST
from director_ctx.memory.plans.diff import same_plan
from director_ctx.memory.plans.folder import FolderPlan, plan_of
from director_ctx.memory.plans.plan import PlanUpdate, change_plan, good, kept_plan, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project

    Plan = dict[str, Any]

REASON = "From the folder"


def plan_from_folder(project: Project, reason: str = "") -> tuple[PlanUpdate, FolderPlan]:
    """Makes the plan of the folder the current one; no new version where it is that already."""
    last_planned: FolderPlan | None = None

    def make(old: Plan | None) -> Plan | None:
        # The last time counts: the database may ask for the work to be done again.
        nonlocal last_planned
        last_planned = _of_something(plan_of(project, old))
        plan = last_planned.plan
        if old is not None and same_plan(old, plan):
            return None
        return good(plan)

    update = change_plan(project, make, reason or REASON)
    assert last_planned
    return update, last_planned


def planned(project: Project) -> FolderPlan:
    """What `plan_from_folder` would write."""
    current = readable(kept_plan(project))
    return _of_something(plan_of(project, current))


def _of_something(planned: FolderPlan) -> FolderPlan:
    if not planned.plan["phases"]:
        raise DctxError(
            "No goal has a step yet, so there is nothing to make a plan of.", PLAN_FIRST
        )
    return planned
