"""What changed between two plans, so that every difference is in exactly one change."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter

from director_ctx.base.record import Record
from director_ctx.memory.plans.rules import STAMPS, is_task_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Object = dict[str, Any]
    Phases = list[Object]
    Changes = Iterator["PlanChange"]


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()
"""No value at all, which is not the same as null."""
ADDED, REMOVED, MOVED, CHANGED = "added", "removed", "moved", "changed"
PLAN, PHASE, TASK = "plan", "phase", "task"


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
    old = old if isinstance(old, dict) else {"plan": old}
    new = new if isinstance(new, dict) else {"plan": new}
    of_plan = PlanChange(CHANGED, PLAN)
    if not _is_orderly(old) or not _is_orderly(new):
        return list(_fields(of_plan, old, new, STAMPS))

    names = _old_names(old["phases"], new["phases"])
    # Phases that came, went or moved, then tasks, then what follows from them.
    order = {TASK: 1, PHASE: 2, PLAN: 3}
    return sorted(
        [
            *_phase_changes(old["phases"], new["phases"], names),
            *_task_changes(old["phases"], new["phases"], names),
            *_fields(of_plan, old, new, (*STAMPS, "phases")),
        ],
        key=lambda change: (
            0 if change.what == PHASE and change.kind != CHANGED else order[change.what]
        ),
    )


def same_plan(one: Object, other: Object) -> bool:
    """Whether two plans say the same, whenever and as whatever version they were written."""
    return not any(_fields(PlanChange(CHANGED, PLAN), one, other, STAMPS))


def change_json(change: PlanChange) -> Object:
    """A change as `--json` shows it: what does not apply is left out."""
    parts: Object = {"kind": change.kind, "what": change.what}
    for name in ("name", "field", "phase"):
        if getattr(change, name):
            parts[name] = getattr(change, name)
    for name in ("before", "after"):
        if getattr(change, name) is not NOTHING:
            parts[name] = getattr(change, name)
    if change.kind == ADDED:
        parts["place"] = change.place
    return parts


def _is_orderly(plan: Object) -> bool:
    """Whether phases and tasks can be told apart; a plan that another program wrote may not allow
    that.
    """
    phases = plan.get("phases")
    if not isinstance(phases, list):
        return False
    names: list[str] = []
    ids: list[str] = []
    for phase in phases:
        name = phase.get("phase_name") if isinstance(phase, dict) else None
        if not isinstance(name, str) or not isinstance(phase.get("tasks"), list):
            return False
        names.append(name)
        for task in phase["tasks"]:
            if not isinstance(task, dict) or not is_task_id(task.get("task_id")):
                return False
            ids.append(_id(task))
    return len(set(names)) == len(names) and len(set(ids)) == len(ids)


def _id(task: Object) -> str:
    return str(task["task_id"])


def _name(phase: Object) -> str:
    return str(phase["phase_name"])


def _fields(whose: PlanChange, old: Object, new: Object, left_out: tuple[str, ...] = ()) -> Changes:
    """A change for each field that says something else, and is not among those left out."""
    for field in dict.fromkeys([*old, *new]):
        before, after = old.get(field, NOTHING), new.get(field, NOTHING)
        if field not in left_out and not same(before, after):
            yield whose.replace(field=field, before=before, after=after)


def _old_names(old: Phases, new: Phases) -> dict[str, str]:
    """For each phase that is in both plans its name before, by its name now. One with another name
    now is the one most of whose tasks it has.
    """
    before = set(map(_name, old))
    names = {_name(phase): _name(phase) for phase in new if _name(phase) in before}
    gone = {_name(phase): phase["tasks"] for phase in old if _name(phase) not in names}
    origins = {_id(task): name for name, tasks in gone.items() for task in tasks}
    for phase in new:
        if _name(phase) in names:
            continue
        counts = Counter(origins[_id(task)] for task in phase["tasks"] if _id(task) in origins)
        for origin, count in counts.most_common(1):
            if count * 2 > len(gone[origin]) and origin not in names.values():
                names[_name(phase)] = origin
    return names


def _phase_changes(old: Phases, new: Phases, names: Mapping[str, str]) -> Changes:
    before = {_name(phase): phase for phase in old}
    for name, phase in before.items():
        if name not in names.values():
            # Tasks are told one by one.
            yield PlanChange(REMOVED, PHASE, name, before={**phase, "tasks": []})

    places = {name: place for place, name in enumerate(before)}
    stayed = kept_in_order(list(before), [names.get(_name(phase), "") for phase in new])
    for place, phase in enumerate(new):
        old_name = names.get(_name(phase))
        if old_name is None:
            after = {**phase, "tasks": []}
            yield PlanChange(ADDED, PHASE, _name(phase), after=after, place=place)
            continue
        if old_name not in stayed:
            moved = PlanChange(MOVED, PHASE, old_name, before=places[old_name], after=place)
            yield moved.replace(place=place)
        # Its tasks are compared on their own: one of them may have come from another phase.
        changed = PlanChange(CHANGED, PHASE, old_name)
        yield from _fields(changed, before[old_name], phase, ("tasks",))


class _Placed(Record):
    """A task where it stands."""

    phase: str
    """By its old name, if it has one."""
    index: int
    task: Object

    @property
    def label(self) -> str:
        return str(self.task.get("description", ""))


def _task_changes(old: Phases, new: Phases, names: Mapping[str, str]) -> Changes:
    before = _placed(old, {})
    after = _placed(new, names)
    for task_id, was in before.items():
        if task_id not in after:
            removed = PlanChange(REMOVED, TASK, task_id, before=was.task)
            yield removed.replace(phase=was.phase, label=was.label)

    # The tasks that stayed in their phase, in their order.
    ids_before = {_name(phase): list(map(_id, phase["tasks"])) for phase in old}
    stayed: set[str] = set()
    for phase in new:
        ids = ids_before.get(names.get(_name(phase), ""), [])
        stayed |= kept_in_order(ids, list(map(_id, phase["tasks"])))
    # A phase that was renamed is told under its new name.
    now = {name: name_now for name_now, name in names.items()}
    for task_id, is_now in after.items():
        phase_now = now.get(is_now.phase, is_now.phase)
        whose = PlanChange(CHANGED, TASK, task_id, phase=phase_now, label=is_now.label)
        place = is_now.index
        if task_id not in before:
            yield whose.replace(kind=ADDED, after=is_now.task, place=place)
            continue
        was = before[task_id]
        if task_id not in stayed:
            move = {"before": [was.phase, was.index], "after": [phase_now, place]}
            yield whose.replace(kind=MOVED, place=place, **move)
        yield from _fields(whose, was.task, is_now.task)


def _placed(phases: Phases, names: Mapping[str, str]) -> dict[str, _Placed]:
    """Each task by its id."""
    return {
        _id(task): _Placed(names.get(_name(phase), _name(phase)), index, task)
        for phase in phases
        for index, task in enumerate(phase["tasks"])
    }


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: the order of keys does not count, and 1 is not true."""
    if one is other:
        return True
    # For Python true is 1, and 1.0 too; as JSON they are three.
    if one is NOTHING or other is NOTHING or type(one) is not type(other):
        return False
    if isinstance(one, str):
        return bool(one == other)
    return canonical(one) == canonical(other)


def canonical(value: Any) -> str:
    """A text that is the same for values that are equal as JSON, and for no others."""
    return json.dumps(value, sort_keys=True)


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
        index = old_index.get(name)
        if index is None:
            continue
        length = bisect_left(ends, index)
        before[name] = last_names[length - 1] if length else None
        ends[length : length + 1] = [index]
        last_names[length : length + 1] = [name]

    # Back from the end of the longest.
    kept: set[str] = set()
    current = last_names[-1] if last_names else None
    while current is not None:
        kept.add(current)
        current = before[current]
    return kept
