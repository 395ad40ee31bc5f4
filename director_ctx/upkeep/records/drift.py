"""Where GAMEPLAN, STATE, GOAL and STEP say something else than the file names, which are the only
reliable record.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.child_lists import listed_units, lookalike, step_lines
from director_ctx.project.tasks.fields import field, within, without
from director_ctx.project.tasks.progress import goal_progress
from director_ctx.project.tasks.standing import standing
from director_ctx.upkeep.records.claims import other_position, other_status, other_task, other_unit
from director_ctx.upkeep.records.goal import other_count, other_progress
from director_ctx.upkeep.records.lines import heading_line
from director_ctx.upkeep.records.progress import progress_edits
from director_ctx.upkeep.records.source import source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Step, Task
    from director_ctx.project.tasks.child_lists import StepLine
    from director_ctx.project.tasks.progress import GoalProgress
    from director_ctx.project.tasks.standing import Standing

GAMEPLAN = f"{FOLDER}/GAMEPLAN.md"
STATE = f"{FOLDER}/STATE.md"
SYNC = "`dctx doctor --fix` writes what the files say"
LIST = "`dctx doctor --fix` adds the line"


class Mismatch(Record):
    """One statement that the files contradict, and what to do about it."""

    path: str
    line: int
    says: str
    files_say: str
    advice: str = SYNC


class Unlisted(Mismatch):
    """A goal, step or task that is there, and that its parent does not list among its others."""


def mismatches(project: Project) -> list[Mismatch]:
    """Every disagreement, in the order of the files."""
    truth = standing(project)
    goals = [goal_progress(project, goal) for goal in project.goals()]
    return [
        *_gameplan(project, truth),
        *_state(project, truth, goals),
        *_goals(project, goals),
    ]


def _gameplan(project: Project, truth: Standing) -> Iterator[Mismatch]:
    text = project.text(GAMEPLAN)
    yield from _current_units(
        project,
        GAMEPLAN,
        truth,
        goal_field="Current Goal",
        step_field="Current Step",
    )

    says, line = field(text, "Next Up")
    actual = other_task(says, truth, _done_titles(project, truth))
    if actual:
        yield Mismatch(GAMEPLAN, line, f"Next Up: {says}", actual)

    goals = project.goals()
    if goals:
        yield from _children(project, GAMEPLAN, "goal", goals)


def _current_units(
    project: Project,
    path: str,
    truth: Standing,
    *,
    goal_field: str,
    step_field: str,
) -> Iterator[Mismatch]:
    """The fields that name a goal and a step."""
    # Progress has fields of its own, for each goal.
    text = without(project.text(path), "progress")
    for label, name in (("goal", goal_field), ("step", step_field)):
        says, line = field(text, name)
        if not says:
            continue
        actual = other_unit(says, label, truth, _titles(project, label))
        if actual:
            yield Mismatch(path, line, f"{name}: {says}", actual)


def _titles(project: Project, label: str) -> set[str]:
    """The titles of all goals, or of all steps."""
    titles: set[str] = set()
    for goal in project.goals():
        if label == "goal":
            titles.add(project.title(goal))
            continue
        for step in project.steps(goal):
            titles.add(project.title(step))
    return titles


def _done_titles(project: Project, truth: Standing) -> set[str]:
    return {project.title(place.task) for place in truth.done if place.task}


def _children(
    project: Project,
    path: str,
    label: str,
    units: Sequence[Goal | Step],
) -> Iterator[Mismatch]:
    """What is listed without a folder, and folders that are not listed where others are."""
    text = project.text(path)
    title = f"{label}s"
    shown = plain(path)
    lines = listed_units(text, title, label)
    has_folder = {unit.number for unit in units}

    known: set[int] = set()
    for line in lines:
        # A number that is listed twice is told of once.
        is_told = line.number in has_folder or line.number in known
        known.add(line.number)
        if is_told or line.placeholder:
            continue
        yield Mismatch(
            path=shown,
            line=line.line,
            says=f"lists {label} {line.number} ({plain(line.name)})",
            files_say="it has no folder",
            advice=f"Plan it with `dctx add {label}`, or take it off the list.",
        )

    if not lines:
        return
    for unit in units:
        if unit.number not in known:
            actual = f"{label} {unit.number} has a folder ({plain(unit.name)})"
            yield _unlisted(project, path, label, unit, actual)


def _unlisted(
    project: Project,
    path: str,
    label: str,
    unit: Goal | Step | Task,
    actual: str,
) -> Unlisted:
    text = project.text(path)
    title = f"{label}s"
    line = lookalike(text, title, label, unit.number, project.title(unit))
    advice = advice_on_lookalike(label, unit.number)
    if not line:
        line = heading_line(text, title)
        advice = LIST
    return Unlisted(plain(path), line, f"does not list every {label}", actual, advice)


def advice_on_lookalike(label: str, number: int) -> str:
    """What to do about a line that seems to be about this goal, step or task."""
    form = f"{number}. {label.title()}"
    if label == "task":
        form = "- [ ] Task"
    return f"This line may be meant; write it as '{form} {number}: NAME'"


def _state(
    project: Project,
    truth: Standing,
    goals: Sequence[GoalProgress],
) -> Iterator[Mismatch]:
    text = project.text(STATE)
    head = without(text, "progress")

    says, line = field(head, "Status")
    actual = other_status(says, truth)
    if actual:
        yield Mismatch(STATE, line, f"Status: {says}", actual)

    yield from _current_units(
        project,
        STATE,
        truth,
        goal_field="Current goal",
        step_field="Current step",
    )

    says, line = field(head, "Current task")
    actual = other_task(says, truth, _done_titles(project, truth))
    if actual:
        yield Mismatch(STATE, line, f"Current task: {says}", actual)

    says, line = field(head, "Position")
    actual = other_position(says, truth)
    if actual:
        yield Mismatch(STATE, line, f"Position: {says}", actual)

    # What `dctx doctor --fix` would write there is what the files say.
    for edit in progress_edits(source_of(text), goals):
        old = plain((edit.old or "").strip())
        new = plain(_on_one_line(edit.new or ""))
        yield Mismatch(STATE, edit.line, old or "does not list all progress", new)


def _on_one_line(text: str) -> str:
    lines = (line.strip() for line in text.split("\n"))
    return " / ".join(filter(None, lines))


def _goals(project: Project, goals: Sequence[GoalProgress]) -> Iterator[Mismatch]:
    for progress in goals:
        goal = progress.goal
        path = f"{goal.path}/GOAL.md"
        yield from _goal_status(project, progress, path)

        steps = project.steps(goal)
        yield from _children(project, path, "step", steps)
        for step in steps:
            yield from _step(project, step)


def _goal_status(
    project: Project,
    goal: GoalProgress,
    path: str,
) -> Iterator[Mismatch]:
    text = project.text(path)
    status = within(text, "status")
    shown = plain(path)

    says, line = field(status, "Progress")
    actual = other_progress(says, goal)
    if actual:
        yield Mismatch(shown, line, f"Progress: {says}", actual)

    says, line = field(status, "Steps complete")
    actual = other_count(says, goal, text)
    if actual:
        yield Mismatch(shown, line, f"Steps complete: {says}", actual)


def _step(project: Project, step: Step) -> Iterator[Mismatch]:
    path = f"{step.path}/STEP.md"
    lines = {line.number: line for line in step_lines(project.text(path))}
    numbers = [task.number for task in project.tasks(step)]
    tasks = {task.number: task for task in project.tasks(step)}

    for number, line in lines.items():
        task = tasks.get(number)
        if task is None:
            yield _without_a_file(plain(path), line)
            continue
        # Of two tasks with one number nobody knows which the box means.
        is_one_task = numbers.count(number) == 1
        wrong = _wrong_box(line, task)
        if wrong and is_one_task:
            ticked, actual = wrong
            yield Mismatch(plain(path), line.line, f"task {number} is {ticked}", actual)

    if not lines:
        return
    for number, task in tasks.items():
        if number not in lines:
            actual = f"task {number} has a file ({plain(task.name)})"
            yield _unlisted(project, path, "task", task, actual)


def _without_a_file(path: str, line: StepLine) -> Mismatch:
    return Mismatch(
        path=path,
        line=line.line,
        says=f"lists task {line.number} ({plain(line.title)})",
        files_say="it has no file",
        advice="Write its file with `dctx add task`, or take it off the list.",
    )


def _wrong_box(line: StepLine, task: Task) -> tuple[str, str] | None:
    """What a line's box says and what the files say; None where they agree or there is no box."""
    if not line.mark:
        return None
    is_ticked = line.mark.casefold() == "x"
    if is_ticked and not task.done:
        return "ticked", "its file is not .done.md"
    if task.done and not is_ticked:
        return "not ticked", "its file is .done.md"
    return None
