"""Goals, steps and tasks by their references: what is above and below each, and its document."""

from __future__ import annotations

from director_ctx.project.reading.model import FOLDER, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Step, Task
    from director_ctx.upkeep.arranging.numbers import Ref

GAMEPLAN = f"{FOLDER}/GAMEPLAN.md"
LABELS = ("", "goal", "step", "task")
"""By how many numbers a reference has."""


def ref_of(place: Place) -> Ref:
    return tuple(unit.number for unit in place.units)


def place_at(project: Project, ref: Ref | None) -> Place | None:
    for place in every_unit(project):
        if ref_of(place) == ref:
            return place
    return None


def every_unit(project: Project) -> Iterator[Place]:
    """Every goal, step and task, each before what is below it."""
    for goal in places_below(project, None):
        yield goal
        for step in places_below(project, goal):
            yield step
            yield from places_below(project, step)


def parent_of(place: Place) -> Place | None:
    """The step of a task, the goal of a step; None for a goal, whose parent is the plan."""
    if place.task:
        return place.replace(task=None)
    if place.step:
        return Place(place.goal)
    return None


def children(project: Project, parent: Place | None) -> tuple[Goal | Step | Task, ...]:
    if parent is None:
        return project.goals()
    if parent.step:
        return project.tasks(parent.step)
    return project.steps(parent.goal)


def places_below(project: Project, parent: Place | None) -> Iterator[Place]:
    """The children of a goal or step, or of the plan, each as a place of its own."""
    if parent is None:
        yield from map(Place, project.goals())
    elif parent.step is None:
        yield from (parent.replace(step=step) for step in project.steps(parent.goal))
    elif parent.task is None:
        yield from (parent.replace(task=task) for task in project.tasks(parent.step))


def document_of(place: Place | None) -> str:
    """The file of a goal, step or task, and of the plan itself."""
    if place is None:
        return GAMEPLAN
    if place.task:
        return place.task.path
    if place.step:
        return f"{place.step.path}/STEP.md"
    return f"{place.goal.path}/GOAL.md"
