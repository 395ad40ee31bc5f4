"""What a good plan is: every mistake at once, each with its JSON path. The shipped JSON Schema says
the same.
"""

from __future__ import annotations

from director_ctx.memory.plans.values import Mistake, at_fault, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Check = Callable[[str, Any], Iterator["Mistake"]]

PENDING, IN_PROGRESS, COMPLETED, FAILED = "pending", "in_progress", "completed", "failed"
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
    return [*at_fault(plan), *_fields("$", plan, _PLAN, ("overall_goal", "phases")), *_whole(plan)]


def _fields(
    path: str, thing: dict[str, Any], known: dict[str, Check], required: tuple[str, ...]
) -> Iterator[Mistake]:
    for name in required:
        if name not in thing:
            other = next((one for one in _ALSO_CALLED.get(name, ()) if one in thing), "")
            yield Mistake(path, f"{name} is missing" + (f"; is {other} meant?" if other else ""))
    for name, check in known.items():
        if name in thing:
            yield from check(f"{path}.{name}", thing[name])


def _whole(plan: dict[str, Any]) -> Iterator[Mistake]:
    """What no field can be blamed for alone: names and ids that are there twice, a current phase
    that is nowhere.
    """
    phases = plan.get("phases")
    if not isinstance(phases, list):
        return
    names = {
        f"$.phases[{at}].phase_name": phase.get("phase_name") for at, phase in _objects(phases)
    }
    yield from _twice(
        {path: name for path, name in names.items() if isinstance(name, str)}, "phase"
    )
    ids = {
        f"$.phases[{at}].tasks[{place}].task_id": task.get("task_id")
        for at, phase in _objects(phases)
        for place, task in _objects(phase.get("tasks"))
    }
    yield from _twice({path: str(one) for path, one in ids.items() if is_task_id(one)}, "task")
    yield from _current(
        plan, len(phases), [name for name in names.values() if isinstance(name, str)]
    )


def _objects(things: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    if isinstance(things, list):
        yield from ((at, one) for at, one in enumerate(things) if isinstance(one, dict))


def _twice(found: dict[str, str], what: str) -> Iterator[Mistake]:
    first: dict[str, str] = {}
    for path, name in found.items():
        if first.setdefault(name, path) != path:
            yield Mistake(path, f"{shown(name)} is another {what}'s already ({first[name]})")


def _current(plan: dict[str, Any], phases: int, names: list[str]) -> Iterator[Mistake]:
    current = plan.get("current_phase", "")
    if not isinstance(current, str):
        return
    if phases and "current_phase" not in plan:
        yield Mistake("$", "current_phase is missing")
    elif phases and not current:
        yield Mistake("$.current_phase", "it is empty, although there are phases")
    elif phases and current not in names:
        yield Mistake(
            "$.current_phase",
            f"{shown(current)} is no phase; there are {', '.join(map(shown, names[:9]))}",
        )
    elif not phases and current:
        yield Mistake("$.current_phase", f"{shown(current)} is no phase; there is none")


def is_task_id(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, str) and bool(value.strip()))


def _is_whole(value: Any) -> bool:
    """As JSON sees it: 1.0 is a whole number, true is none."""
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, float) and value.is_integer()
    )


def _wrong(path: str, value: Any, wanted: str) -> Mistake:
    return Mistake(path, f"{shown(value)} is not {wanted}")


def _text(path: str, value: Any) -> Iterator[Mistake]:
    if not isinstance(value, str):
        yield _wrong(path, value, "a text")


def _words(path: str, value: Any) -> Iterator[Mistake]:
    if not isinstance(value, str):
        yield _wrong(path, value, "a text")
    elif not value.strip():
        yield Mistake(path, "it is empty")


def _number(path: str, value: Any) -> Iterator[Mistake]:
    if not _is_whole(value) or value < 0:
        yield _wrong(path, value, "a version: a whole number")


def _id(path: str, value: Any) -> Iterator[Mistake]:
    if not is_task_id(value):
        yield _wrong(path, value, "an id: a whole number, or a text that is not empty")


def _status(path: str, value: Any) -> Iterator[Mistake]:
    if value not in STATUSES:
        meant = meant_status(value) if isinstance(value, str) else ""
        yield Mistake(
            path,
            f"{shown(value)} is not a status; known are {', '.join(STATUSES)}"
            + (f" (is {meant} meant?)" * bool(meant)),
        )


def meant_status(word: str) -> str:
    """The status that somebody means who writes `done` or `In progress`; an empty string if nobody
    knows.
    """
    bare = word.strip().casefold().replace("-", "_").replace(" ", "_")
    return next((one for one in STATUSES if bare == one or bare in _MEANT[one].split()), "")


def _each(check: Check) -> Check:
    def checked(path: str, value: Any) -> Iterator[Mistake]:
        if not isinstance(value, list):
            yield _wrong(path, value, "a list")
            return
        for at, one in enumerate(value):
            yield from check(f"{path}[{at}]", one)

    return checked


def _object(known: dict[str, Check], required: tuple[str, ...]) -> Check:
    def checked(path: str, value: Any) -> Iterator[Mistake]:
        if not isinstance(value, dict):
            yield _wrong(path, value, "an object")
            return
        yield from _fields(path, value, known, required)

    return checked


_TASK: dict[str, Check] = {
    "task_id": _id,
    "description": _words,
    "status": _status,
    "notes": _text,
    "node_ids": _each(_text),
}
_PHASE: dict[str, Check] = {
    "phase_name": _words,
    "status": _status,
    "tasks": _each(_object(_TASK, ("task_id", "description", "status"))),
}
_PLAN: dict[str, Check] = {
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
PLAN_KEYS, PHASE_KEYS, TASK_KEYS = map(tuple, (_PLAN, _PHASE, _TASK))
"""In the order of the design, which is the one that they are shown in."""
