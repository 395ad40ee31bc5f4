"""The documents themselves: a unit's own heading, its Needs First, and the progress that STATE tells."""

from __future__ import annotations

import re
from functools import partial

from director_ctx.project.reading.markdown import find_section, headings
from director_ctx.upkeep.arranging.lists import other_name, renumbered
from director_ctx.upkeep.arranging.needs_text import needs_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from director_ctx.upkeep.arranging.numbers import Moved, Ref

    Names = Mapping[Ref, tuple[str, str]]
    """By the old reference, the old name and the new one."""

_TITLE = re.compile(
    r"(?P<label>#+\s+(?:(?:Goal|Step|Task)\b[ \t]*\d*[ \t]*:[ \t]*)?)", re.IGNORECASE
)
_GOAL = re.compile(r"#{3,6}\s+\**Goal\s+(?P<number>\d{1,9})\b", re.IGNORECASE)
_STEP = re.compile(
    r"(?P<indent>\s*)[-*+]\s+(?:\[.\]\s+)?\**Step\s+(?P<number>\d{1,9})\b", re.IGNORECASE
)
_NUMBERED = re.compile(r"\b(?P<label>(?:Goal|Step)\s+)(?P<number>\d{1,9})\b", re.IGNORECASE)
_FIELDS = ("current goal", "current step", "current task", "next up")


def with_number(text: str, label: str, old: int, new: int) -> str:
    """The unit's own heading with another number, where it has one."""
    return _with_title(text, lambda line: renumbered(line, label, old, new))


def with_name(text: str, label: str, number: int, name: str) -> str:
    """The unit's own heading with another name; made where there is none."""
    if not headings(text):
        return f"# {label.title()} {number}: {name}\n\n{text}"

    def renamed(line: str) -> str:
        title = _TITLE.match(line)
        assert title
        return f"{title['label']}{name}"

    return _with_title(text, renamed)


def _with_title(text: str, change: Callable[[str], str]) -> str:
    marks = headings(text)
    if not marks:
        return text
    lines = text.split("\n")
    index = marks[0].line - 1
    lines[index] = change(lines[index])
    return "\n".join(lines)


def with_needs(text: str, old: Ref, new: Ref, moved: Moved) -> str:
    """The document with a Needs First that names the same units as before."""
    section = find_section(text, "needs first")
    if section is None:
        return text
    _, start, end = section
    said = text[start:end]
    body = said.strip("\n")
    again = needs_after(body, old, new, moved)
    if again == body:
        return text
    before, _, after = said.partition(body)
    return f"{text[:start]}{before}{again}{after}{text[end:]}"


def with_progress(text: str, moved: Moved, names: Names) -> str:
    """STATE's Progress: the goals and steps that it lists under their numbers and names now."""
    section = find_section(text, "progress")
    if section is None:
        return text
    _, start, end = section
    reading = _ProgressLine(moved, names)
    for line in text[start:end].split("\n"):
        reading.take(line)
    return text[:start] + "\n".join(reading.lines) + text[end:]


class _ProgressLine:
    """The section's lines as they are afterwards, one after the other."""

    def __init__(self, moved: Moved, names: Names) -> None:
        self.moved = moved
        self.names = names
        self.lines: list[str] = []
        self._goal: tuple[int, ...] = ()
        self._gone_level = 0
        """Of the heading whose goal is gone, with everything below it."""
        self._gone_indent = -1
        """Of the step that is gone, with what is indented deeper."""

    def take(self, line: str) -> None:
        step = _STEP.match(line)
        indent = len(line) - len(line.lstrip())
        if line.startswith("#"):
            line = self._heading(line)
        elif step and self._goal:
            line = self._step(line, (*self._goal, int(step["number"])), indent)
        elif line.strip() and indent <= self._gone_indent:
            self._gone_indent = -1
        if not self._gone_level and self._gone_indent < 0:
            self.lines.append(line)

    def _heading(self, line: str) -> str:
        """A step that is gone ends here, and a goal that is gone where its heading was no larger."""
        level = len(line) - len(line.lstrip("#"))
        self._gone_indent = -1
        if level <= self._gone_level:
            self._gone_level = 0
        head = _GOAL.match(line)
        if head is None:
            return line

        self._goal = (int(head["number"]),)
        if self.moved.now(self._goal) is None:
            self._gone_level = level
        return _renewed(line, "Goal", self._goal, self.moved, self.names)

    def _step(self, line: str, ref: Ref, indent: int) -> str:
        now = self.moved.now(ref)
        self._gone_indent = -1
        # One that went to another goal is told of there, once something of it is done.
        if now is None or now[:1] != self.moved.now(self._goal):
            self._gone_indent = indent
        return _renewed(line, "Step", ref, self.moved, self.names)


def _renewed(line: str, label: str, ref: Ref, moved: Moved, names: Names) -> str:
    now = moved.now(ref)
    if now is not None:
        line = renumbered(line, label, ref[-1], now[-1])
    if ref in names:
        line = other_name(line, label, *names[ref])
    return line


def with_current(text: str, moved: Moved, names: Names, goal: int) -> str:
    """The fields that say what is current, in the numbers and names of now. Without a goal that is
    current, `goal` is 0.
    """
    lines: list[str] = []
    for line in text.split("\n"):
        bare = line.replace("*", "").strip(" -\t").casefold()
        again = line
        if bare.startswith(_FIELDS):
            again = _current_names(line, bare, names)
            again = _NUMBERED.sub(lambda match: _current_number(match, moved, goal), again)
        lines.append(again)
    return "\n".join(lines)


def _current_names(line: str, bare: str, names: Names) -> str:
    """With the new name where the old one stands alone: a short one may be a part of other words."""
    field, colon, value = line.partition(":")
    for ref, (old, new) in names.items():
        own_field = _FIELDS[len(ref) - 1]
        if not bare.startswith((own_field, _FIELDS[-1])):
            continue
        unit = r"(?P<unit>\b(?:Goal|Step|Task)\s+\d+)"
        alone = rf"(?<!\w){re.escape(old)}(?!\w)"
        value = re.sub(f"{unit}|{alone}", partial(_unit_or, new), value)
    return f"{field}{colon}{value}"


def _unit_or(new: str, match: re.Match[str]) -> str:
    return match["unit"] or new


def _current_number(match: re.Match[str], moved: Moved, goal: int) -> str:
    ref: tuple[int, ...] = (int(match["number"]),)
    if match["label"].casefold().startswith("step"):
        ref = (goal, *ref)
    now = moved.now(ref)
    # What is gone is current no more: no number is 0, so the record is written anew.
    number = now[-1] if now else 0
    return f"{match['label']}{number}"
