"""Where the plan and the folder say different things, and what of the plan the folder cannot be
asked about.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.plans.folder import folder_phases, plan_of
from director_ctx.memory.plans.merge import is_ref, nodes, partners, refs_of
from director_ctx.memory.plans.rules import COMPLETED, PENDING
from director_ctx.memory.plans.tasks import every_task, following_status, phases_of, tasks_of
from director_ctx.project.tasks.names import current_place
from director_ctx.project.tasks.next import choose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from director_ctx.memory.plans.merge import FolderPhase, FolderTask, Partners
    from director_ctx.memory.plans.tasks import PhaseTask
    from director_ctx.memory.plans.versions import Version
    from director_ctx.project.project import Project

    Plan = dict[str, Any]
    Disagreements = Iterator["Disagreement"]

STATUS = "status"
NAME = "name"
ONLY_FOLDER = "missing in the plan"
ONLY_PLAN = "missing in the folder"
PHASE = "phase"
CURRENT = "current phase"


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


def check_as_seen(project: Project, seen: Version, kept: Version | None) -> Checked:
    """The plan as it follows the folder: what still contradicts itself, and what of the kept one is
    about files that are gone.
    """
    checked = check_plan(project, seen.data)
    if kept is None:
        return checked
    gone: list[Disagreement] = []
    for task in plan_of(project, kept.data).dropped:
        name, _, description = task.partition(" ")
        gone.append(Disagreement(ONLY_PLAN, name, description, ""))
    return checked.replace(disagreements=(*gone, *checked.disagreements))


def check_plan(project: Project, plan: Plan) -> Checked:
    phases = list(folder_phases(project))
    folder_tasks: list[FolderTask] = []
    for phase in phases:
        folder_tasks += phase.tasks
    plan_tasks = list(every_task(plan))
    pairs = partners(folder_tasks, plan_tasks)

    only_plan: list[Disagreement] = []
    not_matched: list[str] = []
    for task in plan_tasks:
        if pairs.has(task):
            continue
        if refs_of(task.task):
            missing = Disagreement(ONLY_PLAN, task.name, task.description, "")
            only_plan.append(missing)
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


def _tasks(tasks: Iterable[FolderTask], pairs: Partners) -> Disagreements:
    for task in tasks:
        planned = pairs.of(task.ref)
        if planned is None:
            yield Disagreement(ONLY_FOLDER, task.ref, "", task.title)
            continue
        yield from _status(task, planned)
        yield from _name(task, planned)


def _status(task: FolderTask, planned: PhaseTask) -> Disagreements:
    status = str(planned.task.get("status"))
    # File names say only what is done: whether somebody is at the rest is the plan's to say.
    is_done_there = status == COMPLETED
    if task.done and not is_done_there:
        yield Disagreement(STATUS, task.ref, status, "done")
    if is_done_there and not task.done:
        yield Disagreement(STATUS, task.ref, status, "not done")


def _name(task: FolderTask, planned: PhaseTask) -> Disagreements:
    refs = refs_of(planned.task)
    if task.ref not in refs:
        number = refs[0]
        yield Disagreement(NAME, task.ref, number, task.ref)
        return
    # One that only has it among its nodes is described in somebody's own words.
    is_the_folders = planned.name == task.ref
    if is_the_folders and planned.description != task.title:
        yield Disagreement(NAME, task.ref, planned.description, task.title)


def _names(phases: Iterable[FolderPhase], plan: Plan) -> Disagreements:
    """Steps that have a phase of their own, by the number that `from-folder` gives it."""
    planned: dict[str, str] = {}
    for plan_phase in phases_of(plan):
        name = str(plan_phase.get("phase_name"))
        for node in nodes(plan_phase):
            if is_ref(node, units=2):
                planned[node] = name

    steps = {phase.ref: phase.name for phase in phases}
    for ref, name in steps.items():
        planned_name = planned.get(ref)
        if planned_name is not None:
            if planned_name != name:
                yield Disagreement(NAME, ref, planned_name, name)
        # A plan without any such phase has another division, and lacks none.
        elif planned:
            yield Disagreement(ONLY_FOLDER, ref, "", name)

    for ref, name in planned.items():
        if ref not in steps:
            yield Disagreement(ONLY_PLAN, ref, name, "")


def _phases(plan: Plan) -> Disagreements:
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


def _current(project: Project, plan: Plan, pairs: Partners) -> Disagreements:
    """Whether the plan is where the folder's next task is."""
    candidate = choose(project)
    place = candidate.place if candidate else current_place(project)
    if not place:
        return
    planned = pairs.of(place.ref)
    if not planned:
        return

    says = str(plan.get("current_phase", ""))
    phase = planned.phase.get("phase_name")
    if phase != plan.get("current_phase"):
        yield Disagreement(
            kind=CURRENT,
            where=place.ref,
            plan=says,
            folder=f"{phase} ({place.ref} is next)",
        )
