"""The task list of a STEP, read the one way that everybody reads it."""

from __future__ import annotations

from director_ctx.folder.markdown import find_section, outside_code
from director_ctx.record import Record


class StepLine(Record):
    """One line of a STEP's task list: `- [x] Task 2: Name -- DONE`."""

    mark: str
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
    rest = line.strip().lstrip("-*+ ")
    if not rest.startswith("[") or rest[2:3] != "]":
        return None
    label, _, title = rest[3:].replace("*", "").partition(":")
    words = label.split()
    if len(words) < 2 or words[0].casefold() != "task" or not (words[1].isascii() and words[1].isdigit()):
        return None
    return StepLine(rest[1], int(words[1][:9]), title.strip() or " ".join(words[2:]), number, line.strip())
