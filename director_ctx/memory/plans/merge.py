"""The folder's phases and tasks, put together with what people wrote into the plan that is there."""

from __future__ import annotations

from collections import Counter

from director_ctx.base.record import Record
from director_ctx.memory.plans.rules import COMPLETED, FAILED, IN_PROGRESS, PENDING, STAMPS
from director_ctx.memory.plans.tasks import (
    PhaseTask,
    every_task,
    following_status,
    phases_of,
    tasks_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    Object = dict[str, Any]
    Tasks = Sequence[PhaseTask]


class FolderTask(Record):
    ref: str
    title: str
    done: bool
    begun: bool
    """Somebody has it, or STEP.md marks it `[~]`."""
    path: str = ""


class FolderPhase(Record):
    ref: str
    name: str
    tasks: tuple[FolderTask, ...]


def is_ref(text: str, units: int = 3) -> bool:
    """Whether this is how the folder's tasks are called: `1/2/3`."""
    # Where two have one number, the name on disk stands behind it in brackets.
    parts = text.partition(" (")[0].split("/")
    return len(parts) == units and all(part.isascii() and part.isdigit() for part in parts)


def nodes(thing: Object) -> list[str]:
    """What a phase or a task says that it is about; another program may have written anything."""
    node_ids = thing.get("node_ids")
    return (
        [node for node in node_ids if isinstance(node, str)] if isinstance(node_ids, list) else []
    )


def refs_of(task: Object) -> list[str]:
    """The folder's tasks that a task of the plan is about."""
    names = dict.fromkeys((str(task.get("task_id", "")), *nodes(task)))
    return [name for name in names if is_ref(name)]


def _was_a_step(phase: Object) -> bool:
    """Whether a step of the folder made it."""
    return any(is_ref(node, units=2) for node in nodes(phase))


def partners(tasks: Sequence[FolderTask], plan_tasks: Tasks) -> dict[str, PhaseTask]:
    """For each task of the folder, by its ref, its task in the plan: of that number and name, else
    that name, else that number.
    """
    pairs: dict[str, PhaseTask] = {}
    # Two tasks of a plan may say the same, so each is known by being that object.
    taken: set[int] = set()

    def pair(some: Iterable[FolderTask], key_of: Callable[[str, str], object]) -> None:
        by_key: dict[object, list[PhaseTask]] = {}
        # Backwards, so that the first one is the first to be popped.
        for plan_task in reversed(plan_tasks):
            for ref in refs_of(plan_task.task):
                by_key.setdefault(key_of(ref, plan_task.description), []).append(plan_task)
        for task in some:
            candidates = by_key.get(key_of(task.ref, task.title), [])
            while candidates and task.ref not in pairs:
                candidate = candidates.pop()
                if id(candidate.task) not in taken:
                    pairs[task.ref] = candidate
                    taken.add(id(candidate.task))

    pair(tasks, lambda number, title: (number, title))
    # A title that two tasks of the folder have tells neither from the other.
    titles = Counter(task.title for task in tasks)
    pair([task for task in tasks if titles[task.title] == 1], lambda _, title: title)
    pair(tasks, lambda number, _: number)
    return pairs


def merged(old: Object, phases: Sequence[FolderPhase]) -> Object:
    """The old plan with the folder's phases in it, without what the folder says itself."""
    old_tasks = list(every_task(old))
    pairs = partners([task for phase in phases for task in phase.tasks], old_tasks)
    taken = {id(partner.task) for partner in pairs.values()}
    # Tasks that people added, and that are about nothing in the folder.
    extra = [task for task in old_tasks if not refs_of(task.task) and id(task.task) not in taken]

    origins = _origins(old, phases, pairs)
    plan = {name: value for name, value in old.items() if name not in STAMPS}
    return {
        **plan,
        "overall_goal": "",
        "current_phase": "",
        "phases": [
            *(_phase(phase, origins.get(phase.ref), pairs, extra) for phase in phases),
            *_others(old, phases, origins, extra),
        ],
        "next_actions": own_words(old, "next_actions"),
        "blockers": own_words(old, "blockers"),
    }


def own_words(plan: Object, key: str) -> list[str]:
    """What people wrote into a list of the plan; what the folder says there is written anew."""
    texts = plan.get(key)
    return [
        text
        for text in (texts if isinstance(texts, list) else ())
        if isinstance(text, str)
        and not is_ref(text.partition(": ")[0])
        and not text.startswith(("Plan: goal ", "Plan: step "))
    ]


def _origins(
    old: Object, phases: Iterable[FolderPhase], pairs: Mapping[str, PhaseTask]
) -> dict[str, Object]:
    """By the number of a step, the phase of the old plan that it was: of its name, else the one with
    its tasks, else of its number.
    """

    def has_its_name(phase: FolderPhase, old_phase: Object) -> bool:
        return bool(old_phase.get("phase_name") == phase.name)

    def has_its_tasks(phase: FolderPhase, old_phase: Object) -> bool:
        found = (pairs.get(task.ref) for task in phase.tasks)
        return _was_a_step(old_phase) and any(
            partner.phase is old_phase for partner in found if partner
        )

    def has_its_number(phase: FolderPhase, old_phase: Object) -> bool:
        return phase.ref in nodes(old_phase)

    # Each phase of the old plan was one step at most.
    left = phases_of(old)
    origins: dict[str, Object] = {}
    for fits in (has_its_name, has_its_tasks, has_its_number):
        for phase in phases:
            if phase.ref in origins:
                continue
            for index, old_phase in enumerate(left):
                if fits(phase, old_phase):
                    origins[phase.ref] = left.pop(index)
                    break
    return origins


def _phase(
    phase: FolderPhase, origin: Object | None, pairs: Mapping[str, PhaseTask], extra: Tasks
) -> Object:
    tasks = [_task(task, pairs.get(task.ref)) for task in phase.tasks]
    tasks += [task.task for task in extra if task.phase is origin]
    old = origin or {}
    # The number is the folder's to say; every other node is somebody's own.
    others = [node for node in nodes(old) if not is_ref(node, units=2)]
    return {
        **old,
        "phase_name": phase.name,
        "status": following_status(tasks, PENDING),
        "tasks": tasks,
        "node_ids": [phase.ref, *others],
    }


def _task(task: FolderTask, partner: PhaseTask | None) -> Object:
    """File names say what is done, and claims who is at it. That it failed only the plan can say."""
    old = partner.task if partner else {}
    status = FAILED if old.get("status") == FAILED else PENDING
    if task.done or task.begun:
        status = COMPLETED if task.done else IN_PROGRESS
    # Refs are the folder's to say; every other node is somebody's own.
    refs = (task.ref, *refs_of(old))
    return {
        **old,
        "task_id": task.ref,
        "description": task.title,
        "status": status,
        "node_ids": [task.ref, *(node for node in nodes(old) if node not in refs)],
    }


def _others(
    old: Object, phases: Iterable[FolderPhase], origins: Mapping[str, Object], extra: Tasks
) -> list[Object]:
    """Phases that are not the folder's, with the tasks that people put there."""
    folder_names = {phase.name for phase in phases}
    # By identity: a plan of another program may have two phases that say the same.
    used = set(map(id, origins.values()))
    others: list[Object] = []
    for phase in phases_of(old):
        if id(phase) in used or phase.get("phase_name") in folder_names:
            continue
        # One that a step made, which has gone, goes with it, unless somebody put a task there.
        tasks = [task.task for task in extra if task.phase is phase]
        if tasks or not (tasks_of(phase) or _was_a_step(phase)):
            others.append({**phase, "tasks": tasks})
    return others
