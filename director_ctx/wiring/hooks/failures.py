"""What hooks wrote down about their failures, as far as it is not mended or long ago."""

from __future__ import annotations

from datetime import UTC, datetime

from director_ctx.clients.table import CLIENTS, SESSION, SPAWN, START
from director_ctx.outside.hook_log import read_log
from director_ctx.outside.runs import read_runs
from director_ctx.outside.seen import read_seen
from director_ctx.record import Record
from director_ctx.wiring.place import ALL_DONE

DAYS = 7
_FORM = "%Y-%m-%dT%H:%M:%SZ"


class Failure(Record):
    """One line of the log."""

    time: str
    said: str
    kind: str
    """The kind of the event, where it is known."""

    @property
    def age(self) -> str:
        """In words."""
        seconds = max(0, (_now() - _read(self.time)).total_seconds())
        for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
            if seconds >= size:
                count = int(seconds // size)
                return f"{count} {unit}{'s' * (count != 1)} ago"
        return "just now"


def recent_failures(root: str) -> list[Failure]:
    """Of the last days, oldest first; not those after which the same kind of hook did its work."""
    found = [failure for line in read_log(root) if (failure := _failure(line))]
    runs, seen = read_runs(root, 1), read_seen(root)
    given, began = runs[-1].time if runs else "", seen[0].time if seen else ""
    worked = {SPAWN: given, START: given, SESSION: began}
    return [one for one in found if one.time >= worked.get(one.kind, "") and (_now() - _read(one.time)).days < DAYS]


def _failure(line: str) -> Failure | None:
    """A line that can be read. That every task is done is no failure."""
    time, _, said = line.partition(" ")
    try:
        _read(time)
    except ValueError:
        return None
    client, _, event = said.partition(":")[0].partition(" ")
    kind = CLIENTS[client].events.get(event, "") if client in CLIENTS else ""
    return None if ALL_DONE in said else Failure(time, said, kind)


def _read(time: str) -> datetime:
    return datetime.strptime(time, _FORM).replace(tzinfo=UTC)


def _now() -> datetime:
    return datetime.now(UTC)
