"""Which documents and names a change of the plan touches, and what each says afterwards."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import partial

from director_ctx.base.record import Record
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.standing import standing
from director_ctx.upkeep.arranging.lists import Changes, relisted, taken_part, with_part
from director_ctx.upkeep.arranging.numbers import renumbering
from director_ctx.upkeep.arranging.places import (
    GAMEPLAN,
    LABELS,
    children,
    document_of,
    every_unit,
    parent_of,
    place_at,
    ref_of,
)
from director_ctx.upkeep.arranging.texts import (
    with_current,
    with_name,
    with_needs,
    with_number,
    with_progress,
)
from director_ctx.upkeep.records.source import Edit
from director_ctx.upkeep.rewrite import would_change
from director_ctx.upkeep.slug import slug
from director_ctx.upkeep.sync import STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Place, Step, Task
    from director_ctx.upkeep.arranging.numbers import Moved, Ref
    from director_ctx.upkeep.arranging.texts import Names
    from director_ctx.upkeep.records.source import Source
    from director_ctx.upkeep.rewrite import Rewrite, WriteFailure

NO_NAMES: dict[Ref, tuple[str, str]] = {}


class Change(Record):
    """What is asked for: other numbers, other names."""

    moved: Moved
    names: Names = NO_NAMES


class Renaming(Record):
    """A file or folder that gets another name or parent."""

    old: str
    new: str


def renamings(project: Project, change: Change) -> list[Renaming]:
    """Only what is renumbered or renamed itself; whatever is below it goes with it."""
    places = {ref_of(place): place for place in every_unit(project)}
    renamed: list[Renaming] = []
    for ref, place in places.items():
        now = change.moved.now(ref)
        if now is None or (ref not in change.moved.entries and ref not in change.names):
            continue
        folder = f"{FOLDER}/goals"
        parent = places.get(now[:-1])
        if parent:
            folder = f"{parent.step.path}/tasks" if parent.step else parent.goal.path
        name = new_name(place.units[-1], now[-1], change.names.get(ref))
        if place.task:
            name += ".done.md" if place.task.done else ".md"
        if place.units[-1].path != f"{folder}/{name}":
            renamed.append(Renaming(place.units[-1].path, f"{folder}/{name}"))
    return renamed


def new_name(unit: Goal | Step | Task, number: int, names: tuple[str, str] | None) -> str:
    """The name on disk with its new number, and with the words of its new name."""
    rest = unit.name.lstrip("0123456789")
    width = len(unit.name) - len(rest)
    if names:
        rest = f"-{slug(names[1])}"
    return f"{number:0{width}}{rest}"


def rewritten(project: Project, change: Change) -> tuple[list[Rewrite], list[WriteFailure]]:
    """Every document that says something else afterwards, by its path before."""
    goal = standing(project).numbers.get("goal", 0)

    def gameplan(text: str) -> str:
        text = relisted(text, _children(project, None, change))
        return with_current(text, change.moved, change.names, goal)

    def state(text: str) -> str:
        text = with_progress(text, change.moved, change.names)
        return with_current(text, change.moved, change.names, goal)

    texts: dict[str, Callable[[str], str]] = {GAMEPLAN: gameplan, STATE: state}
    for place in every_unit(project):
        if change.moved.now(ref_of(place)) is not None:
            texts[document_of(place)] = partial(_unit, project, place, change)

    rewrites: list[Rewrite] = []
    failed: list[WriteFailure] = []
    for path, transform in texts.items():
        changed, unchangeable = would_change(project, path, partial(_edits, transform))
        rewrites += changed
        failed += unchangeable
    return rewrites, failed


def _edits(transform: Callable[[str], str], source: Source) -> list[Edit]:
    return edits_to(source, transform(source.text))


def _unit(project: Project, place: Place, change: Change, text: str) -> str:
    """The unit's own document: its heading, what it needs, and its list."""
    old = ref_of(place)
    new = change.moved.now(old)
    assert new
    label = LABELS[len(old)]
    if old[-1] != new[-1]:
        text = with_number(text, label, old[-1], new[-1])
    if old in change.names:
        text = with_name(text, label, new[-1], change.names[old][1])
    if place.step:
        text = with_needs(text, old, new, change.moved)
    if place.task is None:
        text = relisted(text, _children(project, place, change))
        for ref, now in change.moved.entries.items():
            if now is not None and now[:-1] == old != ref[:-1]:
                lines = _lines_of(project, change, ref, now)
                text = with_part(text, LABELS[len(now)], now[-1], lines)
    return text


def _children(project: Project, parent: Place | None, change: Change) -> Changes:
    """What becomes of a parent's children."""
    ref = ref_of(parent) if parent else ()
    names = {old[-1]: both for old, both in change.names.items() if old[:-1] == ref}
    numbers = renumbering(change.moved, ref)
    on_disk: dict[int, tuple[str, str]] = {}
    for unit in children(project, parent):
        number = numbers.get(unit.number) or unit.number
        on_disk[unit.number] = (unit.name, new_name(unit, number, names.get(unit.number)))
    return Changes(LABELS[len(ref) + 1], numbers, names, on_disk)


def _lines_of(project: Project, change: Change, old: Ref, new: Ref) -> list[str]:
    """The lines of one that comes from another parent, as they stood in its list; else a new line."""
    origin = place_at(project, old)
    assert origin
    parent = parent_of(origin)
    changes = _children(project, parent, change)
    numbers = {**changes.numbers, old[-1]: new[-1]}
    document = project.text(document_of(parent))
    lines = taken_part(document, changes.replace(numbers=numbers), old[-1])
    if lines:
        return lines
    title = project.title(origin.units[-1])
    if origin.task is None:
        return [f"{new[-1]}. **Step {new[-1]}: {title}**"]
    box = "[x]" if origin.task.done else "[ ]"
    return [f"- {box} Task {new[-1]}: {title}"]


def edits_to(source: Source, text: str) -> list[Edit]:
    """The edits of single lines that make a document say a text."""
    if not source.lines:
        return [Edit(0, None, text)] if text else []
    old = source.text.split("\n")
    new = text.split("\n")
    edits: list[Edit] = []
    for kind, start, end, new_start, new_end in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            continue
        added = new[new_start:new_end]
        if kind == "insert":
            edits.append(Edit(start, None, "\n".join(added)))
            continue
        last = end - start - 1
        for offset in range(end - start):
            line = start + offset + 1
            replacement: str | None = None
            if offset < len(added):
                replacement = added[offset]
            if offset == last and len(added) > last:
                replacement = "\n".join(added[offset:])
            edits.append(Edit(line, source.line(line), replacement))
    return edits
