"""How likely an item is to be used again: a logistic regression, fitted by `python -m benchmarks.fit_worth`."""

from __future__ import annotations

import re
from math import exp, log1p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.history.digest.scan import Scan

WEIGHTS = {
    "path": 0.11, "dotted": -0.09, "number": -0.51, "name": -0.36, "hyphened": -0.24, "word": -0.13,
    "is used": 1.56, "used": 0.71, "shown": -0.21, "said": -0.58, "since used": 0.02, "since seen": -0.81,
    "used and shown": -0.4, "recent": 0.55, "age": 0.45, "digit": -0.66, "length": -0.87, "turns": -0.27,
}  # fmt: skip
"""A number is the logarithm of one more than the count."""
BASE = -1.22


_DIGIT = re.compile(r"\d")


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
        "recent": log1p(scan.recent.get(item, 0)),
        "age": log1p(turns - scan.first.get(item, 0)),
        "digit": 1.0 if _DIGIT.search(item) else 0.0,
        "length": min(len(item), 30) / 30,
        "turns": log1p(turns),
    }


def worths(scan: Scan) -> dict[str, float]:
    """The worth of every item: the same as by its signs, without naming each of them."""
    turns, weights = scan.turns, WEIGHTS
    logs = [log1p(number) for number in range(turns + 1)]
    used, shown, said, recent = scan.used, scan.shown, scan.said, scan.recent
    last_used, last_seen, first = scan.last_used, scan.last_seen, scan.first
    is_used, by_use, by_since = weights["is used"], weights["used"], weights["since used"]
    by_show, by_said, by_both = weights["shown"], weights["said"], weights["used and shown"]
    by_seen, by_age, by_recent = weights["since seen"], weights["age"], weights["recent"]
    by_length, start = weights["length"] / 30, BASE + weights["turns"] * logs[turns]
    found: dict[str, float] = {}
    for item, begun in first.items():
        displayed, last = log1p(shown.get(item, 0)), last_used.get(item, 0)
        total = start + by_form(item) + by_show * displayed + by_length * min(len(item), 30)
        total += by_seen * logs[turns - max(last, last_seen.get(item, 0))] + by_age * logs[turns - begun]
        if item in said:
            total += by_said * log1p(said[item])
        if item in recent:
            total += by_recent * log1p(recent[item])
        if item in last_used:
            total += is_used + by_use * log1p(used[item]) + by_since * logs[turns - last] + by_both * displayed
        found[item] = 1 / (1 + exp(-total))
    return found


def by_form(item: str) -> float:
    """What the looks of an item are worth."""
    total = WEIGHTS[kind(item)]
    if not item.isalpha() and _DIGIT.search(item):
        total += WEIGHTS["digit"]
    return total


def worth(of: Mapping[str, float]) -> float:
    """Of one item, by its signs."""
    return 1 / (1 + exp(-BASE - sum([WEIGHTS[name] * value for name, value in of.items()])))
