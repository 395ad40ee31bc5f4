"""A limit of time for work that cannot be counted beforehand, such as the search for somebody's
pattern.
"""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Overdue(Exception):
    """The time is over."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Ends what is inside after so many seconds of the processor, on which a busy machine has no
    influence.

    Python looks for signals inside of a search, too. Only its main thread gets them, and Windows
    has none: elsewhere nothing is limited.
    """
    import signal
    from threading import current_thread, main_thread

    if current_thread() is not main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _over)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _over(number: int, frame: Any) -> None:
    raise Overdue
