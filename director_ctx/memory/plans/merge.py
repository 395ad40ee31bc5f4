"""The folder's phases and tasks, put together with what people wrote into the plan that is there."""

from __future__ import annotations

from collections import Counter

from director_ctx.base.record import Record
from director_ctx.memory.plans.rules import COMPLETED, FAILED, IN_PROGRESS, PENDING, STAMPS
from director_ctx.memory.plans.tasks import Found, every_task, following_status, phases_of, tasks_of

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
    found = thing.get("node_ids")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def refs_of(task: Mapping[str, Any]) -> list[str]:
    """The folder's tasks that a task of the plan is about."""
    return [
        one for one in dict.fromkeys([str(task.get("task_id", "")), *nodes(task)]) if is_ref(one)
    ]


def partners(tasks: Sequence[FolderTask], found: Sequence[Found]) -> dict[str, Found]:
    """For each task of the folder its task in the plan: of that number and name, else that name,
    else that number.
    """
    titles = Counter(task.title for task in tasks)
    refs = [(one, refs_of(one.task)) for one in found]
    both = [(one, (ref, one.description)) for one, its in refs for ref in its]
    names = [(one, one.description) for one, its in refs if its]
    numbers = [(one, ref) for one, its in refs for ref in its]
    pairs: dict[str, Found] = {}
    _pair(pairs, both, [(task.ref, (task.ref, task.title)) for task in tasks])
    _pair(pairs, names, [(task.ref, task.title) for task in tasks if titles[task.title] == 1])
    _pair(pairs, numbers, [(task.ref, task.ref) for task in tasks])
    return pairs


def _pair(
    pairs: dict[str, Found], offered: Sequence[tuple[Found, Key]], asked: Iterable[tuple[str, Key]]
) -> None:
    """For each task without a partner the first that is still free and goes by the same key."""
    taken = {id(one.task) for one in pairs.values()}
    free: dict[Key, list[Found]] = {}
    for one, key in reversed(offered):
        free.setdefault(key, []).append(one)
    for ref, key in asked:
        left = free.get(key, []) if ref not in pairs else []
        while left and ref not in pairs:
            one = left.pop()
            if id(one.task) not in taken:
                pairs[ref] = one
                taken.add(id(one.task))


def merged(old: Object, phases: Sequence[FolderPhase]) -> tuple[Object, list[str]]:
    """The old plan with the folder's phases in it, without what the folder says itself; and what
    was dropped.
    """
    found = list(every_task(old))
    pairs = partners([task for phase in phases for task in phase.tasks], found)
    taken = {id(one.task) for one in pairs.values()}
    extra = [one for one in found if id(one.task) not in taken and not refs_of(one.task)]
    origins = _origins(old, phases, pairs)
    made = [_phase(phase, origins.get(phase.ref), pairs, extra) for phase in phases]
    made += _others(
        old, {id(origin) for origin in origins.values()}, extra, {phase.name for phase in phases}
    )
    kept = {id(task) for phase in made for task in phase["tasks"]} | taken
    dropped = [f"{one.name} {one.description}".strip() for one in found if id(one.task) not in kept]
    plan = {key: value for key, value in old.items() if key not in STAMPS}
    texts = {
        key: [one for one in _texts(old, key) if not _ours(one)]
        for key in ("next_actions", "blockers")
    }
    return {**plan, "overall_goal": "", "current_phase": "", "phases": made, **texts}, dropped


def _texts(plan: Object, key: str) -> list[str]:
    found = plan.get(key)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _ours(text: str) -> bool:
    """Written by the last `from-folder`, which writes it anew."""
    return is_ref(text.partition(": ")[0]) or text.startswith(("Plan: goal ", "Plan: step "))


def _origins(
    old: Object, phases: Sequence[FolderPhase], pairs: Mapping[str, Found]
) -> dict[str, Object]:
    """The phase of the old plan that each was: of its name, else the one with its tasks, else of
    its number.
    """
    left = phases_of(old)
    found: dict[str, Object] = {}
    for rule in (
        lambda phase, one: one.get("phase_name") == phase.name,
        lambda phase, one: (
            any(task.ref in pairs and pairs[task.ref].phase is one for task in phase.tasks)
            and any(is_ref(node, 2) for node in nodes(one))
        ),
        lambda phase, one: phase.ref in nodes(one),
    ):
        for phase in phases:
            origin = next(
                (one for one in left if phase.ref not in found and rule(phase, one)), None
            )
            if origin is not None:
                found[phase.ref] = origin
                left = [one for one in left if one is not origin]
    return found


def _phase(
    phase: FolderPhase, origin: Object | None, pairs: Mapping[str, Found], extra: Sequence[Found]
) -> Object:
    tasks = [_task(task, pairs.get(task.ref)) for task in phase.tasks]
    tasks += [one.task for one in extra if one.phase is origin]
    others = [one for one in nodes(origin or {}) if not is_ref(one, 2)]
    own = {"phase_name": phase.name, "status": following_status(tasks, PENDING), "tasks": tasks}
    return {**(origin or {}), **own, "node_ids": [phase.ref, *others]}


def _task(task: FolderTask, found: Found | None) -> Object:
    """File names say what is done. That somebody is at it, or failed, only the plan and STEP.md can
    say.
    """
    old = found.task if found else {}
    status = COMPLETED if task.done else IN_PROGRESS if task.drafted else PENDING
    if not task.done and old.get("status") in (IN_PROGRESS, FAILED):
        status = old["status"]
    gone = refs_of(old)
    own = {"task_id": task.ref, "description": task.title, "status": status}
    return {
        **old,
        **own,
        "node_ids": [task.ref, *(one for one in nodes(old) if one not in (*gone, task.ref))],
    }


def _others(old: Object, used: set[int], extra: Sequence[Found], names: set[str]) -> list[Object]:
    """Phases that are not the folder's, with the tasks that people put there."""
    kept = []
    for phase in phases_of(old):
        if id(phase) in used or phase.get("phase_name") in names:
            continue
        tasks = [one.task for one in extra if one.phase is phase]
        if tasks or not (tasks_of(phase) or any(is_ref(node, 2) for node in nodes(phase))):
            kept.append({**phase, "tasks": tasks})
    return kept
