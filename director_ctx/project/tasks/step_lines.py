"""The task list of a STEP, read the one way that everybody reads it."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import find_section, outside_code


class StepLine(Record):
    """One line of a STEP's task list: `- [x] Task 2: Name -- DONE`."""

    mark: str
    """What is in its box; empty where it has none."""
    number: int
    title: str
    line: int
    text: str


def step_lines(text: str) -> list[StepLine]:
    """The checkbox lines of a STEP's Tasks section, whatever their dashes and suffixes."""
    found = find_section(text, "tasks")
    if found is None:
        return []
    inside = ((number, line) for number, start, line in outside_code(text) if found[1] <= start < found[2])
    return [parsed for number, line in inside if (parsed := _step_line(line, number))]


def _step_line(line: str, number: int) -> StepLine | None:
    """`- [ ] Task 2: Name` in any list, also as a link, and without a box where there is none to tick."""
    text = line.strip()
    rest = text.lstrip("-*+ \t")
    rest = rest.lstrip("0123456789").lstrip(".) \t") if rest[:1].isdigit() else rest
    mark = ""
    if rest.startswith("[") and rest[2:3] == "]":
        mark, rest = rest[1], rest[3:]
    elif rest == text:
        return None
    label, colon, title = rest.replace("*", "").strip().removeprefix("[").partition(":")
    words = label.split()
    if len(words) < 2 or words[0].casefold() != "task" or not (mark or (colon and len(words) == 2)):
        return None
    digits = words[1].rstrip(".")
    if not (digits.isascii() and digits.isdigit()):
        return None
    name = title.strip().partition("](")[0] or " ".join(words[2:])
    return StepLine(mark, int(digits[:9]), name, number, text)
