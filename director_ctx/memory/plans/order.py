"""The order of things in a plan: that of its keys, and which things of a list kept theirs when others were moved."""

from __future__ import annotations

from bisect import bisect_left

from director_ctx.memory.plans.rules import PHASE_KEYS, PLAN_KEYS, TASK_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

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
    """As many as possible that are in both and follow each other in both alike; the others were moved."""
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
