"""Where the records say something else than the file names, which are the only reliable record: every line that
`dctx doctor --fix` would write, and every child that has no line, or no file.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.tasks.child_lists import listed_children, lookalike
from director_ctx.upkeep.records.lines import heading_line
from director_ctx.upkeep.records.source import source_of
from director_ctx.upkeep.sync import GAMEPLAN, every_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Step, Task

SYNC = "`dctx doctor --fix` writes what the files say"
LIST = "`dctx doctor --fix` adds the line"
MOST_NAMED = 5


class Mismatch(Record):
    """One statement that the files contradict, and what to do about it."""

    path: str
    line: int
    says: str
    files_say: str
    advice: str = SYNC
    unlisted: bool = False
    """Whether something is there that its parent does not list."""


class Parent(Record):
    """A document that lists children, and the children that there are."""

    path: str
    label: str
    """What each of them is: goal, step or task."""
    units: tuple[Goal | Step | Task, ...]

    @property
    def section(self) -> str:
        return f"{self.label}s"


def parents(project: Project) -> Iterator[Parent]:
    yield Parent(GAMEPLAN, "goal", project.goals())
    for goal in project.goals():
        yield Parent(f"{goal.path}/GOAL.md", "step", project.steps(goal))
        for step in project.steps(goal):
            yield Parent(f"{step.path}/STEP.md", "task", project.tasks(step))


def mismatches(project: Project) -> list[Mismatch]:
    """Every disagreement. A document that lists none of its children is no contradiction."""
    found: list[Mismatch] = []
    for path, edits in every_record(project):
        text = project.text(path)
        for edit in edits(source_of(text)) if text else ():
            old = _on_one_line(edit.old)
            new = _on_one_line(edit.new)
            field, colon, _ = old.partition(":")
            # `Status: Complete. The files say: In progress`
            if colon and field[0].isalpha():
                new = new.removeprefix(f"{field}: ")
            found.append(Mismatch(plain(path), edit.line, old or "something is missing", new))
    for parent in parents(project):
        found += _without_a_file(project, parent)
        found += _without_a_line(project, parent)
    return found


def _on_one_line(text: str | None) -> str:
    lines = (text or "").replace("**", "").strip().split("\n")
    return plain(" / ".join(filter(None, map(str.strip, lines))))


def _without_a_file(project: Project, parent: Parent) -> Iterator[Mismatch]:
    label = parent.label
    has_file = {unit.number for unit in parent.units}
    # A plan may list its goals before any of them has a folder.
    if label == "goal" and not has_file:
        return
    for line in listed_children(project.text(parent.path), label):
        if line.number in has_file or line.placeholder:
            continue
        # A number that is listed twice is told of once.
        has_file.add(line.number)
        yield Mismatch(
            path=plain(parent.path),
            line=line.line,
            says=f"lists {label} {line.number} ({plain(line.name)})",
            files_say="it has no file" if label == "task" else "it has no folder",
            advice=f"Make it with `dctx add {label}`, or take it off the list.",
        )


def _without_a_line(project: Project, parent: Parent) -> Iterator[Mismatch]:
    """Children that are not listed where others are."""
    text = project.text(parent.path)
    known = {line.number for line in listed_children(text, parent.label)}
    for unit in parent.units if known else ():
        if unit.number not in known:
            known.add(unit.number)
            kind = "file" if parent.label == "task" else "folder"
            there = f"{parent.label} {unit.number} has a {kind} ({plain(unit.name)})"
            yield _unlisted(project, parent, f"does not list every {parent.label}", there, unit)


def empty_lists(project: Project) -> Iterator[Mismatch]:
    """Documents that have a place for their children, and list none of them."""
    for parent in parents(project):
        text = project.text(parent.path)
        lines = listed_children(text, parent.label)
        # A task goes into STEP.md whether there is a place for it or not.
        has_place = bool(text) if parent.label == "task" else heading_line(text, parent.section)
        if parent.units and has_place and all(line.placeholder for line in lines):
            names = ", ".join(plain(unit.name) for unit in parent.units[:MOST_NAMED])
            there = f"there are {len(parent.units)} ({names})"
            yield _unlisted(project, parent, f"lists no {parent.label}", there, parent.units[0])


def _unlisted(
    project: Project, parent: Parent, says: str, there: str, unit: Goal | Step | Task
) -> Mismatch:
    text = project.text(parent.path)
    line = looks_listed(project, text, parent, unit)
    advice = LIST
    if line:
        form = "- [ ] Task" if parent.label == "task" else f"{unit.number}. {parent.label.title()}"
        advice = f"This line may be meant; write it as '{form} {unit.number}: NAME'"
    line = line or heading_line(text, parent.section)
    return Mismatch(plain(parent.path), line, says, there, advice, unlisted=True)


def looks_listed(project: Project, text: str, parent: Parent, unit: Goal | Step | Task) -> int:
    """The line of a parent's text that seems to be about a child and cannot be read; 0 if there is none."""
    return lookalike(text, parent.section, parent.label, unit.number, project.title(unit))


def not_listed(project: Project, text: str, parent: Parent) -> Sequence[Goal | Step | Task]:
    """The children that no line is about, nor seems to be; none where there is no place for them."""
    known = {line.number for line in listed_children(text, parent.label)}
    if not known and parent.label != "task" and not heading_line(text, parent.section):
        return ()
    return [
        unit
        for unit in parent.units
        if unit.number not in known and not looks_listed(project, text, parent, unit)
    ]
