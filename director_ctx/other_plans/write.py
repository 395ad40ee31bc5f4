"""What was decided, written: new folders whole, changed sections alone, and the records brought in line at the end.
Ended in the middle, a second run goes on.
"""

from __future__ import annotations

import os
from functools import partial

from director_ctx.base.errors import DctxError
from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.base.system.write import create_whole, write_whole
from director_ctx.base.text import plain
from director_ctx.other_plans.documents import DONE_THERE, INSIDE, NAME, STATUS, STEPS, TASKS, about
from director_ctx.other_plans.merge import section_edits
from director_ctx.other_plans.model import OtherTask
from director_ctx.other_plans.take_over import (
    IDEA,
    KEPT,
    MADE,
    MARK,
    NEW,
    REMOVED,
    UNFIT,
    PlanUnit,
    Taking,
    listed_lines,
)
from director_ctx.project.origins import PATH, read_taken
from director_ctx.project.project import Project
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.model import FOLDER, Task
from director_ctx.project.reading.read import LARGEST_FILE
from director_ctx.project.taken import TakenPlan, TakenUnit, mark_of
from director_ctx.project.tasks.child_lists import step_lines
from director_ctx.project.tasks.next import choose
from director_ctx.upkeep.arranging.journal import finish_unfinished
from director_ctx.upkeep.create import create_document, create_folder
from director_ctx.upkeep.idea_list import EMPTY, ideas, with_idea, without_idea
from director_ctx.upkeep.init import looks_grown, make_folder, template_files
from director_ctx.upkeep.last_place import remember_place
from director_ctx.upkeep.records.listing import ListedChild, goal_lines, step_lines_of, task_lines
from director_ctx.upkeep.records.source import Edit, Source
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import WriteFailure, change, rename, writable_folder
from director_ctx.upkeep.sync import bring_in_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from director_ctx.other_plans.documents import UnitText

IDEAS = f"{FOLDER}/IDEAS.md"
ABOUT = "Where goals, steps and tasks were taken over from; `dctx init --from` reads and writes it. Commit it."


class WrittenPlan(Record):
    project: Project
    """As it is afterwards."""
    failed: tuple[WriteFailure, ...] = ()


def write_taking(root: str, taking: Taking, now: str) -> WrittenPlan:
    if not os.path.isdir(os.path.join(root, FOLDER)):
        make_folder(root, template_files(looks_grown(root)))
    with alone_in_project(root):
        finish_unfinished(root)
        _keep_origins(root, taking, unfinished=True)
        failed = [*_make_units(root, taking), *_change_units(root, taking)]
        _write_documents(root, taking)
        failed += _write_ideas(root, taking, now)
        failed += bring_in_line(lambda: Project(root), Occasion(now))[1]
        # Last of all: until then a second run makes what is missing.
        _keep_origins(root, taking, unfinished=False)
        upcoming = choose(Project(root))
        if upcoming:
            remember_place(root, upcoming.place)
    return WrittenPlan(Project(root), tuple(failed))


# --- New units ---


def _make_units(root: str, taking: Taking) -> Iterator[WriteFailure]:
    """Parents before their children; a new one lists its own, and one that was there gets lines."""
    by_key = {unit.key: unit for unit in taking.units}
    children: dict[str, list[PlanUnit]] = {}
    for unit in taking.units:
        # What was moved in the source stays where it is, and is not listed.
        folder = by_key[unit.parent].at if unit.parent in by_key else "goals"
        if unit.state != REMOVED and unit.at.startswith(f"{folder}/"):
            children.setdefault(unit.parent, []).append(unit)
    for unit in taking.units:
        if unit.state == NEW:
            _make(Project(root), unit, children.get(unit.key, ()))
    for key, below in children.items():
        parent = by_key.get(key)
        # A run that was ended may have made what it did not list any more.
        wanted = [unit for unit in below if unit.state == NEW or taking.before.unfinished]
        if wanted and (parent is None or parent.state != NEW):
            path = parent.path if parent else wanted[0].parent_path
            edits = partial(_list_edits, kind=wanted[0].kind, new=wanted)
            yield from change(Project(root), path, edits, "" if parent else "# Gameplan\n")[1]


def _make(project: Project, unit: PlanUnit, below: Sequence[PlanUnit]) -> None:
    assert unit.text
    path = f"{FOLDER}/{unit.at}"
    extra: dict[str, str] = {}
    if unit.kind == "task":
        path += ".done.md" if unit.done_there else ".md"
    elif unit.kind == "step":
        lines = [f"- [{_box(task)}] Task {task.number}: {task.name}" for task in below]
        extra = {TASKS: "\n".join(lines)}
    else:
        lines = [f"{step.number}. **Step {step.number}: {step.name}**" for step in below]
        progress = f"**Progress:** Not started\n**Steps complete:** 0 of {len(below)}"
        extra = {STEPS: "\n".join(lines), STATUS: progress}
    data = unit.text.document(unit.number, extra).encode()
    # Made by a run that was ended right behind it.
    if os.path.lexists(project.location(path)):
        return
    if unit.kind == "task":
        create_document(project, path, data)
    elif unit.kind == "step":
        create_folder(project, path, {"STEP.md": data, "tasks/": b""})
    else:
        create_folder(project, path, {"GOAL.md": data})


def _box(unit: PlanUnit) -> str:
    assert isinstance(unit.other, OtherTask)
    return "x" if unit.other.done else "~" if unit.other.begun else " "


def _list_edits(source: Source, kind: str, new: Sequence[PlanUnit]) -> list[Edit]:
    """New lines in a parent that was there before."""
    known = listed_lines(source.text, kind)
    new = [unit for unit in new if unit.number not in known]
    if kind == "task":
        tasks = [(Task(unit.number, "", "", "", unit.done_there), unit.name) for unit in new]
        return task_lines(source, tasks, {unit.number for unit in new if _box(unit) == "~"})
    if kind == "step":
        return step_lines_of(source, [ListedChild(kind, unit.number, unit.name) for unit in new])
    lines = [
        ListedChild(kind, unit.number, unit.name, about(unit.other.text, unit.name)) for unit in new
    ]
    return goal_lines(source, lines)


# --- Changed units ---


def _change_units(root: str, taking: Taking) -> Iterator[WriteFailure]:
    for unit in taking.units:
        # The parent's line first: a name that is new everywhere else is not looked for any more.
        names = [update.text for update in unit.updates if update.section == NAME]
        if names and unit.here:
            old = taking.project.title(unit.here)
            edits = partial(_rename_edits, unit=unit, old=old, new=names[0])
            yield from change(Project(root), unit.parent_path, edits)[1]
        if unit.updates:
            edits = partial(section_edits, kind=unit.kind, updates=unit.updates)
            yield from change(Project(root), unit.path, edits)[1]
        if unit.begin:
            edits = partial(_begin_edits, number=unit.number)
            yield from change(Project(root), unit.parent_path, edits)[1]
        if unit.finish:
            rename(Project(root), unit.path, f"{unit.path.removesuffix('.md')}.done.md")


def _rename_edits(source: Source, unit: PlanUnit, old: str, new: str) -> list[Edit]:
    """The line of a parent that has the old name: the one it stands in here, wherever it is in the source by now."""
    line = listed_lines(source.text, unit.kind).get(unit.number)
    text = source.line(line) if line else ""
    if line and old and old in text and new not in text:
        return [Edit(line, text, text.replace(old, new, 1))]
    return []


def _begin_edits(source: Source, number: int) -> list[Edit]:
    for line in step_lines(source.text):
        if line.number == number and line.mark == " ":
            old = source.line(line.line)
            return [Edit(line.line, old, old.replace("[ ]", "[~]", 1))]
    return []


# --- Documents and ideas ---


def _write_documents(root: str, taking: Taking) -> None:
    for document in taking.documents:
        if not document.writes:
            continue
        project = Project(root)
        path = f"{FOLDER}/{document.at}"
        folder, _, name = path.rpartition("/")
        location = os.path.join(writable_folder(project, folder), name)
        data = document.text.encode()
        try:
            if document.state == MADE and not os.path.lexists(location):
                create_document(project, path, data)
            elif project.kind(path) == "file":
                write_whole(location, data)
            else:
                raise DctxError(
                    f"{plain(path)} is no file of this folder.", "Move it away and try again."
                )
        except OSError as error:
            raise _unwritten(path, error) from error


def _unwritten(path: str, error: OSError) -> DctxError:
    return DctxError(
        f"Could not write {plain(path)}: {error.strerror or error}.",
        "Run the command again when it can be written; it goes on where it was.",
    )


def _write_ideas(root: str, taking: Taking, now: str) -> Iterator[WriteFailure]:
    marks = {taking.before.units[key].marks.get(MARK, "") for key in taking.begun}
    if marks:
        edits = partial(_without_ideas, marks=marks)
        yield from change(Project(root), IDEAS, edits, EMPTY)[1]
    # The newest stands first, so the first of the source comes last.
    for idea in reversed(taking.ideas):
        edits = partial(with_idea, text=idea.text, now=now)
        yield from change(Project(root), IDEAS, edits, EMPTY)[1]


def _without_ideas(source: Source, marks: Container[str]) -> list[Edit]:
    """Entries that are work by now go, where they are as they were written."""
    edits: dict[int, Edit] = {}
    for entry in ideas(source.text):
        if mark_of(entry.text) in marks:
            edits.update({edit.line: edit for edit in without_idea(source, entry)})
    return list(edits.values())


# --- Origins: where each unit is, and what its sections said ---


def _keep_origins(root: str, taking: Taking, unfinished: bool) -> None:
    """Everything that was ever taken over: what is gone stays, so that it is not taken for new.

    What is there has its marks of before until it is written, so that a run that is ended owes it.
    """
    before = taking.before
    units: dict[str, TakenUnit] = {}
    places = {unit.key: unit.at for unit in taking.units}
    for unit in taking.units:
        if unit.recorded and (unfinished or not unit.text):
            units[unit.key] = unit.recorded.replace(at=unit.at)
        elif unit.text:
            above = places.get(unit.parent, "")
            units[unit.key] = TakenUnit(unit.at, _marks(unit, unit.text, above))
    for document in taking.documents:
        recorded = before.units.get(document.key)
        if unfinished and recorded:
            units[document.key] = recorded
        elif recorded or document.state not in (UNFIT, KEPT):
            units[document.key] = TakenUnit(document.at, {MARK: mark_of(document.text)})
    for idea in taking.ideas:
        units[f"{IDEA}{idea.key}"] = TakenUnit("IDEAS.md", {MARK: mark_of(idea.text)})

    # What the source has no more, under a key of its own where another unit has that one by now.
    told = {unit.recorded.at for unit in taking.units if unit.recorded}
    for key, earlier in before.units.items():
        if earlier.at.startswith("goals/") and earlier.at in told:
            continue
        free = key
        number = 1
        while free in units and units[free].at != earlier.at:
            number += 1
            free = f"{key}~{number}"
        units.setdefault(free, earlier)
    if not unfinished:
        units = {key: unit for key, unit in units.items() if key not in taking.begun}
    project = Project(root)
    seen = before.seen if unfinished else taking.seen
    plan = TakenPlan(taking.path, taking.file, units, seen, unfinished)
    write_origins(project, {**read_taken(project), taking.format.name: plan})


def _marks(unit: PlanUnit, text: UnitText, above: str) -> dict[str, str]:
    marks = text.marks()
    if isinstance(unit.other, OtherTask) and unit.other.divided and unit.recorded:
        marks = {**unit.recorded.marks, **marks}
    marks.pop(DONE_THERE, None)
    if unit.done_there:
        marks[DONE_THERE] = "yes"
    if above:
        marks[INSIDE] = mark_of(above)
    return marks


def write_origins(project: Project, plans: Mapping[str, TakenPlan]) -> None:
    """A unit a line, so that two branches can be merged by git."""
    location = project.location(PATH)
    if not inside(os.path.realpath(location), os.path.realpath(project.root)):
        raise DctxError(f"{PATH} is a link that leaves the project.", "Remove the link first.")
    data = ("\n".join(_origin_lines(plans)) + "\n").encode()
    if len(data) > LARGEST_FILE:
        raise DctxError(
            f"{PATH} would be too long to be read again.", "Take over a part of the plan only."
        )
    try:
        if not create_whole(location, data):
            write_whole(location, data)
    except OSError as error:
        raise _unwritten(PATH, error) from error


def _origin_lines(plans: Mapping[str, TakenPlan]) -> Iterator[str]:
    yield "{"
    yield f' "about": {dump(ABOUT)},'
    yield ' "sources": {'
    for index, (name, plan) in enumerate(sorted(plans.items()), 1):
        yield f"  {dump(name)}: {{"
        yield f'   "path": {dump(plan.path)},'
        yield f'   "file": {dump(plan.file)},'
        if plan.unfinished:
            yield '   "unfinished": true,'
        units = {key: [unit.at, dict(unit.marks)] for key, unit in plan.units.items()}
        yield from _member_lines("units", units, ",")
        yield from _member_lines("seen", plan.seen, "")
        yield "  }" + ("," if index < len(plans) else "")
    yield " }"
    yield "}"


def _member_lines(name: str, members: Mapping[str, object], end: str) -> Iterator[str]:
    yield f'   "{name}": {{'
    for index, (key, value) in enumerate(sorted(members.items()), 1):
        comma = "," if index < len(members) else ""
        yield f"    {dump(key)}: {dump(value)}{comma}"
    yield f"   }}{end}"
