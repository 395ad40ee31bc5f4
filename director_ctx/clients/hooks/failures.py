"""What hooks wrote down about their failures, as far as it is not mended or long ago."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from director_ctx.base.record import Record
from director_ctx.base.text import ago
from director_ctx.clients.hooks.seen import read_seen
from director_ctx.clients.table import CLIENTS, PROMPT, SESSION, SPAWN, START
from director_ctx.context.settings.overrides import UNUSED
from director_ctx.memory.runs.storage import read_runs
from director_ctx.project.hook_log import read_log

DAYS = 7
_FORM = "%Y-%m-%dT%H:%M:%SZ"
_FORM_OF_SESSIONS = "%Y-%m-%d %H:%M UTC"


class HookFailure(Record):
    """One line of the log."""

    when: datetime
    said: str

    @property
    def age(self) -> str:
        """In words."""
        passed = datetime.now(UTC) - self.when
        return ago(passed.total_seconds())


def recent_failures(root: str) -> list[HookFailure]:
    """Of the last days, oldest first; not those after which the same kind of hook did its work."""
    worked: dict[str, datetime | None] = {}
    for run in read_runs(root, 1):
        # Both are answered with a context, whichever of them the client asks at.
        worked[SPAWN] = worked[START] = _time(run.time)
    for session in read_seen(root)[:1]:
        worked[SESSION] = _time(session.time, _FORM_OF_SESSIONS)

    oldest = datetime.now(UTC) - timedelta(days=DAYS)
    recent: list[HookFailure] = []
    for line in read_log(root):
        # As in: TIME CLIENT EVENT: WHAT WAS SAID.
        time, _, said = line.partition(" ")
        when = _time(time)
        kind = _kind_of(said.partition(":")[0])
        # What the user has not agreed to is no failure.
        if when and UNUSED not in said and when >= max(oldest, worked.get(kind) or oldest):
            recent.append(HookFailure(when, said))
    return recent


def _kind_of(who: str) -> str:
    """The kind of an event by `CLIENT EVENT`; nothing where that is not known."""
    name, _, event = who.partition(" ")
    client = CLIENTS.get(name)
    if client is None:
        return ""
    kind = client.events.get(event, "")
    return SPAWN if kind == PROMPT and client.prompts_of_agents else kind


def _time(text: str, form: str = _FORM) -> datetime | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
