"""When this process has to have its answer: decided once, by the door, and asked for by whoever
waits for somebody.
"""

from __future__ import annotations

from time import monotonic

_moments = [float("inf")]


def answer_by(moment: float) -> None:
    """From here on nobody waits beyond this moment of the monotonic clock."""
    _moments[0] = moment


def until(seconds: float) -> float:
    """The end of so many seconds, or the moment of the answer if that comes first."""
    return min(monotonic() + seconds, _moments[0])
