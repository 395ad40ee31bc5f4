"""What an item is worth: how likely it is to be used again, by a regression over what the scan
noted of it.

The weights are fitted by `benchmarks/fit_worth.py`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import exp, log1p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.history.digest.scan import Scan


WEIGHTS = {
    "path": 0.08,
    "dotted": -0.11,
    "number": -0.40,
    "name": -0.38,
    "hyphened": -0.26,
    "word": -0.15,
    "is used": 1.58,
    "used": 0.71,
    "shown": -0.20,
    "said": -0.59,
    "since used": 0.02,
    "since seen": -0.80,
    "used and shown": -0.40,
    "recent": 0.54,
    "age": 0.45,
    "digit": -0.66,
    "length": -0.88,
    "turns": -0.27,
}
"""A number is the logarithm of one more than the count."""
BASE = -1.22
_LONGEST = 30
"""Characters above which a longer item is worth no less."""
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
    if "-" in item:
        return "hyphened"
    return "word"


def signs(item: str, scan: Scan) -> dict[str, float]:
    """What the weights are for; `worths` computes the same without the names."""
    turns = scan.turns
    used = scan.used.get(item, 0)
    shown = log1p(scan.shown.get(item, 0))
    last_used = scan.last_used.get(item, 0)
    last_seen = scan.last_seen.get(item, 0)
    last_there = max(last_used, last_seen)
    values = {
        kind(item): 1.0,
        "is used": 0.0,
        "used": log1p(used),
        "shown": shown,
        "said": log1p(scan.said.get(item, 0)),
        "since used": 0.0,
        "since seen": log1p(turns - last_there),
        "used and shown": 0.0,
        "recent": log1p(scan.recent.get(item, 0)),
        "age": log1p(turns - scan.first.get(item, 0)),
        "digit": 0.0,
        "length": min(len(item), _LONGEST) / _LONGEST,
        "turns": log1p(turns),
    }
    if used:
        values["is used"] = 1.0
        values["since used"] = log1p(turns - last_used)
        values["used and shown"] = shown
    if _DIGIT.search(item):
        values["digit"] = 1.0
    return values


def worth(of: Mapping[str, float]) -> float:
    """Of one item, by its signs."""
    weighted = [WEIGHTS[name] * value for name, value in of.items()]
    return 1 / (1 + exp(-BASE - sum(weighted)))


def worths(scan: Scan) -> dict[str, float]:
    """The worth of every item: the same as by its signs, without naming each of them."""
    # There are many thousands of items: whatever the loop reads has a local name of its own.
    used = scan.used
    shown = scan.shown
    said = scan.said
    recent = scan.recent
    last_used = scan.last_used
    last_seen = scan.last_seen

    is_used = WEIGHTS["is used"]
    by_use = WEIGHTS["used"]
    by_since = WEIGHTS["since used"]
    by_show = WEIGHTS["shown"]
    by_use_and_show = WEIGHTS["shown"] + WEIGHTS["used and shown"]
    by_said = WEIGHTS["said"]
    by_seen = WEIGHTS["since seen"]
    by_age = WEIGHTS["age"]
    by_recent = WEIGHTS["recent"]

    turns = scan.turns
    # A logarithm for each distance in turns, because many items share one.
    logs = [log1p(distance) for distance in range(turns + 1)]
    start = BASE + WEIGHTS["turns"] * logs[turns]
    worth_of: dict[str, float] = {}
    for item, first in scan.first.items():
        last = last_seen.get(item, 0)
        total = start + by_form(item)
        total += by_age * logs[turns - first]
        if item in last_used:
            since = last_used[item]
            # Summed by itself first: sums of fractions differ by their order.
            total += is_used + by_use * log1p(used[item]) + by_since * logs[turns - since]
            if item in shown:
                total += by_use_and_show * log1p(shown[item])
            last = max(last, since)
        elif item in shown:
            total += by_show * log1p(shown[item])
        total += by_seen * logs[turns - last]
        if item in said:
            total += by_said * log1p(said[item])
        if item in recent:
            total += by_recent * log1p(recent[item])
        worth_of[item] = 1 / (1 + exp(-total))
    return worth_of


@lru_cache(maxsize=65_536)  # The same names stand in many conversations.
def by_form(item: str) -> float:
    """What the looks of an item are worth."""
    length = min(len(item), _LONGEST)
    total = WEIGHTS[kind(item)] + WEIGHTS["length"] * length / _LONGEST
    # Asking for letters is cheap, and most items are nothing else.
    if not item.isalpha() and _DIGIT.search(item):
        total += WEIGHTS["digit"]
    return total
