"""Where each goal, step and task of the source stands in the folder: where it was put before, or the next number."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.other_plans.needs import Numbers
from director_ctx.other_plans.wording import title
from director_ctx.project.reading.model import FOLDER, numbered
from director_ctx.project.tasks.child_lists import listed_units, step_lines
from director_ctx.upkeep.slug import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.other_plans.model import OtherGoal, OtherStep, OtherTask
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Step, Task
    from director_ctx.project.taken import TakenPlan, TakenUnit

    Unit = Goal | Step | Task
    Other = OtherGoal | OtherStep | OtherTask

NEW, THERE, REMOVED = "new", "there", "removed"


class PlacedUnit(Record):
    """A unit of the source, and what stands for it."""

    kind: str
    key: str
    other: Other
    state: str
    numbers: Numbers
    at: str
    """Its folder or, for a task, its file without the ending, below `.director/`."""
    unit: Unit | None = None
    recorded: TakenUnit | None = None
    parent: str = ""


def place_units(
    project: Project, taken: TakenPlan, goals: Sequence[OtherGoal], moved: Mapping[str, str]
) -> list[PlacedUnit]:
    """In the order of the source. `moved` says which key a unit had when it was taken over, if another."""
    placing = _Placing(project, taken, moved)
    for goal in goals:
        placed = placing.goal(goal)
        for step in goal.steps:
            below = placing.step(step, placed)
            for task in step.tasks:
                if task.divided:
                    placing.divided(task, below)
                else:
                    placing.task(task, below)
    return _without_hollow(placing.units)


def _without_hollow(units: list[PlacedUnit]) -> list[PlacedUnit]:
    """Without a new goal or step for what is here already, in another place: that stays where it is."""
    filled: set[str] = set()
    for unit in reversed(units):
        is_filled = unit.kind == "task" or unit.key in filled
        if unit.state == NEW and is_filled:
            filled.update((unit.key, unit.parent))
    return [unit for unit in units if unit.state != NEW or unit.key in filled]


class _Placing:
    def __init__(self, project: Project, taken: TakenPlan, moved: Mapping[str, str]) -> None:
        self.project = project
        self.taken = taken
        self.moved = moved
        self.units: list[PlacedUnit] = []
        self._last: dict[str, int] = {}
        self._known = _Known(project)

    def goal(self, goal: OtherGoal) -> PlacedUnit:
        folder = f"{FOLDER}/goals"
        path = f"{FOLDER}/GAMEPLAN.md"
        found = self._found("goal", goal, None)
        if found:
            return found
        listed = listed_units(self.project.text(path), "goals", "goal")
        numbers = [*_numbers(self.project.goals()), *_numbers(listed)]
        number = self._next(folder, numbers)
        return self._new("goal", goal, Numbers(number), folder)

    def step(self, step: OtherStep, above: PlacedUnit) -> PlacedUnit:
        found = self._found("step", step, above)
        if found:
            return found
        if above.state == REMOVED:
            return self._removed("step", step, above)
        folder = f"{FOLDER}/{above.at}"
        numbers: list[int] = []
        if above.unit:
            listed = listed_units(self.project.text(f"{folder}/GOAL.md"), "steps", "step")
            steps = self.project.steps(above.unit)  # type: ignore[arg-type]
            numbers = [*_numbers(steps), *_numbers(listed)]
        number = self._next(folder, numbers)
        place = Numbers(above.numbers.goal, number)
        return self._new("step", step, place, folder, above.key)

    def task(self, task: OtherTask, above: PlacedUnit) -> PlacedUnit:
        found = self._found("task", task, above)
        if found:
            return found
        if above.state == REMOVED:
            return self._removed("task", task, above)
        folder = f"{FOLDER}/{above.at}"
        numbers: list[int] = []
        if above.unit:
            listed = step_lines(self.project.text(f"{folder}/STEP.md"))
            tasks = self.project.tasks(above.unit)  # type: ignore[arg-type]
            numbers = [*_numbers(tasks), *_numbers(listed)]
        number = self._next(folder, numbers)
        place = above.numbers.replace(task=number)
        return self._new("task", task, place, f"{folder}/tasks", above.key)

    def divided(self, task: OtherTask, above: PlacedUnit) -> None:
        """It stays where it is, if it is there at all."""
        self._found("task", task, above)

    def _next(self, folder: str, numbers: list[int]) -> int:
        given = self._last.get(folder, 0)
        number = max([given, *numbers]) + 1
        self._last[folder] = number
        return number

    def _new(
        self, kind: str, other: Other, numbers: Numbers, folder: str, parent: str = ""
    ) -> PlacedUnit:
        number = numbers.task or numbers.step or numbers.goal
        name = f"{number:02}-{slug(title(other.name))}"
        at = f"{folder}/{name}".removeprefix(f"{FOLDER}/")
        placed = PlacedUnit(kind, other.key, other, NEW, numbers, at, parent=parent)
        self.units.append(placed)
        return placed

    def _removed(self, kind: str, other: Other, above: PlacedUnit) -> PlacedUnit:
        nowhere = Numbers(0)
        placed = PlacedUnit(kind, other.key, other, REMOVED, nowhere, at="", parent=above.key)
        self.units.append(placed)
        return placed

    def _found(self, kind: str, other: Other, above: PlacedUnit | None) -> PlacedUnit | None:
        """What was taken over before: where it is now, or that somebody removed it."""
        key_of_then = self.moved.get(other.key, other.key)
        recorded = self.taken.units.get(key_of_then)
        if recorded is None or not recorded.at.startswith("goals/"):
            return None

        parent = above.key if above else ""
        known = self._known.find(kind, recorded.at)
        if known:
            numbers, unit, at = known.numbers, known.unit, known.at
            placed = PlacedUnit(kind, other.key, other, THERE, numbers, at, unit, recorded, parent)
        elif self.taken.unfinished:
            return self._again(kind, other, recorded.at, above)
        else:
            numbers = Numbers(0)
            at = recorded.at
            placed = PlacedUnit(
                kind, other.key, other, REMOVED, numbers, at, None, recorded, parent
            )
        self.units.append(placed)
        return placed

    def _again(
        self, kind: str, other: Other, at: str, above: PlacedUnit | None
    ) -> PlacedUnit | None:
        """It was to be made, and something came between: it gets the place that was meant for it."""
        folder, _, name = at.rpartition("/")
        parsed = numbered(name)
        wanted = "goals"
        if above:
            wanted = above.at if kind == "step" else f"{above.at}/tasks"
        if parsed is None or folder != wanted:
            return None
        number, _ = parsed
        numbers = Numbers(number)
        if above and kind == "step":
            numbers = above.numbers.replace(step=number)
        elif above:
            numbers = above.numbers.replace(task=number)
        path = f"{FOLDER}/{folder}"
        self._last[path] = max(self._last.get(path, 0), number)
        parent = above.key if above else ""
        placed = PlacedUnit(kind, other.key, other, NEW, numbers, at, parent=parent)
        self.units.append(placed)
        return placed


def _numbers(units: Iterable[Any]) -> Iterator[int]:
    return (unit.number for unit in units)


class KnownUnit(Record):
    """A unit of the folder, and where it is: as `PlacedUnit` says it."""

    numbers: Numbers
    unit: Unit
    at: str


class _Known:
    """What is in the folder, by where it is and by what it is called."""

    def __init__(self, project: Project) -> None:
        self._at: dict[tuple[str, str], KnownUnit] = {}
        self._called: dict[tuple[str, str], list[KnownUnit]] = {}
        for kind, numbers, unit in _every_unit(project):
            known = KnownUnit(numbers, unit, _at(unit))
            self._at[kind, known.at] = known
            same_name = self._called.setdefault((kind, unit.slug), [])
            same_name.append(known)

    def find(self, kind: str, at: str) -> KnownUnit | None:
        """Where it was put; where it was moved since, the one of its name, if there is only one."""
        known = self._at.get((kind, at))
        if known:
            return known

        folder, _, name = at.rpartition("/")
        _, _, words = name.partition("-")
        called = self._called.get((kind, words), [])
        beside = [unit for unit in called if _above(unit.at) == folder]
        for candidates in (beside, called):
            if len(candidates) == 1:
                return candidates[0]
        return None


def _above(at: str) -> str:
    return at.rpartition("/")[0]


def _every_unit(project: Project) -> Iterator[tuple[str, Numbers, Unit]]:
    for goal in project.goals():
        of_goal = Numbers(goal.number)
        yield "goal", of_goal, goal
        for step in project.steps(goal):
            of_step = of_goal.replace(step=step.number)
            yield "step", of_step, step
            for task in project.tasks(step):
                yield "task", of_step.replace(task=task.number), task


def _at(unit: Unit) -> str:
    path = unit.path.removeprefix(f"{FOLDER}/")
    return path.removesuffix(".md").removesuffix(".done")
