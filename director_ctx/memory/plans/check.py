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
    from director_ctx.memory.plans.tasks import Found
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
    tasks = [task for phase in phases for task in phase.tasks]
    found = list(every_task(plan))
    pairs = partners(tasks, found)
    matched = {id(one.task) for one in pairs.values()}
    rest = [one for one in found if id(one.task) not in matched]
    disagreements = (
        *_tasks(tasks, pairs),
        *(
            Disagreement(ONLY_PLAN, one.name, one.description, "")
            for one in rest
            if refs_of(one.task)
        ),
        *_names(phases, plan),
        *_phases(plan),
        *_current(project, plan, pairs),
    )
    return Checked(
        disagreements,
        tuple(f"{one.name} {one.description}" for one in rest if not refs_of(one.task)),
    )


def _tasks(tasks: Sequence[FolderTask], pairs: Mapping[str, Found]) -> Iterator[Disagreement]:
    for task in tasks:
        one = pairs.get(task.ref)
        if one is None:
            yield Disagreement(ONLY_FOLDER, task.ref, "", task.title)
            continue
        status = str(one.task.get("status"))
        if (status == COMPLETED) != task.done:
            yield Disagreement(STATUS, task.ref, status, "done" if task.done else "not done")
        if task.ref not in refs_of(one.task):
            yield Disagreement(NAME, task.ref, refs_of(one.task)[0], task.ref)
        elif one.description != task.title and one.name == task.ref:
            yield Disagreement(NAME, task.ref, one.description, task.title)


def _names(phases: Sequence[FolderPhase], plan: Plan) -> Iterator[Disagreement]:
    """Steps that have a phase of their own, by the number that `from-folder` gives it."""
    ours = {
        node: str(one.get("phase_name"))
        for one in phases_of(plan)
        for node in nodes(one)
        if is_ref(node, 2)
    }
    steps = {phase.ref: phase.name for phase in phases}
    for ref, name in steps.items():
        if name != ours.get(ref, name):
            yield Disagreement(NAME, ref, ours[ref], name)
        elif ours and ref not in ours:
            yield Disagreement(ONLY_FOLDER, ref, "", name)
    yield from (
        Disagreement(ONLY_PLAN, ref, name, "") for ref, name in ours.items() if ref not in steps
    )


def _phases(plan: Plan) -> Iterator[Disagreement]:
    """A phase that says something else than its own tasks; one that was only begun may have none
    begun yet.
    """
    for phase in phases_of(plan):
        says = str(phase.get("status"))
        follows = following_status(tasks_of(phase), says)
        if (says == COMPLETED) != (follows == COMPLETED) or (
            says == PENDING and follows != PENDING
        ):
            yield Disagreement(PHASE, str(phase.get("phase_name")), says, f"its tasks: {follows}")


def _current(project: Project, plan: Plan, pairs: Mapping[str, Found]) -> Iterator[Disagreement]:
    """Whether the plan is where the folder's next task is."""
    from director_ctx.project.tasks.names import current_place
    from director_ctx.project.tasks.next import choose

    candidate = choose(project)
    place = candidate.place if candidate else current_place(project)
    one = pairs.get(place.ref) if place else None
    if place and one and one.phase.get("phase_name") != plan.get("current_phase"):
        there = f"{one.phase.get('phase_name')} ({place.ref} is next)"
        yield Disagreement(CURRENT, place.ref, str(plan.get("current_phase", "")), there)
