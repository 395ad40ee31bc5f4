"""Where each goal, step and task of the source stands in the folder: where it was put before, or the next number."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.other_plans.needs import Numbers
from director_ctx.other_plans.wording import title
from director_ctx.project.reading.model import FOLDER, numbered
from director_ctx.project.taken import mark_of
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

ALIKE = 2 / 3
MOST_COMPARED = 1_000_000
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
                placing.task(task, below)
    return _without_hollow(placing.units)


def _without_hollow(units: list[PlacedUnit]) -> list[PlacedUnit]:
    """Without a new goal or step for what is here already, in another place: that stays where it is."""
    filled: set[str] = set()
    for unit in reversed(units):
        if unit.state == NEW and (unit.kind == "task" or unit.key in filled):
            filled.add(unit.key)
            filled.add(unit.parent)
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

    def _next(self, folder: str, numbers: list[int]) -> int:
        last = max([self._last.get(folder, 0), *numbers])
        self._last[folder] = last + 1
        return last + 1

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
        placed = PlacedUnit(kind, other.key, other, REMOVED, Numbers(0), "", parent=above.key)
        self.units.append(placed)
        return placed

    def _found(self, kind: str, other: Other, above: PlacedUnit | None) -> PlacedUnit | None:
        """What was taken over before: where it is now, or that somebody removed it."""
        recorded = self.taken.units.get(self.moved.get(other.key, other.key))
        if recorded is None or not recorded.at.startswith("goals/"):
            return None
        parent = above.key if above else ""
        known = self._known.find(kind, recorded.at)
        if known:
            numbers, unit, at = known
            placed = PlacedUnit(kind, other.key, other, THERE, numbers, at, unit, recorded, parent)
        elif self.taken.unfinished:
            return self._again(kind, other, recorded.at, above)
        else:
            placed = PlacedUnit(
                kind, other.key, other, REMOVED, Numbers(0), recorded.at, None, recorded, parent
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


class _Known:
    """What is in the folder, by where it is and by what it is called."""

    def __init__(self, project: Project) -> None:
        self._at: dict[tuple[str, str], tuple[Numbers, Unit, str]] = {}
        self._called: dict[tuple[str, str], list[tuple[Numbers, Unit, str]]] = {}
        for kind, numbers, unit in _every_unit(project):
            at = _at(unit)
            found = (numbers, unit, at)
            self._at[(kind, at)] = found
            self._called.setdefault((kind, unit.slug), []).append(found)

    def find(self, kind: str, at: str) -> tuple[Numbers, Unit, str] | None:
        """Where it was put; where it was moved since, the one of its name, if there is only one."""
        found = self._at.get((kind, at))
        if found:
            return found
        _, _, words = at.rpartition("/")[2].partition("-")
        called = self._called.get((kind, words), [])
        beside = [one for one in called if _above(one[2]) == _above(at)]
        for some in (beside, called):
            if len(some) == 1:
                return some[0]
        return None


def _above(at: str) -> str:
    return at.rpartition("/")[0]


def _every_unit(project: Project) -> Iterator[tuple[str, Numbers, Unit]]:
    for goal in project.goals():
        yield "goal", Numbers(goal.number), goal
        for step in project.steps(goal):
            yield "step", Numbers(goal.number, step.number), step
            for task in project.tasks(step):
                yield "task", Numbers(goal.number, step.number, task.number), task


def _at(unit: Unit) -> str:
    path = unit.path.removeprefix(f"{FOLDER}/")
    return path.removesuffix(".md").removesuffix(".done")


def moved_keys(taken: TakenPlan, goals: Sequence[OtherGoal]) -> dict[str, str]:
    """For tools that number anew whenever they like: a unit whose name is the same is the same, whatever its
    number is now.
    """
    moved: dict[str, str] = {}
    for goal in goals:
        steps: list[tuple[str, str]] = []
        tasks: list[tuple[str, str]] = []
        for step in goal.steps:
            steps.append((step.key, step.name))
            for task in step.tasks:
                tasks.append((task.key, task.name))
        for kind, named in (("step", steps), ("task", tasks)):
            own = _own(taken, kind, goal.key)
            words = {key: _words(taken.units[key].at) for key in own}
            moved.update(_matched(own, named, words))
    return moved


def _own(taken: TakenPlan, kind: str, goal: str) -> dict[str, str]:
    """What was taken over of one goal: keys with the mark of the name."""
    own: dict[str, str] = {}
    for key, unit in taken.units.items():
        depth = unit.at.count("/")
        is_kind = depth == (2 if kind == "step" else 4)
        if is_kind and key.removeprefix("step:").startswith(f"{goal}/"):
            own[key] = unit.marks.get("name", "")
    return own


def _words(at: str) -> frozenset[str]:
    """The words of a name, as far as they are in its file's."""
    parsed = numbered(at.rpartition("/")[2])
    return frozenset(parsed[1].split("-")) if parsed else frozenset()


def _matched(
    own: dict[str, str], named: Sequence[tuple[str, str]], words: Mapping[str, frozenset[str]]
) -> dict[str, str]:
    """Now's keys with those of then: of the same key and name, by name alone, by most of its words, and then by
    what is left.
    """
    left = dict(own)
    matched: dict[str, str] = {}

    def match(key: str, before: str) -> None:
        matched[key] = before
        del left[before]

    marks = {key: mark_of(title(name)) for key, name in named}
    for key, mark in marks.items():
        if left.get(key) == mark:
            match(key, key)
    by_mark = _by_mark(left)
    for key, mark in marks.items():
        if key not in matched and by_mark.get(mark):
            match(key, by_mark[mark].pop(0))
    for key, name in named:
        before = ""
        if key not in matched and len(left) * len(named) <= MOST_COMPARED:
            before = _most_alike(frozenset(slug(title(name)).split("-")), left, words)
        if before:
            match(key, before)
    for key in marks:
        if key in left and key not in matched:
            match(key, key)
        elif key in own:
            # Another has its place by now; it is new, and may not be taken for that one.
            matched.setdefault(key, "")
    return matched


def _by_mark(left: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, mark in left.items():
        found.setdefault(mark, []).append(key)
    return found


def _most_alike(
    name: frozenset[str], left: Mapping[str, str], words: Mapping[str, frozenset[str]]
) -> str:
    """Two thirds of the words in common, and more than any other has."""
    best = ""
    highest = 0.0
    for key in left:
        every = name | words[key]
        share = len(name & words[key]) / len(every) if every else 0.0
        if share > highest:
            best, highest = key, share
    return best if highest >= ALIKE else ""
