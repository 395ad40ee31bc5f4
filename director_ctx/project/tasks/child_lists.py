"""What a parent lists as its children: goals in GAMEPLAN.md, steps in GOAL.md, tasks in STEP.md."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import find_section, headings, outside_code

SHORT = 3
"""A name this short may stand in a line by chance."""


class Listed(Record):
    """`1. **Step 1: NAME** -- DESC` in a list, or a heading `Goal 1: NAME`."""

    number: int
    name: str
    line: int
    placeholder: bool = False
    """A name in brackets: a template's, unless there is a folder of that number."""


def listed_goals(gameplan: str) -> list[tuple[int, str]]:
    """The goals that GAMEPLAN lists, by number."""
    found: dict[int, str] = {}
    for one in listed(gameplan, "goals", "goal"):
        if not one.placeholder:
            found.setdefault(one.number, one.name)
    return sorted(found.items())


def listed(text: str, section: str, label: str) -> list[Listed]:
    """Every goal or step in the section's list, then those that are headings."""
    found = find_section(text, section)
    lines = [(n, line) for n, at, line in outside_code(text) if found and found[1] <= at < found[2]]
    lines += [(mark.line, mark.title) for mark in headings(text) if label == "goal"]
    return [one for number, line in lines if (one := _listed(line, number, label))]


def lookalike(text: str, section: str, label: str, number: int, name: str) -> int:
    """The line of a list that seems to mean this unit and cannot be read; 0 if there is none."""
    found = find_section(text, section)
    for line_number, start, line in outside_code(text):
        if found and found[1] <= start < found[2] and _is_item(line.strip()):
            words = line.casefold().replace("*", "").replace(":", " ").replace(".", " ").split()
            pairs = list(zip(words, words[1:], strict=False))
            if (label, str(number)) in pairs or (
                len(name) > SHORT and name.casefold() in line.casefold()
            ):
                return line_number
    return 0


def _is_item(line: str) -> bool:
    """Whether a line is an item of any list, or a row of a table."""
    mark = line.partition(" ")[0].partition("\t")[0]
    return (
        mark in ("-", "*", "+", "|")
        or (mark[:-1].isdigit() and mark[-1] in ".)")
        or line.startswith("[")
    )


def _listed(line: str, line_number: int, label: str) -> Listed | None:
    bare = line.replace("*", "").strip().lstrip("#-+ \t").lstrip("0123456789").lstrip(".) ")
    bare = bare[3:].strip() if bare[:1] == "[" and bare[2:3] == "]" else bare
    head, colon, rest = bare.partition(":")
    words = head.split()
    if (
        not colon
        or len(words) != 2
        or words[0].casefold() != label
        or not (words[1].isascii() and words[1].isdigit())
    ):
        return None
    name = rest.strip().replace(" \u2014 ", " -- ").partition(" -- ")[0].strip()
    return (
        Listed(int(words[1][:9]), name, line_number, name[0] == "[" and name[-1] == "]")
        if name
        else None
    )


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
    inside = (
        (number, line) for number, start, line in outside_code(text) if found[1] <= start < found[2]
    )
    return [parsed for number, line in inside if (parsed := _step_line(line, number))]


def _step_line(line: str, number: int) -> StepLine | None:
    """`- [ ] Task 2: Name` in any list, also as a link, and without a box where there is none to
    tick.
    """
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
