"""Times as people at a terminal read them, and as records have them."""

from __future__ import annotations

from director_ctx.base.system.clock import local_minute


def now() -> str:
    """The local time as records have it."""
    return local_minute()


def local_time(time: str) -> str:
    """A time in UTC as the clock on the wall had it; as it stands if it is no time."""
    # A list of nothing, such as that of a new project, goes without datetime.
    from datetime import datetime

    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return time[:16]
