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
        if self.steps and any(not step.total for step in self.steps) and self.done == self.total:
            return IN_PROGRESS if self.done else UNPLANNED
        return _state(self.done, self.total)


def _state(done: int, total: int) -> str:
    if not total:
        return UNPLANNED
    return COMPLETE if done == total else IN_PROGRESS if done else NOT_STARTED


def goal_progress(project: Project, goal: Goal) -> GoalProgress:
    steps = tuple(_step_progress(project, step) for step in project.steps(goal))
    return GoalProgress(goal, project.title(goal), steps)


def _step_progress(project: Project, step: Step) -> StepProgress:
    tasks = project.tasks(step)
    pending = {task.number for task in tasks if not task.done}
    marks = step_lines(project.text(f"{step.path}/STEP.md"))
    review = tuple(line.number for line in marks if line.mark == "~" and line.number in pending)
    return StepProgress(
        step, project.title(step), sum(task.done for task in tasks), len(tasks), review
    )
