"""What was kept of a conversation before its client compacted it, in `.director/.dctx/compactions.json`.

The store has the messages; this is the note that a session is given back when it goes on. May be lost without harm.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.project.dctx_folder import kept_rows, write_kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME, LARGEST, MOST = "compactions.json", 400_000, 8
BEGUN, DONE, NOT_KEPT = "begun", "done", "not kept"


class Compaction(Record):
    """One session, as far as its last compaction goes."""

    session: str
    state: str
    offset: str
    """Where its file ended, in bytes: it tells one compaction from the next."""
    summary: str = ""
    """The id of its summary."""
    messages: str = ""
    """How many that stands for."""
    asked: str = ""
    """What the user asked for."""
    text: str = ""
    """What else a session needs first."""


def read_compactions(root: str) -> tuple[Compaction, ...]:
    """Newest first."""
    rows = kept_rows(root, NAME, LARGEST)
    return tuple(Compaction(*map(row.get, Compaction._fields)) for row in rows[:MOST] if _is_one(row))


def write_compaction(root: str, one: Compaction) -> None:
    """In the place of what was known of its session."""
    others = [other for other in read_compactions(root) if other.session != one.session]
    rows = [{name: getattr(each, name) for name in Compaction._fields} for each in (one, *others)[:MOST]]
    write_kept(root, NAME, dump(rows).encode("ascii"))


def compaction_of(root: str, session: str) -> Compaction | None:
    return next((one for one in read_compactions(root) if session and one.session == session), None)


def _is_one(row: Any) -> bool:
    return isinstance(row, dict) and all(isinstance(row.get(name), str) for name in Compaction._fields)
