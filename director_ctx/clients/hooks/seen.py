"""Which commit the last sessions knew, in `.director/.dctx/session.json`. May be lost without harm."""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.project.dctx_folder import kept_rows, write_kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME, LARGEST = "session.json", 10_000
_HEX = frozenset("0123456789abcdef")


class Seen(Record):
    """What a session saw last."""

    session: str
    head: str
    time: str


def read_seen(root: str) -> tuple[Seen, ...]:
    """The session that runs and the one before it, as far as they are known."""
    return tuple(_seen(row) for row in kept_rows(root, NAME, LARGEST)[:2] if _is_seen(row))


def write_seen(root: str, sessions: tuple[Seen, ...]) -> None:
    rows = [{"session": one.session, "head": one.head, "time": one.time} for one in sessions[:2]]
    try:
        write_kept(root, NAME, dump(rows).encode("ascii"))
    except OSError:
        pass


def _is_seen(row: Any) -> bool:
    """The commit becomes a word of git's command line, so it is an id or nothing."""
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in Seen._fields):
        return False
    return len(row["head"]) in (0, 40, 64) and _HEX.issuperset(row["head"]) and row["time"].isprintable()


def _seen(row: dict[str, str]) -> Seen:
    return Seen(row["session"][:200], row["head"], row["time"][:40])
