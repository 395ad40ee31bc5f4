"""The window over time as a line: which points it has, and where its marks are; values to values."""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Json = dict[str, Any]

WIDTH, HEIGHT = 1_000, 100
MOST_POINTS, MOST_STRETCHES = 600, 120
MUCH, LITTLE = 0.05, 2_000
"""What a window loses at once is told from this share of it on, and from so many tokens."""
MOST_DROPS = 8


def chart(
    levels: Sequence[Sequence[int]], compacted: Sequence[int], warn: int, urgent: int
) -> Json | None:
    """In a box of 1000 to 100; None where there is no line yet."""
    if len(levels) < 2:
        return None
    highest = max(level for _, level in levels)
    # The marks are shown where they are near, and never above the picture.
    top = max(highest * 1.08, 1)
    if highest > warn / 2:
        top = max(top, urgent * 1.16)
    last = len(levels) - 1
    places = {number: place for place, (number, _) in enumerate(levels)}

    points = []
    for place in _picked(levels):
        points.append(f"{place * WIDTH / last:.1f},{HEIGHT - levels[place][1] * HEIGHT / top:.1f}")
    marks = []
    for tokens, kind in ((warn, "warn"), (urgent, "urgent")):
        if tokens < top:
            marks.append(
                {"tokens": tokens, "kind": kind, "top": round(100 - tokens * 100 / top, 2)}
            )
    cuts = []
    for number in compacted:
        at = places.get(number)
        if at is None:
            continue
        cut = {
            "number": number,
            "left": round(at * 100 / last, 2),
            "before": levels[max(0, at - 1)][1],
            "after": levels[at][1],
        }
        cuts.append(cut)
    return {
        "points": " ".join(points),
        "area": f"0,{HEIGHT} {' '.join(points)} {WIDTH},{HEIGHT}",
        "marks": marks,
        "compactions": cuts,
        "drops": _drops(levels, compacted),
        "ticks": _ticks(top, (warn, urgent)),
        "first": levels[0][0],
        "last": levels[-1][0],
        "highest": highest,
        "stretches": _stretches(levels),
        "stretch_width": round(100 / min(MOST_STRETCHES, len(levels)), 3),
    }


def _drops(levels: Sequence[Sequence[int]], compacted: Sequence[int]) -> list[Json]:
    """Where it fell without a compaction; the largest, in their order."""
    drops = []
    for (_, before), (number, after) in pairwise(levels):
        lost = before - after
        if lost >= max(LITTLE, before * MUCH) and number not in compacted:
            drops.append({"number": number, "lost": lost})
    drops.sort(key=lambda drop: -drop["lost"])
    return sorted(drops[:MOST_DROPS], key=lambda drop: drop["number"])


def _ticks(top: float, marked: Sequence[int]) -> list[Json]:
    """Round numbers between nothing and the top; none where a mark has a number already."""
    digits = len(str(int(top)))
    step = 10 ** (digits - 1)
    if top < 2 * step:
        step //= 4
    elif top < 4 * step:
        step //= 2

    rows = []
    for tokens in range(step, int(top), max(1, step)):
        is_near_top = tokens >= top * 0.9
        is_near_mark = any(abs(tokens - mark) < top / 8 for mark in marked)
        if not is_near_top and not is_near_mark:
            share = tokens * 100 / top
            rows.append({"tokens": tokens, "top": round(100 - share, 2)})
    return rows


def _stretches(levels: Sequence[Sequence[int]]) -> list[Json]:
    """Parts of the line that lead to their messages."""
    many = min(MOST_STRETCHES, len(levels))
    stretches = []
    for place in range(many):
        # The end of a stretch is where one stands behind it: the last is how it is now.
        end = (place + 1) * len(levels) // many
        number, level = levels[end - 1]
        left = round(place * 100 / many, 3)
        stretches.append({"number": number, "level": level, "left": left})
    return stretches


def _picked(levels: Sequence[Sequence[int]]) -> list[int]:
    """So many as a screen can show: of each stretch its highest and its lowest point."""
    points = len(levels)
    if points <= MOST_POINTS:
        return list(range(points))

    stretches = MOST_POINTS // 2
    picked = {0, points - 1}
    for number in range(stretches):
        start = number * points // stretches
        end = (number + 1) * points // stretches
        by_level = sorted(range(start, end), key=lambda place: levels[place][1])
        picked.update((by_level[0], by_level[-1]))
    return sorted(picked)
