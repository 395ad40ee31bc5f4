"""What changed between two plans, so that every difference is in exactly one change; and the order
of a plan's keys.
"""

from __future__ import annotations

from bisect import bisect_left

from director_ctx.base.record import Record
from director_ctx.memory.plans.rules import PHASE_KEYS, PLAN_KEYS, STAMPS, TASK_KEYS, is_task_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Object = dict[str, Any]
    Places = dict[str, tuple[str, int, Object]]


_KNOWN: Mapping[str, tuple[str, ...]] = {"phases": PHASE_KEYS, "phases.tasks": TASK_KEYS}
"""The keys of what stands under a key of a plan."""


def keys_in_order(plan: Mapping[str, Any]) -> dict[str, Any]:
    """The plan with its keys as the design has them, and all others behind them by name.

    A database may have sorted them in its own way, so their order is never what somebody wrote.
    """
    return _object_in_order(plan, PLAN_KEYS, "")


def _object_in_order(thing: Mapping[str, Any], known: Sequence[str], where: str) -> dict[str, Any]:
    first = [key for key in known if key in thing]
    others = sorted(key for key in thing if key not in known)

    ordered = {}
    for key in (*first, *others):
        below = f"{where}.{key}" if where else key
        ordered[key] = _value_in_order(thing[key], below)
    return ordered


def _value_in_order(value: Any, where: str) -> Any:
    if isinstance(value, dict):
        return _object_in_order(value, _KNOWN.get(where, ()), where)
    if isinstance(value, list):
        return [_value_in_order(item, where) for item in value]
    return value


def kept_in_order(old: Sequence[str], new: Sequence[str]) -> set[str]:
    """As many as possible that are in both and follow each other in both alike; the others were
    moved.
    """
    old_index = {name: index for index, name in enumerate(old)}

    # The longest rising row. For each length: the smallest index in `old` that a row of that
    # length can end with, and the name there.
    ends: list[int] = []
    last_names: list[str] = []
    before: dict[str, str | None] = {}
    for name in new:
        if name not in old_index:
            continue
        length = bisect_left(ends, old_index[name])
        before[name] = last_names[length - 1] if length else None
        ends[length : length + 1] = [old_index[name]]
        last_names[length : length + 1] = [name]

    # Back from the end of the longest.
    kept: set[str] = set()
    current = last_names[-1] if last_names else None
    while current is not None:
        kept.add(current)
        current = before[current]
    return kept


ADDED, REMOVED, MOVED, CHANGED = "added", "removed", "moved", "changed"
PLAN, PHASE, TASK = "plan", "phase", "task"


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()
"""No value at all, which is not the same as null."""


class PlanChange(Record):
    """One difference."""

    kind: str
    what: str
    """The plan itself, a phase or a task."""
    name: str = ""
    """The phase's name or the task's id, as it was; of something new, as it is."""
    field: str = ""
    before: Any = NOTHING
    after: Any = NOTHING
    place: int = -1
    """Where something that was added or moved is now, among its kind."""
    phase: str = ""
    """The phase that a task is in now; of one that was removed, where it was."""
    label: str = ""
    """The task's description."""


def changes(old: Any, new: Any) -> list[PlanChange]:
    """From the old plan to the new one; what the store writes itself does not count."""
    old = _plan(old)
    new = _plan(new)
    of_plan = PlanChange(CHANGED, PLAN)
    if not _orderly(old) or not _orderly(new):
        return list(_fields(of_plan, old, new, STAMPS))

    old_phases, new_phases = old["phases"], new["phases"]
    names = _renamed(old_phases, new_phases)
    differences = [
        *_phases(old_phases, new_phases, names),
        *_tasks(old_phases, new_phases, names),
        *_fields(of_plan, old, new, (*STAMPS, "phases")),
    ]
    return sorted(differences, key=_rank)


def _rank(change: PlanChange) -> int:
    """Phases that came, went or moved, then tasks, then what follows from them."""
    if change.what == PHASE and change.kind != CHANGED:
        return 0
    if change.what == TASK:
        return 1
    if change.what == PHASE:
        return 2
    return 3


def _plan(data: Any) -> Object:
    return data if isinstance(data, dict) else {"plan": data}


def _orderly(plan: Object) -> bool:
    """Whether phases and tasks can be told apart; a plan that another program wrote may not allow
    that.
    """
    phases = plan.get("phases")
    if not isinstance(phases, list):
        return False

    names: set[str] = set()
    ids: set[str] = set()
    for phase in phases:
        if not isinstance(phase, dict):
            return False
        name = phase.get("phase_name")
        if not isinstance(name, str) or name in names:
            return False
        names.add(name)

        tasks = phase.get("tasks")
        if not isinstance(tasks, list):
            return False
        for task in tasks:
            if not isinstance(task, dict) or not is_task_id(task.get("task_id")):
                return False
            if _id(task) in ids:
                return False
            ids.add(_id(task))
    return True


def _id(task: Object) -> str:
    return str(task["task_id"])


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: the order of keys does not count, and 1 is not true."""
    if one is other:
        return True
    if one is NOTHING or other is NOTHING or type(one) is not type(other):
        return False
    if isinstance(one, str):
        return bool(one == other)
    return canonical(one) == canonical(other)


def canonical(value: Any) -> str:
    """A text that is the same for values that are equal as JSON, and for no others."""
    import json

    return json.dumps(value, sort_keys=True)


def same_plan(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two plans say the same, whenever and as whatever version they were written."""
    return not any(_fields(PlanChange(CHANGED, PLAN), dict(one), dict(other), STAMPS))


def _fields(
    whose: PlanChange, old: Object, new: Object, but: tuple[str, ...] = ()
) -> Iterator[PlanChange]:
    for field in dict.fromkeys([*old, *new]):
        if field in but:
            continue
        before = old.get(field, NOTHING)
        after = new.get(field, NOTHING)
        if not same(before, after):
            yield whose.replace(field=field, before=before, after=after)


def _renamed(old: list[Object], new: list[Object]) -> dict[str, str]:
    """For each phase that is in both plans its name now and before: the same, or one with most of
    its tasks.
    """
    sizes = {phase["phase_name"]: len(phase["tasks"]) for phase in old}
    names: dict[str, str] = {}
    for phase in new:
        name = phase["phase_name"]
        if name in sizes:
            names[name] = name

    # Where the tasks were whose phase has gone, or has another name now.
    gone: dict[str, str] = {}
    for phase in old:
        if phase["phase_name"] in names:
            continue
        for task in phase["tasks"]:
            gone[_id(task)] = phase["phase_name"]

    taken = set(names)
    for phase in new:
        if phase["phase_name"] in names:
            continue
        origins = [gone[_id(task)] for task in phase["tasks"] if _id(task) in gone]
        best = max(dict.fromkeys(origins), key=origins.count, default="")
        if not best or best in taken:
            continue
        if origins.count(best) * 2 > sizes[best]:
            names[phase["phase_name"]] = best
            taken.add(best)
    return names


def _phases(old: list[Object], new: list[Object], names: dict[str, str]) -> Iterator[PlanChange]:
    before = {phase["phase_name"]: phase for phase in old}
    old_index = {name: index for index, name in enumerate(before)}

    kept = set(names.values())
    for name, phase in before.items():
        if name not in kept:
            yield PlanChange(REMOVED, PHASE, name, before=_alone(phase))

    old_names = [names.get(phase["phase_name"], "") for phase in new]
    settled = kept_in_order(list(before), old_names)
    for index, phase in enumerate(new):
        old_name = names.get(phase["phase_name"])
        if old_name is None:
            yield PlanChange(ADDED, PHASE, phase["phase_name"], after=_alone(phase), place=index)
            continue
        if old_name not in settled:
            was = old_index[old_name]
            yield PlanChange(MOVED, PHASE, old_name, before=was, after=index, place=index)
        changed = PlanChange(CHANGED, PHASE, old_name)
        yield from _fields(changed, before[old_name], phase, ("tasks",))


def _alone(phase: Object) -> Object:
    """A phase without its tasks, which are told one by one."""
    return {**phase, "tasks": []}


def _tasks(old: list[Object], new: list[Object], names: dict[str, str]) -> Iterator[PlanChange]:
    before = _placed(old, {})
    after = _placed(new, names)
    for task_id, (phase, _, task) in before.items():
        if task_id not in after:
            yield PlanChange(REMOVED, TASK, task_id, before=task, phase=phase, label=_label(task))

    settled = _settled(old, new, names)
    new_names = {old_name: name for name, old_name in names.items()}
    for task_id, (phase, index, task) in after.items():
        phase_now = new_names.get(phase, phase)
        whose = PlanChange(CHANGED, TASK, task_id, phase=phase_now, label=_label(task))
        if task_id not in before:
            yield whose.replace(kind=ADDED, after=task, place=index)
            continue

        old_phase, old_index, old_task = before[task_id]
        if task_id not in settled:
            was = [old_phase, old_index]
            now = [phase_now, index]
            yield whose.replace(kind=MOVED, before=was, after=now, place=index)
        yield from _fields(whose, old_task, task)


def _placed(phases: list[Object], names: dict[str, str]) -> Places:
    """Each task by its id: the phase it is in (by its old name if it has one), its place there, and
    itself.
    """
    places: Places = {}
    for phase in phases:
        name = str(phase["phase_name"])
        old_name = names.get(name, name)
        for index, task in enumerate(phase["tasks"]):
            places[_id(task)] = (old_name, index, task)
    return places


def _settled(old: list[Object], new: list[Object], names: dict[str, str]) -> set[str]:
    """The tasks that stayed in their phase, in their order."""
    old_ids = {phase["phase_name"]: _ids(phase) for phase in old}
    settled: set[str] = set()
    for phase in new:
        old_name = names.get(phase["phase_name"], "")
        settled |= kept_in_order(old_ids.get(old_name, []), _ids(phase))
    return settled


def _ids(phase: Object) -> list[str]:
    return [_id(task) for task in phase["tasks"]]


def _label(task: Object) -> str:
    return str(task.get("description", ""))


def change_json(change: PlanChange) -> Object:
    """A change as `--json` shows it: what does not apply is left out."""
    parts: Object = {}
    for name in ("kind", "what", "name", "field", "phase"):
        text = getattr(change, name)
        if text != "":
            parts[name] = text
    for name in ("before", "after"):
        value = getattr(change, name)
        if value is not NOTHING:
            parts[name] = value
    if change.kind == ADDED:
        parts["place"] = change.place
    return parts
