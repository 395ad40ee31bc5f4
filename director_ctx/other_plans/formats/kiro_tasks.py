"""Kiro's `tasks.md`: numbered lines, and which of them stand below which."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import boxes_of_parts, dedented
from director_ctx.other_plans.model import DROPPED, OtherIdea
from director_ctx.other_plans.wording import item, title
from director_ctx.upkeep.slug import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.other_plans.formats.parts import TickBox
    from director_ctx.other_plans.source import PlanSource

_NUMBER = re.compile(r"(?P<number>\d{1,4}(?:\.\d{1,4}){0,3})\.?(?:\s+\(P\))?\s+")
_AMOUNT = re.compile(r"\d{1,4}\s+(?!\(P\))")
"""A whole number without a dot, which inside another task is none of a task: `10 files are kept`."""
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
    below: tuple[str, ...] = ()
    """The lines that stand below it, also behind boxes inside it."""
    inner: tuple[TickBox, ...] = ()
    """Boxes without a number inside it: how one sees that it is done."""


def majors(
    source: PlanSource, name: str, path: str, ideas: list[OtherIdea]
) -> Iterator[tuple[KiroTask, list[KiroTask]]]:
    """The lines with a whole number, `2`, each with those below it, `2.1` and `2.2`."""
    heads: dict[str, KiroTask] = {}
    below: dict[str, list[KiroTask]] = {}
    for line in _lines(source.text(path)):
        if line.box and line.box.optional:
            ideas.append(_optional(name, path, line))
            continue
        if not line.number:
            says = f"{item(line.name, most=80)!r} has no number, and is no task of Kiro"
            source.remark(DROPPED, says, path, line.line)
            continue

        major, _, minor = line.number.partition(".")
        inner = below.setdefault(major, [])
        if minor:
            heads.setdefault(major, KiroTask(major, None, f"Part {major}", line.line))
            inner.append(line)
        elif major not in heads or heads[major].box is None:
            heads[major] = line

    for major, head in heads.items():
        # Only a heading, with nothing below it that is to be done.
        if head.box or below[major]:
            yield head, below[major]


def _optional(name: str, path: str, line: KiroTask) -> OtherIdea:
    says = f"{name}: {line.name} (an optional task of Kiro)"
    more = [item(dedented(line.below)), *(box.text for box in line.inner)]
    told = "; ".join(piece for piece in more if piece)
    if told:
        says += f": {told}"
    return OtherIdea(f"{name}/{line.number or slug(title(line.name))}", says, path, line.line)


def _lines(text: str) -> list[KiroTask]:
    """Boxes and, where a task is only a heading, headings; in the order of the file."""
    lines: list[KiroTask] = []
    for part, own in boxes_of_parts(text):
        head = _HEAD.fullmatch(part.title)
        if head:
            lines.append(KiroTask(head["number"], None, head["name"], part.line))

        first = len(lines)
        for box in own:
            line = _line(box)
            last = lines[-1] if len(lines) > first else None
            if last and last.number and _is_inside(line, last):
                lines[-1] = _with_inner(last, box)
            else:
                lines.append(line)
    return lines


def _is_inside(line: KiroTask, above: KiroTask) -> bool:
    assert line.box and above.box
    return not line.number and not line.box.optional and line.box.indent > above.box.indent


def _with_inner(task: KiroTask, box: TickBox) -> KiroTask:
    """What is indented no more than the box inside belongs to the task itself."""
    own: list[str] = []
    for line in box.below:
        blanks = line[: len(line) - len(line.lstrip())]
        if line.strip() and len(blanks.expandtabs(4)) <= box.indent:
            break
        own.append(line)
    others = box.below[len(own) :]
    inner = box.replace(below=tuple(own))
    return task.replace(below=(*task.below, *others), inner=(*task.inner, inner))


def _line(box: TickBox) -> KiroTask:
    match = _NUMBER.match(box.text)
    if match and box.indent and _AMOUNT.match(box.text):
        match = None
    number = match["number"] if match else ""
    name = box.text[match.end() :] if match else box.text
    parallel = bool(_PARALLEL.match(box.text))
    if parallel:
        name = name.removesuffix("(P)").rstrip()
    return KiroTask(number, box, name, box.line, parallel, box.below)
