"""What changed between two plans, so that every difference is in exactly one change."""

from __future__ import annotations

from collections import Counter

from director_ctx.base.record import Record
from director_ctx.memory.plans.compared import NOTHING, kept_in_order, same
from director_ctx.memory.plans.rules import STAMPS, is_task_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Object = dict[str, Any]
    Phases = list[Object]
    Names = dict[str, str]
    """Of phases that are in both plans."""
    Changes = Iterator["PlanChange"]


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
    old = _plan(old)
    new = _plan(new)
    of_plan = PlanChange(CHANGED, PLAN)
    if not _is_orderly(old) or not _is_orderly(new):
        return list(_fields(of_plan, old, new, STAMPS))

    phases = _BothPhases(old["phases"], new["phases"])
    other_fields = _fields(of_plan, old, new, (*STAMPS, "phases"))
    differences = [
        *_phase_changes(phases),
        *_task_changes(phases),
        *other_fields,
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


def _is_orderly(plan: Object) -> bool:
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
            if not isinstance(task, dict):
                return False
            if not is_task_id(task.get("task_id")):
                return False
            if _id(task) in ids:
                return False
            ids.add(_id(task))
    return True


def _id(task: Object) -> str:
    return str(task["task_id"])


def _name(phase: Object) -> str:
    return str(phase["phase_name"])


def same_plan(one: Object, other: Object) -> bool:
    """Whether two plans say the same, whenever and as whatever version they were written."""
    of_plan = PlanChange(CHANGED, PLAN)
    differences = _fields(of_plan, one, other, STAMPS)
    return not any(differences)


def _fields(
    whose: PlanChange,
    old: Object,
    new: Object,
    left_out: tuple[str, ...] = (),
) -> Changes:
    """A change for each field that says something else, and is not among those left out."""
    for field in dict.fromkeys([*old, *new]):
        if field in left_out:
            continue
        before = old.get(field, NOTHING)
        after = new.get(field, NOTHING)
        if not same(before, after):
            yield whose.replace(field=field, before=before, after=after)


class _BothPhases:
    """The phases of two plans, and which of them are one."""

    def __init__(self, old: Phases, new: Phases) -> None:
        self.old = old
        self.new = new
        self.old_names = _same_names(old, new)
        """For each phase that is in both plans its name before, by its name now."""
        self.old_names |= _renamed(old, new, self.old_names)
        self.new_names: Names = {}
        for now, before in self.old_names.items():
            self.new_names[before] = now

    def old_name(self, phase: Object) -> str:
        """The name of a new plan's phase before; empty where it was not there."""
        return self.old_names.get(_name(phase), "")


def _same_names(old: Phases, new: Phases) -> Names:
    before = set(map(_name, old))
    names: Names = {}
    for phase in new:
        name = _name(phase)
        if name in before:
            names[name] = name
    return names


def _renamed(old: Phases, new: Phases, names: Names) -> Names:
    """Phases with another name now, each with the old one: that of the phase most of whose tasks
    it has.
    """
    # Where the tasks were whose phase has gone, or has another name now.
    gone: dict[str, str] = {}
    sizes: dict[str, int] = {}
    for phase in old:
        name = _name(phase)
        if name in names:
            continue
        sizes[name] = len(phase["tasks"])
        for task in phase["tasks"]:
            gone[_id(task)] = name

    renamed: dict[str, str] = {}
    taken: set[str] = set()
    for phase in new:
        if _name(phase) in names:
            continue
        origins: Counter[str] = Counter()
        for task_id in _ids(phase):
            if task_id in gone:
                origins[gone[task_id]] += 1
        for origin, count in origins.most_common(1):
            has_most = count * 2 > sizes[origin]
            if has_most and origin not in taken:
                renamed[_name(phase)] = origin
                taken.add(origin)
    return renamed


def _phase_changes(phases: _BothPhases) -> Changes:
    before = {_name(phase): phase for phase in phases.old}
    for name, phase in before.items():
        if name not in phases.new_names:
            yield PlanChange(
                kind=REMOVED,
                what=PHASE,
                name=name,
                before=_without_tasks(phase),
            )

    old_index = {name: index for index, name in enumerate(before)}
    new_order = [phases.old_name(phase) for phase in phases.new]
    stayed = kept_in_order(list(before), new_order)
    for index, phase in enumerate(phases.new):
        old_name = phases.old_names.get(_name(phase))
        if old_name is None:
            yield PlanChange(
                kind=ADDED,
                what=PHASE,
                name=_name(phase),
                after=_without_tasks(phase),
                place=index,
            )
            continue

        if old_name not in stayed:
            yield PlanChange(
                kind=MOVED,
                what=PHASE,
                name=old_name,
                before=old_index[old_name],
                after=index,
                place=index,
            )
        # Its tasks are compared on their own: one of them may have come from another phase.
        changed = PlanChange(CHANGED, PHASE, old_name)
        yield from _fields(changed, before[old_name], phase, ("tasks",))


def _without_tasks(phase: Object) -> Object:
    """Tasks are told one by one."""
    return {**phase, "tasks": []}


class _Placed(Record):
    """A task where it stands."""

    phase: str
    """By its old name, if it has one."""
    index: int
    task: Object

    @property
    def label(self) -> str:
        return str(self.task.get("description", ""))


def _task_changes(phases: _BothPhases) -> Changes:
    before = _placed(phases.old, {})
    after = _placed(phases.new, phases.old_names)
    for task_id, old in before.items():
        if task_id not in after:
            yield PlanChange(
                kind=REMOVED,
                what=TASK,
                name=task_id,
                before=old.task,
                phase=old.phase,
                label=old.label,
            )

    stayed = _stayed(phases)
    for task_id, new in after.items():
        phase_now = phases.new_names.get(new.phase, new.phase)
        whose = PlanChange(
            kind=CHANGED,
            what=TASK,
            name=task_id,
            phase=phase_now,
            label=new.label,
        )
        if task_id not in before:
            yield whose.replace(
                kind=ADDED,
                after=new.task,
                place=new.index,
            )
            continue

        old = before[task_id]
        if task_id not in stayed:
            yield whose.replace(
                kind=MOVED,
                before=[old.phase, old.index],
                after=[phase_now, new.index],
                place=new.index,
            )
        yield from _fields(whose, old.task, new.task)


def _placed(phases: Phases, old_names: Names) -> dict[str, _Placed]:
    """Each task by its id."""
    placed: dict[str, _Placed] = {}
    for phase in phases:
        name = _name(phase)
        old_name = old_names.get(name, name)
        for index, task in enumerate(phase["tasks"]):
            placed[_id(task)] = _Placed(old_name, index, task)
    return placed


def _stayed(phases: _BothPhases) -> set[str]:
    """The tasks that stayed in their phase, in their order."""
    ids_before = {_name(phase): _ids(phase) for phase in phases.old}
    stayed: set[str] = set()
    for phase in phases.new:
        old_name = phases.old_name(phase)
        ids = ids_before.get(old_name, [])
        stayed |= kept_in_order(ids, _ids(phase))
    return stayed


def _ids(phase: Object) -> list[str]:
    return [_id(task) for task in phase["tasks"]]


def change_json(change: PlanChange) -> Object:
    """A change as `--json` shows it: what does not apply is left out."""
    parts: Object = {"kind": change.kind, "what": change.what}
    if change.name:
        parts["name"] = change.name
    if change.field:
        parts["field"] = change.field
    if change.phase:
        parts["phase"] = change.phase
    if change.before is not NOTHING:
        parts["before"] = change.before
    if change.after is not NOTHING:
        parts["after"] = change.after
    if change.kind == ADDED:
        parts["place"] = change.place
    return parts
