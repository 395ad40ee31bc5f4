"""What hooks wrote down about their failures, as far as it is not mended or long ago."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from director_ctx.base.record import Record
from director_ctx.clients.hooks.seen import read_seen
from director_ctx.clients.table import CLIENTS, SESSION, SPAWN, START
from director_ctx.context.place import ALL_DONE, NO_TASKS, NONE_READY
from director_ctx.context.settings.overrides import UNUSED
from director_ctx.memory.runs.storage import read_runs
from director_ctx.project.hook_log import read_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DAYS = 7
NEAR = 10
"""Seconds between a hook and the first line of the agent that it was asked for."""
_FORM, _FORM_OF_SESSIONS = "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M UTC"


class HookFailure(Record):
    """One line of the log."""

    when: datetime
    said: str
    kind: str
    """The kind of the event, where it is known."""

    @property
    def rightly(self) -> bool:
        """Whether nothing failed: there was nothing to do, or the user has not agreed to something."""
        return any(said in self.said for said in (ALL_DONE, NONE_READY, NO_TASKS, UNUSED))

    @property
    def age(self) -> str:
        """In words."""
        seconds = (datetime.now(UTC) - self.when).total_seconds()
        for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
            if seconds >= size:
                count = int(seconds // size)
                return f"{count} {unit}{'s' * (count != 1)} ago"
        return "just now"


def recent_failures(root: str) -> list[HookFailure]:
    """Of the last days, oldest first; not those after which the same kind of hook did its work."""
    worked = _worked(root)
    oldest = datetime.now(UTC) - timedelta(days=DAYS)
    recent: list[HookFailure] = []
    for failure in _lines(root):
        if failure.rightly:
            continue
        since = max(oldest, worked.get(failure.kind, oldest))
        if failure.when >= since:
            recent.append(failure)
    return recent


def had_nothing_to_do(root: str, when: str) -> bool:
    """Whether a hook had nothing to give at that time, because no task was left or ready."""
    at = _time(when[:19] + "Z")
    if at is None:
        return False
    for failure in _lines(root):
        distance = abs((failure.when - at).total_seconds())
        if failure.rightly and distance < NEAR:
            return True
    return False


def _worked(root: str) -> dict[str, datetime]:
    """When a context was last made, and when a session was last told something."""
    worked: dict[str, datetime] = {}
    runs = read_runs(root, 1)
    given = _time(runs[-1].time) if runs else None
    if given:
        worked[SPAWN] = given
        worked[START] = given

    seen = read_seen(root)
    told = _time(seen[0].time, _FORM_OF_SESSIONS) if seen else None
    if told:
        worked[SESSION] = told
    return worked


def _lines(root: str) -> Iterator[HookFailure]:
    """Those that can be read: `TIME CLIENT EVENT: WHAT WAS SAID`."""
    for line in read_log(root):
        time, _, said = line.partition(" ")
        when = _time(time)
        if when is None:
            continue
        who, _, _ = said.partition(":")
        name, _, event = who.partition(" ")
        client = CLIENTS.get(name)
        kind = client.events.get(event, "") if client else ""
        yield HookFailure(when, said, kind)


def _time(text: str, form: str = _FORM) -> datetime | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
