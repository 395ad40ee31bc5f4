"""Small edits that every record needs."""

from __future__ import annotations

import re

from director_ctx.project.reading.markdown import find_section
from director_ctx.project.tasks.fields import (
    besides,
    field,
    finished,
    named_numbers,
    same_name,
    with_value,
)
from director_ctx.upkeep.records.source import Edit, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from director_ctx.project.tasks.standing import Unit

_NUMBERS = r"(?<![\d/.])(\d+)(\s*/\s*|\s+of\s+)(\d+)(?![\d/.]*\d)"
_COUNTS = (
    re.compile(_NUMBERS + r"(?=\s+(?:tasks?|steps?)\b)"),
    re.compile(
        r"(?:^|(?<=[(\[])|(?<=-- )|(?<=\u2014 ))\s*"
        + _NUMBERS
        + r"(?=\s*(?:done|complete)?\s*(?:[)\],;]|$))"
    ),
)
"""A count of tasks or steps by its word, else one that stands alone; dates and other fractions are
neither.
"""


def heading_line(text: str, title: str) -> int:
    """The line of a section's heading; 0 if there is none."""
    section = find_section(text, title)
    if section is None:
        return 0
    start, _, _ = section
    return text.count("\n", 0, start) + 1


def set_field(
    source: Source,
    text: str,
    name: str,
    value: str,
) -> Edit | None:
    """The edit that gives a field of the text a value; none where it has it, or where there is no
    such field.
    """
    number = field(text, name)[1]
    if not number:
        return None
    new = with_value(source.line(number), value)
    return replaced(source, number, new)


def set_fields(
    source: Source,
    text: str,
    values: Iterable[tuple[str, str]],
) -> list[Edit]:
    """The edits that give some fields their values."""
    edits: list[Edit] = []
    for name, value in values:
        edit = set_field(source, text, name, value)
        if edit:
            edits.append(edit)
    return edits


def replaced(source: Source, number: int, new: str) -> Edit | None:
    old = source.line(number)
    if new == old:
        return None
    return Edit(number, old, new)


def names(says: str, label: str, unit: Unit) -> bool:
    """Whether a text names this unit, by number or name, and does not call it finished."""
    named = same_name(says, unit.name) or named_numbers(says).get(label) == unit.number
    return named and not finished(besides(says, unit.name))


def recounted(text: str, done: int, total: int) -> str:
    """`2/4 tasks` and `1 of 3` with other numbers."""
    # The one with its word first: another pair of numbers may stand beside it.
    for pattern in _COUNTS:
        count = pattern.search(text)
        if count:
            before = text[: count.start(1)]
            between = count[2]
            after = text[count.end(3) :]
            return f"{before}{done}{between}{total}{after}"
    return text
