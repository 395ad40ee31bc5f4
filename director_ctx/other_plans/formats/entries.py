"""Entries of plans in JSON, told apart by their ids."""

from __future__ import annotations

from director_ctx.other_plans.formats.parts import string
from director_ctx.other_plans.model import UNRESOLVED
from director_ctx.other_plans.wording import item, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from director_ctx.other_plans.source import PlanSource

    Row = dict[str, Any]


class EntryIds:
    """The ids met so far; an entry without one, or with one that is taken, is told of and left out."""

    def __init__(self, source: PlanSource, path: str, field: str) -> None:
        self._source = source
        self._path = path
        self._field = field
        self._met: set[str] = set()

    def is_new(self, row: Row, place: str, line: int = 0) -> bool:
        id = string(row.get(self._field))
        fault = ""
        if not id:
            fault = f"has no {self._field}"
        elif id in self._met:
            fault = f"has the {self._field} {item(id, most=40)} of an entry before it"
        self._met.add(id)
        if not fault:
            return True
        name = title(string(row.get("title")))
        says = f"{place} ({name}) {fault}; it was not read"
        self._source.remark(UNRESOLVED, says, self._path, line)
        return False


def told_apart(
    source: PlanSource, path: str, entries: Iterable[Row], field: str, inside: str = ""
) -> list[Row]:
    """Those with an id of their own."""
    ids = EntryIds(source, path, field)
    found: list[Row] = []
    for count, row in enumerate(entries, 1):
        if ids.is_new(row, f"entry {count}{inside}"):
            found.append(row)
    return found
