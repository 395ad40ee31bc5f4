"""A whole outline added to the plan. What is there already, by its name, stays and is gone on with."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.project import Project
from director_ctx.project.reading.model import Place
from director_ctx.project.tasks.next import choose
from director_ctx.upkeep.add import add_goal, add_step, add_task
from director_ctx.upkeep.last_place import remember_place
from director_ctx.upkeep.outline import GOAL, STEP
from director_ctx.upkeep.templates import NewItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from director_ctx.project.reading.model import Goal, Step, Task
    from director_ctx.upkeep.outline import Outline, OutlineEntry
    from director_ctx.upkeep.tasks import Upkeep

    Unit = TypeVar("Unit", Goal, Step, Task)


class Planned(Record):
    """One entry of an outline, and where it is in the plan already; None for a new one."""

    entry: OutlineEntry
    there: Place | None = None


class AddedOutline(Record):
    """What was added, and what was there before."""

    project: Project
    """As it is afterwards."""
    added: tuple[Place, ...]
    there: tuple[Place, ...]
    upkeep: tuple[Upkeep, ...]


def plan_outline(project: Project, outline: Outline) -> list[Planned]:
    """Which entries are new. Nothing is written."""
    planned: list[Planned] = []
    goal: Place | None = None
    step: Place | None = None
    for entry in outline.entries:
        there = _there(project, entry, goal, step)
        planned.append(Planned(entry, there))
        if entry.kind == GOAL:
            goal = there
            step = None
        elif entry.kind == STEP:
            step = there
    return planned


def add_outline(root: str, outline: Outline, now: str) -> AddedOutline:
    """One after the other, each with its records. Ended in the middle, a second run goes on."""
    added: list[Place] = []
    there: list[Place] = []
    upkeep: list[Upkeep] = []
    goal: Place | None = None
    step: Place | None = None
    for entry in outline.entries:
        place = _there(Project(root), entry, goal, step)
        if place:
            there.append(place)
        else:
            result = _add(root, entry, goal, step, now)
            place = result.place
            assert place
            added.append(place)
            upkeep.append(result)
        if entry.kind == GOAL:
            goal = place
        elif entry.kind == STEP:
            step = place
    # The end of a whole plan is not where somebody works: the next task is.
    upcoming = choose(Project(root))
    if added and upcoming:
        remember_place(root, upcoming.place)
    return AddedOutline(Project(root), tuple(added), tuple(there), tuple(upkeep))


def _add(
    root: str, entry: OutlineEntry, goal: Place | None, step: Place | None, now: str
) -> Upkeep:
    new = NewItem(entry.name, entry.about, entry.needs, done=entry.done)
    if entry.kind == GOAL:
        return add_goal(root, new, now)
    if entry.kind == STEP:
        assert goal
        return add_step(root, new.replace(goal=goal.ref), now)
    assert step
    return add_task(root, new.replace(step=step.ref), now)


def _there(
    project: Project, entry: OutlineEntry, goal: Place | None, step: Place | None
) -> Place | None:
    if entry.kind == GOAL:
        return _goal(project, entry)
    if entry.kind == STEP:
        return _step(project, goal, entry)
    return _task(project, step, entry)


def _goal(project: Project, entry: OutlineEntry) -> Place | None:
    goal = _named(project, project.goals(), entry)
    if goal is None:
        return None
    return Place(goal)


def _step(project: Project, goal: Place | None, entry: OutlineEntry) -> Place | None:
    if goal is None:
        return None
    step = _named(project, project.steps(goal.goal), entry)
    if step is None:
        return None
    return goal.replace(step=step)


def _task(project: Project, step: Place | None, entry: OutlineEntry) -> Place | None:
    if step is None or step.step is None:
        return None
    task = _named(project, project.tasks(step.step), entry)
    if task is None:
        return None
    return step.replace(task=task)


def _named(project: Project, units: Sequence[Unit], entry: OutlineEntry) -> Unit | None:
    wanted = entry.name.casefold()
    for unit in units:
        if project.title(unit).casefold() == wanted:
            return unit
    return None
