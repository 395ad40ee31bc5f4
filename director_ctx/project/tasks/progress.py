"""How far each goal and step is, counted from file names and nothing else."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.tasks.child_lists import step_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Step

COMPLETE, IN_PROGRESS, NOT_STARTED, UNPLANNED = (
    "complete",
    "in progress",
    "not started",
    "unplanned",
)


class StepProgress(Record):
    step: Step
    title: str
    done: int
    total: int
    review: tuple[int, ...] = ()
    """Tasks that STEP.md marks `[~]`: drafted, waiting for somebody to look."""

    @property
    def state(self) -> str:
        return _state(self.done, self.total)


class GoalProgress(Record):
    goal: Goal
    title: str
    steps: tuple[StepProgress, ...]

    @property
    def done(self) -> int:
        return sum(step.done for step in self.steps)

    @property
    def total(self) -> int:
        return sum(step.total for step in self.steps)

    @property
    def state(self) -> str:
        has_empty_step = any(not step.total for step in self.steps)
        if not has_empty_step or self.done != self.total:
            return _state(self.done, self.total)
        # All tasks that there are, are done, and a step still has none.
        if self.done:
            return IN_PROGRESS
        return UNPLANNED


def _state(done: int, total: int) -> str:
    if not total:
        return UNPLANNED
    if done == total:
        return COMPLETE
    if done:
        return IN_PROGRESS
    return NOT_STARTED


def goal_progress(project: Project, goal: Goal) -> GoalProgress:
    return project.once(f"progress of {goal.path}", lambda: _goal_progress(project, goal))


def _goal_progress(project: Project, goal: Goal) -> GoalProgress:
    steps = tuple(_step_progress(project, step) for step in project.steps(goal))
    return GoalProgress(goal, project.title(goal), steps)


def _step_progress(project: Project, step: Step) -> StepProgress:
    total = len(project.tasks(step))
    pending = project.pending(step)
    pending_numbers = {task.number for task in pending}

    review: list[int] = []
    text = project.text(f"{step.path}/STEP.md")
    for line in step_lines(text):
        # A box counts only while the file's name does not say that the task is done.
        if line.mark == "~" and line.number in pending_numbers:
            review.append(line.number)
    return StepProgress(
        step=step,
        title=project.title(step),
        done=total - len(pending),
        total=total,
        review=tuple(review),
    )
