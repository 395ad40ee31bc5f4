"""What hooks wrote down about their failures, as far as it is not mended or long ago."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from director_ctx.base.record import Record
from director_ctx.base.text import ago
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
_FORM = "%Y-%m-%dT%H:%M:%SZ"
_FORM_OF_SESSIONS = "%Y-%m-%d %H:%M UTC"
_NOTHING_TO_DO = (ALL_DONE, NONE_READY, NO_TASKS)


class HookFailure(Record):
    """One line of the log."""

    when: datetime
    said: str
    kind: str
    """The kind of the event, where it is known."""

    @property
    def rightly(self) -> bool:
        """Whether nothing failed: there was nothing to do, or the user has not agreed to something."""
        return any(words in self.said for words in (*_NOTHING_TO_DO, UNUSED))

    @property
    def age(self) -> str:
        """In words."""
        passed = datetime.now(UTC) - self.when
        return ago(passed.total_seconds())


def recent_failures(root: str) -> list[HookFailure]:
    """Of the last days, oldest first; not those after which the same kind of hook did its work."""
    worked = _worked(root)
    oldest = datetime.now(UTC) - timedelta(days=DAYS)
    recent: list[HookFailure] = []
    for failure in _lines(root):
        # A hook writes a line then, too; it is no failure that anybody could mend.
        if failure.rightly:
            continue
        last_success = worked.get(failure.kind, oldest)
        since = max(oldest, last_success)
        if failure.when >= since:
            recent.append(failure)
    return recent


def _worked(root: str) -> dict[str, datetime]:
    """When a context was last made, and when a session was last told something."""
    worked: dict[str, datetime] = {}
    for run in read_runs(root, 1):
        made_at = _time(run.time)
        if made_at:
            # Both are answered with a context, whichever of them the client asks at.
            worked[SPAWN] = made_at
            worked[START] = made_at

    for session in read_seen(root)[:1]:
        told_at = _time(session.time, _FORM_OF_SESSIONS)
        if told_at:
            worked[SESSION] = told_at
    return worked


def _lines(root: str) -> Iterator[HookFailure]:
    """Those that can be read: `TIME CLIENT EVENT: WHAT WAS SAID`."""
    for line in read_log(root):
        time, _, said = line.partition(" ")
        when = _time(time)
        if when is None:
            continue
        who, _, _ = said.partition(":")
        yield HookFailure(when, said, _kind_of(who))


def _kind_of(who: str) -> str:
    """The kind of an event by `CLIENT EVENT`; nothing where that is not known."""
    name, _, event = who.partition(" ")
    client = CLIENTS.get(name)
    if client is None:
        return ""
    return client.events.get(event, "")


def _time(text: str, form: str = _FORM) -> datetime | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
