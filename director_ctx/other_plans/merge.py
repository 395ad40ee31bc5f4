"""What a second taking over changes in a document: sections that only the source has changed. What somebody changed
here stays, and is named.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.other_plans.documents import NAME, ORDER, UnitText, ticks_of, unticked
from director_ctx.project.reading.markdown import find_section, headings
from director_ctx.project.taken import mark_of
from director_ctx.upkeep.records.source import Edit, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class SectionUpdate(Record):
    """A section as the source has it now."""

    section: str
    text: str


def merged(
    unit: UnitText, name: str, document: str, marks: Mapping[str, str]
) -> tuple[list[SectionUpdate], list[str]]:
    """One document, looked at from three sides: as it was written, as it is, and as the source has it. Updates, and
    sections that both sides have changed since.
    """
    updates: list[SectionUpdate] = []
    kept: list[str] = []
    for section, text in ((NAME, unit.name), *unit.sections.items()):
        here = name
        now = mark_of(text)
        was_here = mark_of(here)
        if section != NAME:
            position = find_section(document, section.casefold())
            here = document[position[1] : position[2]].strip("\n").rstrip() if position else ""
            now, was_here = mark_of(unticked(text)), mark_of(unticked(here))
        written = marks.get(section, mark_of(""))
        if now == written:
            if marks.get(ticks_of(section)) != mark_of(text):
                ticked = _ticked_too(here, text)
                updates += [SectionUpdate(section, ticked)] if ticked != here else []
        elif unticked(here) != unticked(text):
            if was_here == written:
                updates.append(SectionUpdate(section, _with_ticks(text, here)))
            else:
                kept.append(section)
    return updates, kept


def _ticked_too(here: str, text: str) -> str:
    """What stands here, with the boxes ticked that the source has ticked. None is ever opened."""
    if unticked(here) != unticked(text):
        return here
    pairs = zip(here.split("\n"), text.split("\n"), strict=False)
    lines = [
        other if own.startswith("- [ ] ") and other.startswith("- [x] ") else own
        for own, other in pairs
    ]
    return "\n".join(lines)


def _with_ticks(text: str, here: str) -> str:
    """What the source says, with the boxes ticked that are ticked here."""
    own = set(here.split("\n"))
    lines: list[str] = []
    for line in text.split("\n"):
        ticked = line.replace("- [ ] ", "- [x] ", 1)
        lines.append(ticked if ticked in own else line)
    return "\n".join(lines)


def section_edits(source: Source, kind: str, updates: Iterable[SectionUpdate]) -> list[Edit]:
    """The lines to change; everything else in the document stays as it is."""
    edits: list[Edit] = []
    for update in updates:
        if update.section != NAME:
            edits += _body_edits(source, kind, update)
            continue
        first = [heading.line for heading in headings(source.text) if heading.level == 1][:1]
        for line in first:
            old = source.line(line)
            label = old.partition(":")[0] if ":" in old else "# Task"
            edits.append(Edit(line, old, f"{label}: {update.text}"))
    return edits


def _body_edits(source: Source, kind: str, update: SectionUpdate) -> list[Edit]:
    lines = _lines_of(source, update.section)
    if lines is None:
        if not update.text:
            return []
        # Behind the section that stands before it in the order of a new document.
        order = ORDER[kind]
        after = len(source.lines)
        for section in reversed(order[: order.index(update.section)]):
            before = _lines_of(source, section)
            if before:
                after = before[-1]
                break
        return [Edit(after, None, f"\n## {update.section}\n\n{update.text}")]
    first, last = lines[0], lines[-1]
    begin = first + 1 if update.text else first
    while update.text and begin <= last and not source.line(begin).strip():
        begin += 1
    edits = [Edit(number, source.line(number), None) for number in range(begin, last + 1)]
    if update.text:
        is_apart = begin > first + 1 or first == len(source.lines)
        edits.append(Edit(begin - 1, None, update.text if is_apart else f"\n{update.text}"))
    return edits


def _lines_of(source: Source, section: str) -> range | None:
    """The lines of a section with its heading, without blank ones at its end."""
    text = source.text
    position = find_section(text, section.casefold())
    if position is None:
        return None
    start, _, end = position
    first = text.count("\n", 0, start) + 1
    last = text.count("\n", 0, end) if end < len(text) else len(source.lines)
    while last > first and not source.line(last).strip():
        last -= 1
    return range(first, last + 1)
