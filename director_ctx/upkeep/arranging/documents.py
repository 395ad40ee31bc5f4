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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Place, Step, Task
    from director_ctx.upkeep.arranging.numbers import Moved, Ref
    from director_ctx.upkeep.arranging.texts import Names
    from director_ctx.upkeep.records.source import Source
    from director_ctx.upkeep.rewrite import Rewrite, WriteFailure

    Texts = Callable[[str], str]

STATE = f"{FOLDER}/STATE.md"
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
        is_touched = ref in change.moved.entries or ref in change.names
        now = change.moved.now(ref)
        if not is_touched or now is None:
            continue
        parent = places.get(now[:-1])
        old = place.units[-1].path
        new = f"{_folder(parent)}/{_name(place, now, change)}"
        if old != new:
            renamed.append(Renaming(old, new))
    return renamed


def _folder(parent: Place | None) -> str:
    if parent is None:
        return f"{FOLDER}/goals"
    if parent.step:
        return f"{parent.step.path}/tasks"
    return parent.goal.path


def _name(place: Place, now: Ref, change: Change) -> str:
    """The name on disk with its new number, and with the words of its new name."""
    unit = place.units[-1]
    name = new_name(unit, now[-1], change.names.get(ref_of(place)))
    if place.task is None:
        return name
    ending = ".done.md" if place.task.done else ".md"
    return f"{name}{ending}"


def new_name(unit: Goal | Step | Task, number: int, names: tuple[str, str] | None) -> str:
    rest = unit.name.lstrip("0123456789")
    width = len(unit.name) - len(rest)
    if names:
        rest = f"-{slug(names[1])}"
    return f"{number:0{width}}{rest}"


def rewritten(project: Project, change: Change) -> tuple[list[Rewrite], list[WriteFailure]]:
    """Every document that says something else afterwards, by its path before."""
    rewrites: list[Rewrite] = []
    failed: list[WriteFailure] = []
    for path, transform in _documents(project, change):
        edits = partial(_edits, transform=transform)
        changed, unchangeable = would_change(project, path, edits)
        rewrites += changed
        failed += unchangeable
    return rewrites, failed


def _edits(source: Source, transform: Texts) -> list[Edit]:
    return edits_to(source, transform(source.text))


def _documents(project: Project, change: Change) -> Iterator[tuple[str, Texts]]:
    yield GAMEPLAN, _gameplan(project, change)
    yield STATE, _state(project, change)
    for place in every_unit(project):
        stays = change.moved.now(ref_of(place)) is not None
        if stays:
            yield document_of(place), _unit(project, place, change)


def _gameplan(project: Project, change: Change) -> Texts:
    goal = standing(project).numbers.get("goal", 0)

    def transform(text: str) -> str:
        text = relisted(text, _children(project, None, change))
        return with_current(text, change.moved, change.names, goal)

    return transform


def _state(project: Project, change: Change) -> Texts:
    goal = standing(project).numbers.get("goal", 0)

    def transform(text: str) -> str:
        text = with_progress(text, change.moved, change.names)
        return with_current(text, change.moved, change.names, goal)

    return transform


def _unit(project: Project, place: Place, change: Change) -> Texts:
    """The unit's own document: its heading, what it needs, and its list."""
    old = ref_of(place)
    new = change.moved.now(old)
    assert new
    label = LABELS[len(old)]

    def transform(text: str) -> str:
        if old[-1] != new[-1]:
            text = with_number(text, label, old[-1], new[-1])
        if old in change.names:
            text = with_name(text, label, new[-1], change.names[old][1])
        if place.step:
            text = with_needs(text, old, new, change.moved)
        if place.task is None:
            text = relisted(text, _children(project, place, change))
            text = _with_newcomers(project, text, place, change)
        return text

    return transform


def _children(project: Project, parent: Place | None, change: Change) -> Changes:
    """What becomes of a parent's children."""
    ref = ref_of(parent) if parent else ()
    names: dict[int, tuple[str, str]] = {}
    for (*above, number), both in change.names.items():
        if tuple(above) == ref:
            names[number] = both

    numbers = renumbering(change.moved, ref)
    on_disk: dict[int, tuple[str, str]] = {}
    for unit in children(project, parent):
        number = numbers.get(unit.number) or unit.number
        name = new_name(unit, number, names.get(unit.number))
        on_disk[unit.number] = (unit.name, name)
    label = LABELS[len(ref) + 1]
    return Changes(label, numbers, names, on_disk)


def _with_newcomers(project: Project, text: str, parent: Place, change: Change) -> str:
    """The lines of those that come from another parent, as they stood in its list."""
    ref = ref_of(parent)
    for old, new in change.moved.entries.items():
        comes_here = new is not None and new[:-1] == ref
        was_here = old[:-1] == ref
        if new is None or not comes_here or was_here:
            continue

        lines = _lines_of(project, change, old, new)
        label = LABELS[len(new)]
        text = with_part(text, label, new[-1], lines)
    return text


def _lines_of(project: Project, change: Change, old: Ref, new: Ref) -> list[str]:
    """In the list that it leaves, or else a new line."""
    origin = place_at(project, old)
    assert origin
    source = parent_of(origin)
    assert source
    changes = _children(project, source, change)
    numbers = {**changes.numbers, old[-1]: new[-1]}
    document = project.text(document_of(source))
    lines = taken_part(document, changes.replace(numbers=numbers), old[-1])
    return lines or [_line(project, origin, new)]


def _line(project: Project, place: Place, now: Ref) -> str:
    """A line for what its old parent did not list."""
    title = project.title(place.units[-1])
    if place.task is None:
        return f"{now[-1]}. **Step {now[-1]}: {title}**"
    box = "[x]" if place.task.done else "[ ]"
    return f"- {box} Task {now[-1]}: {title}"


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
