"""Changes of a plan in words, as `plan update`, `plan diff` and `plan history` tell them."""

from __future__ import annotations

from director_ctx.memory.plans.diff import ADDED, MOVED, NOTHING, PHASE, PLAN, REMOVED, TASK, Change, canonical

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
    """Whose field it is; a task's status needs no name, but its description says which task is meant."""
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
    return f" in {now} from place {at + 1} to {place + 1}" if was == now else f" from {was} to {now}"


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
