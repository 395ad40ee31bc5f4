"""A plan as it was read, made fit to be taken over: each key once, what is finished left out, needs that can be met."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.other_plans.model import (
    EARLIER,
    UNRESOLVED,
    OtherGoal,
    OtherIdea,
    OtherPlan,
    OtherStep,
    SourceRemark,
    is_finished,
    is_goal_finished,
)
from director_ctx.other_plans.needs import checked_needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

MOST_TASKS = 5_000
MOST_IN_STEP = 2_000


class FinishedUnit(Record):
    """A goal or step that is finished, and was left out for that."""

    name: str
    tasks: int
    path: str


class PreparedPlan(Record):
    plan: OtherPlan
    finished: tuple[FinishedUnit, ...] = ()


def prepared(plan: OtherPlan, with_done: bool, followed: Container[str]) -> PreparedPlan:
    """`followed` are keys of what was taken over before: that is never left out."""
    remarks = [*plan.remarks]
    goals, ideas = _without_empty(_once(plan.goals, remarks))
    finished: list[FinishedUnit] = []
    kept: list[OtherGoal] = []
    known: set[str] = set()
    for goal in goals:
        wanted = with_done or _is_followed(_keys(goal), followed)
        if not wanted and is_goal_finished(goal):
            finished.append(FinishedUnit(goal.name, _tasks_of(goal), goal.path))
            known |= _keys(goal)
            continue
        steps: list[OtherStep] = []
        for step in goal.steps:
            is_wanted = with_done or _is_followed(_step_keys(step), followed)
            if goal.heap and not is_wanted and is_finished(step):
                finished.append(FinishedUnit(step.name, len(step.tasks), step.path))
                known |= _step_keys(step)
                continue
            steps.append(step)
        kept.append(goal.replace(steps=tuple(steps)))
    _refuse_too_many(kept)
    checked, unmet = checked_needs(kept, frozenset(known))
    changed = plan.replace(goals=checked, ideas=(*plan.ideas, *ideas), remarks=(*remarks, *unmet))
    return PreparedPlan(changed, tuple(finished))


def _is_followed(keys: set[str], followed: Container[str]) -> bool:
    return any(key in followed for key in keys)


def _once(goals: tuple[OtherGoal, ...], remarks: list[SourceRemark]) -> list[OtherGoal]:
    """Every key once: a second unit of the same id gets one of its own."""
    taken: set[str] = {EARLIER}
    times: dict[str, int] = {}

    def own(key: str, path: str, line: int) -> str:
        unique = key
        while unique in taken:
            times[key] = times.get(key, 1) + 1
            unique = f"{key}~{times[key]}"
        taken.add(unique)
        if unique != key:
            says = f"has the id {key!r} a second time; what needs it means the first"
            remarks.append(SourceRemark(UNRESOLVED, says, path, line))
        return unique

    changed: list[OtherGoal] = []
    for goal in goals:
        goal_key = own(goal.key, goal.path, goal.line)
        steps: list[OtherStep] = []
        for step in goal.steps:
            step_key = own(step.key, step.path, step.line)
            tasks = [task.replace(key=own(task.key, task.path, task.line)) for task in step.tasks]
            steps.append(step.replace(key=step_key, tasks=tuple(tasks)))
        changed.append(goal.replace(key=goal_key, steps=tuple(steps)))
    return changed


def _without_empty(goals: list[OtherGoal]) -> tuple[list[OtherGoal], list[OtherIdea]]:
    """A step without tasks would hold up all behind it, so it waits among the ideas."""
    ideas: list[OtherIdea] = []
    kept: list[OtherGoal] = []
    for goal in goals:
        steps: list[OtherStep] = []
        for step in goal.steps:
            if step.tasks:
                steps.append(step)
                continue
            ideas.append(
                OtherIdea(
                    step.key, f"{goal.name}: {step.name} (no tasks yet)", step.path, step.line
                )
            )
        if steps:
            kept.append(goal.replace(steps=tuple(steps)))
        elif not goal.steps:
            ideas.append(OtherIdea(goal.key, f"{goal.name} (no tasks yet)", goal.path, goal.line))
    return kept, ideas


def _tasks_of(goal: OtherGoal) -> int:
    return sum(len(step.tasks) for step in goal.steps)


def _keys(goal: OtherGoal) -> set[str]:
    keys = {goal.key}
    for step in goal.steps:
        keys |= _step_keys(step)
    return keys


def _step_keys(step: OtherStep) -> set[str]:
    return {step.key, *(task.key for task in step.tasks)}


def _refuse_too_many(goals: list[OtherGoal]) -> None:
    total = sum(_tasks_of(goal) for goal in goals)
    if total > MOST_TASKS:
        raise DctxError(
            f"The plan has {total:,} tasks, and no more than {MOST_TASKS:,} are taken over at once.",
            "Name a part of it.",
        )
    for goal in goals:
        for step in goal.steps:
            if len(step.tasks) > MOST_IN_STEP:
                raise DctxError(
                    f"{step.name!r} has {len(step.tasks):,} tasks, and a step no more than {MOST_IN_STEP:,}.",
                    "Divide it first.",
                )
