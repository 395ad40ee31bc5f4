"""Averages that are honest: each run counts once, and how sure we are is said."""

from __future__ import annotations

from random import Random
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

DRAWS = 400


class Spread(NamedTuple):
    mean: float
    low: float
    high: float
    """Of the mean, 95 times of 100, when the runs are drawn again."""
    least: float
    tenth: float
    middle: float


def spread(values: Sequence[float]) -> Spread:
    if not values:
        return Spread(*[float("nan")] * 6)
    draw = Random(len(values))
    means = sorted(fmean(draw.choices(values, k=len(values))) for _ in range(DRAWS))
    low, high = means[DRAWS * 25 // 1000], means[DRAWS * 975 // 1000]
    return Spread(fmean(values), low, high, min(values), percentile(values, 0.1), median(values))


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")
