"""Windows on a slider: from 2,000 to 1,000,000 tokens, each step a little more of what is there."""

from __future__ import annotations

from math import log

MOST_STEPS = 60
LEAST, MOST = 2_000, 1_000_000
_GROWTH = (MOST / LEAST) ** (1 / MOST_STEPS)


def window_at(step: str) -> int:
    """The window of a step, to two digits; 0 where none is said."""
    if not (step.isascii() and step.isdigit() and len(step) < 4):
        return 0
    exact = LEAST * _GROWTH ** min(MOST_STEPS, int(step))
    unit = 10 ** (len(str(int(exact))) - 2)
    return int(round(exact / unit) * unit)


def step_of(window: int) -> int:
    """The step that comes nearest to a window."""
    kept = min(MOST, max(LEAST, window))
    return round(log(kept / LEAST) / log(_GROWTH))
