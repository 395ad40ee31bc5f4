"""The decisions of a step, item by item."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import find_section, outside_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LOCKED, FLEXIBLE, DEFERRED = "Locked", "Flexible", "Deferred"


class Decision(Record):
    kind: str
    text: str
    line: int


def decisions(step: str) -> Iterator[Decision]:
    """The list items under Locked, Flexible and Deferred; template hints are none."""
    found = find_section(step, "decisions")
    if found is None:
        return
    kind = ""
    for number, start, raw in outside_code(step):
        line = raw.strip()
        if not found[1] <= start < found[2]:
            continue
        if line.startswith("###"):
            title = line.lstrip("# ").casefold()
            kind = next(
                (
                    name
                    for name in (LOCKED, FLEXIBLE, DEFERRED)
                    if title.startswith(name.casefold())
                ),
                "",
            )
        elif kind and line[:2] in ("- ", "* ", "+ ") and not line[2:].strip().startswith("_"):
            yield Decision(kind, line[2:].strip(), number)
