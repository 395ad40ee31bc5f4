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
    Origins = Mapping[str, Object]
    """By the number of a step of the folder, the phase of the old plan that it was."""
    Key = str | tuple[str, str]
    """What a task may be known by: its number, its title, or both."""
    KeyOf = Callable[[str, str], Key]


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
    number = text.partition(" (")[0]
    parts = number.split("/")
    if len(parts) != units:
        return False
    return all(part.isascii() and part.isdigit() for part in parts)


def nodes(thing: Object) -> list[str]:
    """What a phase or a task says that it is about; another program may have written anything."""
    node_ids = thing.get("node_ids")
    texts: list[str] = []
    if isinstance(node_ids, list):
        for node in node_ids:
            if isinstance(node, str):
                texts.append(node)
    return texts


def refs_of(task: Object) -> list[str]:
    """The folder's tasks that a task of the plan is about."""
    task_id = str(task.get("task_id", ""))
    refs: list[str] = []
    for name in (task_id, *nodes(task)):
        if is_ref(name) and name not in refs:
            refs.append(name)
    return refs


def _was_a_step(phase: Object) -> bool:
    """Whether an earlier `from-folder` made it."""
    return any(is_ref(node, units=2) for node in nodes(phase))


class Partners:
    """For each task of the folder its task in the plan.

    Two tasks of a plan may say the same, so each is known by being that object.
    """

    def __init__(self) -> None:
        self._by_ref: dict[str, PhaseTask] = {}
        self._taken: set[int] = set()

    def add(self, ref: str, task: PhaseTask) -> None:
        self._by_ref[ref] = task
        self._taken.add(id(task.task))

    def of(self, ref: str) -> PhaseTask | None:
        return self._by_ref.get(ref)

    def has(self, task: PhaseTask) -> bool:
        """Whether a task of the plan is some folder's task's partner."""
        return id(task.task) in self._taken


def partners(tasks: Sequence[FolderTask], plan_tasks: Tasks) -> Partners:
    """For each task of the folder its task in the plan: of that number and name, else that name,
    else that number.
    """
    pairs = Partners()
    _pair(pairs, tasks, plan_tasks, lambda number, title: (number, title))

    # A title that two tasks of the folder have tells neither from the other.
    titles = Counter(task.title for task in tasks)
    single: list[FolderTask] = []
    for task in tasks:
        if titles[task.title] == 1:
            single.append(task)
    _pair(pairs, single, plan_tasks, lambda _, title: title)

    _pair(pairs, tasks, plan_tasks, lambda number, _: number)
    return pairs


def _pair(
    pairs: Partners,
    tasks: Iterable[FolderTask],
    plan_tasks: Tasks,
    key_of: KeyOf,
) -> None:
    """For each task without a partner the first that is still free and goes by the same key."""
    by_key: dict[Key, list[PhaseTask]] = {}
    # Backwards, so that the first one is the first to be popped.
    for plan_task in reversed(plan_tasks):
        for ref in refs_of(plan_task.task):
            key = key_of(ref, plan_task.description)
            by_key.setdefault(key, []).append(plan_task)

    for task in tasks:
        if pairs.of(task.ref):
            continue
        key = key_of(task.ref, task.title)
        candidates = by_key.get(key, [])
        while candidates:
            candidate = candidates.pop()
            if not pairs.has(candidate):
                pairs.add(task.ref, candidate)
                break


def merged(old: Object, phases: Sequence[FolderPhase]) -> Object:
    """The old plan with the folder's phases in it, without what the folder says itself."""
    old_tasks = list(every_task(old))
    folder_tasks: list[FolderTask] = []
    for phase in phases:
        folder_tasks += phase.tasks
    pairs = partners(folder_tasks, old_tasks)

    # Tasks that people added, and that are about nothing in the folder.
    extra: list[PhaseTask] = []
    for task in old_tasks:
        is_about_nothing = not refs_of(task.task)
        if is_about_nothing and not pairs.has(task):
            extra.append(task)

    origins = _origins(old, phases, pairs)
    new_phases: list[Object] = []
    for phase in phases:
        origin = origins.get(phase.ref)
        new_phase = _phase(phase, origin, pairs, extra)
        new_phases.append(new_phase)
    new_phases += _others(old, phases, origins, extra)

    plan = dict(old)
    for stamp in STAMPS:
        plan.pop(stamp, None)
    plan["overall_goal"] = ""
    plan["current_phase"] = ""
    plan["phases"] = new_phases
    plan["next_actions"] = own_words(old, "next_actions")
    plan["blockers"] = own_words(old, "blockers")
    return plan


def own_words(plan: Object, key: str) -> list[str]:
    """What people wrote into a list of the plan; the last `from-folder` writes its own anew."""
    texts = plan.get(key)
    if not isinstance(texts, list):
        return []
    own: list[str] = []
    for text in texts:
        if isinstance(text, str) and not _is_of_folder(text):
            own.append(text)
    return own


def _is_of_folder(text: str) -> bool:
    subject = text.partition(": ")[0]
    return is_ref(subject) or text.startswith(("Plan: goal ", "Plan: step "))


def _origins(old: Object, phases: Iterable[FolderPhase], pairs: Partners) -> Origins:
    """The phase of the old plan that each was: of its name, else the one with its tasks, else of
    its number.
    """

    def has_its_name(phase: FolderPhase, old_phase: Object) -> bool:
        return bool(old_phase.get("phase_name") == phase.name)

    def has_its_tasks(phase: FolderPhase, old_phase: Object) -> bool:
        if not _was_a_step(old_phase):
            return False
        for task in phase.tasks:
            partner = pairs.of(task.ref)
            if partner and partner.phase is old_phase:
                return True
        return False

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
    phase: FolderPhase,
    origin: Object | None,
    pairs: Partners,
    extra: Tasks,
) -> Object:
    tasks: list[Object] = []
    for task in phase.tasks:
        partner = pairs.of(task.ref)
        tasks.append(_task(task, partner))
    tasks += _tasks_in(origin, extra)

    old = origin or {}
    # The number is the folder's to say; every other node is somebody's own.
    others: list[str] = []
    for node in nodes(old):
        if not is_ref(node, units=2):
            others.append(node)
    return {
        **old,
        "phase_name": phase.name,
        "status": following_status(tasks, PENDING),
        "tasks": tasks,
        "node_ids": [phase.ref, *others],
    }


def _tasks_in(phase: Object | None, extra: Tasks) -> list[Object]:
    """What people put into a phase of the old plan."""
    tasks: list[Object] = []
    for task in extra:
        if task.phase is phase:
            tasks.append(task.task)
    return tasks


def _task(task: FolderTask, partner: PhaseTask | None) -> Object:
    """File names say what is done, and claims who is at it. That it failed only the plan can say."""
    old = partner.task if partner else {}
    if task.done:
        status = COMPLETED
    elif task.begun:
        status = IN_PROGRESS
    elif old.get("status") == FAILED:
        status = FAILED
    else:
        status = PENDING

    # Refs are the folder's to say; every other node is somebody's own.
    refs = (task.ref, *refs_of(old))
    others: list[str] = []
    for node in nodes(old):
        if node not in refs:
            others.append(node)
    return {
        **old,
        "task_id": task.ref,
        "description": task.title,
        "status": status,
        "node_ids": [task.ref, *others],
    }


def _others(
    old: Object,
    phases: Iterable[FolderPhase],
    origins: Origins,
    extra: Tasks,
) -> list[Object]:
    """Phases that are not the folder's, with the tasks that people put there."""
    folder_names = {phase.name for phase in phases}
    # By identity: a plan of another program may have two phases that say the same.
    used = set(map(id, origins.values()))

    others: list[Object] = []
    for phase in phases_of(old):
        if id(phase) in used or phase.get("phase_name") in folder_names:
            continue
        # One that `from-folder` made, and whose step has gone, goes with it, unless somebody put a
        # task there.
        tasks = _tasks_in(phase, extra)
        was_empty = not tasks_of(phase)
        is_own = was_empty and not _was_a_step(phase)
        if tasks or is_own:
            others.append({**phase, "tasks": tasks})
    return others
