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
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Object = dict[str, Any]
    Key = str | tuple[str, str]


class FolderTask(Record):
    ref: str
    title: str
    done: bool
    drafted: bool
    """Marked `[~]` in STEP.md: somebody is at it."""


class FolderPhase(Record):
    ref: str
    name: str
    tasks: tuple[FolderTask, ...]


def is_ref(text: str, units: int = 3) -> bool:
    """Whether this is how the folder's tasks are called: `1/2/3`."""
    parts = text.partition(" (")[0].split("/")
    return len(parts) == units and all(part.isascii() and part.isdigit() for part in parts)


def nodes(thing: Mapping[str, Any]) -> list[str]:
    node_ids = thing.get("node_ids")
    if not isinstance(node_ids, list):
        return []
    return [node for node in node_ids if isinstance(node, str)]


def refs_of(task: Mapping[str, Any]) -> list[str]:
    """The folder's tasks that a task of the plan is about."""
    task_id = str(task.get("task_id", ""))
    names = dict.fromkeys([task_id, *nodes(task)])
    return [name for name in names if is_ref(name)]


def partners(tasks: Sequence[FolderTask], found: Sequence[PhaseTask]) -> dict[str, PhaseTask]:
    """For each task of the folder its task in the plan: of that number and name, else that name,
    else that number.
    """
    by_both: list[tuple[PhaseTask, Key]] = []
    by_title: list[tuple[PhaseTask, Key]] = []
    by_number: list[tuple[PhaseTask, Key]] = []
    for task in found:
        refs = refs_of(task.task)
        if refs:
            by_title.append((task, task.description))
        for ref in refs:
            by_both.append((task, (ref, task.description)))
            by_number.append((task, ref))

    # A title that two tasks of the folder have tells neither from the other.
    titles = Counter(task.title for task in tasks)
    single = [task for task in tasks if titles[task.title] == 1]

    pairs: dict[str, PhaseTask] = {}
    _pair(pairs, by_both, [(task.ref, (task.ref, task.title)) for task in tasks])
    _pair(pairs, by_title, [(task.ref, task.title) for task in single])
    _pair(pairs, by_number, [(task.ref, task.ref) for task in tasks])
    return pairs


def _pair(
    pairs: dict[str, PhaseTask],
    offered: Sequence[tuple[PhaseTask, Key]],
    asked: Iterable[tuple[str, Key]],
) -> None:
    """For each task without a partner the first that is still free and goes by the same key."""
    taken = {id(task.task) for task in pairs.values()}
    free: dict[Key, list[PhaseTask]] = {}
    # Backwards, so that the first one is the first to be popped.
    for task, key in reversed(offered):
        free.setdefault(key, []).append(task)

    for ref, key in asked:
        if ref in pairs:
            continue
        candidates = free.get(key, [])
        while candidates:
            task = candidates.pop()
            if id(task.task) not in taken:
                pairs[ref] = task
                taken.add(id(task.task))
                break


def merged(old: Object, phases: Sequence[FolderPhase]) -> tuple[Object, list[str]]:
    """The old plan with the folder's phases in it, without what the folder says itself; and what
    was dropped.
    """
    old_tasks = list(every_task(old))
    folder_tasks = [task for phase in phases for task in phase.tasks]
    pairs = partners(folder_tasks, old_tasks)
    paired = {id(task.task) for task in pairs.values()}

    # Tasks that people added, and that are about nothing in the folder.
    extra = []
    for task in old_tasks:
        if id(task.task) not in paired and not refs_of(task.task):
            extra.append(task)

    origins = _origins(old, phases, pairs)
    used = {id(origin) for origin in origins.values()}
    names = {phase.name for phase in phases}
    new_phases = [_phase(phase, origins.get(phase.ref), pairs, extra) for phase in phases]
    new_phases += _others(old, used, extra, names)

    kept = set(paired)
    for new_phase in new_phases:
        kept.update(id(task) for task in new_phase["tasks"])
    dropped = []
    for task in old_tasks:
        if id(task.task) not in kept:
            dropped.append(f"{task.name} {task.description}".strip())

    plan = {key: value for key, value in old.items() if key not in STAMPS}
    plan["overall_goal"] = ""
    plan["current_phase"] = ""
    plan["phases"] = new_phases
    for key in ("next_actions", "blockers"):
        plan[key] = [text for text in _texts(old, key) if not _ours(text)]
    return plan, dropped


def _texts(plan: Object, key: str) -> list[str]:
    texts = plan.get(key)
    if not isinstance(texts, list):
        return []
    return [text for text in texts if isinstance(text, str)]


def _ours(text: str) -> bool:
    """Written by the last `from-folder`, which writes it anew."""
    return is_ref(text.partition(": ")[0]) or text.startswith(("Plan: goal ", "Plan: step "))


def _origins(
    old: Object, phases: Sequence[FolderPhase], pairs: Mapping[str, PhaseTask]
) -> dict[str, Object]:
    """The phase of the old plan that each was: of its name, else the one with its tasks, else of
    its number.
    """

    def has_its_name(phase: FolderPhase, old_phase: Object) -> bool:
        return bool(old_phase.get("phase_name") == phase.name)

    def has_its_tasks(phase: FolderPhase, old_phase: Object) -> bool:
        was_a_step = any(is_ref(node, 2) for node in nodes(old_phase))
        if not was_a_step:
            return False
        partners_of = [pairs[task.ref] for task in phase.tasks if task.ref in pairs]
        return any(task.phase is old_phase for task in partners_of)

    def has_its_number(phase: FolderPhase, old_phase: Object) -> bool:
        return phase.ref in nodes(old_phase)

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
    phase: FolderPhase,
    origin: Object | None,
    pairs: Mapping[str, PhaseTask],
    extra: Sequence[PhaseTask],
) -> Object:
    tasks = [_task(task, pairs.get(task.ref)) for task in phase.tasks]
    tasks += [task.task for task in extra if task.phase is origin]

    old = origin or {}
    others = [node for node in nodes(old) if not is_ref(node, 2)]
    return {
        **old,
        "phase_name": phase.name,
        "status": following_status(tasks, PENDING),
        "tasks": tasks,
        "node_ids": [phase.ref, *others],
    }


def _task(task: FolderTask, found: PhaseTask | None) -> Object:
    """File names say what is done. That somebody is at it, or failed, only the plan and STEP.md can
    say.
    """
    old = found.task if found else {}
    if task.done:
        status = COMPLETED
    elif old.get("status") in (IN_PROGRESS, FAILED):
        status = old["status"]
    elif task.drafted:
        status = IN_PROGRESS
    else:
        status = PENDING

    # Refs are the folder's to say; every other node is somebody's own.
    refs = (task.ref, *refs_of(old))
    others = [node for node in nodes(old) if node not in refs]
    return {
        **old,
        "task_id": task.ref,
        "description": task.title,
        "status": status,
        "node_ids": [task.ref, *others],
    }


def _others(
    old: Object, used: set[int], extra: Sequence[PhaseTask], names: set[str]
) -> list[Object]:
    """Phases that are not the folder's, with the tasks that people put there."""
    kept = []
    for phase in phases_of(old):
        if id(phase) in used or phase.get("phase_name") in names:
            continue
        tasks = [task.task for task in extra if task.phase is phase]
        was_a_step = any(is_ref(node, 2) for node in nodes(phase))
        was_empty = not tasks_of(phase)
        if tasks or (was_empty and not was_a_step):
            kept.append({**phase, "tasks": tasks})
    return kept
