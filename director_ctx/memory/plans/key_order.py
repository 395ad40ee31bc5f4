"""The order of a plan's keys, whichever database it comes from."""

from __future__ import annotations

from director_ctx.memory.plans.rules import PHASE_KEYS, PLAN_KEYS, TASK_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Object = dict[str, Any]

_KNOWN = {
    "phases": PHASE_KEYS,
    "phases.tasks": TASK_KEYS,
}
"""The keys of what stands under a key of a plan."""


def keys_in_order(plan: Object) -> Object:
    """The plan with its keys as the design has them, and all others behind them by name.

    A database may have sorted them in its own way, so their order is never what somebody wrote.
    """
    return _object_in_order(plan, PLAN_KEYS, "")


def _object_in_order(thing: Object, known: Sequence[str], where: str) -> Object:
    first = [key for key in known if key in thing]
    others = sorted(thing.keys() - set(known))

    ordered: Object = {}
    for key in (*first, *others):
        path = key
        if where:
            path = f"{where}.{key}"
        ordered[key] = _value_in_order(thing[key], path)
    return ordered


def _value_in_order(value: Any, where: str) -> Any:
    if isinstance(value, dict):
        known = _KNOWN.get(where, ())
        return _object_in_order(value, known, where)
    if isinstance(value, list):
        return [_value_in_order(item, where) for item in value]
    return value
