"""A new line where a parent lists its children, in the form of the lines that are there."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import find_section, headings
from director_ctx.project.tasks.child_lists import listed_units, step_lines
from director_ctx.project.templates import STUB
from director_ctx.upkeep.records.source import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.project.reading.model import Task
    from director_ctx.project.tasks.child_lists import StepLine
    from director_ctx.upkeep.records.source import Source

_BULLETS = ("-", "*", "+")
_STARTS = (*_BULLETS, "#", ">", "|", "```", "~~~", "<!--")
_HINT = re.compile(r"\s*_no (goals|steps|tasks) \w+ yet\.?_\s*", re.IGNORECASE)


class ListedChild(Record):
    """What a goal's or step's line says."""

    label: str
    number: int
    name: str
    about: str = ""


def goal_lines(source: Source, lines: Sequence[ListedChild]) -> list[Edit]:
    """Lines in GAMEPLAN.md. A plan with a goal is no template any more, so the template's remark
    goes.
    """
    texts = source.text.split("\n")
    remarks: list[int] = []
    for number, text in enumerate(texts, 1):
        if text.startswith(">") and STUB in text.casefold():
            remarks.append(number)

    blanks: list[int] = []
    for number in remarks:
        # The texts are counted from 0: this is the one behind the remark.
        if number < len(source.lines) and not texts[number].strip():
            blanks.append(number + 1)

    gone = [Edit(number, source.line(number), None) for number in (*remarks, *blanks)]
    return [*gone, *_numbered(source, "Goals", lines)]


def step_lines_of(source: Source, lines: Sequence[ListedChild]) -> list[Edit]:
    """Lines in GOAL.md."""
    return _numbered(source, "Steps", lines)


def task_lines(source: Source, tasks: Sequence[tuple[Task, str]]) -> list[Edit]:
    """Lines in STEP.md, each with its box and name."""
    lines = step_lines(source.text)
    items = [(line.number, line.line) for line in lines]
    new: list[tuple[int, str]] = []
    for task, name in tasks:
        bullet = _bullet(source, lines, task)
        box = "[x]" if task.done else "[ ]"
        new.append((task.number, f"{bullet}{box} Task {task.number}: {name}"))
    return _placed(source, "Tasks", items, new)


def _bullet(source: Source, lines: Sequence[StepLine], task: Task) -> str:
    """What stands before a task's box, as it does in the line of the task before."""
    if not lines:
        return "- "

    neighbour = lines[0]
    for line in lines:
        if line.number < task.number:
            neighbour = line
    sample = source.line(neighbour.line)

    if "[" not in sample:
        return f"{sample[: _indent(sample)]}- "
    bullet = sample.partition("[")[0]
    if bullet.strip()[:1].isdigit():
        return f"{task.number}. "
    return bullet


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _numbered(source: Source, title: str, lines: Sequence[ListedChild]) -> list[Edit]:
    """`2. **Goal 2: NAME** -- DESC`, with the dash and the mark of its neighbours."""
    if not lines:
        return []
    known = listed_units(source.text, title.casefold(), lines[0].label)
    items = [item for item in known if not source.line(item.line).startswith("#")]
    if known and not items:
        return [_as_heading(source, known[-1].line, line) for line in lines]

    neighbour = source.line(items[-1].line) if items else ""
    new = [(line.number, _in_style(neighbour, line)) for line in lines]
    return _placed(source, title, [(item.number, item.line) for item in items], new)


def _in_style(neighbour: str, line: ListedChild) -> str:
    indent = neighbour[: _indent(neighbour)]
    mark = _mark(neighbour, line.number)
    name = _title(line)
    if "**" in neighbour or not neighbour:
        name = f"**{name}**"
    if not line.about:
        return f"{indent}{mark} {name}"
    dash = "\u2014" if " \u2014 " in neighbour else "--"
    return f"{indent}{mark} {name} {dash} {line.about}"


def _mark(neighbour: str, number: int) -> str:
    """What an item begins with: the bullet of its neighbour, or its own number."""
    head = neighbour.lstrip()[:1]
    if head in _BULLETS:
        return head
    if ") " in neighbour[:6]:
        return f"{number})"
    return f"{number}."


def _title(line: ListedChild) -> str:
    return f"{line.label.title()} {line.number}: {line.name}"


def _as_heading(source: Source, last: int, line: ListedChild) -> Edit:
    """After everything that belongs to the goal before it."""
    neighbour = source.line(last)
    level = len(neighbour) - len(neighbour.lstrip("#"))

    end = len(source.lines)
    for mark in headings(source.text):
        if mark.line > last and mark.level <= level:
            end = mark.line - 1
            break
    while end > last and not source.line(end).strip():
        end -= 1

    text = f"\n{'#' * level} {_title(line)}"
    if line.about:
        text += f"\n\n{line.about}"
    return Edit(end, None, text)


def _placed(
    source: Source, title: str, items: Sequence[tuple[int, int]], new: Sequence[tuple[int, str]]
) -> list[Edit]:
    """Each after the last item with a smaller number, or before all others; all into a section
    without items.
    """
    if not new:
        return []
    if items:
        return [Edit(_line_before(source, items, number), None, text) for number, text in new]
    texts = "\n".join(text for _, text in new)
    return [_into_section(source, title, texts)]


def _line_before(source: Source, items: Sequence[tuple[int, int]], number: int) -> int:
    before = [line for known, line in items if known < number]
    if before:
        return _end_of_item(source, max(before))
    first = min(line for _, line in items)
    return first - 1


def _end_of_item(source: Source, number: int) -> int:
    """An item goes on over the lines that belong to it: indented ones, even behind blank lines, and
    wrapped ones.
    """
    lines = source.text.split("\n")
    indent = _indent(lines[number - 1])
    end = number
    behind_blank = False
    for line_number, line in enumerate(lines[number:], number + 1):
        if not line.strip():
            behind_blank = True
            continue
        bare = line.lstrip()
        begins_anew = bare.startswith(_STARTS) or bare[:1].isdigit()
        is_wrapped = not behind_blank and not begins_anew
        if not is_wrapped and _indent(line) <= indent:
            break
        end = line_number
        behind_blank = False
    return end


def _into_section(source: Source, title: str, line: str) -> Edit:
    text = source.text
    section = find_section(text, title.casefold())
    if section is None:
        return Edit(len(source.lines), None, f"\n## {title}\n\n{line}")

    start, body_start, end = section
    heading = text.count("\n", 0, start) + 1
    body = text[body_start:end].split("\n")
    filled: list[int] = []
    for number, body_line in enumerate(body, heading + 1):
        if body_line.strip():
            filled.append(number)

    if not filled:
        has_blank_line = not body[0] and len(body) > 1
        return Edit(heading, None, f"\n{line}" if has_blank_line else f"\n{line}\n")

    last = filled[-1]
    only = source.line(last) if len(filled) == 1 else ""
    if _HINT.fullmatch(only):
        return Edit(last, only, line)
    return Edit(last, None, f"\n{line}")
