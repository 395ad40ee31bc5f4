"""When a thread has to have its answer: decided once, by the door, and asked for by whoever waits for
somebody.
"""

from __future__ import annotations

from _thread import _local
from time import monotonic

_own = _local()
"""Of each thread: a server answers several questions at once."""


def answer_by(moment: float) -> None:
    """From here on nobody waits beyond this moment of the monotonic clock."""
    _own.moment = moment


def until(seconds: float) -> float:
    """The end of so many seconds, or the moment of the answer if that comes first."""
    return min(monotonic() + seconds, getattr(_own, "moment", float("inf")))
