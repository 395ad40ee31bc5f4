"""A new line where a parent lists its children, in the form of the lines that are there."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import find_section, headings
from director_ctx.project.tasks.child_lists import listed, step_lines
from director_ctx.project.templates import STUB
from director_ctx.upkeep.records.source import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.project.reading.model import Task
    from director_ctx.upkeep.records.source import Source

_BULLETS = ("-", "*", "+")
_STARTS = (*_BULLETS, "#", ">", "|", "```", "~~~", "<!--")
_HINT = re.compile(r"\s*_no (goals|steps|tasks) \w+ yet\.?_\s*", re.IGNORECASE)


class Line(Record):
    """What a goal's or step's line says."""

    label: str
    number: int
    name: str
    about: str = ""


def goal_lines(source: Source, lines: Sequence[Line]) -> list[Edit]:
    """Lines in GAMEPLAN.md. A plan with a goal is no template any more, so the template's remark
    goes.
    """
    texts = source.text.split("\n")
    stubs = [
        place
        for place, text in enumerate(texts, 1)
        if text.startswith(">") and STUB in text.casefold()
    ]
    blank = [place + 1 for place in stubs if place < len(source.lines) and not texts[place].strip()]
    gone = [Edit(place, source.line(place), None) for place in (*stubs, *blank)]
    return [*gone, *_numbered(source, "Goals", lines)]


def step_lines_of(source: Source, lines: Sequence[Line]) -> list[Edit]:
    """Lines in GOAL.md."""
    return _numbered(source, "Steps", lines)


def task_lines(source: Source, tasks: Sequence[tuple[Task, str]]) -> list[Edit]:
    """Lines in STEP.md, each with its box and name."""
    lines = step_lines(source.text)
    items = [(line.number, line.line) for line in lines]
    new = []
    for task, name in tasks:
        before = [line.line for line in lines if line.number < task.number]
        sample = source.line(before[-1] if before else lines[0].line) if lines else "- [ ]"
        bullet = (
            sample.partition("[")[0]
            if "[" in sample
            else f"{sample[: len(sample) - len(sample.lstrip())]}- "
        )
        bullet = f"{task.number}. " if bullet.strip()[:1].isdigit() else bullet
        new.append(
            (task.number, f"{bullet}[{'x' if task.done else ' '}] Task {task.number}: {name}")
        )
    return _placed(source, "Tasks", items, new)


def _numbered(source: Source, title: str, lines: Sequence[Line]) -> list[Edit]:
    """`2. **Goal 2: NAME** -- DESC`, with the dash and the mark of its neighbours."""
    have = listed(source.text, title.casefold(), lines[0].label) if lines else []
    inside = [one for one in have if not source.line(one.line).startswith("#")]
    if have and not inside:
        return [_as_heading(source, have[-1].line, line) for line in lines]
    neighbour = source.line(inside[-1].line) if inside else ""
    new = [(line.number, _in_style(neighbour, line)) for line in lines]
    return _placed(source, title, [(one.number, one.line) for one in inside], new)


def _in_style(neighbour: str, line: Line) -> str:
    dash = " \u2014 " if " \u2014 " in neighbour else " -- "
    head = neighbour.lstrip()[:1]
    mark = (
        head
        if head in _BULLETS and head
        else f"{line.number})"
        if ") " in neighbour[:6]
        else f"{line.number}."
    )
    bold = "**" if "**" in neighbour or not neighbour else ""
    text = f"{bold}{line.label.title()} {line.number}: {line.name}{bold}" + (
        f"{dash}{line.about}" if line.about else ""
    )
    return f"{neighbour[: len(neighbour) - len(neighbour.lstrip())]}{mark} {text}"


def _as_heading(source: Source, last: int, line: Line) -> Edit:
    """After everything that belongs to the goal before it."""
    level = len(source.line(last)) - len(source.line(last).lstrip("#"))
    ends = [mark.line for mark in headings(source.text) if mark.line > last and mark.level <= level]
    end = min(ends, default=len(source.lines) + 1) - 1
    while end > last and not source.line(end).strip():
        end -= 1
    about = f"\n\n{line.about}" if line.about else ""
    return Edit(
        end, None, f"\n{'#' * level} {line.label.title()} {line.number}: {line.name}{about}"
    )


def _placed(
    source: Source, title: str, items: Sequence[tuple[int, int]], new: Sequence[tuple[int, str]]
) -> list[Edit]:
    """Each after the last item with a smaller number, or before all others; all into a section
    without items.
    """
    if not items:
        return [_into_section(source, title, "\n".join(text for _, text in new))] if new else []
    return [Edit(_place(source, items, number), None, text) for number, text in new]


def _place(source: Source, items: Sequence[tuple[int, int]], number: int) -> int:
    before = [line for known, line in items if known < number]
    return _end_of_item(source, max(before)) if before else min(line for _, line in items) - 1


def _end_of_item(source: Source, number: int) -> int:
    """An item goes on over the lines that belong to it: indented ones, even behind blank lines, and
    wrapped ones.
    """
    lines = source.text.split("\n")
    indent = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    end, blank = number, False
    for place, line in enumerate(lines[number:], number + 1):
        deeper = len(line) - len(line.lstrip()) > indent
        if not line.strip():
            blank = True
        elif deeper or (
            not blank and not line.lstrip().startswith(_STARTS) and not line.lstrip()[:1].isdigit()
        ):
            end, blank = place, False
        else:
            break
    return end


def _into_section(source: Source, title: str, line: str) -> Edit:
    found = find_section(source.text, title.casefold())
    if found is None:
        return Edit(len(source.lines), None, f"\n## {title}\n\n{line}")
    heading = source.text.count("\n", 0, found[0]) + 1
    body = source.text[found[1] : found[2]].split("\n")
    filled = [heading + place for place, text in enumerate(body, 1) if text.strip()]
    if not filled:
        return Edit(heading, None, f"\n{line}" if not body[0] and len(body) > 1 else f"\n{line}\n")
    if len(filled) == 1 and _HINT.fullmatch(source.line(filled[0])):
        return Edit(filled[0], source.line(filled[0]), line)
    return Edit(filled[-1], None, f"\n{line}")
