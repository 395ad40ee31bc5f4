"""A plan in words: its changes, as `plan update`, `diff` and `history` tell them, and all of it as
Markdown.
"""

from __future__ import annotations

import json
from collections import Counter

from director_ctx.base.text import cleaned, plain
from director_ctx.memory.plans.diff import (
    ADDED,
    MOVED,
    NOTHING,
    PHASE,
    PLAN,
    REMOVED,
    TASK,
    PlanChange,
    canonical,
)
from director_ctx.memory.plans.rules import COMPLETED, PENDING
from director_ctx.memory.plans.tasks import counted, phases_of, tasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


LONGEST = 60


def lines(changes: Sequence[PlanChange]) -> list[tuple[str, str]]:
    """A line for each change, after its sign: `+`, `-` or `~`."""
    return [line for change in changes for line in _line(change)]


def _line(change: PlanChange) -> Iterator[tuple[str, str]]:
    label = f" {brief(change.label)}" if change.label else ""
    name = f"{change.what} {change.name}{label}"
    if change.kind == ADDED:
        where = f" ({change.phase})" if change.what == TASK else ""
        yield "+", f"{name}{_status(change.after)}{where}"
        return
    if change.kind == REMOVED:
        yield "-", f"{name}{_status(change.before)}"
        return
    if change.kind == MOVED:
        yield "~", f"{name} moved{_moved(change)}"
        return

    # Whose field it is: a task's status needs no name, but its description says which task is meant.
    subject = f"{name}, {change.field}"
    if change.what == PLAN:
        subject = change.field
    elif change.field == "status":
        subject = name
    elif change.field == "description":
        subject = f"{change.what} {change.name}, description"
    before, after = change.before, change.after
    if not isinstance(before, list) or not isinstance(after, list):
        yield "~", f"{subject}: {_value(before)} -> {_value(after)}"
        return
    # A list by its entries, unless the same entries only stand in another order.
    gone, come = _without(before, after), _without(after, before)
    if not gone and not come:
        yield "~", f"{subject}: in another order"
    yield from (("-", f"{subject}: {_value(entry)}") for entry in gone)
    yield from (("+", f"{subject}: {_value(entry)}") for entry in come)


def _status(value: Any) -> str:
    status = value.get("status") if isinstance(value, dict) else None
    return "" if status in (None, PENDING) else f", {status}"


def _moved(change: PlanChange) -> str:
    if change.what == PHASE:
        return f" from place {change.before + 1} to {change.after + 1}"
    old_phase, old_index = change.before
    phase, index = change.after
    if old_phase == phase:
        return f" in {phase} from place {old_index + 1} to {index + 1}"
    return f" from {old_phase} to {phase}"


def _without(entries: list[Any], others: list[Any]) -> list[Any]:
    """What is in the one list and not in the other, each as often as it is there too often."""
    left = Counter(map(canonical, others))
    rest = []
    for entry in entries:
        name = canonical(entry)
        if not left[name]:
            rest.append(entry)
        left[name] = max(0, left[name] - 1)
    return rest


def _value(value: Any) -> str:
    if value is NOTHING:
        return "(nothing)"
    is_word = isinstance(value, str) and value.replace("_", "").isalnum()
    return brief(value if is_word else json.dumps(value, ensure_ascii=False))


def brief(text: str) -> str:
    # A plan's texts may have lines of their own; a change has one.
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def in_short(changes: Sequence[PlanChange]) -> str:
    """The first change in a line, and how many more there are."""
    signed = lines(changes)
    if not signed:
        return "nothing"
    sign, text = signed[0]
    first = brief(text if sign == "~" else f"{sign} {text}")
    return first if len(signed) == 1 else f"{first}; {len(signed) - 1} more"


def plan_markdown(plan: dict[str, Any], version: int) -> str:
    return "\n".join(_lines(plan, version)) + "\n"


def _lines(plan: dict[str, Any], version: int) -> Iterator[str]:
    yield f"# {_on_one_line(plan.get('overall_goal'))}"
    day = _on_one_line(plan.get("updated_at"))[:10]
    # One that follows the folder alone was never written.
    when = f", {day}" if day else ": what the folder says"
    yield f"\nVersion {version} of the plan{when}."
    for phase in phases_of(plan):
        name = phase.get("phase_name")
        done, total = counted(tasks_of(phase))
        state = f"{_words(phase)}, {done}/{total}"
        if name == plan.get("current_phase"):
            state += ", current"
        yield f"\n## {_on_one_line(name)} ({state})\n"
        for task in tasks_of(phase):
            yield from task_lines(task)

    for title, key in (("Next", "next_actions"), ("Blockers", "blockers")):
        entries = plan.get(key)
        if isinstance(entries, list) and entries:
            yield f"\n## {title}\n"
            yield from (f"- {_on_one_line(entry)}" for entry in entries)
    notes = plan.get("notes")
    if notes:
        yield f"\n## Notes\n\n{cleaned(str(notes))}"


def task_lines(task: dict[str, Any]) -> Iterator[str]:
    status = task.get("status")
    box = "x" if status == COMPLETED else " "
    task_id = _on_one_line(str(task.get("task_id")))
    line = f"- [{box}] {task_id} {_on_one_line(task.get('description'))}"
    if status not in (COMPLETED, PENDING):
        line += f" ({_words(task)})"
    yield line
    for note in cleaned(str(task.get("notes") or "")).splitlines():
        yield f"  {note}".rstrip()


def _words(thing: dict[str, Any]) -> str:
    return _on_one_line(thing.get("status")).replace("_", " ")


def _on_one_line(value: Any) -> str:
    return plain(" ".join(str(value or "").split()))
