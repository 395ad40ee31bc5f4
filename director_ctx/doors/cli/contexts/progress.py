"""How far goals and steps are, as lines with bars: as many as there is room for, or one goal down to
its tasks.
"""

from __future__ import annotations

from director_ctx.base.text import counted
from director_ctx.doors.cli.shared.table import aligned
from director_ctx.project.tasks.progress import COMPLETE, NOT_STARTED, GoalProgress, StepProgress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.project import Project
    from director_ctx.project.tasks.next import Candidate
    from director_ctx.upkeep.status import Status

    Line = tuple[str, str]

_COLUMNS = ("~", "#", ">", "")


def progress_lines(state: Status, room: int) -> list[Line]:
    """The goals, with the steps of the one that is being worked on where there is room for them."""
    if not state.goals:
        return [("No goals are planned yet.", "")]

    with_steps: list[GoalProgress | StepProgress] = []
    for goal in state.goals:
        with_steps.append(goal)
        if _is_current(state, goal):
            with_steps += goal.steps
    if len(with_steps) <= room:
        return _bars(with_steps)

    if len(state.goals) <= room:
        return _bars(state.goals)
    return _some_goals(state, room)


def _is_current(state: Status, goal: GoalProgress) -> bool:
    upcoming = state.next.task
    return upcoming is not None and upcoming.place.goal == goal.goal


def _some_goals(state: Status, room: int) -> list[Line]:
    """Those that are being worked on, a line for all that are complete, and one for the others."""
    complete = [goal for goal in state.goals if goal.state == COMPLETE]
    others = [goal for goal in state.goals if goal.state != COMPLETE]
    lines = []
    if complete:
        lines.append((f"Complete: {counted(len(complete), 'goal')}", "dim"))
        room -= 1

    shown = others
    if len(others) > room:
        # One line says how many are left.
        shown = others[: room - 1]
    lines += _bars(shown)
    left = others[len(shown) :]
    if left:
        state_of_all = "more"
        if all(goal.state == NOT_STARTED for goal in left):
            state_of_all = "not started"
        lines.append(
            (f"And {counted(len(left), 'goal')}, {state_of_all}: `dctx status --json`", "dim")
        )
    return lines


def goal_lines(project: Project, state: Status) -> Iterator[Line]:
    """Goals down to their tasks, with what those wait for that cannot start yet."""
    waiting = {}
    for candidate in state.next.waiting:
        assert candidate.place.task
        waiting[candidate.place.task.path] = candidate
    for goal in state.goals:
        heading, *steps = _bars([goal, *goal.steps])
        yield "", ""
        yield heading
        for step, line in zip(goal.steps, steps, strict=True):
            yield line
            yield from _tasks(project, step, waiting)


def _tasks(project: Project, step: StepProgress, waiting: dict[str, Candidate]) -> Iterator[Line]:
    for task in project.tasks(step.step):
        line = f"{task.number}. {project.title(task)}"
        if task.done:
            yield f"    [x] {line}", "dim"
        elif task.number in step.review:
            # STEP.md has a ~ in its box: somebody is to look at it.
            yield f"    [~] {line}", ""
        elif task.path in waiting:
            yield f"    [ ] {line} (waits: {waiting[task.path].readiness.why})", ""
        else:
            yield f"    [ ] {line}", ""


def _bars(units: Sequence[GoalProgress | StepProgress]) -> list[Line]:
    rows = [_row(unit) for unit in units]
    lines = []
    for unit, line in zip(units, aligned(_COLUMNS, rows), strict=True):
        style = ""
        if isinstance(unit, GoalProgress):
            style = "bold"
        elif unit.state == COMPLETE:
            # The eye should land on what is not done yet.
            style = "dim"
        lines.append((line, style))
    return lines


def _row(unit: GoalProgress | StepProgress) -> list[str]:
    if isinstance(unit, GoalProgress):
        name = f"Goal {unit.goal.number}: {unit.title}"
    else:
        name = f"  Step {unit.step.number}: {unit.title}"
    if not unit.total:
        return [name, "0", "", "no tasks yet"]

    share = unit.done / unit.total
    return [name, f"{share:.4f}", f"{share * 100:.0f}%", f"{unit.done}/{unit.total} tasks"]
