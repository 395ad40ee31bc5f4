"""Where the plan and the folder say different things, and what of the plan the folder cannot be
asked about.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.plans.folder import folder_phases
from director_ctx.memory.plans.merge import is_ref, nodes, partners, refs_of
from director_ctx.memory.plans.rules import COMPLETED, PENDING
from director_ctx.memory.plans.tasks import every_task, following_status, phases_of, tasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.memory.plans.merge import FolderPhase, FolderTask
    from director_ctx.memory.plans.tasks import PhaseTask
    from director_ctx.project.project import Project

    Plan = dict[str, Any]

STATUS, NAME, ONLY_FOLDER, ONLY_PLAN, PHASE, CURRENT = (
    "status", "name", "missing in the plan", "missing in the folder", "phase", "current phase"
)  # fmt: skip


class Disagreement(Record):
    """One thing that the two do not say alike."""

    kind: str
    where: str
    """The folder's task or step, or the plan's phase."""
    plan: str
    folder: str


class Checked(Record):
    disagreements: tuple[Disagreement, ...]
    not_matched: tuple[str, ...]
    """Tasks of the plan that are about nothing in the folder."""


def check_plan(project: Project, plan: Plan) -> Checked:
    phases = list(folder_phases(project))
    folder_tasks = [task for phase in phases for task in phase.tasks]
    plan_tasks = list(every_task(plan))
    pairs = partners(folder_tasks, plan_tasks)
    matched = {id(task.task) for task in pairs.values()}

    only_plan = []
    not_matched = []
    for task in plan_tasks:
        if id(task.task) in matched:
            continue
        if refs_of(task.task):
            only_plan.append(Disagreement(ONLY_PLAN, task.name, task.description, ""))
        else:
            not_matched.append(f"{task.name} {task.description}")

    disagreements = (
        *_tasks(folder_tasks, pairs),
        *only_plan,
        *_names(phases, plan),
        *_phases(plan),
        *_current(project, plan, pairs),
    )
    return Checked(disagreements, tuple(not_matched))


def _tasks(tasks: Sequence[FolderTask], pairs: Mapping[str, PhaseTask]) -> Iterator[Disagreement]:
    for task in tasks:
        planned = pairs.get(task.ref)
        if planned is None:
            yield Disagreement(ONLY_FOLDER, task.ref, "", task.title)
            continue

        status = str(planned.task.get("status"))
        if task.done and status != COMPLETED:
            yield Disagreement(STATUS, task.ref, status, "done")
        if not task.done and status == COMPLETED:
            yield Disagreement(STATUS, task.ref, status, "not done")

        refs = refs_of(planned.task)
        if task.ref not in refs:
            yield Disagreement(NAME, task.ref, refs[0], task.ref)
        elif planned.description != task.title and planned.name == task.ref:
            yield Disagreement(NAME, task.ref, planned.description, task.title)


def _names(phases: Sequence[FolderPhase], plan: Plan) -> Iterator[Disagreement]:
    """Steps that have a phase of their own, by the number that `from-folder` gives it."""
    planned: dict[str, str] = {}
    for plan_phase in phases_of(plan):
        for node in nodes(plan_phase):
            if is_ref(node, 2):
                planned[node] = str(plan_phase.get("phase_name"))

    steps = {phase.ref: phase.name for phase in phases}
    for ref, name in steps.items():
        if ref in planned and planned[ref] != name:
            yield Disagreement(NAME, ref, planned[ref], name)
        # A plan without any such phase has another division, and lacks none.
        elif planned and ref not in planned:
            yield Disagreement(ONLY_FOLDER, ref, "", name)
    for ref, name in planned.items():
        if ref not in steps:
            yield Disagreement(ONLY_PLAN, ref, name, "")


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


def _current(
    project: Project, plan: Plan, pairs: Mapping[str, PhaseTask]
) -> Iterator[Disagreement]:
    """Whether the plan is where the folder's next task is."""
    from director_ctx.project.tasks.names import current_place
    from director_ctx.project.tasks.next import choose

    candidate = choose(project)
    place = candidate.place if candidate else current_place(project)
    if not place:
        return
    planned = pairs.get(place.ref)
    if not planned:
        return
    phase = planned.phase.get("phase_name")
    if phase != plan.get("current_phase"):
        says = str(plan.get("current_phase", ""))
        yield Disagreement(CURRENT, place.ref, says, f"{phase} ({place.ref} is next)")
