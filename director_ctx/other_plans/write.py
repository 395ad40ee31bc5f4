"""What was decided, written: new folders whole, changed sections alone, and the records brought in line at the end.
Ended in the middle, a second run goes on.
"""

from __future__ import annotations

import os
from functools import partial

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.write import write_whole
from director_ctx.base.text import plain
from director_ctx.other_plans.documents import NAME, STATUS, STEPS, TASKS, about, whole_document
from director_ctx.other_plans.keep import keep_origins
from director_ctx.other_plans.merge import section_edits
from director_ctx.other_plans.model import OtherStep, OtherTask
from director_ctx.other_plans.place import NEW, REMOVED
from director_ctx.other_plans.side_documents import MADE, MARK
from director_ctx.other_plans.take_over import document_path, parent_path
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.model import FOLDER, Task
from director_ctx.project.taken import mark_of
from director_ctx.project.tasks.child_lists import listed_units, step_lines
from director_ctx.project.tasks.next import choose
from director_ctx.upkeep.arranging.journal import finish_unfinished
from director_ctx.upkeep.create import create_document, create_folder
from director_ctx.upkeep.idea_list import EMPTY, ideas, with_idea, without_idea
from director_ctx.upkeep.init import looks_grown, make_folder, template_files
from director_ctx.upkeep.last_place import remember_place
from director_ctx.upkeep.records.listing import ListedChild, goal_lines, step_lines_of, task_lines
from director_ctx.upkeep.records.source import Edit
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import change, rename, writable_folder
from director_ctx.upkeep.sync import bring_in_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from director_ctx.other_plans.side_documents import SideDocument
    from director_ctx.other_plans.take_over import TakenOver, Taking
    from director_ctx.upkeep.records.source import Source
    from director_ctx.upkeep.rewrite import WriteFailure

PLAN = "# Gameplan\n"
IDEAS = f"{FOLDER}/IDEAS.md"


class WrittenPlan(Record):
    project: Project
    """As it is afterwards."""
    failed: tuple[WriteFailure, ...] = ()


def write_taking(root: str, taking: Taking, now: str) -> WrittenPlan:
    if not os.path.isdir(os.path.join(root, FOLDER)):
        make_folder(root, template_files(looks_grown(root)))
    with alone_in_project(root):
        finish_unfinished(root)
        keep_origins(root, taking, unfinished=True)
        failed = [*_new_units(root, taking), *_changes(root, taking)]
        failed += _documents(root, taking.documents)
        failed += _ideas(root, taking, now)
        _, unwritten = bring_in_line(lambda: Project(root), Occasion(now))
        failed += unwritten
        # Last of all: until then a second run makes what is missing.
        keep_origins(root, taking, unfinished=False)
        upcoming = choose(Project(root))
        if upcoming:
            remember_place(root, upcoming.place)
    return WrittenPlan(Project(root), tuple(failed))


def _new_units(root: str, taking: Taking) -> list[WriteFailure]:
    """Parents before their children; a new one lists its own, and one that was there gets lines."""
    failed: list[WriteFailure] = []
    children = _children(taking)
    for taken in taking.units:
        placed = taken.placed
        if placed.state != NEW:
            continue
        below = children.get(placed.key, [])
        if placed.kind == "goal":
            _make_goal(root, taken, below)
        elif placed.kind == "step":
            _make_step(root, taken, below)
        else:
            _make_task(root, taken)
    by_key = {taken.placed.key: taken for taken in taking.units}
    for key, below in children.items():
        parent = by_key.get(key)
        # A run that was ended may have made what it did not list any more.
        wanted = [taken for taken in below if _is_new(taken) or taking.before.unfinished]
        if wanted and (parent is None or parent.placed.state != NEW):
            failed += _list(root, parent, wanted)
    return failed


def _is_new(taken: TakenOver) -> bool:
    return taken.placed.state == NEW


def _children(taking: Taking) -> dict[str, list[TakenOver]]:
    """Those that stand in their parent here, too; what was moved in the source stays where it is."""
    children: dict[str, list[TakenOver]] = {}
    places = {taken.placed.key: taken.placed.at for taken in taking.units}
    for taken in taking.units:
        placed = taken.placed
        folder = places.get(placed.parent, "goals")
        is_inside = placed.at.startswith(f"{folder}/")
        if placed.state != REMOVED and is_inside:
            beside = children.setdefault(placed.parent, [])
            beside.append(taken)
    return children


def _make_goal(root: str, taken: TakenOver, steps: Sequence[TakenOver]) -> None:
    assert taken.text
    placed = taken.placed
    lines: list[str] = []
    for step in steps:
        number = step.placed.numbers.step
        assert step.text and isinstance(step.placed.other, OtherStep)
        lines.append(f"{number}. **Step {number}: {step.text.name}**")
    extra = {
        STEPS: "\n".join(lines),
        STATUS: f"**Progress:** Not started\n**Steps complete:** 0 of {len(steps)}",
    }
    text = whole_document(taken.text, placed.numbers.goal, extra)
    _make_folder(root, f"{FOLDER}/{placed.at}", {"GOAL.md": text.encode()})


def _make_step(root: str, taken: TakenOver, tasks: Sequence[TakenOver]) -> None:
    assert taken.text
    placed = taken.placed
    lines: list[str] = []
    for task in tasks:
        other = task.placed.other
        assert task.text and isinstance(other, OtherTask)
        mark = _mark(other)
        lines.append(f"- [{mark}] Task {task.placed.numbers.task}: {task.text.name}")
    text = whole_document(taken.text, placed.numbers.step, {TASKS: "\n".join(lines)})
    files = {"STEP.md": text.encode(), "tasks/": b""}
    _make_folder(root, f"{FOLDER}/{placed.at}", files)


def _mark(task: OtherTask) -> str:
    if task.done:
        return "x"
    return "~" if task.begun else " "


def _make_folder(root: str, path: str, files: dict[str, bytes]) -> None:
    project = Project(root)
    location = project.location(path)
    # Made by a run that was ended right behind it.
    if not os.path.lexists(location):
        create_folder(project, path, files)


def _make_task(root: str, taken: TakenOver) -> None:
    placed = taken.placed
    assert taken.text and isinstance(placed.other, OtherTask)
    text = whole_document(taken.text, placed.numbers.task, {})
    ending = ".done.md" if placed.other.done else ".md"
    path = f"{FOLDER}/{placed.at}{ending}"

    project = Project(root)
    location = project.location(path)
    if not os.path.lexists(location):
        create_document(project, path, text.encode())


def _list(root: str, parent: TakenOver | None, new: Sequence[TakenOver]) -> list[WriteFailure]:
    """New lines in a parent that was there before."""
    if parent is None:
        path = f"{FOLDER}/GAMEPLAN.md"
        edits = partial(_goal_edits, new=new)
    elif parent.placed.kind == "goal":
        path = document_path(parent.placed)
        edits = partial(_step_edits, new=new)
    else:
        path = document_path(parent.placed)
        edits = partial(_task_edits, new=new)
    _, failed = change(Project(root), path, edits, PLAN if parent is None else "")
    return failed


def _goal_edits(source: Source, new: Sequence[TakenOver]) -> list[Edit]:
    known = {line.number for line in listed_units(source.text, "goals", "goal")}
    lines: list[ListedChild] = []
    for taken in new:
        assert taken.text
        number = taken.placed.numbers.goal
        if number in known:
            continue
        name = taken.text.name
        says = about(taken.placed.other.text, name)
        lines.append(ListedChild("goal", number, name, says))
    return goal_lines(source, lines)


def _step_edits(source: Source, new: Sequence[TakenOver]) -> list[Edit]:
    known = {line.number for line in listed_units(source.text, "steps", "step")}
    lines: list[ListedChild] = []
    for taken in new:
        number = taken.placed.numbers.step
        assert taken.text
        if number not in known:
            lines.append(ListedChild("step", number, taken.text.name))
    return step_lines_of(source, lines)


def _task_edits(source: Source, new: Sequence[TakenOver]) -> list[Edit]:
    known = {line.number for line in step_lines(source.text)}
    lines: list[tuple[Task, str]] = []
    begun: set[int] = set()
    for taken in new:
        other = taken.placed.other
        assert taken.text and isinstance(other, OtherTask)
        number = taken.placed.numbers.task
        if number in known:
            continue
        task = Task(number, "", "", "", other.done)
        if other.begun:
            begun.add(number)
        lines.append((task, taken.text.name))
    return task_lines(source, lines, begun)


def _changes(root: str, taking: Taking) -> list[WriteFailure]:
    failed: list[WriteFailure] = []
    for taken in taking.units:
        placed = taken.placed
        if taken.updates:
            # The parent's line first: a name that is new everywhere else is not looked for any more.
            failed += _renamed(root, taking.project, taken)
            edits = partial(section_edits, kind=placed.kind, updates=taken.updates)
            _, unwritten = change(Project(root), document_path(placed), edits)
            failed += unwritten
        if taken.begin:
            edits = partial(_begun_edits, number=placed.numbers.task)
            _, unwritten = change(Project(root), parent_path(placed), edits)
            failed += unwritten
        if taken.finish and placed.unit:
            stem = placed.unit.path.removesuffix(".md")
            rename(Project(root), placed.unit.path, f"{stem}.done.md")
    return failed


def _begun_edits(source: Source, number: int) -> list[Edit]:
    for line in step_lines(source.text):
        if line.number == number and line.mark == " ":
            old = source.line(line.line)
            return [Edit(line.line, old, old.replace("[ ]", "[~]", 1))]
    return []


def _renamed(root: str, project: Project, taken: TakenOver) -> list[WriteFailure]:
    """The line of a parent that has the old name: the one it stands in here, wherever it is in the source by now."""
    names = [update.text for update in taken.updates if update.section == NAME]
    if not names or taken.placed.unit is None:
        return []
    old = project.title(taken.placed.unit)
    path = parent_path(taken.placed)
    edits = partial(
        _line_edits, kind=taken.placed.kind, number=_number(taken), old=old, new=names[0]
    )
    _, failed = change(Project(root), path, edits)
    return failed


def _number(taken: TakenOver) -> int:
    numbers = taken.placed.numbers
    return numbers.task or numbers.step or numbers.goal


def _line_edits(source: Source, kind: str, number: int, old: str, new: str) -> list[Edit]:
    numbers: dict[int, int] = {}
    if kind == "task":
        for task in step_lines(source.text):
            numbers.setdefault(task.number, task.line)
    else:
        for unit in listed_units(source.text, f"{kind}s", kind):
            numbers.setdefault(unit.number, unit.line)
    if number not in numbers:
        return []

    line = numbers[number]
    text = source.line(line)
    if old and old in text and new not in text:
        return [Edit(line, text, text.replace(old, new, 1))]
    return []


def _documents(root: str, documents: Sequence[SideDocument]) -> list[WriteFailure]:
    for document in documents:
        if not document.writes:
            continue
        project = Project(root)
        path = f"{FOLDER}/{document.at}"
        folder, _, name = path.rpartition("/")
        location = os.path.join(writable_folder(project, folder), name)
        try:
            if document.state == MADE and not os.path.lexists(location):
                create_document(project, path, document.text.encode())
            else:
                writable_folder(project, path.rpartition("/")[0])
                _replace(project, path, document.text)
        except OSError as error:
            raise DctxError(
                f"Could not write {plain(path)}: {error.strerror or error}.",
                "Run the command again when it can be written; it goes on where it was.",
            ) from error
    return []


def _replace(project: Project, path: str, text: str) -> None:
    if project.kind(path) != "file":
        raise DctxError(f"{plain(path)} is no file of this folder.", "Move it away and try again.")
    location = project.location(path)
    write_whole(location, text.encode())


def _ideas(root: str, taking: Taking, now: str) -> list[WriteFailure]:
    failed: list[WriteFailure] = []
    known = taking.before.units
    marks = {known[idea.key].marks.get(MARK, "") for idea in taking.begun}
    if marks:
        _, unwritten = change(Project(root), IDEAS, partial(_without_begun, marks=marks), EMPTY)
        failed += unwritten
    # The newest stands first, so the first of the source comes last.
    for idea in reversed(taking.ideas):
        edits = partial(with_idea, text=idea.text, now=now)
        _, unwritten = change(Project(root), IDEAS, edits, EMPTY)
        failed += unwritten
    return failed


def _without_begun(source: Source, marks: Container[str]) -> list[Edit]:
    """Entries that are work by now go, where they are as they were written."""
    edits: dict[int, Edit] = {}
    for entry in ideas(source.text):
        if mark_of(entry.text) in marks:
            edits.update({edit.line: edit for edit in without_idea(source, entry)})
    return list(edits.values())
