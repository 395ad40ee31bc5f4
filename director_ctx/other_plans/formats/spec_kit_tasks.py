"""Spec Kit's `tasks.md`: phases with their boxes, and what stands in a box."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import boxes_of_parts, is_titled, joined
from director_ctx.other_plans.formats.spec_kit_spec import STORY
from director_ctx.other_plans.wording import title
from director_ctx.project.reading.markdown import without_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.formats.parts import MarkdownPart, TickBox

_TASK = re.compile(r"\**(?P<id>T\d{3,9}[a-z]?)\**(?P<rest>.*)", re.DOTALL)
_LABEL = re.compile(r"\s*\[(?P<label>[^\[\]]{1,60})\](?!\()")
_STORY_LABEL = re.compile(r"US(?P<number>\d{1,4})")
_PHASE = re.compile(r"phase\s+[\w.]{1,8}\s*[:.-]\s*(?P<name>.+)", re.IGNORECASE)
_DEPENDS = re.compile(r"\b(?:depends|dependent) on:?\s+(?P<ids>[^.;)]*)", re.IGNORECASE)
_NEEDS = re.compile(
    r"\b(?:after|once|requires?|needs?|blocked by|waits? for|builds? on|extends?|reuses?|reusing|uses?|using):?\s{1,3}"
    r"(?P<ids>T\d{3,9}(?:(?:\s{0,3}(?:,|&|/|\bor\b|\band\b|-|\u2013|\bto\b|\bthrough\b)){1,3}\s{0,3}T?\d{3,9})*)",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r" ?\((?=[^()]{0,300}\))[^()]{0,200}\bT\d{3,9}\b[^()]{0,200}\)")
_RANGE = re.compile(r"\b(T\d{3,9})(?:\s*(?:-|\u2013|to|through)\s*(T?\d{3,9}))?")
MOST_IN_RANGE = 500


class PhaseOfTasks(Record):
    """A heading of `tasks.md` with its numbered tasks."""

    key: str
    name: str
    line: int
    story: int
    says: str
    boxes: tuple[TickBox, ...]


class SectionOfTasks(Record):
    """A heading of the second level with all below it."""

    head: MarkdownPart
    boxes: tuple[TickBox, ...] = ()
    says: tuple[str, ...] = ()
    """What stands beside the boxes, under headings of its own where it has them."""


def phases_of(folder: str, text: str) -> Iterator[PhaseOfTasks]:
    """Headings inside a phase divide its tasks, and are no phases."""
    number = 0
    for section in _sections(text):
        if not section.boxes:
            continue
        number += 1
        yield PhaseOfTasks(
            key=f"step:{folder}/{number}",
            name=title(_phase_name(section.head.title)),
            line=section.head.line,
            story=_story_of(section.head.title, section.boxes),
            says=joined(*section.says),
            boxes=section.boxes,
        )


def notes_of(text: str) -> str:
    """Sections without tasks, such as the order of the phases; not the legend of the format."""
    notes: list[str] = []
    for section in _sections(text):
        head = section.head
        says = joined(*section.says)
        if head.level == 2 and says and not section.boxes and not is_titled(head.title, "format"):
            notes.append(joined(f"## {head.title}", says))
    return joined(*notes)


def _sections(text: str) -> Iterator[SectionOfTasks]:
    lines = text.split("\n")
    section: SectionOfTasks | None = None
    for part, own in boxes_of_parts(text):
        if section is None or part.level == 2:
            if section:
                yield section
            section = SectionOfTasks(part)
        says = _beside_boxes(lines, part, own)
        if says and part is not section.head:
            says = joined(f"{'#' * part.level} {part.title}", says)
        tasks = [box for box in own if _TASK.match(box.text)]
        section = section.replace(
            boxes=(*section.boxes, *tasks), says=(*section.says, *([says] if says else []))
        )
    if section:
        yield section


def _beside_boxes(lines: Sequence[str], part: MarkdownPart, own: Sequence[TickBox]) -> str:
    """What a section says, without its boxes and lines across the page."""
    of_boxes: set[int] = set()
    for box in own:
        of_boxes.update(range(box.line, box.line + 1 + len(box.below)))
    kept: list[str] = []
    for number in range(part.line + 1, part.last + 1):
        line = lines[number - 1]
        if number not in of_boxes and line.strip() != "---":
            kept.append(line)
    return re.sub(r"\n{3,}", "\n\n", without_comments("\n".join(kept))).strip("\n").rstrip()


def _phase_name(heading: str) -> str:
    """Without its number, its priority and pictures."""
    name = heading or "Tasks"
    match = _PHASE.match(heading)
    if match:
        name = match["name"]

    name = re.sub(r"\(priority:.*", "", name, flags=re.IGNORECASE)
    shown = ""
    for char in name:
        is_picture = ord(char) >= 0x1F000
        if char.isprintable() and not is_picture:
            shown += char
    return shown


def _story_of(heading: str, tasks: Sequence[TickBox]) -> int:
    """The number of its story, by its heading or the one label that all its tasks have."""
    story = STORY.search(heading)
    if story:
        return int(story["number"])

    labels: set[str] = set()
    for box in tasks:
        labels.update(label.upper() for label in labels_of(box))
    labels.discard("P")
    only = _STORY_LABEL.fullmatch("".join(labels))
    return int(only["number"]) if only else 0


def id_of(box: TickBox) -> str:
    match = _TASK.match(box.text)
    assert match
    return match["id"]


def labels_of(box: TickBox) -> list[str]:
    """`[P]` and `[US1]` behind the number."""
    match = _TASK.match(box.text)
    assert match
    rest = match["rest"]
    labels: list[str] = []
    while True:
        label = _LABEL.match(rest)
        if label is None:
            return labels
        labels.append(label["label"])
        rest = rest[label.end() :]


def text_of(box: TickBox) -> str:
    """What stands behind its number and labels."""
    match = _TASK.match(box.text)
    assert match
    text = match["rest"]
    for _ in labels_of(box):
        text = _LABEL.sub("", text, count=1)
    return text.strip(" *:-")


def name_of(text: str) -> str:
    """Without the ids of other tasks behind it."""
    bare = _IN_BRACKETS.sub("", text)
    bare = _DEPENDS.sub("", bare).strip()
    return title(bare or text)


def depends_on(text: str) -> Iterator[str]:
    """The ids that a task says it needs, in whatever words, ranges written out."""
    for words in (_DEPENDS, _NEEDS):
        for said in words.finditer(text):
            yield from ids_in(said["ids"])


def ids_in(text: str) -> Iterator[str]:
    """Every id in it, ranges written out."""
    for first, last in _RANGE.findall(text):
        yield first
        if not last:
            continue

        digits = first[1:]
        start = int(digits)
        end = min(int(last.lstrip("T")), start + MOST_IN_RANGE)
        for number in range(start + 1, end + 1):
            yield f"T{number:0{len(digits)}}"
