"""The text of a task of Backlog.md: its sections, whatever headings stand inside them."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import boxes, is_titled
from director_ctx.other_plans.formats.points import points
from director_ctx.other_plans.model import Criterion
from director_ctx.other_plans.wording import title
from director_ctx.project.reading.markdown import headings, without_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MARK = re.compile(r"<!--\s{0,4}(?P<name>[A-Z][A-Z_:]{0,60}):(?P<end>BEGIN|END)\s{0,4}-->")
_LABEL = re.compile(r"#\d{1,4}\s+")
_LABELS = (
    ("description", ""),
    ("implementation plan", "Plan"),
    ("implementation notes", "Notes"),
    ("comments", "Comments"),
    ("final summary", "Summary"),
)
_CRITERIA = ("acceptance criteria", "definition of done")


class BodySection(Record):
    """A heading of the file itself, and all that stands below it; first what stands before every heading."""

    title: str
    text: str


def sections_of(body: str, name: str) -> list[BodySection]:
    """A heading between the marks that the tool writes is part of a text. `name` is what the task is called."""
    marked = [*_marked(body)]
    heads = []
    for heading in headings(body):
        is_inside = any(start < heading.start < end for start, end in marked)
        if heading.level <= 2 and not is_inside:
            heads.append(heading)

    first = heads[0].start if heads else len(body)
    sections = [BodySection("", _bare(body[:first]))]
    for index, heading in enumerate(heads):
        end = heads[index + 1].start if index + 1 < len(heads) else len(body)
        text = _bare(body[heading.body : end])
        # Older files have their own name above everything.
        is_name = heading.level == 1 and title(name) in title(heading.title)
        sections.append(BodySection("" if is_name else heading.title, text))
    return [section for section in sections if section.text]


def _marked(body: str) -> Iterator[tuple[int, int]]:
    """Where a section begins and ends that has marks around it."""
    name = ""
    start = 0
    for mark in _MARK.finditer(body):
        if mark["end"] == "BEGIN" and not name:
            name = mark["name"]
            start = mark.start()
        elif mark["end"] == "END" and mark["name"] == name:
            yield start, mark.end()
            name = ""


def _bare(text: str) -> str:
    return without_comments(text).strip()


def told(sections: Sequence[BodySection]) -> str:
    """What is to be done: the sections that the tool knows in their order, and then the others."""
    pieces = [section.text for section in sections if not section.title]
    for known, label in _LABELS:
        for section in sections:
            if is_titled(section.title, known):
                is_exact = section.title.casefold() == known
                pieces.append(_labelled(label if is_exact else section.title, section.text))
    for section in sections:
        is_known = is_titled(section.title, *_CRITERIA, *(known for known, _ in _LABELS))
        if section.title and not is_known:
            pieces.append(_labelled(section.title, section.text))
    return "\n\n".join(pieces)


def _labelled(label: str, text: str) -> str:
    bare = label.strip("*_ ")
    return f"**{bare}**\n\n{text}" if bare else text


def criteria(sections: Sequence[BodySection]) -> Iterator[Criterion]:
    """Its boxes with the lines that go on with them; without any what it says in words."""
    for known in _CRITERIA:
        for section in sections:
            if is_titled(section.title, known):
                yield from _criteria_in(section.text)


def _criteria_in(text: str) -> Iterator[Criterion]:
    found = boxes(text)
    for box in found:
        words = [_LABEL.sub("", box.text, count=1), *(line.strip() for line in box.below)]
        yield Criterion(" ".join(filter(None, words)), box.ticked)
    if not found:
        yield from map(Criterion, points(text))
