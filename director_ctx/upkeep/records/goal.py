"""GOAL.md: how far the goal is."""

from __future__ import annotations

from director_ctx.project.tasks.child_lists import listed_units
from director_ctx.project.tasks.fields import field, within
from director_ctx.project.tasks.progress import COMPLETE
from director_ctx.upkeep.records.lines import recounted, set_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.tasks.progress import GoalProgress
    from director_ctx.upkeep.records.source import Edit, Source


def goal_edits(source: Source, goal: GoalProgress, reopened: bool = False) -> list[Edit]:
    """Progress and the number of complete steps."""
    text = within(source.text, "status")
    says = field(text, "Progress")[0]
    actual = other_progress(says, goal)
    if reopened and not goal.done and says.casefold() == "in progress":
        actual = "not started"
    count = other_count(field(text, "Steps complete")[0], goal, source.text)
    wanted = (("Progress", actual.capitalize()), ("Steps complete", count))
    return set_fields(source, text, [(name, value) for name, value in wanted if value])


def other_progress(says: str, goal: GoalProgress) -> str:
    """What the files say instead of `Not started`, `In progress` or `Complete`; empty where they
    agree.
    """
    said = says.casefold()
    is_complete = goal.state == COMPLETE
    if said.startswith("not started") and goal.done:
        return "complete" if is_complete else "in progress"
    if said.startswith("complete") and not is_complete:
        return "in progress" if goal.done else "not started"
    if said.startswith("in progress") and is_complete:
        return "complete"
    return ""


def complete_steps(goal: GoalProgress) -> int:
    return sum(step.state == COMPLETE for step in goal.steps)


def other_count(says: str, goal: GoalProgress, text: str) -> str:
    """`2 of 3` with the numbers of the files; empty where they agree or no number is there.

    A step that GOAL.md lists counts, though it may have no folder yet.
    """
    done = complete_steps(goal)
    numbers = {step.step.number for step in goal.steps}
    numbers.update(item.number for item in listed_units(text, "steps", "step"))
    total = len(numbers)

    new = recounted(says, done, total)
    if new == says and says.isascii() and says.isdigit():
        new = f"{done} of {total}"
    return "" if new == says else new
