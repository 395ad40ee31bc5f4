"""Small edits that every record needs."""

from __future__ import annotations

import re

from director_ctx.folder.fields import bare_name, field, finished, named_numbers, with_value
from director_ctx.folder.source import Edit, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.folder.standing import Unit

_COUNT = re.compile(r"(\d+)(\s*/\s*|\s+of\s+)(\d+)(?=\s+(?:tasks?|steps?)\b|\s+(?:done|complete)|[\s)\].,;]|$)")


def set_field(source: Source, name: str, value: str) -> Edit | None:
    """The edit that gives a field a value; none where it has it, or where there is no such field."""
    number = field(source.text, name)[1]
    return replaced(source, number, with_value(source.line(number), value)) if number else None


def replaced(source: Source, number: int, new: str) -> Edit | None:
    old = source.line(number)
    return None if new == old else Edit(number, old, new)


def names(says: str, label: str, unit: Unit) -> bool:
    """Whether a text names this unit, by number or name, and does not call it finished."""
    same = bare_name(says) == bare_name(unit.name)
    return (same or named_numbers(says).get(label) == unit.number) and (same or not finished(says))


def recounted(text: str, done: int, total: int) -> str:
    """`2/4 tasks` and `1 of 3` with other numbers; the last such count is meant."""
    found = list(_COUNT.finditer(text))
    if not found:
        return text
    last = found[-1]
    return f"{text[: last.start()]}{done}{last[2]}{total}{text[last.end() :]}"


def has_count(text: str) -> bool:
    return _COUNT.search(text) is not None
