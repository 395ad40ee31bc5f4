"""Where GAMEPLAN, STATE, GOAL and STEP say something else than the file names, which are the only reliable record."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.reading.markdown import find_section
from director_ctx.project.reading.model import FOLDER, Goal, Step, Task
from director_ctx.project.tasks.child_lists import listed, lookalike
from director_ctx.project.tasks.fields import field, within, without
from director_ctx.project.tasks.progress import GoalProgress, goal_progress
from director_ctx.project.tasks.standing import Standing, standing
from director_ctx.project.tasks.step_lines import StepLine, step_lines
from director_ctx.upkeep.records import contradictions
from director_ctx.upkeep.records.goal import other_count, other_progress
from director_ctx.upkeep.records.progress import progress_edits
from director_ctx.upkeep.records.source import source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.project import Project

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
    if actual := contradictions.other_task(says, truth, _done_names(project, truth)):
        yield Mismatch(GAMEPLAN, line, f"Next Up: {says}", actual)
    goals = project.goals()
    if goals:
        yield from _children(project, GAMEPLAN, "goals", goals)


def _units(project: Project, path: str, truth: Standing, names: tuple[str, str]) -> Iterator[Mismatch]:
    """The fields that name a goal and a step."""
    for name, label in zip(names, ("goal", "step"), strict=True):
        says, line = field(without(project.text(path), "progress"), name)
        if says and (actual := contradictions.other_unit(says, label, truth, _names_of(project, label))):
            yield Mismatch(path, line, f"{name}: {says}", actual)


def _names_of(project: Project, label: str) -> set[str]:
    units: list[Goal | Step] = list(project.goals())
    if label == "step":
        units = [step for goal in project.goals() for step in project.steps(goal)]
    return {project.title(unit) for unit in units}


def _done_names(project: Project, truth: Standing) -> set[str]:
    return {project.title(place.task) for place in truth.done if place.task}


def _children(project: Project, path: str, title: str, units: Sequence[Goal | Step]) -> Iterator[Mismatch]:
    """What is listed without a folder, and folders that are not listed where others are."""
    text, label, path = project.text(path), title.removesuffix("s"), plain(path)
    lines = listed(text, title, label)
    numbers = {unit.number for unit in units}
    seen: set[int] = set()
    for one in lines:
        if one.number not in numbers | seen and not one.placeholder:
            advice = f"Plan it with `dctx add {label}`, or take it off the list."
            yield Mismatch(
                path, one.line, f"lists {label} {one.number} ({plain(one.name)})", "it has no folder", advice
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
    if actual := contradictions.other_status(says, truth):
        yield Mismatch(STATE, line, f"Status: {says}", actual)
    yield from _units(project, STATE, truth, ("Current goal", "Current step"))
    says, line = field(head, "Current task")
    if actual := contradictions.other_task(says, truth, _done_names(project, truth)):
        yield Mismatch(STATE, line, f"Current task: {says}", actual)
    says, line = field(head, "Position")
    if actual := contradictions.other_position(says, truth):
        yield Mismatch(STATE, line, f"Position: {says}", actual)
    for edit in progress_edits(source_of(text), goals):
        new = plain(" / ".join(line.strip() for line in (edit.new or "").split("\n") if line.strip()))
        yield Mismatch(STATE, edit.line, plain((edit.old or "").strip()) or "does not list all progress", new)


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
            yield Mismatch(plain(path), likely or _heading(text, "tasks"), f"{UNLISTS} task", actual, advice)


def _box(line: StepLine, task: Task) -> tuple[str, str] | None:
    ticked = line.mark.casefold() == "x"
    if ticked and not task.done:
        return "ticked", "its file is not .done.md"
    if task.done and not ticked:
        return "not ticked", "its file is .done.md"
    return None
