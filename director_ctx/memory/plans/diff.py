"""The order of things in a plan: that of its keys, and which things of a list kept theirs when
others were moved.
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
    place = {name: at for at, name in enumerate(old)}
    both = [name for name in new if name in place]
    ends: list[int] = []
    """For each length, the smallest place that a rising row of that length can end with."""
    last: list[str] = []
    before: dict[str, str | None] = {}
    for name in both:
        at = bisect_left(ends, place[name])
        before[name] = last[at - 1] if at else None
        ends[at : at + 1] = [place[name]]
        last[at : at + 1] = [name]
    found: set[str] = set()
    one = last[-1] if last else None
    while one is not None:
        found.add(one)
        one = before[one]
    return found


ADDED, REMOVED, MOVED, CHANGED = "added", "removed", "moved", "changed"
PLAN, PHASE, TASK = "plan", "phase", "task"


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()
"""No value at all, which is not the same as null."""


class Change(Record):
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


def changes(old: Any, new: Any) -> list[Change]:
    """From the old plan to the new one; what the store writes itself does not count."""
    old, new = _plan(old), _plan(new)
    if not (_orderly(old) and _orderly(new)):
        return list(_fields(Change(CHANGED, PLAN), old, new, STAMPS))
    names = _renamed(old["phases"], new["phases"])
    found = [
        *_phases(old["phases"], new["phases"], names),
        *_tasks(old["phases"], new["phases"], names),
        *_fields(Change(CHANGED, PLAN), old, new, (*STAMPS, "phases")),
    ]
    return sorted(found, key=_rank)


def _rank(change: Change) -> int:
    """Phases that came, went or moved, then tasks, then what follows from them."""
    if change.what == PHASE:
        return 2 if change.kind == CHANGED else 0
    return 1 if change.what == TASK else 3


def _plan(data: Any) -> Object:
    return data if isinstance(data, dict) else {"plan": data}


def _orderly(plan: Object) -> bool:
    """Whether phases and tasks can be told apart; a plan that another program wrote may not allow
    that.
    """
    phases = plan.get("phases")
    if not isinstance(phases, list) or not all(isinstance(one, dict) for one in phases):
        return False
    if not all(isinstance(one.get("tasks"), list) for one in phases):
        return False
    names = [one.get("phase_name") for one in phases]
    tasks = [task for one in phases for task in one["tasks"]]
    if not all(isinstance(task, dict) and is_task_id(task.get("task_id")) for task in tasks):
        return False
    ids = {str(task["task_id"]) for task in tasks}
    return (
        all(isinstance(name, str) for name in names)
        and len(set(names)) == len(names)
        and len(ids) == len(tasks)
    )


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
    return not any(_fields(Change(CHANGED, PLAN), dict(one), dict(other), STAMPS))


def _fields(whose: Change, old: Object, new: Object, but: tuple[str, ...] = ()) -> Iterator[Change]:
    for field in dict.fromkeys([*old, *new]):
        before, after = old.get(field, NOTHING), new.get(field, NOTHING)
        if field not in but and not same(before, after):
            yield whose.replace(field=field, before=before, after=after)


def _renamed(old: list[Object], new: list[Object]) -> dict[str, str]:
    """For each phase that is in both plans its name now and before: the same, or one with most of
    its tasks.
    """
    sizes = {one["phase_name"]: len(one["tasks"]) for one in old}
    found = {
        phase["phase_name"]: phase["phase_name"] for phase in new if phase["phase_name"] in sizes
    }
    gone = {
        str(task["task_id"]): one["phase_name"]
        for one in old
        if one["phase_name"] not in found
        for task in one["tasks"]
    }
    taken = set(found)
    for phase in new:
        if phase["phase_name"] in found:
            continue
        origins = [
            gone[str(task["task_id"])] for task in phase["tasks"] if str(task["task_id"]) in gone
        ]
        best = max(dict.fromkeys(origins), key=origins.count, default="")
        if best and best not in taken and origins.count(best) * 2 > sizes[best]:
            found[phase["phase_name"]] = best
            taken.add(best)
    return found


def _phases(old: list[Object], new: list[Object], names: dict[str, str]) -> Iterator[Change]:
    before = {phase["phase_name"]: phase for phase in old}
    now = {names.get(phase["phase_name"], phase["phase_name"]): phase for phase in new}
    kept, places = set(names.values()), {name: at for at, name in enumerate(before)}
    for name, phase in before.items():
        if name not in kept:
            yield Change(REMOVED, PHASE, name, before=_alone(phase))
    settled = kept_in_order([*before], [names.get(phase["phase_name"], "") for phase in new])
    for place, phase in enumerate(new):
        name = names.get(phase["phase_name"])
        if name is None:
            yield Change(ADDED, PHASE, phase["phase_name"], after=_alone(phase), place=place)
            continue
        if name not in settled:
            yield Change(MOVED, PHASE, name, before=places[name], after=place, place=place)
        yield from _fields(Change(CHANGED, PHASE, name), before[name], now[name], ("tasks",))


def _alone(phase: Object) -> Object:
    """A phase without its tasks, which are told one by one."""
    return {**phase, "tasks": []}


def _tasks(old: list[Object], new: list[Object], names: dict[str, str]) -> Iterator[Change]:
    before, after = _placed(old, {}), _placed(new, names)
    for name, (phase, _, task) in before.items():
        if name not in after:
            yield Change(REMOVED, TASK, name, before=task, phase=phase, label=_label(task))
    settled, renamed = _settled(old, new, names), {was: now for now, was in names.items()}
    for name, (phase, place, task) in after.items():
        now = renamed.get(phase, phase)
        if name not in before:
            yield Change(ADDED, TASK, name, after=task, place=place, phase=now, label=_label(task))
            continue
        was, at, earlier = before[name]
        if name not in settled:
            yield Change(MOVED, TASK, name, "", [was, at], [now, place], place, now, _label(task))
        whose = Change(CHANGED, TASK, name, phase=now, label=_label(task))
        yield from _fields(whose, earlier, task)


def _placed(phases: list[Object], names: dict[str, str]) -> Places:
    """Each task by its id: the phase it is in (by its old name if it has one), its place there, and
    itself.
    """
    found: Places = {}
    for phase in phases:
        name = str(phase["phase_name"])
        found |= {
            str(task["task_id"]): (names.get(name, name), at, task)
            for at, task in enumerate(phase["tasks"])
        }
    return found


def _settled(old: list[Object], new: list[Object], names: dict[str, str]) -> set[str]:
    """The tasks that stayed in their phase, in their order."""
    were = {phase["phase_name"]: [str(task["task_id"]) for task in phase["tasks"]] for phase in old}
    found: set[str] = set()
    for phase in new:
        was = were.get(names.get(phase["phase_name"], ""), [])
        found |= kept_in_order(was, [str(task["task_id"]) for task in phase["tasks"]])
    return found


def _label(task: Object) -> str:
    return str(task.get("description", ""))


def change_json(change: Change) -> Object:
    """A change as `--json` shows it: what does not apply is left out."""
    parts = {
        name: getattr(change, name)
        for name in ("kind", "what", "name", "field", "phase", "before", "after")
    }
    if change.kind == ADDED:
        parts["place"] = change.place
    return {
        name: value
        for name, value in parts.items()
        if value is not NOTHING and (value != "" or name in _VALUES)
    }


_VALUES = ("before", "after")
