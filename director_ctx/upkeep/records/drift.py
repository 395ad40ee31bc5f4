"""Where GAMEPLAN, STATE, GOAL and STEP say something else than the file names, which are the only
reliable record.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.reading.markdown import find_section
from director_ctx.project.reading.model import FOLDER, Goal, Step, Task
from director_ctx.project.tasks.child_lists import StepLine, listed_units, lookalike, step_lines
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
    actual = other_task(says, truth, _done_names(project, truth))
    if actual:
        yield Mismatch(GAMEPLAN, line, f"Next Up: {says}", actual)

    goals = project.goals()
    if goals:
        yield from _children(project, GAMEPLAN, "goals", goals)


def _units(
    project: Project, path: str, truth: Standing, names: tuple[str, str]
) -> Iterator[Mismatch]:
    """The fields that name a goal and a step."""
    text = without(project.text(path), "progress")
    for name, label in zip(names, ("goal", "step"), strict=True):
        says, line = field(text, name)
        if not says:
            continue
        actual = other_unit(says, label, truth, _names_of(project, label))
        if actual:
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
    lines = listed_units(text, title, label)
    numbers = {unit.number for unit in units}
    seen: set[int] = set()
    for line in lines:
        if line.number not in numbers | seen and not line.placeholder:
            says = f"lists {label} {line.number} ({plain(line.name)})"
            advice = f"Plan it with `dctx add {label}`, or take it off the list."
            yield Mismatch(path, line.line, says, "it has no folder", advice)
        seen.add(line.number)
    if not lines:
        return

    for unit in units:
        if unit.number in seen:
            continue
        actual = f"{label} {unit.number} has a folder ({plain(unit.name)})"
        likely = lookalike(text, title, label, unit.number, project.title(unit))
        if likely:
            advice = meant(label, unit.number)
            yield Mismatch(path, likely, f"{UNLISTS} {label}", actual, advice)
        else:
            yield Mismatch(path, _heading(text, title), f"{UNLISTS} {label}", actual, LIST)


def meant(label: str, number: int) -> str:
    """What to do about a line that seems to be it."""
    form = "- [ ] Task" if label == "task" else f"{number}. {label.title()}"
    return f"This line may be meant; write it as '{form} {number}: NAME'"


def _heading(text: str, title: str) -> int:
    """The line of a section's heading; 0 if there is none."""
    section = find_section(text, title)
    if not section:
        return 0
    return text.count("\n", 0, section[0]) + 1


def _state(project: Project, truth: Standing, goals: Sequence[GoalProgress]) -> Iterator[Mismatch]:
    text = project.text(STATE)
    head = without(text, "progress")

    says, line = field(head, "Status")
    actual = other_status(says, truth)
    if actual:
        yield Mismatch(STATE, line, f"Status: {says}", actual)

    yield from _units(project, STATE, truth, ("Current goal", "Current step"))

    says, line = field(head, "Current task")
    actual = other_task(says, truth, _done_names(project, truth))
    if actual:
        yield Mismatch(STATE, line, f"Current task: {says}", actual)

    says, line = field(head, "Position")
    actual = other_position(says, truth)
    if actual:
        yield Mismatch(STATE, line, f"Position: {says}", actual)

    for edit in progress_edits(source_of(text), goals):
        old = plain((edit.old or "").strip())
        new = plain(_on_one_line(edit.new or ""))
        yield Mismatch(STATE, edit.line, old or "does not list all progress", new)


def _on_one_line(text: str) -> str:
    lines = (line.strip() for line in text.split("\n"))
    return " / ".join(filter(None, lines))


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
    actual = other_progress(says, goal)
    if actual:
        yield Mismatch(plain(path), line, f"Progress: {says}", actual)

    says, line = field(text, "Steps complete")
    actual = other_count(says, goal, project.text(path))
    if actual:
        yield Mismatch(plain(path), line, f"Steps complete: {says}", actual)


def _step(project: Project, step: Step) -> Iterator[Mismatch]:
    path = f"{step.path}/STEP.md"
    shown = plain(path)
    text = project.text(path)
    lines = {line.number: line for line in step_lines(text)}
    numbers = [task.number for task in project.tasks(step)]
    tasks = {task.number: task for task in project.tasks(step)}

    for number, line in lines.items():
        listed_task = tasks.get(number)
        if listed_task is None:
            says = f"lists task {number} ({plain(line.title)})"
            advice = "Write its file with `dctx add task`, or take it off the list."
            yield Mismatch(shown, line.line, says, "it has no file", advice)
        elif line.mark and numbers.count(number) == 1:
            wrong = _box(line, listed_task)
            if wrong:
                ticked, actual = wrong
                yield Mismatch(shown, line.line, f"task {number} is {ticked}", actual)
    if not lines:
        return

    for number, task in tasks.items():
        if number in lines:
            continue
        actual = f"task {number} has a file ({plain(task.name)})"
        likely = lookalike(text, "tasks", "task", number, project.title(task))
        if likely:
            advice = meant("task", number)
            yield Mismatch(shown, likely, f"{UNLISTS} task", actual, advice)
        else:
            yield Mismatch(shown, _heading(text, "tasks"), f"{UNLISTS} task", actual, LIST)


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
        if truth.task:
            return f"{_where(truth)} is pending"
        return _to_plan(truth) or "nothing is done yet"
    if said.startswith("not started") and truth.status != NOT_STARTED:
        return "tasks are done"
    if said.startswith(("in progress", "building")) and truth.status == COMPLETE:
        return "every task is done"
    return ""


def other_unit(says: str, label: str, truth: Standing, known: Collection[str]) -> str:
    """For a goal or step; `known` are the names of all of them, so that any other text means
    nothing.
    """
    actual = truth.goal if label == "goal" else truth.step
    if actual and same_name(says, actual.name):
        if finished(besides(says, actual.name)):
            return f"{label} {actual.number} is not complete"
        return ""
    if finished(says):
        return ""

    number = named_numbers(says).get(label)
    if actual is None:
        return "" if number is None else _otherwise(truth)
    if number == actual.number:
        return ""
    names_another = number is not None or any(same_name(says, name) for name in known)
    if not names_another:
        return ""
    return f"{label} {actual.number} ({actual.name}) is current"


def other_task(says: str, truth: Standing, done: Collection[str]) -> str:
    """A current task that is finished already, or is called finished and is not."""
    if not says:
        return ""
    current = truth.task
    if current and same_name(says, current.name):
        return "that task is not done" if finished(besides(says, current.name)) else ""

    name = next((name for name in done if same_name(says, name)), "")
    if not name or finished(besides(says, name)):
        return ""
    if current:
        return f"that task is done; {_where(truth)} ({current.name}) is current"
    return f"that task is done; {_otherwise(truth)}"


def other_position(says: str, truth: Standing) -> str:
    """A position that is not the current one, or calls something complete that is not the last
    thing done.
    """
    for unit in (truth.goal, truth.step, truth.task):
        if unit:
            says = unnamed(says, unit.name)
    tokens = tokenize(says)
    end = next((index for index, word in enumerate(tokens) if word in FINISHED), None)
    numbers = named_numbers(" ".join(tokens[:end]))
    if "goal" not in numbers:
        return ""

    actual = f"the position is {_where(truth)}" if truth.goal else _otherwise(truth)
    is_current = bool(truth.numbers) and _agrees(numbers, truth.numbers)
    calls_complete = end is not None
    if not calls_complete:
        return "" if is_current else actual

    last = _last_done(truth)
    if last and _agrees(numbers, _numbers(last)) and not is_current:
        return ""
    return actual


def _last_done(truth: Standing) -> Place | None:
    """The last task that is done before the current one."""
    last = None
    for place in truth.done:
        if truth.current is None or _order(place) < _order(truth.current):
            last = place
    return last


def _where(truth: Standing) -> str:
    return "/".join(str(number) for number in truth.numbers.values())


def _otherwise(truth: Standing) -> str:
    """Where no task is current."""
    to_plan = _to_plan(truth)
    if to_plan:
        return to_plan
    return EVERYTHING if truth.status == COMPLETE else "no task is planned"


def _to_plan(truth: Standing) -> str:
    unit: Unit | None = truth.step or truth.goal
    if not unit:
        return ""
    label = "step" if truth.step else "goal"
    return f"{label} {unit.number} ({unit.name}) is to be planned"


def _numbers(place: Place) -> dict[str, int]:
    units = (("goal", place.goal), ("step", place.step), ("task", place.task))
    return {name: unit.number for name, unit in units if unit}


def _order(place: Place) -> tuple[int, ...]:
    return tuple(_numbers(place).values())


def _agrees(numbers: dict[str, int], actual: dict[str, int]) -> bool:
    """Whatever both name is the same; what only one names is left open, but not a task that is not
    planned.
    """
    named = numbers.keys() & {"goal", "step", "task"}
    return all(actual.get(name) == numbers[name] for name in named)
