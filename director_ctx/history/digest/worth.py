"""How likely an item is to be used again: a logistic regression, fitted by `python -m benchmarks.fit_worth`."""

from __future__ import annotations

from math import exp, log1p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.history.digest.scan import Scan

WEIGHTS = {
    "path": 0.32, "dotted": 0.21, "number": -1.24, "name": 0.02, "hyphened": -0.17, "word": 0.08,
    "is used": 1.94, "used": 1.23, "shown": 0.72, "said": -0.49,
    "since used": 0.05, "since seen": -0.63, "used and shown": -0.96, "length": -0.59, "turns": -0.40,
}  # fmt: skip
"""A number is the logarithm of one more than the count."""
BASE = -0.77


def kind(item: str) -> str:
    if "/" in item:
        return "path"
    if "." in item:
        return "dotted"
    if item.isdigit():
        return "number"
    if "_" in item:
        return "name"
    return "hyphened" if "-" in item else "word"


def signs(item: str, scan: Scan) -> dict[str, float]:
    """What the weights are for; `worths` computes the same without the names."""
    used, shown, turns = scan.used.get(item, 0), scan.shown.get(item, 0), scan.turns
    last = scan.last_used.get(item, 0)
    return {
        kind(item): 1.0,
        "is used": 1.0 if used else 0.0,
        "used": log1p(used),
        "shown": log1p(shown),
        "said": log1p(scan.said.get(item, 0)),
        "since used": log1p(turns - last) if used else 0.0,
        "since seen": log1p(turns - max(last, scan.last_seen.get(item, 0))),
        "used and shown": log1p(shown) if used else 0.0,
        "length": min(len(item), 30) / 30,
        "turns": log1p(turns),
    }


def worths(scan: Scan) -> dict[str, float]:
    """The worth of every item: the same as by its signs, without naming each of them."""
    turns, weights = scan.turns, WEIGHTS
    since = [log1p(turns - turn) for turn in range(turns + 1)]
    used, shown, said, last_used, last_seen = scan.used, scan.shown, scan.said, scan.last_used, scan.last_seen
    is_used, by_use, by_since = weights["is used"], weights["used"], weights["since used"]
    by_show, by_said, by_both, by_seen = (
        weights["shown"],
        weights["said"],
        weights["used and shown"],
        weights["since seen"],
    )
    by_length, start = weights["length"] / 30, BASE + weights["turns"] * log1p(turns)
    found: dict[str, float] = {}
    for item in {**last_seen, **last_used}:
        times, displayed, last = used.get(item, 0), log1p(shown.get(item, 0)), last_used.get(item, 0)
        total = start + weights[kind(item)] + by_show * displayed + by_length * min(len(item), 30)
        total += by_seen * since[max(last, last_seen.get(item, 0))]
        if item in said:
            total += by_said * log1p(said[item])
        if times:
            total += is_used + by_use * log1p(times) + by_since * since[last] + by_both * displayed
        found[item] = 1 / (1 + exp(-total))
    return found


def worth(of: Mapping[str, float]) -> float:
    """Of one item, by its signs."""
    return 1 / (1 + exp(-BASE - sum([WEIGHTS[name] * value for name, value in of.items()])))
