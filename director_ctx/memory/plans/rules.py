"""What a good plan is: every mistake at once, each with its JSON path. The shipped JSON Schema says
the same.
"""

from __future__ import annotations

from director_ctx.memory.plans.values import Mistake, at_fault, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Object = dict[str, Any]
    Mistakes = Iterator[Mistake]
    Check = Callable[[str, Any], Mistakes]
    Checks = dict[str, Check]

PENDING = "pending"
IN_PROGRESS = "in_progress"
COMPLETED = "completed"
FAILED = "failed"
STATUSES = (PENDING, IN_PROGRESS, COMPLETED, FAILED)
STAMPS = ("workflow_id", "plan_version", "created_at", "updated_at")
"""What the store writes itself, whatever the plan says."""
_MEANT = {
    PENDING: "todo to_do open new planned waiting not_started blocked",
    IN_PROGRESS: "doing active started current running working wip",
    COMPLETED: "done complete finished success succeeded ok closed",
    FAILED: "error broken fail failure",
}
_ALSO_CALLED = {
    "overall_goal": ("goal", "title"),
    "phase_name": ("name", "title", "phase"),
    "task_id": ("id", "number"),
    "description": ("title", "name", "text", "task"),
    "status": ("state",),
}


def mistakes(plan: Any) -> list[Mistake]:
    """What is wrong with a plan; nothing if it is good."""
    if not isinstance(plan, dict):
        return [_wrong("$", plan, "an object")]
    in_fields = _fields("$", plan, _PLAN, ("overall_goal", "phases"))
    return [*at_fault(plan), *in_fields, *_whole(plan)]


def _fields(
    path: str,
    thing: Object,
    known: Checks,
    required: tuple[str, ...],
) -> Mistakes:
    for name in required:
        if name in thing:
            continue
        text = f"{name} is missing"
        for other in _ALSO_CALLED.get(name, ()):
            if other in thing:
                text = f"{name} is missing; is {other} meant?"
                break
        yield Mistake(path, text)

    for name, check in known.items():
        if name in thing:
            yield from check(f"{path}.{name}", thing[name])


def _whole(plan: Object) -> Mistakes:
    """What no field can be blamed for alone: names and ids that are there twice, a current phase
    that is nowhere.
    """
    phases = plan.get("phases")
    if not isinstance(phases, list):
        return

    names: dict[str, str] = {}
    ids: dict[str, str] = {}
    for index, phase in _objects(phases):
        path = f"$.phases[{index}]"
        name = phase.get("phase_name")
        if isinstance(name, str):
            names[f"{path}.phase_name"] = name
        for task_index, task in _objects(phase.get("tasks")):
            task_id = task.get("task_id")
            if is_task_id(task_id):
                ids[f"{path}.tasks[{task_index}].task_id"] = str(task_id)

    yield from _twice(names, "phase")
    yield from _twice(ids, "task")
    yield from _current(plan, phases, list(names.values()))


def _objects(things: Any) -> Iterator[tuple[int, Object]]:
    """Those of a list that are objects, each with its index."""
    if not isinstance(things, list):
        return
    for index, thing in enumerate(things):
        if isinstance(thing, dict):
            yield index, thing


def _twice(names: dict[str, str], what: str) -> Mistakes:
    """Each name that another path has already."""
    first: dict[str, str] = {}
    for path, name in names.items():
        if name in first:
            yield Mistake(path, f"{shown(name)} is another {what}'s already ({first[name]})")
        else:
            first[name] = path


def _current(plan: Object, phases: list[Any], names: list[str]) -> Mistakes:
    current = plan.get("current_phase", "")
    if not isinstance(current, str):
        return
    path = "$.current_phase"
    if not phases:
        if current:
            yield Mistake(path, f"{shown(current)} is no phase; there is none")
    elif "current_phase" not in plan:
        yield Mistake("$", "current_phase is missing")
    elif not current:
        yield Mistake(path, "it is empty, although there are phases")
    elif current not in names:
        known = ", ".join(map(shown, names[:9]))
        yield Mistake(path, f"{shown(current)} is no phase; there are {known}")


def is_task_id(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return _is_whole(value)


def _is_whole(value: Any) -> bool:
    """As JSON sees it: 1.0 is a whole number, true is none."""
    if isinstance(value, bool):
        return False
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int)


def _wrong(path: str, value: Any, wanted: str) -> Mistake:
    return Mistake(path, f"{shown(value)} is not {wanted}")


def _text(path: str, value: Any) -> Mistakes:
    if not isinstance(value, str):
        yield _wrong(path, value, "a text")


def _words(path: str, value: Any) -> Mistakes:
    if not isinstance(value, str):
        yield _wrong(path, value, "a text")
    elif not value.strip():
        yield Mistake(path, "it is empty")


def _number(path: str, value: Any) -> Mistakes:
    if not _is_whole(value) or value < 0:
        yield _wrong(path, value, "a version: a whole number")


def _id(path: str, value: Any) -> Mistakes:
    if not is_task_id(value):
        yield _wrong(path, value, "an id: a whole number, or a text that is not empty")


def _status(path: str, value: Any) -> Mistakes:
    if value in STATUSES:
        return
    text = f"{shown(value)} is not a status; known are {', '.join(STATUSES)}"
    meant = meant_status(value) if isinstance(value, str) else ""
    if meant:
        text += f" (is {meant} meant?)"
    yield Mistake(path, text)


def meant_status(word: str) -> str:
    """The status that somebody means who writes `done` or `In progress`; an empty string if nobody
    knows.
    """
    lower = word.strip().casefold()
    bare = lower.replace("-", "_").replace(" ", "_")
    for status in STATUSES:
        if bare == status or bare in _MEANT[status].split():
            return status
    return ""


def _each(check: Check) -> Check:
    def checked(path: str, value: Any) -> Mistakes:
        if not isinstance(value, list):
            yield _wrong(path, value, "a list")
            return
        for index, item in enumerate(value):
            yield from check(f"{path}[{index}]", item)

    return checked


def _object(known: Checks, required: tuple[str, ...]) -> Check:
    def checked(path: str, value: Any) -> Mistakes:
        if not isinstance(value, dict):
            yield _wrong(path, value, "an object")
            return
        yield from _fields(path, value, known, required)

    return checked


_TASK: Checks = {
    "task_id": _id,
    "description": _words,
    "status": _status,
    "notes": _text,
    "node_ids": _each(_text),
}
_PHASE: Checks = {
    "phase_name": _words,
    "status": _status,
    "tasks": _each(_object(_TASK, ("task_id", "description", "status"))),
}
_PLAN: Checks = {
    "workflow_id": _text,
    "plan_version": _number,
    "created_at": _text,
    "updated_at": _text,
    "overall_goal": _words,
    "current_phase": _text,
    "phases": _each(_object(_PHASE, ("phase_name", "status", "tasks"))),
    "next_actions": _each(_text),
    "blockers": _each(_text),
    "notes": _text,
}
PLAN_KEYS = tuple(_PLAN)
PHASE_KEYS = tuple(_PHASE)
TASK_KEYS = tuple(_TASK)
"""In the order of the design, which is the one that they are shown in."""
