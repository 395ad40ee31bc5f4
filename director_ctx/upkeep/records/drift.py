"""Where GAMEPLAN, STATE, GOAL and STEP say something else than the file names, which are the only
reliable record.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.reading.markdown import find_section
from director_ctx.project.reading.model import FOLDER, Goal, Step, Task
from director_ctx.project.tasks.child_lists import StepLine, listed, lookalike, step_lines
from director_ctx.project.tasks.fields import (
    FINISHED,
    besides,
    field,
    finished,
    named_numbers,
    same_name,
    unnamed,
    within,
    without,
)
from director_ctx.project.tasks.needs import tokenize
from director_ctx.project.tasks.progress import GoalProgress, goal_progress
from director_ctx.project.tasks.standing import COMPLETE, NOT_STARTED, Standing, standing
from director_ctx.upkeep.records.goal import other_count, other_progress
from director_ctx.upkeep.records.progress import progress_edits
from director_ctx.upkeep.records.source import source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place
    from director_ctx.project.tasks.standing import Standing, Unit


GAMEPLAN, STATE = f"{FOLDER}/GAMEPLAN.md", f"{FOLDER}/STATE.md"
SYNC = "`dctx state sync` writes what the files say"
LIST = "`dctx doctor --fix` adds the line"
UNLISTS = "does not list every"


class Mismatch(Record):
    """One statement that the files contradict, and what to do about it."""

    path: str
    line: int
    says: str
    files_say: str
    advice: str = SYNC


def mismatches(project: Project) -> list[Mismatch]:
    """Every disagreement, in the order of the files."""
    truth = standing(project)
    goals = [goal_progress(project, goal) for goal in project.goals()]
    return [*_gameplan(project, truth), *_state(project, truth, goals), *_goals(project, goals)]


def _gameplan(project: Project, truth: Standing) -> Iterator[Mismatch]:
    text = project.text(GAMEPLAN)
    yield from _units(project, GAMEPLAN, truth, ("Current Goal", "Current Step"))
    says, line = field(text, "Next Up")
    if actual := other_task(says, truth, _done_names(project, truth)):
        yield Mismatch(GAMEPLAN, line, f"Next Up: {says}", actual)
    goals = project.goals()
    if goals:
        yield from _children(project, GAMEPLAN, "goals", goals)


def _units(
    project: Project, path: str, truth: Standing, names: tuple[str, str]
) -> Iterator[Mismatch]:
    """The fields that name a goal and a step."""
    for name, label in zip(names, ("goal", "step"), strict=True):
        says, line = field(without(project.text(path), "progress"), name)
        if says and (actual := other_unit(says, label, truth, _names_of(project, label))):
            yield Mismatch(path, line, f"{name}: {says}", actual)


def _names_of(project: Project, label: str) -> set[str]:
    units: list[Goal | Step] = list(project.goals())
    if label == "step":
        units = [step for goal in project.goals() for step in project.steps(goal)]
    return {project.title(unit) for unit in units}


def _done_names(project: Project, truth: Standing) -> set[str]:
    return {project.title(place.task) for place in truth.done if place.task}


def _children(
    project: Project, path: str, title: str, units: Sequence[Goal | Step]
) -> Iterator[Mismatch]:
    """What is listed without a folder, and folders that are not listed where others are."""
    text, label, path = project.text(path), title.removesuffix("s"), plain(path)
    lines = listed(text, title, label)
    numbers = {unit.number for unit in units}
    seen: set[int] = set()
    for one in lines:
        if one.number not in numbers | seen and not one.placeholder:
            advice = f"Plan it with `dctx add {label}`, or take it off the list."
            yield Mismatch(
                path,
                one.line,
                f"lists {label} {one.number} ({plain(one.name)})",
                "it has no folder",
                advice,
            )
        seen.add(one.number)
    for unit in units:
        if lines and unit.number not in seen:
            likely = lookalike(text, title, label, unit.number, project.title(unit))
            line = likely or _heading(text, title)
            advice = meant(label, unit.number) if likely else LIST
            yield Mismatch(path, line, f"{UNLISTS} {label}", _has_folder(label, unit), advice)


def meant(label: str, number: int) -> str:
    """What to do about a line that seems to be it."""
    form = "- [ ] Task" if label == "task" else f"{number}. {label.title()}"
    return f"This line may be meant; write it as '{form} {number}: NAME'"


def _has_folder(label: str, unit: Goal | Step) -> str:
    return f"{label} {unit.number} has a folder ({plain(unit.name)})"


def _heading(text: str, title: str) -> int:
    found = find_section(text, title)
    return text.count("\n", 0, found[0]) + 1 if found else 0


def _state(project: Project, truth: Standing, goals: Sequence[GoalProgress]) -> Iterator[Mismatch]:
    text = project.text(STATE)
    head = without(text, "progress")
    says, line = field(head, "Status")
    if actual := other_status(says, truth):
        yield Mismatch(STATE, line, f"Status: {says}", actual)
    yield from _units(project, STATE, truth, ("Current goal", "Current step"))
    says, line = field(head, "Current task")
    if actual := other_task(says, truth, _done_names(project, truth)):
        yield Mismatch(STATE, line, f"Current task: {says}", actual)
    says, line = field(head, "Position")
    if actual := other_position(says, truth):
        yield Mismatch(STATE, line, f"Position: {says}", actual)
    for edit in progress_edits(source_of(text), goals):
        new = plain(
            " / ".join(line.strip() for line in (edit.new or "").split("\n") if line.strip())
        )
        yield Mismatch(
            STATE, edit.line, plain((edit.old or "").strip()) or "does not list all progress", new
        )


def _goals(project: Project, goals: Sequence[GoalProgress]) -> Iterator[Mismatch]:
    for goal in goals:
        path = f"{goal.goal.path}/GOAL.md"
        yield from _goal_status(project, goal, path)
        steps = project.steps(goal.goal)
        yield from _children(project, path, "steps", steps)
        for step in steps:
            yield from _step(project, step)


def _goal_status(project: Project, goal: GoalProgress, path: str) -> Iterator[Mismatch]:
    text = within(project.text(path), "status")
    says, line = field(text, "Progress")
    if actual := other_progress(says, goal):
        yield Mismatch(plain(path), line, f"Progress: {says}", actual)
    says, line = field(text, "Steps complete")
    if actual := other_count(says, goal, project.text(path)):
        yield Mismatch(plain(path), line, f"Steps complete: {says}", actual)


def _step(project: Project, step: Step) -> Iterator[Mismatch]:
    path = f"{step.path}/STEP.md"
    text = project.text(path)
    lines = {line.number: line for line in step_lines(text)}
    numbers = [task.number for task in project.tasks(step)]
    tasks = {task.number: task for task in project.tasks(step)}
    for number, line in lines.items():
        if (task := tasks.get(number)) is None:
            says = f"lists task {number} ({plain(line.title)})"
            advice = "Write its file with `dctx add task`, or take it off the list."
            yield Mismatch(plain(path), line.line, says, "it has no file", advice)
        elif line.mark and numbers.count(number) == 1 and (wrong := _box(line, task)):
            yield Mismatch(plain(path), line.line, f"task {number} is {wrong[0]}", wrong[1])
    for number, task in tasks.items():
        if lines and number not in lines:
            actual = f"task {number} has a file ({plain(task.name)})"
            likely = lookalike(text, "tasks", "task", number, project.title(task))
            advice = meant("task", number) if likely else LIST
            yield Mismatch(
                plain(path), likely or _heading(text, "tasks"), f"{UNLISTS} task", actual, advice
            )


def _box(line: StepLine, task: Task) -> tuple[str, str] | None:
    ticked = line.mark.casefold() == "x"
    if ticked and not task.done:
        return "ticked", "its file is not .done.md"
    if task.done and not ticked:
        return "not ticked", "its file is .done.md"
    return None


EVERYTHING = "everything is done"


def other_status(says: str, truth: Standing) -> str:
    said = says.casefold()
    if said.startswith("complete") and truth.status != COMPLETE:
        return (
            f"{_where(truth)} is pending"
            if truth.task
            else _to_plan(truth) or "nothing is done yet"
        )
    if said.startswith("not started") and truth.status != NOT_STARTED:
        return "tasks are done"
    return (
        "every task is done"
        if said.startswith(("in progress", "building")) and truth.status == COMPLETE
        else ""
    )


def other_unit(says: str, label: str, truth: Standing, known: Collection[str]) -> str:
    """For a goal or step; `known` are the names of all of them, so that any other text means
    nothing.
    """
    actual = truth.goal if label == "goal" else truth.step
    if actual and same_name(says, actual.name):
        return (
            f"{label} {actual.number} is not complete"
            if finished(besides(says, actual.name))
            else ""
        )
    if finished(says):
        return ""
    number = named_numbers(says).get(label)
    if actual is None:
        return "" if number is None else _otherwise(truth)
    if number == actual.number or (
        number is None and not any(same_name(says, name) for name in known)
    ):
        return ""
    return f"{label} {actual.number} ({actual.name}) is current"


def other_task(says: str, truth: Standing, done: Collection[str]) -> str:
    """A current task that is finished already, or is called finished and is not."""
    if not says:
        return ""
    if truth.task and same_name(says, truth.task.name):
        return "that task is not done" if finished(besides(says, truth.task.name)) else ""
    name = next((name for name in done if same_name(says, name)), "")
    if not name or finished(besides(says, name)):
        return ""
    now = f"{_where(truth)} ({truth.task.name}) is current" if truth.task else _otherwise(truth)
    return f"that task is done; {now}"


def other_position(says: str, truth: Standing) -> str:
    """A position that is not the current one, or calls something complete that is not the last
    thing done.
    """
    for unit in (truth.goal, truth.step, truth.task):
        says = unnamed(says, unit.name) if unit else says
    tokens = tokenize(says)
    end = next((place for place, word in enumerate(tokens) if word in FINISHED), None)
    numbers = named_numbers(" ".join(tokens[:end]))
    if "goal" not in numbers:
        return ""
    actual = f"the position is {_where(truth)}" if truth.goal else _otherwise(truth)
    current = truth.numbers
    if end is None:
        return "" if current and _agrees(numbers, current) else actual
    before = [
        place
        for place in truth.done
        if truth.current is None or _order(place) < _order(truth.current)
    ]
    complete = (
        bool(before)
        and _agrees(numbers, _numbers(before[-1]))
        and not (current and _agrees(numbers, current))
    )
    return "" if complete else actual


def _where(truth: Standing) -> str:
    return "/".join(str(number) for number in truth.numbers.values())


def _otherwise(truth: Standing) -> str:
    """Where no task is current."""
    return _to_plan(truth) or (EVERYTHING if truth.status == COMPLETE else "no task is planned")


def _to_plan(truth: Standing) -> str:
    unit: Unit | None = truth.step or truth.goal
    label = "step" if truth.step else "goal"
    return f"{label} {unit.number} ({unit.name}) is to be planned" if unit else ""


def _numbers(place: Place) -> dict[str, int]:
    units = (("goal", place.goal), ("step", place.step), ("task", place.task))
    return {name: unit.number for name, unit in units if unit}


def _order(place: Place) -> tuple[int, ...]:
    return tuple(_numbers(place).values())


def _agrees(numbers: dict[str, int], actual: dict[str, int]) -> bool:
    """Whatever both name is the same; what only one names is left open, but not a task that is not
    planned.
    """
    return all(
        actual.get(name) == number
        for name, number in numbers.items()
        if name in ("goal", "step", "task")
    )
