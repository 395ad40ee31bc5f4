"""Whether somebody still waits for what a thread is doing. Long work asks at each of its steps; where
nobody gave up waiting, that costs as much as a call.
"""

from __future__ import annotations

from _thread import _local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Result = TypeVar("Result")


class _OfThread(_local):
    """What each thread was told for itself."""

    check: Callable[[], None] | None = None


_here = _OfThread()


def still_wanted() -> None:
    """Ends the work by an exception of whoever asked for it, once nobody waits for it any more."""
    check = _here.check
    if check:
        check()


def while_wanted(check: Callable[[], None], work: Callable[[], Result]) -> Result:
    """Does work whose steps are to ask `check`. It may end at any of them, so it must be work that
    changes nothing.
    """
    before = _here.check
    _here.check = check
    try:
        return work()
    finally:
        _here.check = before
