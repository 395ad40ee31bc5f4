"""Spec Kit's `tasks.md`: phases with their boxes, and what stands in a box."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import boxes_of_parts, paragraphs
from director_ctx.other_plans.formats.spec_kit_spec import STORY
from director_ctx.other_plans.wording import title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.formats.parts import MarkdownPart, TickBox

_TASK = re.compile(r"\**(?P<id>T\d{3,9}[a-z]?)\**(?P<rest>.*)", re.DOTALL)
_LABEL = re.compile(r"\s*\[(?P<label>[^\[\]]{1,60})\](?!\()")
_STORY_LABEL = re.compile(r"US(?P<number>\d{1,4})")
_PHASE = re.compile(r"phase\s+[\w.]{1,8}\s*[:.-]\s*(?P<name>.+)", re.IGNORECASE)
DEPENDS = re.compile(
    r"(?P<open>\()?\b(?:depends|dependent) on:?\s+(?P<ids>[^.;)]*)(?(open)\)?)", re.IGNORECASE
)
_RANGE = re.compile(r"(T\d{3,9})(?:\s*(?:-|\u2013|to|through)\s*(T?\d{3,9}))?")
MOST_IN_RANGE = 500


class PhaseOfTasks(Record):
    """A heading of `tasks.md` with its numbered tasks."""

    key: str
    name: str
    line: int
    story: int
    goal: str
    boxes: tuple[TickBox, ...]


def phases_of(folder: str, text: str) -> Iterator[PhaseOfTasks]:
    """Headings inside a phase divide its tasks, and are no phases."""
    heads: list[MarkdownPart] = []
    tasks: list[list[TickBox]] = []
    for part, own in boxes_of_parts(text):
        if part.level == 2 or not heads:
            heads.append(part)
            tasks.append([])
        for box in own:
            if _TASK.match(box.text):
                tasks[-1].append(box)

    number = 0
    for head, of_phase in zip(heads, tasks, strict=True):
        if not of_phase:
            continue
        number += 1
        yield PhaseOfTasks(
            key=f"step:{folder}/{number}",
            name=title(_phase_name(head.title)),
            line=head.line,
            story=_story_of(head.title, of_phase),
            goal=_said(head.body),
            boxes=tuple(of_phase),
        )


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


def _said(body: str) -> str:
    """What a phase says of itself: its purpose and goal, without its boxes."""
    lines: list[str] = []
    for piece in paragraphs(body):
        if piece.startswith(("**Goal", "**Purpose", "**Checkpoint")):
            lines.append(piece)
    return "\n\n".join(lines)


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


def depends_on(text: str) -> Iterator[str]:
    """The ids behind `depends on`, ranges written out."""
    for said in DEPENDS.finditer(text):
        for first, last in _RANGE.findall(said["ids"]):
            yield first
            if not last:
                continue

            digits = first[1:]
            start = int(digits)
            end = min(int(last.lstrip("T")), start + MOST_IN_RANGE)
            for number in range(start + 1, end + 1):
                yield f"T{number:0{len(digits)}}"
