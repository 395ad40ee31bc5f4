"""GOAL.md: how far the goal is."""

from __future__ import annotations

from director_ctx.folder.fields import field
from director_ctx.folder.markdown import section
from director_ctx.folder.progress import COMPLETE
from director_ctx.folder.records.lines import recounted, set_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.folder.progress import GoalProgress
    from director_ctx.folder.source import Edit, Source


def goal_edits(source: Source, goal: GoalProgress) -> list[Edit]:
    """Progress and the number of complete steps."""
    status = section(source.text, "status")
    if status is None or "rogress:" not in status:
        return []
    edits = [_progress(source, goal), _steps(source, goal)]
    return [edit for edit in edits if edit]


def other_progress(says: str, goal: GoalProgress) -> str:
    """What the files say instead of `Not started`, `In progress` or `Complete`; empty where they agree."""
    said = says.casefold()
    if said.startswith("not started"):
        return ("complete" if goal.state == COMPLETE else "in progress") if goal.done else ""
    if said.startswith("complete") and goal.state != COMPLETE:
        return "in progress" if goal.done else "not started"
    return "complete" if said.startswith("in progress") and goal.state == COMPLETE else ""


def complete_steps(goal: GoalProgress) -> int:
    return sum(step.state == COMPLETE for step in goal.steps)


def other_count(says: str, goal: GoalProgress) -> str:
    """`2 of 3` with the numbers of the files; empty where they agree or no number is there."""
    done = complete_steps(goal)
    new = recounted(says, done, len(goal.steps))
    if new == says and says.isascii() and says.isdigit():
        new = f"{done} of {len(goal.steps)}"
    return "" if new == says else new


def _progress(source: Source, goal: GoalProgress) -> Edit | None:
    actual = other_progress(field(source.text, "Progress")[0], goal)
    return set_field(source, "Progress", actual.capitalize()) if actual else None


def _steps(source: Source, goal: GoalProgress) -> Edit | None:
    says, number = field(source.text, "Steps complete")
    new = other_count(says, goal) if number else ""
    return set_field(source, "Steps complete", new) if new else None
