"""What a second taking over changes in a document: sections that only the source has changed. What somebody changed
here stays, and is named.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.other_plans.documents import NAME, ORDER, UnitText, ticks_of, unticked
from director_ctx.project.reading.markdown import find_section, headings
from director_ctx.project.taken import mark_of
from director_ctx.upkeep.records.source import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.upkeep.records.source import Source


class SectionUpdate(Record):
    """A section as the source has it now."""

    section: str
    text: str


class Merged(Record):
    """One document, looked at from three sides: as it was written, as it is, and as the source has it."""

    updates: tuple[SectionUpdate, ...] = ()
    kept: tuple[str, ...] = ()
    """Sections that both sides have changed since."""


def merged(unit: UnitText, name: str, document: str, marks: Mapping[str, str]) -> Merged:
    updates: list[SectionUpdate] = []
    kept: list[str] = []
    for section, text in ((NAME, unit.name), *unit.sections.items()):
        here = name if section == NAME else body_of(document, section)
        now = mark_of(unticked(text))
        if section == NAME:
            now = mark_of(text)
        written = marks.get(section, mark_of(""))
        if now == written:
            if marks.get(ticks_of(section)) == mark_of(text):
                continue
            ticked = _ticked_too(here, text)
            if ticked != here:
                updates.append(SectionUpdate(section, ticked))
            continue
        if unticked(here) == unticked(text):
            continue
        same_as_written = mark_of(here if section == NAME else unticked(here)) == written
        if same_as_written:
            updates.append(SectionUpdate(section, _with_ticks(text, here)))
        else:
            kept.append(section)
    return Merged(tuple(updates), tuple(kept))


def body_of(document: str, section: str) -> str:
    position = find_section(document, section.casefold())
    if position is None:
        return ""
    _, body, end = position
    return document[body:end].strip("\n").rstrip()


def _ticked_too(here: str, text: str) -> str:
    """What stands here, with the boxes ticked that the source has ticked. None is ever opened."""
    own = here.split("\n")
    other = text.split("\n")
    if unticked(here) != unticked(text) or len(own) != len(other):
        return here
    lines: list[str] = []
    for line, source_line in zip(own, other, strict=True):
        is_newly_ticked = line.startswith("- [ ] ") and source_line.startswith("- [x] ")
        lines.append(source_line if is_newly_ticked else line)
    return "\n".join(lines)


def _with_ticks(text: str, here: str) -> str:
    """What the source says, with the boxes ticked that are ticked here."""
    own = set(here.split("\n"))
    lines: list[str] = []
    for line in text.split("\n"):
        ticked = line.replace("- [ ] ", "- [x] ", 1)
        lines.append(ticked if ticked in own else line)
    return "\n".join(lines)


def section_edits(source: Source, kind: str, updates: Sequence[SectionUpdate]) -> list[Edit]:
    """The lines to change; everything else in the document stays as it is."""
    edits: list[Edit] = []
    for update in updates:
        if update.section == NAME:
            edits += _name_edits(source, kind, update.text)
        else:
            edits += _body_edits(source, kind, update)
    return edits


def _name_edits(source: Source, kind: str, name: str) -> list[Edit]:
    for heading in headings(source.text):
        if heading.level == 1:
            old = source.line(heading.line)
            label, colon, _ = old.partition(":")
            if not colon:
                label = "# Task"
            return [Edit(heading.line, old, f"{label}: {name}")]
    return []


def _body_edits(source: Source, kind: str, update: SectionUpdate) -> list[Edit]:
    text = source.text
    position = find_section(text, update.section.casefold())
    if position is None:
        if not update.text:
            return []
        after = _line_for(source, kind, update.section)
        return [Edit(after, None, f"\n## {update.section}\n\n{update.text}")]
    start, body, end = position
    first = text.count("\n", 0, start) + 1
    last = min(first + text.count("\n", start, end), len(source.lines))
    if end < len(text):
        last = first + text.count("\n", start, end) - 1
    while last > first and not source.line(last).strip():
        last -= 1
    begin = first + 1
    if not update.text:
        begin = first
    while update.text and begin <= last and not source.line(begin).strip():
        begin += 1
    edits = [Edit(number, source.line(number), None) for number in range(begin, last + 1)]
    if update.text:
        blank = "" if begin > first + 1 or body >= len(text) else "\n"
        edits.append(Edit(begin - 1, None, f"{blank}{update.text}"))
    return edits


def _line_for(source: Source, kind: str, section: str) -> int:
    """Behind the section that stands before it in the order of a new document."""
    order = ORDER[kind]
    text = source.text
    for before in reversed(order[: order.index(section)]):
        position = find_section(text, before.casefold())
        if position is not None:
            line = text.count("\n", 0, position[2])
            if position[2] >= len(text):
                line = len(source.lines)
            while line > 0 and not source.line(line).strip():
                line -= 1
            return line
    return len(source.lines)
