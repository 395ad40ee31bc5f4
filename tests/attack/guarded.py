"""A wall clock for attacks: what hangs, ends, and is told; also where the program itself catches
everything.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

MOST_SECONDS = 30
"""For one command on a busy machine; alone, none takes a tenth of it."""


class Hung(BaseException):
    """No Exception, which the program's own boundary would take for a bug of its own."""


@contextmanager
def guarded() -> Iterator[None]:
    """Raises `Hung` after the time is over. Where there are no alarms, nothing is guarded."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    rung: list[int] = []

    def ring(number: int, frame: FrameType | None) -> None:
        rung.append(number)
        raise Hung

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(MOST_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    if rung:
        raise Hung
