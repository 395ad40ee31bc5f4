"""How likely an item is to be used again: a logistic regression, fitted by `python -m benchmarks.fit_worth`."""

from __future__ import annotations

import re
from functools import lru_cache
from math import exp, log1p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.history.digest.scan import Scan

WEIGHTS = {
    "path": 0.08, "dotted": -0.11, "number": -0.40, "name": -0.38, "hyphened": -0.26, "word": -0.15,
    "is used": 1.58, "used": 0.71, "shown": -0.20, "said": -0.59, "since used": 0.02, "since seen": -0.80,
    "used and shown": -0.40, "recent": 0.54, "age": 0.45, "digit": -0.66, "length": -0.88, "turns": -0.27,
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
    start = BASE + weights["turns"] * logs[turns]
    found: dict[str, float] = {}
    for item, begun in first.items():
        last = last_seen.get(item, 0)
        total = start + by_form(item) + by_age * logs[turns - begun]
        if item in last_used:
            displayed = log1p(shown[item]) if item in shown else 0.0
            since = last_used[item]
            total += is_used + by_use * log1p(used[item]) + by_since * logs[turns - since]
            total += (by_show + by_both) * displayed
            last = max(last, since)
        elif item in shown:
            total += by_show * log1p(shown[item])
        total += by_seen * logs[turns - last]
        if item in said:
            total += by_said * log1p(said[item])
        if item in recent:
            total += by_recent * log1p(recent[item])
        found[item] = 1 / (1 + exp(-total))
    return found


@lru_cache(maxsize=65_536)  # The same names stand in many conversations.
def by_form(item: str) -> float:
    """What the looks of an item are worth."""
    total = WEIGHTS[kind(item)] + WEIGHTS["length"] * min(len(item), 30) / 30
    if not item.isalpha() and _DIGIT.search(item):
        total += WEIGHTS["digit"]
    return total


def worth(of: Mapping[str, float]) -> float:
    """Of one item, by its signs."""
    return 1 / (1 + exp(-BASE - sum([WEIGHTS[name] * value for name, value in of.items()])))
