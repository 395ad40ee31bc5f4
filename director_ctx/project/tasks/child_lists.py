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
    names: dict[int, str] = {}
    for line in listed_units(gameplan, "goals", "goal"):
        if not line.placeholder:
            names.setdefault(line.number, line.name)
    return sorted(names.items())


def listed_children(text: str, label: str) -> list[Listed]:
    """What a document lists of its goals, steps or tasks."""
    if label == "task":
        return [Listed(line.number, line.title, line.line) for line in step_lines(text)]
    return listed_units(text, f"{label}s", label)


def listed_units(text: str, section: str, label: str) -> list[Listed]:
    """Every goal or step in the section's list, then those that are headings."""
    lines = _lines_of(text, section)
    if label == "goal":
        # Some write a heading for each goal, anywhere in the plan.
        for heading in headings(text):
            lines.append((heading.line, heading.title))

    items: list[Listed] = []
    for number, line in lines:
        item = _listed(line, number, label)
        if item:
            items.append(item)
    return items


def _lines_of(text: str, section: str) -> list[tuple[int, str]]:
    """The lines of a section outside code, with their numbers; none where there is no such section."""
    position = find_section(text, section)
    if position is None:
        return []
    _, body, end = position
    lines: list[tuple[int, str]] = []
    for number, start, line in outside_code(text):
        if body <= start < end:
            lines.append((number, line))
    return lines


def lookalike(
    text: str,
    section: str,
    label: str,
    number: int,
    name: str,
) -> int:
    """The line of a list that seems to mean this unit and cannot be read; 0 if there is none."""
    reference = (label, str(number))
    for line_number, line in _lines_of(text, section):
        if not _is_item(line.strip()):
            continue
        lowered = line.casefold()
        is_telling = len(name) > SHORT
        if is_telling and name.casefold() in lowered:
            return line_number
        lowered = lowered.replace("*", "")
        words = lowered.replace(":", " ").replace(".", " ").split()
        if reference in zip(words, words[1:], strict=False):
            return line_number
    return 0


def _is_item(line: str) -> bool:
    """Whether a line is an item of any list, or a row of a table."""
    first_word, _, _ = line.partition(" ")
    mark, _, _ = first_word.partition("\t")
    if mark in ("-", "*", "+", "|") or line.startswith("["):
        return True
    number = mark[:-1]
    return number.isdigit() and mark.endswith((".", ")"))


def _listed(line: str, line_number: int, label: str) -> Listed | None:
    bare = line.replace("*", "").strip()
    bare = bare.lstrip("#-+ \t")
    bare = bare.lstrip("0123456789").lstrip(".) ")
    has_box = bare[:1] == "[" and bare[2:3] == "]"
    if has_box:
        bare = bare[3:].strip()

    head, colon, rest = bare.partition(":")
    words = head.split()
    if not colon or len(words) != 2:
        return None
    unit, digits = words
    number = _number(digits)
    if unit.casefold() != label or number is None:
        return None

    # Behind a dash stands what the unit is about.
    rest = rest.strip().replace(" \u2014 ", " -- ")
    name, _, _ = rest.partition(" -- ")
    name = name.strip()
    if not name:
        return None
    is_placeholder = name[0] == "[" and name[-1] == "]"
    return Listed(number, name, line_number, is_placeholder)


def _number(digits: str) -> int | None:
    """No folder's number is longer than nine digits; neither is what a list says."""
    if not (digits.isascii() and digits.isdigit()):
        return None
    return int(digits[:9])


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
    lines: list[StepLine] = []
    for number, line in _lines_of(text, "tasks"):
        parsed = _step_line(line, number)
        if parsed:
            lines.append(parsed)
    return lines


def _step_line(line: str, number: int) -> StepLine | None:
    """`- [ ] Task 2: Name` in any list, also as a link, and without a box where there is none to
    tick.
    """
    text = line.strip()
    rest = text.lstrip("-*+ \t")
    if rest[:1].isdigit():
        rest = rest.lstrip("0123456789")
        rest = rest.lstrip(".) \t")

    mark = ""
    has_box = rest.startswith("[") and rest[2:3] == "]"
    if has_box:
        mark = rest[1]
        rest = rest[3:]
    elif rest == text:
        # Neither an item of a list nor a box.
        return None

    bare = rest.replace("*", "").strip().removeprefix("[")
    reference = _task_reference(bare, has_box)
    if reference is None:
        return None
    task_number, title = reference
    return StepLine(mark, task_number, title, number, text)


def _task_reference(text: str, has_box: bool) -> tuple[int, str] | None:
    """The number and the title in `Task 2: Name`."""
    label, colon, title = text.partition(":")
    words = label.split()
    if len(words) < 2:
        return None
    unit, digits, *others = words
    # Without a box it has to be `Task 2:` to the letter; a sentence may begin with the words.
    is_exact = bool(colon) and not others
    if not has_box and not is_exact:
        return None
    number = _number(digits.rstrip("."))
    if unit.casefold() != "task" or number is None:
        return None

    # Of a link only what it shows; without a colon the words behind the number.
    shown, _, _ = title.strip().partition("](")
    return number, shown or " ".join(others)
