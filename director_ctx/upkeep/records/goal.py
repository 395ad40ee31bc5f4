"""GOAL.md: how far the goal is."""

from __future__ import annotations

from director_ctx.project.tasks.child_lists import listed
from director_ctx.project.tasks.fields import field, within
from director_ctx.project.tasks.progress import COMPLETE
from director_ctx.upkeep.records.lines import recounted, set_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.tasks.progress import GoalProgress
    from director_ctx.upkeep.records.source import Edit, Source


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


def complete_steps(goal: GoalProgress) -> int:
    return sum(step.state == COMPLETE for step in goal.steps)


def other_count(says: str, goal: GoalProgress, text: str) -> str:
    """`2 of 3` with the numbers of the files; empty where they agree or no number is there.

    A step that GOAL.md lists counts, though it may have no folder yet.
    """
    numbers = {step.step.number for step in goal.steps}
    for line in listed(text, "steps", "step"):
        numbers.add(line.number)
    done = complete_steps(goal)
    total = len(numbers)

    new = recounted(says, done, total)
    is_bare_number = says.isascii() and says.isdigit()
    if new == says and is_bare_number:
        new = f"{done} of {total}"
    if new == says:
        return ""
    return new
