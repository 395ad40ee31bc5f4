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
    OtherTask,
    SourceRemark,
    is_finished,
    is_goal_finished,
    shown_id,
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
    goals = _with_divided(goals, followed)

    finished: list[FinishedUnit] = []
    known: set[str] = set()
    if not with_done:
        goals = _without_finished(goals, followed, finished, known)
    _refuse_too_many(goals)

    checked, unmet = checked_needs(goals, frozenset(known))
    changed = plan.replace(goals=checked, ideas=(*plan.ideas, *ideas), remarks=(*remarks, *unmet))
    return PreparedPlan(changed, tuple(finished))


def _with_divided(goals: list[OtherGoal], followed: Container[str]) -> list[OtherGoal]:
    """What was a task when it was taken over, and was divided since, comes behind its parts."""
    taken: set[str] = set()
    for goal in goals:
        taken |= _keys(goal)

    changed: list[OtherGoal] = []
    for goal in goals:
        steps: list[OtherStep] = []
        for step in goal.steps:
            _, _, key = step.key.partition(":")
            tasks = step.tasks
            if key in followed and key not in taken:
                tasks = (*tasks, _divided(step, key))
            steps.append(step.replace(tasks=tasks))
        changed.append(goal.replace(steps=tuple(steps)))
    return changed


def _divided(step: OtherStep, key: str) -> OtherTask:
    return OtherTask(
        key=key,
        name=step.name,
        path=step.path,
        line=step.line,
        needs=(EARLIER,),
        done=is_finished(step),
        divided=True,
    )


def _without_finished(
    goals: list[OtherGoal],
    followed: Container[str],
    finished: list[FinishedUnit],
    known: set[str],
) -> list[OtherGoal]:
    """What is left out comes into `finished`, and its keys into `known`, so that what needs it does not wait."""
    kept: list[OtherGoal] = []
    for goal in goals:
        if is_goal_finished(goal) and not _is_followed(_keys(goal), followed):
            finished.append(FinishedUnit(goal.name, _tasks_of(goal), goal.path))
            known |= _keys(goal)
            continue

        steps: list[OtherStep] = []
        for step in goal.steps:
            as_good_as_a_goal = goal.heap and is_finished(step)
            if as_good_as_a_goal and not _is_followed(_step_keys(step), followed):
                finished.append(FinishedUnit(step.name, len(step.tasks), step.path))
                known |= _step_keys(step)
                continue
            steps.append(step)
        kept.append(goal.replace(steps=tuple(steps)))
    return kept


def _is_followed(keys: set[str], followed: Container[str]) -> bool:
    return any(key in followed for key in keys)


def _once(goals: tuple[OtherGoal, ...], remarks: list[SourceRemark]) -> list[OtherGoal]:
    """Every key once: a second unit of the same id gets one of its own."""
    taken: set[str] = {EARLIER}
    times: dict[str, int] = {}

    def own(unit: OtherGoal | OtherStep | OtherTask) -> str:
        key = unit.key
        while key in taken:
            times[unit.key] = times.get(unit.key, 1) + 1
            key = f"{unit.key}~{times[unit.key]}"
        taken.add(key)
        if key != unit.key:
            says = f"has the id {shown_id(unit.key)!r} a second time; what needs it means the first"
            remarks.append(SourceRemark(UNRESOLVED, says, unit.path, unit.line))
        return key

    changed: list[OtherGoal] = []
    for goal in goals:
        goal_key = own(goal)
        steps: list[OtherStep] = []
        for step in goal.steps:
            step_key = own(step)
            tasks = [task.replace(key=own(task)) for task in step.tasks]
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
            says = f"{goal.name}: {step.name} (no tasks yet)"
            ideas.append(OtherIdea(step.key, says, step.path, step.line))

        if steps:
            kept.append(goal.replace(steps=tuple(steps)))
        elif not goal.steps:
            says = f"{goal.name} (no tasks yet)"
            ideas.append(OtherIdea(goal.key, says, goal.path, goal.line))
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
