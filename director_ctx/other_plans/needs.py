"""What tasks need first: references of the source looked up and freed of circles, and then said in our own words."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.other_plans.model import EARLIER, UNRESOLVED, SourceRemark, shown_id
from director_ctx.other_plans.wording import title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.other_plans.model import OtherGoal, OtherStep, OtherTask

    Edges = dict[str, list[str]]

FREE = "Nothing -- this can start right away."
FREE_STEP = "Nothing -- this step can start right away."
EARLIER_TASKS = "The earlier tasks"
PREVIOUS_TASK = "The previous task"
MOST_WALKS = 20
MOST_NAMED = 60
"""Units that one sentence names; a task with more needs waits for their steps."""


class Numbers(Record):
    """Where a unit stands: goal, step and task; 0 for what it is not."""

    goal: int
    step: int = 0
    task: int = 0


def checked_needs(
    goals: Sequence[OtherGoal], known: frozenset[str] = frozenset()
) -> tuple[tuple[OtherGoal, ...], list[SourceRemark]]:
    """The goals with needs that can be met, and what was left out. `known` are keys of what is finished."""
    keys = _keys(goals)
    remarks: list[SourceRemark] = []
    edges = _fixed_edges(goals)
    for task in _tasks(goals):
        kept: list[str] = []
        for need in dict.fromkeys(task.needs):
            if need in known or need in kept:
                continue
            if need != EARLIER and need not in keys:
                says = f"{title(task.name)!r} needs {shown_id(need)}, which is not in the plan; that is left out"
                remarks.append(SourceRemark(UNRESOLVED, says, task.path, task.line))
                continue
            kept.append(need)
        edges[task.key] = [*edges.get(task.key, []), *(need for need in kept if need != EARLIER)]
    dropped = _dropped(edges, {task.key for task in _tasks(goals)})
    for task in _tasks(goals):
        for need in dropped.get(task.key, ()):
            says = f"{title(task.name)!r} needs {shown_id(need)}, which waits for it in turn; that is left out"
            remarks.append(SourceRemark(UNRESOLVED, says, task.path, task.line))
    return _with_needs(goals, keys, known, dropped), remarks


def _tasks(goals: Sequence[OtherGoal]) -> Iterator[OtherTask]:
    for goal in goals:
        for step in goal.steps:
            yield from step.tasks


def _keys(goals: Sequence[OtherGoal]) -> set[str]:
    keys: set[str] = set()
    for goal in goals:
        keys.add(goal.key)
        for step in goal.steps:
            keys.add(step.key)
            keys.update(task.key for task in step.tasks)
    return keys


def _fixed_edges(goals: Sequence[OtherGoal]) -> Edges:
    """A goal and a step are complete when all in them is; who needs the earlier tasks needs a row of them."""
    edges: Edges = {}
    for goal in goals:
        edges[goal.key] = [step.key for step in goal.steps]
        for step in goal.steps:
            edges[step.key] = [task.key for task in step.tasks]
            row = ""
            for task in step.tasks:
                if row and EARLIER in task.needs:
                    edges[task.key] = [row]
                following = f"{EARLIER} {task.key}"
                edges[following] = [task.key, row] if row else [task.key]
                row = following
    return edges


def _dropped(edges: Edges, tasks: set[str]) -> dict[str, set[str]]:
    """What has to go until no circle is left. One walk may not see all of those that share a piece."""
    every: dict[str, set[str]] = {}
    for walk in range(MOST_WALKS + 1):
        closing = _circles(edges, tasks)
        if not closing:
            break
        for key, needs in closing.items():
            # A knot that is still one by then was made to be one.
            gone = needs if walk < MOST_WALKS else set(edges[key])
            every.setdefault(key, set()).update(gone)
            left = [need for need in edges[key] if need not in gone]
            edges[key] = left
    return every


def _circles(edges: Edges, tasks: set[str]) -> dict[str, set[str]]:
    """The needs of tasks that would close a circle, found by walking once along all of them."""
    dropped: dict[str, set[str]] = {}
    state: dict[str, int] = {}
    for start in edges:
        if start in state:
            continue
        state[start] = 1
        way = [(start, iter(edges[start]))]
        while way:
            here, rest = way[-1]
            need = next(rest, None)
            if need is None:
                state[here] = 2
                way.pop()
            elif state.get(need) == 1:
                _drop(way, need, tasks, dropped)
            elif need not in state:
                state[need] = 1
                way.append((need, iter(edges.get(need, ()))))
    return dropped


def _drop(
    way: Sequence[tuple[str, object]], need: str, tasks: set[str], dropped: dict[str, set[str]]
) -> None:
    """Of the circle that ends here the last need of a task; what belongs together by its place stays."""
    needed = need
    for name, _ in reversed(way):
        if name in tasks:
            dropped.setdefault(name, set()).add(needed)
            return
        if name == need:
            return
        needed = name


def _with_needs(
    goals: Sequence[OtherGoal],
    keys: set[str],
    known: frozenset[str],
    dropped: Mapping[str, set[str]],
) -> tuple[OtherGoal, ...]:
    changed: list[OtherGoal] = []
    for goal in goals:
        steps: list[OtherStep] = []
        for step in goal.steps:
            tasks: list[OtherTask] = []
            for task in step.tasks:
                needs = _kept(task, keys, known, dropped.get(task.key, set()))
                tasks.append(task.replace(needs=needs))
            own = tuple(need for need in step.needs if need in keys and need not in known)
            steps.append(step.replace(tasks=tuple(tasks), needs=own))
        changed.append(goal.replace(steps=tuple(steps)))
    return tuple(changed)


def _kept(
    task: OtherTask, keys: set[str], known: frozenset[str], dropped: set[str]
) -> tuple[str, ...]:
    kept: list[str] = []
    in_circle = any(need.startswith(EARLIER) for need in dropped)
    for need in dict.fromkeys(task.needs):
        if need == EARLIER and in_circle:
            continue
        is_there = need == EARLIER or need in keys
        if is_there and need not in known and need not in dropped:
            kept.append(need)
    return tuple(kept)


def said_needs(place: Numbers, needs: Sequence[Numbers], before: Sequence[int]) -> str:
    """The sentence for a task. `before` are the numbers of the tasks before it in its step."""
    own: set[int] = set()
    others: list[Numbers] = []
    for need in dict.fromkeys(needs):
        if (need.goal, need.step) == (place.goal, place.step) and need.task:
            own.add(need.task)
        else:
            others.append(need)
    pieces = [*_said_siblings(own, before), *_said_others(place, others)]
    if not pieces:
        return FREE
    return f"{'; '.join(pieces)}."


def said_step_needs(place: Numbers, needs: Sequence[Numbers]) -> str:
    pieces = [*_said_others(place, list(dict.fromkeys(needs)))]
    if not pieces:
        return FREE_STEP
    return f"{'; '.join(pieces)}."


def _said_siblings(numbers: set[int], before: Sequence[int]) -> Iterator[str]:
    if not numbers:
        return
    earlier = sorted(before)
    if earlier and numbers == {earlier[-1]}:
        yield PREVIOUS_TASK
    elif len(earlier) > 1 and numbers == set(earlier):
        yield EARLIER_TASKS
    else:
        yield from _tasks_named(sorted(numbers))


def _tasks_named(numbers: list[int]) -> Iterator[str]:
    """`Task 3`, or `Tasks 1, 2 and 4`."""
    for start in range(0, len(numbers), MOST_NAMED):
        *first, last = numbers[start : start + MOST_NAMED]
        if not first:
            yield f"Task {last}"
        else:
            yield f"Tasks {', '.join(map(str, first))} and {last}"


def _said_others(place: Numbers, needs: list[Numbers]) -> Iterator[str]:
    if len(needs) > MOST_NAMED:
        # The whole steps: no text may name as many units as this.
        needs = list(dict.fromkeys(need.replace(task=0) for need in needs))
    if len(needs) > MOST_NAMED:
        needs = list(dict.fromkeys(need.replace(step=0, task=0) for need in needs))
    for need in needs[:MOST_NAMED]:
        if not need.step:
            yield f"Goal {need.goal}"
        elif need.goal != place.goal:
            said = f"Goal {need.goal}, Step {need.step}"
            yield f"{said}, Task {need.task}" if need.task else said
        elif need.task:
            yield f"Task {need.task} (in Step {need.step})"
        else:
            yield f"Step {need.step}"
