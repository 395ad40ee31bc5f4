"""What a compression cuts, by the names that the conversation has for it: which file, in which message,
and what becomes of it.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.compress.receipt import DIGESTED
from director_ctx.history.sessions.spending import title
from director_ctx.history.sessions.transcript import block_number, row_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from director_ctx.doors.ui.pages.conversations.read_sessions import ReadSession

    Json = dict[str, Any]

SHORTER, GONE, IN_DIGEST = "shortened", "gone", "in the digest"


class CutPlace(Record):
    """A block of a conversation, as people know it."""

    number: int
    """Of its message."""
    what: str
    """Who said it, or the tool."""
    about: str
    """The file or command."""


def cut_places(read: ReadSession) -> dict[tuple[int, int], CutPlace]:
    """By message and block, as a receipt counts them."""
    place_of = row_places(read.transcript)
    known: dict[tuple[int, int], CutPlace] = {}
    for entry in read.told.entries:
        what = title(entry.about[:2])
        about = "".join(entry.about[2:])
        for row in entry.rows:
            place = place_of(row)
            block = block_number(row)
            if place is not None and block is not None:
                known[place, block] = CutPlace(row.message, what, about)
    return known


def named_cuts(cuts: Iterable[Json], known: dict[tuple[int, int], CutPlace]) -> list[Json]:
    """The largest first. What its conversation does not tell any more has the name of its tool."""
    rows = []
    for cut in cuts:
        name = cut["tool"] or cut["kind"]
        at = (cut["message"], cut["block"])
        place = known.get(at) or CutPlace(0, name, "")
        row = {
            **cut,
            "number": place.number,
            "what": place.what,
            "about": place.about,
            "became": _became(cut),
        }
        rows.append(row)
    rows.sort(key=lambda row: row["after"] - row["before"])
    return rows


def by_name(rows: Iterable[Json]) -> list[Json]:
    """Together what has one name and became the same; the largest first."""
    groups: dict[tuple[str, str, str], Json] = {}
    for row in rows:
        name = (row["what"], row["about"], row["became"])
        group = groups.setdefault(
            name,
            {
                "what": row["what"],
                "about": row["about"],
                "became": row["became"],
                "times": 0,
                "before": 0,
                "after": 0,
            },
        )
        group["times"] += 1
        group["before"] += row["before"]
        group["after"] += row["after"]
    return sorted(groups.values(), key=lambda group: int(group["after"] - group["before"]))


def _became(cut: Json) -> str:
    if cut["after"]:
        return SHORTER
    if cut["action"] == DIGESTED:
        return IN_DIGEST
    return GONE
