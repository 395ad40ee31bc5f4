"""Where GAMEPLAN, STATE, GOAL and STEP say something else than the file names, which are the only reliable record."""

from __future__ import annotations

from director_ctx.folder.markdown import section
from director_ctx.folder.model import FOLDER, Goal, Place, Step, Task
from director_ctx.folder.naming import current_place
from director_ctx.folder.needs import find_mentions, tokenize
from director_ctx.folder.next import listed_goals
from director_ctx.folder.readiness import goal_complete, places, step_complete
from director_ctx.folder.step_lines import StepLine, step_lines
from director_ctx.folder.text import plain
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.folder.project import Project

_FINISHED = ("complete", "completed", "done", "finished")


class Mismatch(Record):
    """One statement that the files contradict."""

    path: str
    line: int
    says: str
    files_say: str


def mismatches(project: Project) -> list[Mismatch]:
    """Every disagreement, in the order of the files."""
    return [*_gameplan(project), *_state(project), *_goals(project)]


def field(text: str, name: str) -> tuple[str, int]:
    """The value of a `**Name:** value` line and its line number; empty and 0 when absent."""
    wanted = f"{name.casefold()}:"
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.replace("*", "").strip().lstrip("- ").strip()
        if bare.casefold().startswith(wanted):
            return plain(bare[len(wanted) :].strip()), number
    return "", 0


def named_numbers(text: str) -> dict[str, int]:
    """`Goal 1, Step 2, Tasks 1-2 complete` as numbers; of several the last counts."""
    return {mention.unit: mention.numbers[-1] for mention in reversed(find_mentions(tokenize(text)))}


def _gameplan(project: Project) -> Iterator[Mismatch]:
    path = f"{FOLDER}/GAMEPLAN.md"
    text = project.text(path)
    current = current_place(project)
    for name, unit in (("Current Goal", "goal"), ("Current Step", "step")):
        says, line = field(text, name)
        if says and (actual := _other_unit(project, says, unit, current)):
            yield Mismatch(path, line, f"{name}: {says}", actual)
    folders = {goal.number for goal in project.goals()}
    for number, title in listed_goals(text):
        if number not in folders and folders:
            yield Mismatch(path, 0, f"lists goal {number} ({plain(title)})", "it has no folder")
    listed = {number for number, _ in listed_goals(text)}
    for goal in project.goals():
        if listed and goal.number not in listed:
            yield Mismatch(path, 0, "lists other goals only", f"goal {goal.number} has a folder ({plain(goal.name)})")


def _other_unit(project: Project, says: str, unit: str, current: Place | None) -> str:
    """What the files say instead, if a focus or state field names another goal or step."""
    if any(word in _FINISHED for word in tokenize(says)):
        return ""
    number = named_numbers(says).get(unit)
    if current is None:
        return "everything is done" if number is not None else ""
    actual = current.goal if unit == "goal" else current.step
    if actual is None or number == actual.number:
        return ""
    title = project.title(actual)
    if number is None and not _names_another(project, says, unit, actual):
        return ""
    return f"{unit} {actual.number} ({title}) is current"


def _names_another(project: Project, says: str, unit: str, actual: Goal | Step) -> bool:
    """Whether a text without a number is the name of another goal or step."""
    wanted = _bare(says)
    if _bare(project.title(actual)) == wanted:
        return False
    units: list[Goal | Step] = list(project.goals())
    if unit == "step":
        units = [step for goal in project.goals() for step in project.steps(goal)]
    return any(_bare(project.title(other)) == wanted for other in units)


def _bare(name: str) -> str:
    """A name without what people add to it: `(next)`, `-- DONE`, `Task 2:` before it."""
    for mark in (" (", " -- ", " \u2014 "):
        name = name.partition(mark)[0]
    label, colon, rest = name.partition(":")
    words = label.split()
    labelled = colon and len(words) == 2 and words[0].casefold() in ("goal", "step", "task")
    return (rest if labelled else name).strip().casefold()


def _state(project: Project) -> Iterator[Mismatch]:
    path = f"{FOLDER}/STATE.md"
    text = project.text(path)
    current = current_place(project)
    done = [place for place in places(project) if place.task and place.task.done]
    says, line = field(text, "Status")
    if actual := _other_status(says, bool(done), current):
        yield Mismatch(path, line, f"Status: {says}", actual)
    for name, unit in (("Current goal", "goal"), ("Current step", "step")):
        says, line = field(text, name)
        if says and (actual := _other_unit(project, says, unit, current)):
            yield Mismatch(path, line, f"{name}: {says}", actual)
    says, line = field(text, "Current task")
    if actual := _other_task(project, says, current, done):
        yield Mismatch(path, line, f"Current task: {says}", actual)
    says, line = field(text, "Position")
    if actual := _other_position(says, current, done):
        yield Mismatch(path, line, f"Position: {says}", actual)


def _other_status(says: str, started: bool, current: Place | None) -> str:
    said = says.casefold()
    if said.startswith("complete") and current is not None:
        return f"{current.ref} is pending"
    if said.startswith("not started") and started:
        return "tasks are done"
    return "every task is done" if said.startswith(("in progress", "building")) and started and current is None else ""


def _other_task(project: Project, says: str, current: Place | None, done: list[Place]) -> str:
    """A current task that is finished already, unless the text says so itself."""
    if not says or any(word in _FINISHED for word in tokenize(says)):
        return ""
    name = _bare(says)
    now = project.title(current.task) if current and current.task else ""
    if name == _bare(now) or not any(place.task and _bare(project.title(place.task)) == name for place in done):
        return ""
    return "that task is done; " + (f"{current.ref} ({now}) is current" if current else "everything is done")


def _other_position(says: str, current: Place | None, done: list[Place]) -> str:
    """A position that is not the current one, or calls something complete that is not the last thing done."""
    tokens = tokenize(says)
    end = next((place for place, word in enumerate(tokens) if word in _FINISHED), None)
    numbers = named_numbers(" ".join(tokens[:end]))
    if "goal" not in numbers:
        return ""
    if end is None:
        return "" if current and _agrees(numbers, current) else _where(current)
    before = [place for place in done if current is None or _order(place) < _order(current)]
    complete = bool(before) and _agrees(numbers, before[-1]) and not (current and _agrees(numbers, current))
    return "" if complete else _where(current)


def _order(place: Place) -> tuple[int, ...]:
    return tuple(unit.number for unit in (place.goal, place.step, place.task) if unit)


def _agrees(numbers: dict[str, int], place: Place) -> bool:
    units = (("goal", place.goal), ("step", place.step), ("task", place.task))
    return all(unit is not None and numbers.get(name, unit.number) == unit.number for name, unit in units)


def _where(current: Place | None) -> str:
    return f"the position is {current.ref}" if current else "everything is done"


def _goals(project: Project) -> Iterator[Mismatch]:
    for goal in project.goals():
        yield from _goal_status(project, goal)
        for step in project.steps(goal):
            yield from _step(project, step)


def _goal_status(project: Project, goal: Goal) -> Iterator[Mismatch]:
    path = f"{goal.path}/GOAL.md"
    text = project.text(path)
    status = section(text, "status") or ""
    says, line = field(text, "Progress") if "rogress:" in status else ("", 0)
    begun = any(task.done for step in project.steps(goal) for task in project.tasks(step))
    complete = goal_complete(project, goal)
    if says.casefold().startswith("not started") and begun:
        yield Mismatch(plain(path), line, f"Progress: {says}", "complete" if complete else "in progress")
    elif says.casefold().startswith("complete") and not complete:
        yield Mismatch(plain(path), line, f"Progress: {says}", "in progress" if begun else "not started")
    says, line = field(text, "Steps complete")
    number = says.split(" ")[0]
    actual = sum(step_complete(project, step) for step in project.steps(goal))
    if number.isascii() and number.isdigit() and int(number[:9]) != actual:
        yield Mismatch(plain(path), line, f"Steps complete: {says}", f"{actual} of {len(project.steps(goal))}")


def _step(project: Project, step: Step) -> Iterator[Mismatch]:
    path = f"{step.path}/STEP.md"
    lines = {line.number: line for line in step_lines(project.text(path))}
    tasks = {task.number: task for task in project.tasks(step)}
    for number, line in lines.items():
        if (task := tasks.get(number)) is None:
            yield Mismatch(plain(path), line.line, f"lists task {number} ({plain(line.title)})", "it has no file")
        elif wrong := _box(line, task):
            yield Mismatch(plain(path), line.line, f"task {number} is {wrong[0]}", wrong[1])
    for number, task in tasks.items():
        if lines and number not in lines:
            yield Mismatch(plain(path), 0, "does not list every task", f"task {number} has a file ({plain(task.name)})")


def _box(line: StepLine, task: Task) -> tuple[str, str] | None:
    ticked = line.mark.casefold() == "x"
    if ticked and not task.done:
        return "ticked", "its file is not .done.md"
    if task.done and not ticked:
        return "not ticked", "its file is .done.md"
    return None
