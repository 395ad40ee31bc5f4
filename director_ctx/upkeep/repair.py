"""`dctx doctor --fix`: only what can be made from the files, or is there twice. Nothing is lost by
any of it.
"""

from __future__ import annotations

import os
import shutil
import time

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.project import FILE, Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.markdown import find_section
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.reading.read import LARGEST_FILE
from director_ctx.project.tasks.child_lists import listed_units, lookalike, step_lines
from director_ctx.project.tasks.next import places
from director_ctx.upkeep.arranging.journal import archive_place, finish_unfinished
from director_ctx.upkeep.leftovers import leftover_files
from director_ctx.upkeep.records.listing import ListedChild, goal_lines, step_lines_of, task_lines
from director_ctx.upkeep.records.source import parse_source, source_of
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import Rewrite, WriteFailure, change, would_change
from director_ctx.upkeep.sync import bring_in_line, rewrites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.project.reading.model import Goal, Step, Task
    from director_ctx.upkeep.records.source import Edit, Source

    Numbers = Callable[[str], list[int]]
    Edits = Callable[[Source], list[Edit]]
    CarryOut = Callable[[Project, str, Edits], tuple[list[Rewrite], list[WriteFailure]]]
    WriteLines = Callable[[Source, Sequence[ListedChild]], list[Edit]]

MINUTE = 60
"""Seconds. No write takes so long; what is older was left by a process that is gone."""


class Repair(Record):
    """What was done, and what could not be."""

    done: tuple[str, ...]
    rewrites: tuple[Rewrite, ...]
    failed: tuple[WriteFailure, ...]


def repair(root: str, now: str) -> Repair:
    with alone_in_project(root):
        done = []
        gone_on = finish_unfinished(root)
        if gone_on is not None:
            done.append("A change of the plan that was ended in the middle is done now")
        done += [*_put_twins_aside(Project(root)), *_remove_leftovers(Project(root))]
        listed_now, not_listed = _list_missing(lambda: Project(root), change)
        # Last, so that what was just listed is counted.
        written, unwritten = bring_in_line(lambda: Project(root), Occasion(now))
        return Repair(
            done=tuple(done),
            rewrites=(*listed_now, *written),
            failed=(*(gone_on or ()), *not_listed, *unwritten),
        )


def would_repair(project: Project, now: str) -> Repair:
    """What `repair` would do; nothing is written."""
    done: list[str] = []
    for path, _ in _twins(project):
        done.append(f"{plain(path)} says the same as its .done.md; it would be put aside")
    for path, _ in _old_leftovers(project):
        done.append(f"{plain(path)} was left by a write that did not end; it would be removed")

    listed, not_listed = _list_missing(lambda: project, would_change)
    pending, unreadable = rewrites(project, Occasion(now))
    return Repair(
        done=tuple(done),
        rewrites=(*listed, *pending),
        failed=(*not_listed, *unreadable),
    )


def _put_twins_aside(project: Project) -> Iterator[str]:
    for path, location in _twins(project):
        kept_at = archive_place(project.root, path)
        os.rename(location, project.location(kept_at))
        yield f"{plain(path)} said the same as its .done.md; it is now {plain(kept_at)}"


def _twins(project: Project) -> Iterator[tuple[str, str]]:
    """A plain task file beside its `.done.md`, where both say the same: its path and where it is."""
    for place in places(project):
        step = place.step
        task = place.task
        assert step and task
        if not task.twice:
            continue
        path = f"{step.path}/tasks/{task.name}.md"
        location = project.location(path)
        if _same(location, project.location(task.path)):
            yield path, location


def _same(location: str, other: str) -> bool:
    """Whether two files hold the same lines, but for how they end and a mark before them."""
    lines = _lines(location)
    return lines is not None and lines == _lines(other)


def _lines(location: str) -> list[str] | None:
    """A file's lines without their ends; None where it is no text."""
    with open(location, "rb") as file:
        source = parse_source(file.read(LARGEST_FILE + 1))
    if source is None:
        return None
    return [line.rstrip("\r\n") for line in source.lines]


def _remove_leftovers(project: Project) -> Iterator[str]:
    for path, location in _old_leftovers(project):
        try:
            # A link goes itself, and what it leads to stays.
            if os.path.isdir(location) and not os.path.islink(location):
                shutil.rmtree(location)
            else:
                os.unlink(location)
        except OSError:
            continue
        yield f"{plain(path)} was left by a write that did not end; it is gone"


def _old_leftovers(project: Project) -> Iterator[tuple[str, str]]:
    """Only what nobody can still be writing: its path and where it is."""
    for path in leftover_files(project):
        location = project.location(path)
        try:
            age = time.time() - os.lstat(location).st_mtime
        except OSError:
            continue
        if age >= MINUTE:
            yield path, location


def _list_missing(
    load: Callable[[], Project], carry_out: CarryOut
) -> tuple[list[Rewrite], list[WriteFailure]]:
    rewrites: list[Rewrite] = []
    failed: list[WriteFailure] = []
    for path, numbers, edits in _missing(load()):
        # Another project for each parent: one reads every file once, and edits may be written between.
        project = load()
        text = project.text(path)
        if project.kind(path) != FILE or not numbers(text):
            continue
        unread = _unread(text, numbers, edits)
        if unread:
            unread_numbers = ", ".join(map(str, unread))
            why = f"number {unread_numbers} could be written there, and would not be read back"
            failed.append(WriteFailure(path, why))
            continue

        changed, unchanged = carry_out(project, path, edits)
        rewrites += changed
        failed += unchanged
    return rewrites, failed


def _unread(text: str, numbers: Numbers, edits: Edits) -> list[int]:
    """What would still be missing after the edit: a name in brackets, a list behind an open fence."""
    source = source_of(text)
    edited = source.edited(edits(source))
    return numbers(edited.text)


def _missing(project: Project) -> Iterator[tuple[str, Numbers, Edits]]:
    """Goals, steps and tasks that have a folder or file and are not listed, nor seem to be: the
    parent, a function that names them in a text of it, and one that writes their lines.
    """
    goals = project.goals()
    yield _units(project, f"{FOLDER}/GAMEPLAN.md", "goal", goals, goal_lines)
    for goal in goals:
        steps = project.steps(goal)
        yield _units(project, f"{goal.path}/GOAL.md", "step", steps, step_lines_of)
        for step in steps:
            yield _tasks(project, step)


def _units(
    project: Project,
    path: str,
    label: str,
    units: Sequence[Goal | Step],
    write_lines: WriteLines,
) -> tuple[str, Numbers, Edits]:
    title = f"{label}s"

    def numbers(text: str) -> list[int]:
        known = {line.number for line in listed_units(text, title, label)}
        if not known and not find_section(text, title):
            return []
        return _not_listed(project, text, label, units, known)

    def edits(source: Source) -> list[Edit]:
        missing = numbers(source.text)
        lines: list[ListedChild] = []
        for unit in units:
            if unit.number in missing:
                name = project.title(unit)
                lines.append(ListedChild(label, unit.number, name))
        return write_lines(source, lines)

    return path, numbers, edits


def _tasks(project: Project, step: Step) -> tuple[str, Numbers, Edits]:
    tasks = project.tasks(step)

    def numbers(text: str) -> list[int]:
        known = {line.number for line in step_lines(text)}
        return _not_listed(project, text, "task", tasks, known)

    def edits(source: Source) -> list[Edit]:
        missing = numbers(source.text)
        lines: list[tuple[Task, str]] = []
        for task in tasks:
            if task.number in missing:
                name = project.title(task)
                lines.append((task, name))
        return task_lines(source, lines)

    return f"{step.path}/STEP.md", numbers, edits


def _not_listed(
    project: Project,
    text: str,
    label: str,
    units: Sequence[Goal | Step | Task],
    known: set[int],
) -> list[int]:
    """The numbers of units that no line of the parent's list is about, nor seems to be."""
    missing: list[int] = []
    for unit in units:
        if unit.number in known:
            continue
        likely = lookalike(text, f"{label}s", label, unit.number, project.title(unit))
        if not likely:
            missing.append(unit.number)
    return missing
