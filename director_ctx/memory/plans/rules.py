"""What a good plan is: every mistake at once, each with its JSON path. The shipped JSON Schema says
the same, but for what no database and no JSON may be asked to hold.
"""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    Object = dict[str, Any]
    Mistakes = Iterator["Mistake"]
    Check = Callable[[str, Any], Mistakes]
    Checks = dict[str, Check]

PENDING = "pending"
IN_PROGRESS = "in_progress"
COMPLETED = "completed"
FAILED = "failed"
STATUSES = (PENDING, IN_PROGRESS, COMPLETED, FAILED)
STAMPS = ("workflow_id", "plan_version", "created_at", "updated_at")
"""What the store writes itself, whatever the plan says."""
DEEPEST = 32
"""Levels of objects and lists in each other."""
LARGEST = 1_000_000
"""Characters of a plan as JSON. A context that shows it would not fit any model long before that.
"""
LONGEST_SHOWN = 60
"""Characters of a value in a sentence."""
HIGHEST = 2**53 - 1
"""What every reader of JSON keeps exactly."""
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


class Mistake(Record):
    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}"


def mistakes(plan: Any) -> list[Mistake]:
    """What is wrong with a plan; nothing if it is good."""
    if not isinstance(plan, dict):
        return [_wrong("$", plan, "an object")]
    in_fields = _fields("$", plan, _PLAN, ("overall_goal", "phases"))
    return [*_unkeepable(plan), *in_fields, *_in_whole(plan)]


class _Pairs(list["tuple[str, Any]"]):
    """An object as it was written, before a key that is there twice is lost."""


def read_plan(text: str) -> tuple[Any, list[Mistake]]:
    """A plan out of JSON, with what is wrong about the JSON itself."""
    # Completion imports this module for the words of a status, and `json` costs 5 ms.
    import json

    def whole(digits: str) -> int | float:
        # One too long to be whole for everybody is refused later; it need not be read to its last
        # digit.
        return int(digits) if len(digits) < 20 else float(digits)

    if len(text) > LARGEST:
        return None, [_TOO_LARGE]
    try:
        raw = json.loads(text, object_pairs_hook=_Pairs, parse_int=whole)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        return None, [Mistake("$", f"not JSON: {error.msg} ({where})")]
    except RecursionError:
        return None, [_too_deep("$")]
    mistakes: list[Mistake] = []
    return _unpaired(raw, "$", mistakes), mistakes


def _unpaired(raw: Any, path: str, mistakes: list[Mistake], depth: int = 1) -> Any:
    """The plain values, and a mistake for each key that is in its object twice."""
    if depth > DEEPEST + 1:
        # It is refused as too deep; what is left need only be of the same kind.
        return [] if isinstance(raw, list) else raw
    if isinstance(raw, _Pairs):
        plain: dict[str, Any] = {}
        for key, value in raw:
            key_path = _below(path, key)
            if key in plain:
                mistakes.append(Mistake(key_path, "the key is there twice"))
            plain[key] = _unpaired(value, key_path, mistakes, depth + 1)
        return plain
    if isinstance(raw, list):
        return [
            _unpaired(item, f"{path}[{index}]", mistakes, depth + 1)
            for index, item in enumerate(raw)
        ]
    return raw


def _unkeepable(plan: Any) -> Mistakes:
    """Every value that cannot be kept as it is, and a plan that is too large or too deep."""
    import json

    size = 0
    waiting = [("$", plan, 1)]
    while waiting:
        path, value, depth = waiting.pop()
        # Counted on the way, so that an endless plan is not gone through to its end.
        size += 1 + (len(value) if isinstance(value, str) else 0)
        if size > LARGEST:
            yield _TOO_LARGE
            return

        inside = _inside(path, value)
        if inside is None:
            yield from _unkeepable_value(path, value)
        # What is below is not looked at: whoever nests endlessly would be read endlessly.
        elif depth > DEEPEST:
            yield _too_deep(path)
        else:
            for key in value if isinstance(value, dict) else ():
                if not isinstance(key, str):
                    yield Mistake(path, f"the key {shown(key)} is not a text")
                elif why := _unwritable(key):
                    yield Mistake(path, f"the key {key!r} has {why}")
            # Backwards, so that the first one is the next to be popped.
            waiting += [(item_path, item, depth + 1) for item_path, item in reversed(inside)]
    try:
        if len(json.dumps(plan, ensure_ascii=False)) > LARGEST:
            yield _TOO_LARGE
    except (TypeError, ValueError, RecursionError):
        pass  # what it cannot write was named above


def _unkeepable_value(path: str, value: Any) -> Mistakes:
    if isinstance(value, str):
        if why := _unwritable(value):
            yield Mistake(path, f"the text has {why}")
    elif isinstance(value, (int, float)):
        if not -HIGHEST <= value <= HIGHEST:
            number = f"{value:.6g}" if isinstance(value, float) else "an integer of this size"
            yield Mistake(path, f"{number} is not a number between -{HIGHEST:,} and {HIGHEST:,}")
    elif value is not None:
        yield Mistake(path, f"a {type(value).__name__} is nothing that JSON has")


def _unwritable(text: str) -> str:
    if "\0" in text:
        return "a NUL character, which PostgreSQL cannot hold"
    # Most texts are ASCII, which is known at once.
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        return "half a character (a lone surrogate)"
    return ""


def texts_in(plan: Any, path: str = "$") -> Iterator[tuple[str, str]]:
    """Every text of a plan that was found to be good, and where it is."""
    if isinstance(plan, str):
        yield path, plan
    for item_path, item in _inside(path, plan) or ():
        yield from texts_in(item, item_path)


def _inside(path: str, value: Any) -> list[tuple[str, Any]] | None:
    """The values of an object or a list, each with its path; None for anything else."""
    if isinstance(value, dict):
        return [(_below(path, str(key)), item) for key, item in value.items()]
    if isinstance(value, list):
        return [(f"{path}[{index}]", item) for index, item in enumerate(value)]
    return None


_TOO_LARGE = Mistake("$", f"the plan is too large: over {LARGEST:,} characters")


def _too_deep(path: str) -> Mistake:
    return Mistake(path, f"lists and objects are nested deeper than {DEEPEST} levels")


def _below(path: str, key: str) -> str:
    """`$.phases`, and `$["two words"]`."""
    if key.isidentifier():
        return f"{path}.{key}"
    import json

    return f"{path}[{json.dumps(key)}]"


def shown(value: Any) -> str:
    """A value in a sentence: its beginning, or what it is."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if type(value) in (dict, list):
        return "an object" if type(value) is dict else "a list"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def _fields(path: str, thing: Object, known: Checks, required: tuple[str, ...]) -> Mistakes:
    for name in required:
        if name not in thing:
            other = [other for other in _ALSO_CALLED.get(name, ()) if other in thing]
            meant = f"; is {other[0]} meant?" if other else ""
            yield Mistake(path, f"{name} is missing{meant}")
    for name, check in known.items():
        if name in thing:
            yield from check(f"{path}.{name}", thing[name])


def _in_whole(plan: Object) -> Mistakes:
    """What no field can be blamed for alone: names and ids that are there twice, a current phase
    that is nowhere.
    """
    phases = plan.get("phases")
    if not isinstance(phases, list):
        return
    names: dict[str, str] = {}
    ids: dict[str, str] = {}
    for path, phase in _objects("$.phases", phases):
        name = phase.get("phase_name")
        if isinstance(name, str):
            names[f"{path}.phase_name"] = name
        for task_path, task in _objects(f"{path}.tasks", phase.get("tasks")):
            if is_task_id(task.get("task_id")):
                ids[f"{task_path}.task_id"] = str(task["task_id"])
    for paths, what in ((names, "phase"), (ids, "task")):
        first: dict[str, str] = {}
        for path, name in paths.items():
            if first.setdefault(name, path) != path:
                yield Mistake(path, f"{shown(name)} is another {what}'s already ({first[name]})")
    yield from _current_phase(plan, list(names.values()))


def _current_phase(plan: Object, names: list[str]) -> Mistakes:
    current = plan.get("current_phase", "")
    path = "$.current_phase"
    if not isinstance(current, str):
        return
    if not plan["phases"]:
        if current:
            yield Mistake(path, f"{shown(current)} is no phase; there is none")
    elif "current_phase" not in plan:
        yield Mistake("$", "current_phase is missing")
    elif not current:
        yield Mistake(path, "it is empty, although there are phases")
    elif current not in names:
        known = ", ".join(map(shown, names[:9]))
        yield Mistake(path, f"{shown(current)} is no phase; there are {known}")


def _objects(path: str, things: Any) -> Iterator[tuple[str, Object]]:
    """Those of a list that are objects, each with its path."""
    for index, thing in enumerate(things if isinstance(things, list) else ()):
        if isinstance(thing, dict):
            yield f"{path}[{index}]", thing


def is_task_id(value: Any) -> bool:
    return bool(value.strip()) if isinstance(value, str) else _is_whole(value)


def _is_whole(value: Any) -> bool:
    """As JSON sees it: 1.0 is a whole number, true is none."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _wrong(path: str, value: Any, wanted: str) -> Mistake:
    return Mistake(path, f"{shown(value)} is not {wanted}")


def _check(is_good: Callable[[Any], bool], wanted: str) -> Check:
    def check(path: str, value: Any) -> Mistakes:
        if not is_good(value):
            yield _wrong(path, value, wanted)

    return check


def _words(path: str, value: Any) -> Mistakes:
    yield from _text(path, value)
    if isinstance(value, str) and not value.strip():
        yield Mistake(path, "it is empty")


def _status(path: str, value: Any) -> Mistakes:
    if value in STATUSES:
        return
    text = f"{shown(value)} is not a status; known are {', '.join(STATUSES)}"
    meant = meant_status(value) if isinstance(value, str) else ""
    yield Mistake(path, f"{text} (is {meant} meant?)" if meant else text)


def meant_status(word: str) -> str:
    """The status that somebody means who writes `done` or `In progress`; an empty string if nobody
    knows.
    """
    bare = word.strip().casefold().replace("-", "_").replace(" ", "_")
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
        if isinstance(value, dict):
            yield from _fields(path, value, known, required)
        else:
            yield _wrong(path, value, "an object")

    return checked


_text = _check(lambda value: isinstance(value, str), "a text")
_TASK: Checks = {
    "task_id": _check(is_task_id, "an id: a whole number, or a text that is not empty"),
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
    "plan_version": _check(
        lambda value: _is_whole(value) and value >= 0, "a version: a whole number"
    ),
    "created_at": _text,
    "updated_at": _text,
    "overall_goal": _words,
    "current_phase": _text,
    "phases": _each(_object(_PHASE, ("phase_name", "status", "tasks"))),
    "next_actions": _each(_text),
    "blockers": _each(_text),
    "notes": _text,
}
_KEYS: dict[str, Checks] = {"": _PLAN, "phases": _PHASE, "phases.tasks": _TASK}
"""What stands under a key of a plan, in the order of the design, which is the one that it is shown
in.
"""


def keys_in_order(plan: Object) -> Object:
    """The plan with its keys as the design has them, and all others behind them by name.

    A database may have sorted them in its own way, so their order is never what somebody wrote.
    """
    ordered: Object = _in_order(plan, "")
    return ordered


def _in_order(value: Any, where: str) -> Any:
    if isinstance(value, list):
        return [_in_order(item, where) for item in value]
    if not isinstance(value, dict):
        return value
    known: Sequence[str] = tuple(_KEYS.get(where, ()))
    first = [key for key in known if key in value]
    return {
        key: _in_order(value[key], f"{where}.{key}".removeprefix("."))
        for key in (*first, *sorted(value.keys() - set(known)))
    }
