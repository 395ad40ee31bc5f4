"""What of the kept plan does not fit: tasks whose files are gone, and phases that their own tasks
contradict. Everything else follows the folder by itself.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.plans.folder import plan_of
from director_ctx.memory.plans.merge import refs_of
from director_ctx.memory.plans.rules import COMPLETED, PENDING
from director_ctx.memory.plans.tasks import every_task, following_status, phases_of, tasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.project import Project

    Plan = dict[str, Any]

GONE = "missing in the folder"
PHASE = "phase"


class Disagreement(Record):
    """One thing that does not fit."""

    kind: str
    where: str
    """The task, or the plan's phase."""
    plan: str
    folder: str


class Checked(Record):
    disagreements: tuple[Disagreement, ...]
    not_matched: tuple[str, ...]
    """Tasks of the plan that are about nothing in the folder."""


def check_plan(project: Project, plan: Plan) -> Checked:
    followed = plan_of(project, plan)
    disagreements: list[Disagreement] = []
    for task in followed.dropped:
        name, _, description = task.partition(" ")
        gone = Disagreement(GONE, name, description, "")
        disagreements.append(gone)
    disagreements += _phases(followed.plan)

    not_matched: list[str] = []
    for planned in every_task(followed.plan):
        if not refs_of(planned.task):
            not_matched.append(f"{planned.name} {planned.description}")
    return Checked(tuple(disagreements), tuple(not_matched))


def _phases(plan: Plan) -> Iterator[Disagreement]:
    """A phase that says something else than its own tasks; one that was only begun may have none
    begun yet.
    """
    for phase in phases_of(plan):
        says = str(phase.get("status"))
        follows = following_status(tasks_of(phase), says)
        differs_in_the_end = (says == COMPLETED) != (follows == COMPLETED)
        has_begun_unsaid = says == PENDING and follows != PENDING
        if differs_in_the_end or has_begun_unsaid:
            name = str(phase.get("phase_name"))
            yield Disagreement(PHASE, name, says, f"its tasks: {follows}")
