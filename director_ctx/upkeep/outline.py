"""A plan as an outline: headings and lists of Markdown read as goals, steps and tasks.

Nothing is written here. Every mistake is found at once, each with its line.
"""

from __future__ import annotations

import re

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import headings, outside_code
from director_ctx.upkeep.templates import checked_name, checked_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

GOAL, STEP, TASK = "goal", "step", "task"
KINDS = (GOAL, STEP, TASK)
HINT = "`# Goal`, `## Step` and `- [ ] task`, or a list with three levels; `--` before what it is about."

_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<text>.*)")
_BOX = re.compile(r"\[(?P<mark>.)\][ \t]+(?P<text>.*)")
_LABEL = re.compile(r"(?P<kind>goal|step|task)[ \t]*\d*[ \t]*:[ \t]*(?P<name>.*)", re.IGNORECASE)
_ABOUT = re.compile(r"[ \t]+(?:--|\u2014|\u2013)[ \t]+")
_NEEDS = re.compile(r"\W*needs(?: first)?\W*:\W*(?P<text>.*)", re.IGNORECASE)


class OutlineEntry(Record):
    """One goal, step or task of an outline."""

    kind: str
    name: str
    line: int
    about: str = ""
    needs: str = ""
    boxed: bool = False
    done: bool = False


class Outline(Record):
    """The entries in their order: what stands below a goal is its own until the next goal."""

    entries: tuple[OutlineEntry, ...]


def read_outline(text: str) -> Outline:
    """The outline, or every mistake in it with its line."""
    reading = _OutlineReading(_levels(text))
    for number, _, line in outside_code(text):
        reading.take(number, line.rstrip("\n"))
    reading.end()
    mistakes = sorted((*reading.mistakes, *_misplaced(reading.entries)))
    if mistakes:
        each = tuple(f"line {number}: {says}" for number, says in mistakes)
        raise DctxError("The outline was not taken", f"An outline is {HINT}", each)
    if not reading.entries:
        raise DctxError("The outline is empty.", f"An outline is {HINT}")
    return Outline(tuple(reading.entries))


def _levels(text: str) -> dict[int, str]:
    """What a heading of each level is. A level above the goals is a title, and in no row."""
    marks = headings(text)
    levels = [mark.level for mark in marks]
    in_use = sorted(set(levels))
    has_list = any(_ITEM.match(line) for _, _, line in outside_code(text))
    # Of three levels above a list the first is the title of it all.
    if len(in_use) == len(KINDS) and has_list and levels.count(in_use[0]) == 1:
        del in_use[0]
    for mark in marks:
        label = _LABEL.match(mark.title)
        if label and label["kind"].casefold() == GOAL:
            in_use = sorted({level for level in levels if level >= mark.level})
            break
    return dict(zip(in_use, KINDS, strict=False))


class _OutlineReading:
    """Where in the outline the next line stands."""

    def __init__(self, levels: dict[int, str]) -> None:
        self.levels = levels
        self.entries: list[OutlineEntry] = []
        self.mistakes: list[tuple[int, str]] = []
        self._below = 0
        """How many kinds are above an item without an indent: 2 below a step's heading."""
        self._indents: list[int] = []
        self._about: list[str] = []
        """What the lines below the newest entry say of it."""
        self._wrong_line = 0

    def take(self, number: int, line: str) -> None:
        if not line.strip():
            return
        item = _ITEM.fullmatch(line)
        if line.startswith("#") and line.lstrip("#")[:1] in (" ", "\t"):
            self._heading(number, line)
        elif item:
            self._item(number, item["indent"], item["text"])
        else:
            self._more(number, line.strip())

    def _heading(self, number: int, line: str) -> None:
        level = len(line) - len(line.lstrip("#"))
        self._indents = []
        kind = self.levels.get(level)
        if kind:
            self._below = KINDS.index(kind) + 1
            self._add(number, kind, line.strip("# \t"))
        elif self.entries:
            self.mistakes.append((number, "a heading deeper than a task's"))

    def _item(self, number: int, indent: str, text: str) -> None:
        width = len(indent.expandtabs(4))
        while self._indents and width <= self._indents[-1]:
            self._indents.pop()
        depth = self._below + len(self._indents)
        self._indents.append(width)
        if depth < len(KINDS):
            self._add(number, KINDS[depth], text)
        else:
            self.mistakes.append((number, "it stands below a task, and nothing can"))

    def _add(self, number: int, kind: str, text: str) -> None:
        box = _BOX.fullmatch(text)
        mark = ""
        if box:
            text = box["text"]
            mark = box["mark"]
        text = text.replace("**", "").strip()
        label = _LABEL.fullmatch(text)
        if label:
            text = label["name"]
        self.end()
        name, *about = _ABOUT.split(text, maxsplit=1)
        entry = OutlineEntry(kind, name.strip(), number, boxed=bool(box), done=mark in ("x", "X"))
        self.entries.append(entry)
        self._about = [part.strip() for part in about]

    def _more(self, number: int, text: str) -> None:
        """A line of text tells more of the entry above it; before the first it is an introduction."""
        if not self.entries:
            return
        needs = _NEEDS.fullmatch(text)
        if needs:
            needed = needs["text"].rstrip("*").strip()
            self.entries[-1] = self.entries[-1].replace(needs=needed)
        else:
            self._about.append(text)
        # By itself, so that a mistake has its line, and a long text is looked at once.
        if _mistake(OutlineEntry(TASK, "a line", number, about=text)):
            self._wrong_line = self._wrong_line or number

    def end(self) -> None:
        """The newest entry has all its lines: they are one text."""
        if not self.entries:
            return
        entry = self.entries[-1].replace(about=" ".join(self._about).strip())
        self.entries[-1] = entry
        says = _mistake(entry)
        if says:
            self.mistakes.append((self._wrong_line or entry.line, says))
        self._wrong_line = 0


def _mistake(entry: OutlineEntry) -> str:
    """What is wrong with the texts of an entry, if anything."""
    try:
        checked_name(entry.name)
        checked_text("what stands below it", entry.about or None)
        checked_text("what it needs", entry.needs or None)
    except UsageProblem as problem:
        return problem.message.rstrip(".")
    return ""


def _misplaced(entries: Sequence[OutlineEntry]) -> list[tuple[int, str]]:
    """What lacks the goal or step that it would belong to, and names that stand twice below the same one: the second
    would be taken for the first.
    """
    mistakes: list[tuple[int, str]] = []
    lines: dict[tuple[str, ...], int] = {}
    above: dict[str, str] = {}
    for index, entry in enumerate(entries):
        depth = KINDS.index(entry.kind)
        for kind in KINDS[depth:]:
            above.pop(kind, None)
        if depth and KINDS[depth - 1] not in above:
            mistakes.append((entry.line, f"a {entry.kind} needs a {KINDS[depth - 1]} above it"))
        has_task = any(one.kind == TASK for one in entries[index + 1 : index + 2])
        # A box is a task's; in a flat list below a goal the step was forgotten.
        if entry.kind == STEP and entry.boxed and not has_task:
            mistakes.append((entry.line, "a task needs a step above it"))
        above[entry.kind] = entry.name.casefold()
        first = lines.setdefault((entry.kind, *above.values()), entry.line)
        if first != entry.line:
            mistakes.append((entry.line, f"the same {entry.kind} as in line {first}"))
    return mistakes
