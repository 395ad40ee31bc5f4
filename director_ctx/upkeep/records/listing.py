"""A new line where a parent lists its children, in the form of the lines that are there."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import find_section, headings
from director_ctx.project.reading.model import Task
from director_ctx.project.tasks.child_lists import listed_units, step_lines
from director_ctx.project.templates import STUB
from director_ctx.upkeep.records.source import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from director_ctx.project.reading.model import Goal, Step
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


def child_lines(
    source: Source,
    label: str,
    children: Sequence[tuple[Goal | Step | Task, str]],
    about: str = "",
) -> list[Edit]:
    """A line for each of these goals, steps or tasks, with its name; the last may say what it is about."""
    if label == "task":
        return task_lines(
            source, [(unit, name) for unit, name in children if isinstance(unit, Task)]
        )
    lines = [ListedChild(label, unit.number, name) for unit, name in children]
    lines[-1:] = [line.replace(about=about) for line in lines[-1:]]
    return goal_lines(source, lines) if label == "goal" else step_lines_of(source, lines)


def goal_lines(source: Source, lines: Sequence[ListedChild]) -> list[Edit]:
    """Lines in GAMEPLAN.md. A plan with a goal is no template any more, so the template's remark
    goes.
    """
    edits = [Edit(number, source.line(number), None) for number in _template_remarks(source)]
    return [*edits, *_numbered(source, "Goals", lines)]


def _template_remarks(source: Source) -> list[int]:
    """The lines of the template's remark, and the blank lines behind them."""
    texts = source.text.split("\n")
    remarks: list[int] = []
    blanks: list[int] = []
    for number, text in enumerate(texts, 1):
        if not text.startswith(">") or STUB not in text.casefold():
            continue
        remarks.append(number)
        # The texts are counted from 0: this is the one behind the remark.
        if number < len(source.lines) and not texts[number].strip():
            blanks.append(number + 1)
    return [*remarks, *blanks]


def step_lines_of(source: Source, lines: Sequence[ListedChild]) -> list[Edit]:
    """Lines in GOAL.md."""
    return _numbered(source, "Steps", lines)


def task_lines(
    source: Source, tasks: Sequence[tuple[Task, str]], begun: Container[int] = ()
) -> list[Edit]:
    """Lines in STEP.md, each with its box and name. `begun` are the numbers of those that somebody is at."""
    lines = step_lines(source.text)
    items = [(line.number, line.line) for line in lines]
    new: list[tuple[int, str]] = []
    for task, name in tasks:
        bullet = _bullet(source, lines, task)
        box = "[ ]"
        if task.done:
            box = "[x]"
        elif task.number in begun:
            box = "[~]"
        text = f"{bullet}{box} Task {task.number}: {name}"
        new.append((task.number, text))
    return place_lines(source, "Tasks", items, new)


def _bullet(source: Source, lines: Sequence[StepLine], task: Task) -> str:
    """What stands before a task's box, as it does in the line of the task before."""
    if not lines:
        return "- "
    before = [line for line in lines if line.number < task.number]
    sample = source.line((before or lines)[-1 if before else 0].line)
    bullet, has_box, _ = sample.partition("[")
    if not has_box:
        return f"{sample[: _indent(sample)]}- "
    return f"{task.number}. " if bullet.strip()[:1].isdigit() else bullet


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _numbered(source: Source, title: str, lines: Sequence[ListedChild]) -> list[Edit]:
    """`2. **Goal 2: NAME** -- DESC`, with the dash and the mark of its neighbours."""
    if not lines:
        return []
    known = listed_units(source.text, title.casefold(), lines[0].label)
    items = [child for child in known if not source.line(child.line).startswith("#")]
    if known and not items:
        return [_as_heading(source, known[-1].line, line) for line in lines]
    neighbour = source.line(items[-1].line) if items else ""
    new = [(line.number, _in_style(neighbour, line)) for line in lines]
    return place_lines(source, title, [(child.number, child.line) for child in items], new)


def _in_style(neighbour: str, line: ListedChild) -> str:
    """With the bullet of its neighbour, or its own number."""
    mark = f"{line.number}."
    if neighbour.lstrip().startswith(_BULLETS):
        mark = neighbour.lstrip()[0]
    elif ") " in neighbour[:6]:
        mark = f"{line.number})"
    name = _title(line)
    if "**" in neighbour or not neighbour:
        name = f"**{name}**"
    text = f"{neighbour[: _indent(neighbour)]}{mark} {name}"
    if not line.about:
        return text
    dash = "\u2014" if " \u2014 " in neighbour else "--"
    return f"{text} {dash} {line.about}"


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


def place_lines(
    source: Source,
    title: str,
    items: Sequence[tuple[int, int]],
    new: Sequence[tuple[int, str]],
) -> list[Edit]:
    """Each after the last item with a smaller number, or before all others; all into a section
    without items.
    """
    if not new:
        return []
    if not items:
        texts = [text for _, text in new]
        return [_into_section(source, title, "\n".join(texts))]

    edits: list[Edit] = []
    for number, text in new:
        before = [line for known, line in items if known < number]
        after = min(line for _, line in items) - 1
        if before:
            after = end_of_item(source, max(before))
        edits.append(Edit(after, None, text))
    return edits


def end_of_item(source: Source, number: int) -> int:
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
        new = f"\n{line}"
        has_blank_line = not body[0] and len(body) > 1
        if not has_blank_line:
            new = f"{new}\n"
        return Edit(heading, None, new)

    last = filled[-1]
    text_there = source.line(last)
    # The template's sentence that there is nothing yet makes room for the first.
    if len(filled) == 1 and _HINT.fullmatch(text_there):
        return Edit(last, text_there, line)
    return Edit(last, None, f"\n{line}")
