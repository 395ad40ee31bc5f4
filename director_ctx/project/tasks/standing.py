"""Where the project stands by its files: what every record should say."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.reading.model import FOLDER, Goal, Place, Step, Task
from director_ctx.project.tasks.child_lists import listed_goals
from director_ctx.project.tasks.next import current_place, goal_complete, places, step_complete

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
        """By the words goal, step and task."""
        numbers: dict[str, int] = {}
        if self.goal:
            numbers["goal"] = self.goal.number
        if self.step:
            numbers["step"] = self.step.number
        if self.task:
            numbers["task"] = self.task.number
        return numbers


def standing(project: Project) -> Standing:
    """Counted from file names; GAMEPLAN only tells of goals that have no folder yet."""
    done_places: list[Place] = []
    for place in places(project):
        if place.task and place.task.done:
            done_places.append(place)
    done = tuple(done_places)

    status = NOT_STARTED
    if done:
        status = IN_PROGRESS
    current = current_place(project)
    if current:
        goal = _unit(project, current.goal)
        step = _unit(project, current.step)
        task = _unit(project, current.task)
        return Standing(
            status=status,
            goal=goal,
            step=step,
            task=task,
            done=done,
            current=current,
        )

    goal, step = _to_plan(project)
    if done and not goal:
        status = COMPLETE
    return Standing(status, goal, step, done=done)


def _unit(project: Project, unit: Goal | Step | Task | None) -> Unit | None:
    if unit is None:
        return None
    return Unit(unit.number, project.title(unit))


def _to_plan(project: Project) -> tuple[Unit | None, Unit | None]:
    """The first goal that is not complete although no task is pending, and the step of it that has
    no tasks.
    """
    numbers: set[int] = set()
    open_goals: dict[int, Goal] = {}
    for goal in project.goals():
        numbers.add(goal.number)
        if not goal_complete(project, goal):
            open_goals[goal.number] = goal
    only_listed: dict[int, str] = {}
    for number, name in listed_goals(project.text(f"{FOLDER}/GAMEPLAN.md")):
        if number not in numbers:
            only_listed[number] = plain(name)

    first = min([*open_goals, *only_listed], default=None)
    if first is None:
        return None, None
    if first in only_listed:
        unit = Unit(first, only_listed[first])
        return unit, None
    goal = open_goals[first]
    for step in project.steps(goal):
        if not step_complete(project, step):
            return _unit(project, goal), _unit(project, step)
    return _unit(project, goal), None
