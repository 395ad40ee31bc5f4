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
    section = find_section(step, "decisions")
    if section is None:
        return
    _, body, end = section
    kind = ""
    for number, start, raw in outside_code(step):
        if not body <= start < end:
            continue
        line = raw.strip()
        if line.startswith("###"):
            kind = _kind(line)
        elif kind and line.startswith(("- ", "* ", "+ ")):
            text = line[2:].strip()
            # A template says in italics what could stand there.
            is_hint = text.startswith("_")
            if not is_hint:
                yield Decision(kind, text, number)


def _kind(heading: str) -> str:
    title = heading.lstrip("# ").casefold()
    for kind in (LOCKED, FLEXIBLE, DEFERRED):
        if title.startswith(kind.casefold()):
            return kind
    return ""
