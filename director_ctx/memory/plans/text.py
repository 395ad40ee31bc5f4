"""Changes of a plan in words, as `plan update`, `plan diff` and `plan history` tell them."""

from __future__ import annotations

from director_ctx.base.text import cleaned, plain
from director_ctx.memory.plans.diff import (
    ADDED,
    MOVED,
    NOTHING,
    PHASE,
    PLAN,
    REMOVED,
    TASK,
    Change,
    canonical,
)
from director_ctx.memory.plans.rules import COMPLETED, PENDING
from director_ctx.memory.plans.tasks import counted, phases_of, tasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


LONGEST = 60


def lines(changes: Sequence[Change]) -> list[tuple[str, str]]:
    """A line for each change, after its sign: `+`, `-` or `~`."""
    return [line for change in changes for line in _line(change)]


def _line(change: Change) -> Iterator[tuple[str, str]]:
    if change.kind == ADDED:
        where = f" ({change.phase})" if change.what == TASK else ""
        status = _status(change.after)
        yield "+", f"{_name(change)}{status}{where}"
    elif change.kind == REMOVED:
        yield "-", f"{_name(change)}{_status(change.before)}"
    elif change.kind == MOVED:
        yield "~", f"{_name(change)} moved{_moved(change)}"
    elif isinstance(change.before, list) and isinstance(change.after, list):
        yield from _entries(change, change.before, change.after)
    else:
        yield "~", f"{_subject(change)}: {_value(change.before)} -> {_value(change.after)}"


def _name(change: Change) -> str:
    label = f" {brief(change.label)}" if change.label else ""
    return f"{change.what} {change.name}{label}"


def _subject(change: Change) -> str:
    """Whose field it is; a task's status needs no name, but its description says which task is
    meant.
    """
    if change.what == PLAN:
        return change.field
    name = _name(change) if change.field != "description" else f"{change.what} {change.name}"
    return name if change.field == "status" else f"{name}, {change.field}"


def _status(value: Any) -> str:
    status = value.get("status") if isinstance(value, dict) else None
    return f", {status}" if status not in (None, "pending") else ""


def _moved(change: Change) -> str:
    if change.what == PHASE:
        return f" from place {change.before + 1} to {change.after + 1}"
    (was, at), (now, place) = change.before, change.after
    return (
        f" in {now} from place {at + 1} to {place + 1}" if was == now else f" from {was} to {now}"
    )


def _entries(change: Change, before: list[Any], after: list[Any]) -> Iterator[tuple[str, str]]:
    """A list by its entries, unless the same entries only stand in another order."""
    gone, come = _without(before, after), _without(after, before)
    if not gone and not come:
        yield "~", f"{_subject(change)}: in another order"
    yield from (("-", f"{_subject(change)}: {_value(one)}") for one in gone)
    yield from (("+", f"{_subject(change)}: {_value(one)}") for one in come)


def _without(some: list[Any], others: list[Any]) -> list[Any]:
    """What is in the one list and not in the other, each as often as it is there too often."""
    from collections import Counter

    left, found = Counter(map(canonical, others)), []
    for one in some:
        name = canonical(one)
        if left[name]:
            left[name] -= 1
        else:
            found.append(one)
    return found


def _value(value: Any) -> str:
    import json

    if value is NOTHING:
        return "(nothing)"
    if isinstance(value, str) and value.replace("_", "").isalnum():
        return brief(value)
    return brief(json.dumps(value, ensure_ascii=False))


def brief(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def in_short(changes: Sequence[Change]) -> str:
    """The first change in a line, and how many more there are."""
    found = [text if sign == "~" else f"{sign} {text}" for sign, text in lines(changes)]
    more = f"; {len(found) - 1} more" if len(found) > 1 else ""
    return brief(found[0]) + more if found else "nothing"


def plan_markdown(plan: dict[str, Any], version: int) -> str:
    return "\n".join(_lines(plan, version)) + "\n"


def _lines(plan: dict[str, Any], version: int) -> Iterator[str]:
    yield f"# {_line_markdown(plan.get('overall_goal'))}"
    yield f"\nVersion {version} of the plan, {_line_markdown(plan.get('updated_at'))[:10]}."
    for phase in phases_of(plan):
        done, total = counted(tasks_of(phase))
        here = ", current" if phase.get("phase_name") == plan.get("current_phase") else ""
        yield f"\n## {_line_markdown(phase.get('phase_name'))} ({_words(phase)}, {done}/{total}{here})\n"
        for task in tasks_of(phase):
            yield from _task(task)
    yield from _section("Next", plan.get("next_actions"))
    yield from _section("Blockers", plan.get("blockers"))
    if notes := plan.get("notes"):
        yield f"\n## Notes\n\n{cleaned(str(notes))}"


def _task(task: dict[str, Any]) -> Iterator[str]:
    box = "x" if task.get("status") == COMPLETED else " "
    state = "" if task.get("status") in (COMPLETED, PENDING) else f" ({_words(task)})"
    yield f"- [{box}] {_line_markdown(str(task.get('task_id')))} {_line_markdown(task.get('description'))}{state}"
    for line in cleaned(str(task.get("notes") or "")).splitlines():
        yield f"  {line}".rstrip()


def _words(thing: dict[str, Any]) -> str:
    return _line_markdown(thing.get("status")).replace("_", " ")


def _section(title: str, entries: Any) -> Iterator[str]:
    if isinstance(entries, list) and entries:
        yield f"\n## {title}\n"
        yield from (f"- {_line_markdown(entry)}" for entry in entries)


def _line_markdown(value: Any) -> str:
    return plain(" ".join(str(value or "").split()))
