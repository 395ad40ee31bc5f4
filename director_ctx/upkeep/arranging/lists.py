"""A parent's list of its children after some got other numbers or names, left, or came.

A child's part of the list is its line and what belongs to it: indented lines, or everything below
its heading.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import headings
from director_ctx.project.tasks.child_lists import listed_units, step_lines
from director_ctx.upkeep.records.listing import end_of_item, place_lines
from director_ctx.upkeep.records.source import source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ORDINAL = re.compile(r"(?P<indent>\s*)(?P<number>\d{1,9})(?P<mark>[.)]\s)")


class ListPart(Record):
    """One child's lines in its parent's list: from the first to before the end, from 0."""

    number: int
    name: str
    start: int
    end: int


class Changes(Record):
    """What becomes of a parent's children, by their old numbers."""

    label: str
    numbers: Mapping[int, int | None]
    """None for one that is gone."""
    names: Mapping[int, tuple[str, str]]
    """The old name and the new one."""
    on_disk: Mapping[int, tuple[str, str]]
    """The same for the name of the file or folder, which a link may have."""


def relisted(text: str, changes: Changes) -> str:
    """The parent's document with the list as it is afterwards."""
    lines = text.split("\n")
    parts = listed_parts(text, changes.label)
    kept: list[tuple[int, list[str]]] = []
    slots: list[ListPart] = []
    for part in parts:
        new_number = changes.numbers.get(part.number, part.number)
        if new_number is None:
            continue
        slots.append(part)
        kept.append((new_number, _renewed(lines[part.start : part.end], part, changes)))

    # A list in the order of its numbers stays in that order; any other order is somebody's own.
    old_order = [part.number for part in parts]
    if old_order == sorted(old_order):
        kept.sort(key=_number)
    contents = {slot.start: block for slot, (_, block) in zip(slots, kept, strict=True)}

    new_lines: list[str] = []
    behind = 0
    for part in parts:
        new_lines += lines[behind : part.start]
        new_lines += contents.get(part.start, [])
        behind = part.end
    return "\n".join([*new_lines, *lines[behind:]])


def _number(block: tuple[int, list[str]]) -> int:
    return block[0]


def listed_parts(text: str, label: str) -> list[ListPart]:
    """Each child's part, in the order of the document; one that a part of another holds is left to
    that.
    """
    lines = text.split("\n")
    parts: list[ListPart] = []
    for line, number, name in sorted(_listed(text, label)):
        start = line - 1
        if parts and start < parts[-1].end:
            continue
        if lines[start].startswith("#"):
            end = _heading_end(text, line)
        else:
            end = end_of_item(source_of(text), line)
        parts.append(ListPart(number, name, start, end))
    return parts


def _listed(text: str, label: str) -> list[tuple[int, int, str]]:
    """By its line, each child's number and name."""
    listed: list[tuple[int, int, str]] = []
    if label == "task":
        for task in step_lines(text):
            listed.append((task.line, task.number, task.title))
        return listed
    for unit in listed_units(text, f"{label}s", label):
        listed.append((unit.line, unit.number, unit.name))
    return listed


def _heading_end(text: str, line: int) -> int:
    """Before the next heading that is no smaller."""
    level = 0
    for mark in headings(text):
        if mark.line == line:
            level = mark.level
        elif level and mark.level <= level:
            return mark.line - 1
    return len(text.split("\n"))


def _renewed(block: Sequence[str], part: ListPart, changes: Changes) -> list[str]:
    """A child's lines with its number and name of now, in links as well."""
    number = part.number
    first, *others = block
    new_number = changes.numbers.get(number, number)
    if new_number is not None:
        first = renumbered(first, changes.label, number, new_number)
    if number in changes.names:
        old_name, new_name = changes.names[number]
        # The list was read without its markup, so what it says may be more than the part's name.
        _, _, said = first.partition(":")
        if not said.lstrip(" \t*[").startswith(old_name):
            old_name = part.name
        first = other_name(first, changes.label, old_name, new_name)

    lines = [first, *others]
    if number not in changes.on_disk:
        return lines
    old_file, new_file = changes.on_disk[number]
    return [line.replace(old_file, new_file) for line in lines]


def renumbered(line: str, label: str, old: int, new: int) -> str:
    """`2. **Goal 2: NAME**` with another number, in both places."""
    ordinal = _ORDINAL.match(line)
    if ordinal and int(ordinal["number"]) == old:
        line = f"{ordinal['indent']}{new}{ordinal['mark']}{line[ordinal.end() :]}"
    return re.sub(rf"\b({label}\s+)0*{old}\b", rf"\g<1>{new}", line, count=1, flags=re.IGNORECASE)


def other_name(line: str, label: str, old: str, new: str) -> str:
    """The same with another name. A short one may be in the word before the number, too."""
    head = re.search(rf"\b{label}\s+\d+", line, flags=re.IGNORECASE)
    if head is None:
        return line
    behind = line[head.end() :].replace(old, new, 1)
    return f"{line[: head.end()]}{behind}"


def taken_part(text: str, changes: Changes, number: int) -> list[str]:
    """The lines of one child, as they are to be listed by another parent; none where it is not
    listed.
    """
    for part in listed_parts(text, changes.label):
        if part.number == number:
            block = text.split("\n")[part.start : part.end]
            return _renewed(block, part, changes)
    return []


def with_part(text: str, label: str, number: int, lines: Sequence[str]) -> str:
    """The document with a child's lines in their place among the others."""
    source = source_of(text)
    section = f"{label.title()}s"
    items = [(part.number, part.start + 1) for part in listed_parts(text, label)]
    newcomer = (number, "\n".join(lines))
    edits = place_lines(source, section, items, [newcomer])
    return source.edited(edits).text
