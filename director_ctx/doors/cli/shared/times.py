"""Times as people at a terminal read them, and as records have them."""

from __future__ import annotations

from director_ctx.base.system.clock import local_minute
from director_ctx.base.text import ago


def now() -> str:
    """The local time as records have it."""
    return local_minute()


def age(time: str) -> str:
    """How long ago a time in UTC was; `-` if it is no time."""
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return "-"
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    passed = datetime.now(UTC) - moment
    return ago(passed.total_seconds())


def local_time(time: str) -> str:
    """A time in UTC as the clock on the wall had it; as it stands if it is no time."""
    # A list of nothing, such as that of a new project, goes without datetime.
    from datetime import datetime

    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return time[:16]
