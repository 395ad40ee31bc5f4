"""Kiro's `tasks.md`: numbered lines, and which of them stand below which."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import boxes, parts
from director_ctx.other_plans.model import DROPPED, OtherIdea

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.other_plans.formats.parts import TickBox
    from director_ctx.other_plans.source import PlanSource

_NUMBER = re.compile(r"(?P<number>\d{1,4}(?:\.\d{1,4}){0,3})\.?(?:\s+\(P\))?\s+")
_HEAD = re.compile(r"(?:task\s+)?(?P<number>\d{1,4})[.:]?\s+(?P<name>.+)", re.IGNORECASE)
_PARALLEL = re.compile(r"(?:task\s+)?[\d.]{1,20}\s+\(P\)\s|.*\s\(P\)$", re.IGNORECASE)
"""cc-sdd's mark behind the number or at the end."""


class KiroTask(Record):
    """A numbered line of `tasks.md`."""

    number: str
    box: TickBox | None
    name: str
    line: int
    parallel: bool = False


def majors(
    source: PlanSource, name: str, path: str, ideas: list[OtherIdea]
) -> Iterator[tuple[KiroTask, list[KiroTask]]]:
    """The lines with a whole number, `2`, each with those below it, `2.1` and `2.2`."""
    heads: dict[str, KiroTask] = {}
    below: dict[str, list[KiroTask]] = {}
    others = 0
    for line in _lines(source.text(path)):
        if line.box and line.box.optional:
            says = f"{name}: {line.name} (an optional task of Kiro)"
            ideas.append(OtherIdea(f"{name}/{line.number}", says, path, line.line))
            continue
        if not line.number:
            others += 1
            continue

        major, _, minor = line.number.partition(".")
        inner = below.setdefault(major, [])
        if minor:
            heads.setdefault(major, KiroTask(major, None, f"Part {major}", line.line))
            inner.append(line)
        elif major not in heads or heads[major].box is None:
            heads[major] = line

    if others:
        says = f"boxes without a number are no tasks of Kiro: {others} left out"
        source.remark(DROPPED, says, path)
    for major, head in heads.items():
        # Only a heading, with nothing below it that is to be done.
        if head.box or below[major]:
            yield head, below[major]


def _lines(text: str) -> list[KiroTask]:
    """Boxes and, where a task is only a heading, headings; in the order of the file."""
    lines: list[KiroTask] = []
    for part in parts(text):
        head = _HEAD.fullmatch(part.title)
        if head:
            lines.append(KiroTask(head["number"], None, head["name"], part.line))
    for box in boxes(text):
        lines.append(_line(box))
    lines.sort(key=lambda task: task.line)
    return lines


def _line(box: TickBox) -> KiroTask:
    match = _NUMBER.match(box.text)
    number = match["number"] if match else ""
    name = box.text[match.end() :] if match else box.text
    parallel = bool(_PARALLEL.match(box.text))
    if parallel:
        name = name.removesuffix("(P)").rstrip()
    return KiroTask(number, box, name, box.line, parallel)
