"""GOAL.md: how far the goal is."""

from __future__ import annotations

from director_ctx.project.tasks.child_lists import listed
from director_ctx.project.tasks.fields import field, within
from director_ctx.project.tasks.progress import COMPLETE
from director_ctx.upkeep.records.lines import recounted, set_field

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
    return [
        edit for name, value in wanted if value and (edit := set_field(source, text, name, value))
    ]


def other_progress(says: str, goal: GoalProgress) -> str:
    """What the files say instead of `Not started`, `In progress` or `Complete`; empty where they
    agree.
    """
    said = says.casefold()
    if said.startswith("not started"):
        return ("complete" if goal.state == COMPLETE else "in progress") if goal.done else ""
    if said.startswith("complete") and goal.state != COMPLETE:
        return "in progress" if goal.done else "not started"
    return "complete" if said.startswith("in progress") and goal.state == COMPLETE else ""


def complete_steps(goal: GoalProgress) -> int:
    return sum(step.state == COMPLETE for step in goal.steps)


def other_count(says: str, goal: GoalProgress, text: str) -> str:
    """`2 of 3` with the numbers of the files; empty where they agree or no number is there.

    A step that GOAL.md lists counts, though it may have no folder yet.
    """
    done = complete_steps(goal)
    total = len(
        {step.step.number for step in goal.steps}
        | {one.number for one in listed(text, "steps", "step")}
    )
    new = recounted(says, done, total)
    if new == says and says.isascii() and says.isdigit():
        new = f"{done} of {total}"
    return "" if new == says else new
