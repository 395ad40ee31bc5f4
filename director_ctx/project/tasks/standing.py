"""Where the project stands by its files: what every record should say."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.reading.model import FOLDER, Goal, Place, Step, Task
from director_ctx.project.tasks.child_lists import listed_goals
from director_ctx.project.tasks.names import current_place
from director_ctx.project.tasks.next import goal_complete, places, step_complete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

NOT_STARTED, IN_PROGRESS, COMPLETE = "Not started", "In progress", "Complete"


class Unit(Record):
    """A goal, step or task by its number and name."""

    number: int
    name: str


class Standing(Record):
    """What is current. Without a task the next thing is to plan; without a goal everything is done."""

    status: str
    goal: Unit | None = None
    step: Unit | None = None
    task: Unit | None = None
    done: tuple[Place, ...] = ()
    current: Place | None = None

    @property
    def numbers(self) -> dict[str, int]:
        units = (("goal", self.goal), ("step", self.step), ("task", self.task))
        return {name: unit.number for name, unit in units if unit}


def standing(project: Project) -> Standing:
    """Counted from file names; GAMEPLAN only tells of goals that have no folder yet."""
    done = tuple(place for place in places(project) if place.task and place.task.done)
    current = current_place(project)
    if current:
        goal, step, task = (
            _unit(project, unit) for unit in (current.goal, current.step, current.task)
        )
        return Standing(IN_PROGRESS if done else NOT_STARTED, goal, step, task, done, current)
    goal, step = _to_plan(project)
    status = (IN_PROGRESS if goal else COMPLETE) if done else NOT_STARTED
    return Standing(status, goal, step, done=done)


def _unit(project: Project, unit: Goal | Step | Task | None) -> Unit | None:
    return Unit(unit.number, project.title(unit)) if unit else None


def _to_plan(project: Project) -> tuple[Unit | None, Unit | None]:
    """The first goal that is not complete although no task is pending, and the step of it that has
    no tasks.
    """
    open_goals = {goal.number: goal for goal in project.goals() if not goal_complete(project, goal)}
    numbers = {goal.number for goal in project.goals()}
    listed = {
        n: plain(name)
        for n, name in listed_goals(project.text(f"{FOLDER}/GAMEPLAN.md"))
        if n not in numbers
    }
    number = min([*open_goals, *listed], default=None)
    if number is None:
        return None, None
    if number in listed:
        return Unit(number, listed[number]), None
    goal = open_goals[number]
    step = next((step for step in project.steps(goal) if not step_complete(project, step)), None)
    return _unit(project, goal), _unit(project, step)
