"""A new line where a parent lists its children, in the form of the lines that are there."""

from __future__ import annotations

from director_ctx.folder.listed import listed
from director_ctx.folder.markdown import find_section
from director_ctx.folder.onboarding import STUB, is_italic
from director_ctx.folder.source import Edit
from director_ctx.folder.step_lines import step_lines
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.folder.model import Task
    from director_ctx.folder.source import Source

_BULLETS = ("-", "*", "+")


class Line(Record):
    """What a goal's or step's line says."""

    label: str
    number: int
    name: str
    about: str = ""


def goal_line(source: Source, line: Line) -> list[Edit]:
    """The line in GAMEPLAN.md. A plan with a goal is no template any more, so the template's remark goes."""
    texts = source.text.split("\n")
    stubs = [place for place, text in enumerate(texts, 1) if text.startswith(">") and STUB in text.casefold()]
    blank = [place + 1 for place in stubs if place < len(source.lines) and not texts[place].strip()]
    gone = [Edit(place, source.line(place), None) for place in (*stubs, *blank)]
    return [*gone, _numbered(source, "Goals", line)]


def step_line(source: Source, line: Line) -> list[Edit]:
    """The line in GOAL.md."""
    return [_numbered(source, "Steps", line)]


def task_line(source: Source, task: Task, name: str) -> list[Edit]:
    """The line in STEP.md, with its box."""
    lines = step_lines(source.text)
    before = [line.line for line in lines if line.number < task.number]
    sample = source.line(before[-1] if before else lines[0].line) if lines else "- [ ]"
    line = f"{sample[: sample.index('[')]}[{'x' if task.done else ' '}] Task {task.number}: {name}"
    return [_placed(source, "Tasks", before, [one.line for one in lines], line)]


def _numbered(source: Source, title: str, line: Line) -> Edit:
    """`2. **Goal 2: NAME** -- DESC`, with the dash and the mark of its neighbours."""
    lines = listed(source.text, title.casefold(), line.label)
    neighbour = source.line(lines[-1].line) if lines else ""
    dash = " \u2014 " if " \u2014 " in neighbour else " -- "
    head = neighbour.lstrip()[:1]
    mark = head if head in _BULLETS else f"{line.number})" if ") " in neighbour[:6] else f"{line.number}."
    bold = "**" if "**" in neighbour or not lines else ""
    text = f"{bold}{line.label.title()} {line.number}: {line.name}{bold}" + (
        f"{dash}{line.about}" if line.about else ""
    )
    indent = neighbour[: len(neighbour) - len(neighbour.lstrip())]
    before = [one.line for one in lines if one.number < line.number]
    return _placed(source, title, before, [one.line for one in lines], f"{indent}{mark} {text}")


def _placed(source: Source, title: str, before: Sequence[int], items: Sequence[int], line: str) -> Edit:
    """After the last item with a smaller number, before the first of the others, or into the empty section."""
    if before:
        return Edit(_end_of_item(source, max(before)), None, line)
    if items:
        return Edit(min(items) - 1, None, line)
    return _into_section(source, title, line)


def _end_of_item(source: Source, number: int) -> int:
    """An item goes on over the lines that belong to it."""
    lines = source.text.split("\n")
    while number < len(lines) and lines[number].strip() and lines[number][:1] in " \t":
        number += 1
    return number


def _into_section(source: Source, title: str, line: str) -> Edit:
    found = find_section(source.text, title.casefold())
    if found is None:
        return Edit(len(source.lines), None, f"\n## {title}\n\n{line}")
    heading = source.text.count("\n", 0, found[0]) + 1
    body = source.text[found[1] : found[2]].split("\n")
    filled = [heading + place for place, text in enumerate(body, 1) if text.strip()]
    if not filled:
        return Edit(heading, None, f"\n{line}" if not body[0] and len(body) > 1 else f"\n{line}\n")
    if len(filled) == 1 and is_italic(source.line(filled[0]).strip()):
        return Edit(filled[0], source.line(filled[0]), line)
    return Edit(filled[-1], None, f"\n{line}")
