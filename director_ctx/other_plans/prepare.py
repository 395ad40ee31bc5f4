"""A plan as it was read, made fit to be taken over: each key once, what is finished left out, needs that can be met."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from director_ctx.base.errors import DctxError
from director_ctx.other_plans.model import (
    EARLIER,
    UNRESOLVED,
    OtherGoal,
    OtherIdea,
    OtherPlan,
    OtherStep,
    OtherTask,
    shown_id,
    tasks_of,
    units_of,
)
from director_ctx.other_plans.wording import title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from director_ctx.other_plans.source import PlanSource

    Edges = dict[str, list[str]]

MOST_TASKS = 5_000
MOST_IN_STEP = 2_000
MOST_WALKS = 20


@dataclass
class FinishedUnit:
    """A goal or step that is finished, and was left out for that."""

    name: str
    tasks: int
    path: str


def prepare(plan: OtherPlan, source: PlanSource) -> list[FinishedUnit]:
    """Changes the plan; what was finished and is left out. What was taken over before is never left out."""
    _tell_apart(plan.goals, source)
    plan.goals = [goal for goal in plan.goals if not _waits_among_ideas(goal, plan.ideas)]
    _add_divided(plan.goals, source.followed)
    finished: list[FinishedUnit] = []
    known: set[str] = set()
    if not source.with_done:
        plan.goals = [
            goal for goal in plan.goals if not _is_left_out(goal, source.followed, finished, known)
        ]
    _refuse_too_many(plan.goals)
    check_needs(plan.goals, known, source)
    return finished


def _tell_apart(goals: Sequence[OtherGoal], source: PlanSource) -> None:
    """Every key once: a second unit of the same id gets one of its own."""
    taken = {EARLIER}
    times: Counter[str] = Counter()
    for unit in units_of(goals):
        key = unit.key
        while key in taken:
            times[unit.key] += 1
            key = f"{unit.key}~{times[unit.key] + 1}"
        taken.add(key)
        if key != unit.key:
            says = f"has the id {shown_id(unit.key)!r} a second time; what needs it means the first"
            source.remark(UNRESOLVED, says, unit.path, unit.line)
        unit.key = key


def _waits_among_ideas(goal: OtherGoal, ideas: list[OtherIdea]) -> bool:
    """A step without tasks would hold up all behind it."""
    empty = [step for step in goal.steps if not step.tasks]
    for step in empty:
        says = f"{goal.name}: {step.name} (no tasks yet)"
        ideas.append(OtherIdea(step.key, says, step.path, step.line))
    if not goal.steps:
        ideas.append(OtherIdea(goal.key, f"{goal.name} (no tasks yet)", goal.path, goal.line))
    goal.steps = [step for step in goal.steps if step.tasks]
    return not goal.steps


def _add_divided(goals: Sequence[OtherGoal], followed: Collection[str]) -> None:
    """What was a task when it was taken over, and was divided since, comes behind its parts."""
    taken = {unit.key for unit in units_of(goals)}
    for goal in goals:
        for step in goal.steps:
            key = step.key.partition(":")[2]
            if key in followed and key not in taken:
                task = OtherTask(key, step.name, step.path, step.line, needs=(EARLIER,))
                task.done = step.is_finished
                task.divided = True
                step.tasks.append(task)


def _is_left_out(
    goal: OtherGoal, followed: Collection[str], finished: list[FinishedUnit], known: set[str]
) -> bool:
    """What needs something that is left out does not wait, so its keys are `known`."""

    def is_left_out(unit: OtherGoal | OtherStep, steps: Sequence[OtherStep]) -> bool:
        keys = {unit.key, *(key for step in steps for key in (step.key, *_task_keys(step)))}
        if not unit.is_finished or not keys.isdisjoint(followed):
            return False
        finished.append(FinishedUnit(unit.name, sum(len(step.tasks) for step in steps), unit.path))
        known.update(keys)
        return True

    if is_left_out(goal, goal.steps):
        return True
    if goal.heap:
        goal.steps = [step for step in goal.steps if not is_left_out(step, [step])]
    return False


def _task_keys(step: OtherStep) -> list[str]:
    return [task.key for task in step.tasks]


def _refuse_too_many(goals: Sequence[OtherGoal]) -> None:
    total = len(tasks_of(goals))
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


# --- Needs: looked up, and freed of circles ---


def check_needs(goals: Sequence[OtherGoal], known: Collection[str], source: PlanSource) -> None:
    """Leaves needs that can be met. `known` are keys of what is finished."""
    keys = {unit.key for unit in units_of(goals)} - set(known)
    tasks = tasks_of(goals)
    for goal in goals:
        for step in goal.steps:
            step.needs = [need for need in step.needs if need in keys]
    for task in tasks:
        kept: list[str] = []
        for need in dict.fromkeys(task.needs):
            if need == EARLIER or need in keys:
                kept.append(need)
            elif need not in known:
                says = f"{title(task.name)!r} needs {shown_id(need)}, which is not in the plan; that is left out"
                source.remark(UNRESOLVED, says, task.path, task.line)
        task.needs = kept

    dropped = _needs_in_circles(_edges(goals), {task.key for task in tasks})
    for task in tasks:
        gone = {EARLIER if key.startswith(EARLIER) else key for key in dropped.get(task.key, ())}
        for need in sorted(gone):
            needed = f"{shown_id(need)}, which waits"
            if need == EARLIER:
                needed = "the earlier tasks, which wait"
            says = f"{title(task.name)!r} needs {needed} for it in turn; that is left out"
            source.remark(UNRESOLVED, says, task.path, task.line)
        task.needs = [need for need in task.needs if need not in gone]


def _edges(goals: Sequence[OtherGoal]) -> Edges:
    """A goal and a step are complete when all in them is; who needs the earlier tasks needs a row of them."""
    edges: Edges = {}
    for goal in goals:
        edges[goal.key] = [step.key for step in goal.steps]
        for step in goal.steps:
            edges[step.key] = _task_keys(step)
            row: list[str] = []
            for task in step.tasks:
                if row and EARLIER in task.needs:
                    edges[task.key] = row
                following = f"{EARLIER} {task.key}"
                edges[following] = [task.key, *row]
                row = [following]
    for task in tasks_of(goals):
        needs = [need for need in task.needs if need != EARLIER]
        edges[task.key] = [*edges.get(task.key, ()), *needs]
    return edges


def _needs_in_circles(edges: Edges, tasks: Collection[str]) -> dict[str, set[str]]:
    """What has to go until no circle is left. One walk may not see all of those that share a piece."""
    every: dict[str, set[str]] = {}
    for walk in range(MOST_WALKS + 1):
        closing = _circles(edges, tasks)
        for key, needs in closing.items():
            # A knot that is still one by then was made to be one.
            gone = needs if walk < MOST_WALKS else set(edges[key])
            every.setdefault(key, set()).update(gone)
            edges[key] = [need for need in edges[key] if need not in gone]
        if not closing:
            break
    return every


def _circles(edges: Edges, tasks: Collection[str]) -> dict[str, set[str]]:
    """The needs of tasks that would close a circle, found by walking once along all of them."""
    dropped: dict[str, set[str]] = {}
    is_open: dict[str, bool] = {}
    for start in edges:
        if start in is_open:
            continue
        is_open[start] = True
        way = [(start, iter(edges[start]))]
        while way:
            here, rest = way[-1]
            need = next(rest, None)
            if need is None:
                is_open[here] = False
                way.pop()
            elif need not in is_open:
                is_open[need] = True
                way.append((need, iter(edges.get(need, ()))))
            elif is_open[need]:
                # Of this circle the last need of a task goes; what belongs together by its place stays.
                needed = need
                for name, _ in reversed(way):
                    if name in tasks:
                        dropped.setdefault(name, set()).add(needed)
                    if name in tasks or name == need:
                        break
                    needed = name
    return dropped
