"""What GAMEPLAN says of the focus, GOAL.md of how far the goal is, and STEP.md of each task."""

from __future__ import annotations

from director_ctx.project.reading.markdown import find_section
from director_ctx.project.tasks.child_lists import listed_units, step_lines
from director_ctx.project.tasks.fields import field, same_name, within
from director_ctx.project.tasks.progress import COMPLETE
from director_ctx.upkeep.records.lines import names, recounted, replaced, set_fields
from director_ctx.upkeep.records.source import Edit
from director_ctx.upkeep.records.state import NONE_YET, UNPLANNED, nothing, says_nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.reading.model import Task
    from director_ctx.project.tasks.progress import GoalProgress
    from director_ctx.project.tasks.standing import Standing, Unit
    from director_ctx.upkeep.records.source import Source

_DONE = (" -- DONE", " \u2014 DONE", " - DONE", " (DONE)")
_CLOSED = "**All goals complete.**"
_EMPTY = ("none", "not ", "nothing", "all ", "pending")


def focus_edits(source: Source, truth: Standing) -> list[Edit]:
    """The fields of Current Focus, in the form in which they are written."""
    text = source.text
    edits = set_fields(source, text, _values(text, truth))
    # Without fields to edit, the section may be closed by a sentence.
    return edits or list(_reopened(source, truth))


def _values(text: str, truth: Standing) -> Iterator[tuple[str, str]]:
    for name, label, unit in (
        ("Current Goal", "goal", truth.goal),
        ("Current Step", "step", truth.step),
    ):
        says, _ = field(text, name)
        if unit is None:
            if not says_nothing(says, truth):
                yield name, nothing(label, truth)
        elif not names(says, label, unit):
            yield name, _styled(says, label, unit)

    says, _ = field(text, "Next Up")
    upcoming = _next_up(truth)
    names_task = truth.task and truth.task.name in says
    if not same_name(says, upcoming) and not names_task:
        yield "Next Up", upcoming


def _styled(says: str, label: str, unit: Unit) -> str:
    """`Goal 2`, `Step 1 (Name)`, `Step 1: Name` or the name alone: as it was written before."""
    numbered = f"{label.title()} {unit.number}"
    full = f"{numbered} ({unit.name})"
    old = says.strip()
    if old.casefold().startswith(f"{label} "):
        if "(" in old:
            return full
        if ":" in old or " -" in old:
            return f"{numbered}: {unit.name}"
        return numbered

    if not old or old.casefold().startswith(_EMPTY):
        return full
    return unit.name


def _next_up(truth: Standing) -> str:
    if truth.task:
        return truth.task.name
    if not truth.goal:
        if truth.done:
            return "Nothing, all goals are complete"
        return NONE_YET
    if truth.step:
        return f"Plan step {truth.step.number} ({truth.step.name})"
    return f"Plan goal {truth.goal.number}"


def _reopened(source: Source, truth: Standing) -> Iterator[Edit]:
    """A closing sentence instead of fields, in a plan that is open again: the fields return, the
    rest stays.
    """
    text = source.text
    section = find_section(text, "current focus")
    if not section or not truth.goal:
        return
    for name in ("Current Goal", "Current Step", "Next Up"):
        _, line_number = field(text, name)
        if line_number:
            return

    _, start, end = section
    first = text.count("\n", 0, start) + 1
    last = first + text.count("\n", start, end)
    for number in range(first, min(last, len(source.lines)) + 1):
        line = source.line(number)
        if not line.startswith(_CLOSED):
            continue
        new = "\n".join(_fields(truth))
        rest = line.removeprefix(_CLOSED).strip()
        if rest:
            new += f"\n\n{rest}"
        yield Edit(number, line, new)
        return


def _fields(truth: Standing) -> Iterator[str]:
    for label, unit in (("goal", truth.goal), ("step", truth.step)):
        title = label.title()
        value = UNPLANNED
        if unit:
            value = f"{title} {unit.number} ({unit.name})"
        yield f"**Current {title}:** {value}"
    yield f"**Next Up:** {_next_up(truth)}"


def goal_edits(
    source: Source,
    goal: GoalProgress,
    reopened: bool = False,
) -> list[Edit]:
    """Progress and the number of complete steps."""
    text = within(source.text, "status")
    values: list[tuple[str, str]] = []

    says, _ = field(text, "Progress")
    actual = other_progress(says, goal)
    # Whoever reopens the only finished task has begun nothing any more.
    if reopened and not goal.done and says.casefold() == "in progress":
        actual = "not started"
    if actual:
        values.append(("Progress", actual.capitalize()))

    says, _ = field(text, "Steps complete")
    count = other_count(says, goal, source.text)
    if count:
        values.append(("Steps complete", count))
    return set_fields(source, text, values)


def other_progress(says: str, goal: GoalProgress) -> str:
    """What the files say instead of `Not started`, `In progress` or `Complete`; empty where they
    agree.
    """
    said = says.casefold()
    is_complete = goal.state == COMPLETE
    if said.startswith("not started") and goal.done:
        if is_complete:
            return "complete"
        return "in progress"
    if said.startswith("complete") and not is_complete:
        if goal.done:
            return "in progress"
        return "not started"
    if said.startswith("in progress") and is_complete:
        return "complete"
    return ""


def other_count(says: str, goal: GoalProgress, text: str) -> str:
    """`2 of 3` with the numbers of the files; empty where they agree or no number is there.

    A step that GOAL.md lists counts, though it may have no folder yet.
    """
    numbers = {step.step.number for step in goal.steps}
    for line in listed_units(text, "steps", "step"):
        numbers.add(line.number)
    done = sum(step.state == COMPLETE for step in goal.steps)
    total = len(numbers)

    new = recounted(says, done, total)
    is_bare_number = says.isascii() and says.isdigit()
    if new == says and is_bare_number:
        new = f"{done} of {total}"
    if new == says:
        return ""
    return new


def box_edits(
    source: Source,
    tasks: Sequence[Task],
    only: int | None = None,
) -> list[Edit]:
    """A tick for what is done and none for what is not; `[~]` stays until the task is done."""
    numbers = [task.number for task in tasks]
    # Of two tasks with one number nobody knows which the box means.
    by_number = {task.number: task for task in tasks if numbers.count(task.number) == 1}

    edits: list[Edit] = []
    for line in step_lines(source.text):
        task = by_number.get(line.number)
        if not task or not line.mark:
            continue
        if only not in (None, task.number):
            continue

        is_ticked = line.mark.casefold() == "x"
        if task.done == is_ticked:
            continue
        old = source.line(line.line)
        edit = replaced(source, line.line, _with_box(old, task.done))
        if edit:
            edits.append(edit)
    return edits


def _with_box(line: str, done: bool) -> str:
    """An unticked line no longer says DONE at its end either."""
    start = line.index("[")
    before = line[:start]
    after = line[start + len("[x]") :]
    if done:
        return f"{before}[x]{after}"

    new = f"{before}[ ]{after}"
    bare = new.rstrip()
    for ending in _DONE:
        if bare.endswith(ending):
            return bare.removesuffix(ending)
    return new
