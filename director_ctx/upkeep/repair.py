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
from director_ctx.project.reading.lock import held
from director_ctx.project.reading.markdown import find_section
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.reading.read import LARGEST_FILE
from director_ctx.project.tasks.child_lists import listed, lookalike, step_lines
from director_ctx.upkeep.archive import move_aside
from director_ctx.upkeep.leftovers import leftover_files
from director_ctx.upkeep.records.listing import Line, goal_lines, step_lines_of, task_lines
from director_ctx.upkeep.records.source import parse_source, source_of
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import Failure, Rewrite, change
from director_ctx.upkeep.sync import bring_in_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.project.reading.model import Goal, Step
    from director_ctx.upkeep.records.source import Edit, Source

    Numbers = Callable[[str], list[int]]
    Edits = Callable[[Source], list[Edit]]

MINUTE = 60
"""Seconds. No write takes so long; what is older was left by a process that is gone."""


class Repair(Record):
    """What was done, and what could not be."""

    done: tuple[str, ...]
    rewrites: tuple[Rewrite, ...]
    failed: tuple[Failure, ...]


def repair(root: str, now: str) -> Repair:
    with held(root):
        done = [*_twins(Project(root)), *_remove_leftovers(Project(root))]
        rewrites, failed = _list_missing(root)
        written, more = bring_in_line(lambda: Project(root), Occasion(now))
        return Repair(tuple(done), (*rewrites, *written), (*failed, *more))


def _twins(project: Project) -> Iterator[str]:
    """A plain task file beside its `.done.md`, where both say the same."""
    for goal in project.goals():
        for step in project.steps(goal):
            for task in project.tasks(step):
                old = f"{step.path}/tasks/{task.name}.md"
                if task.twice and _same(project.location(old), project.location(task.path)):
                    kept = move_aside(
                        project.root, project.location(old), old.removeprefix(f"{FOLDER}/")
                    )
                    yield f"{plain(old)} said the same as its .done.md; it is now {plain(kept)}"


def _same(one: str, other: str) -> bool:
    """Whether two files hold the same lines, but for how they end and a mark before them."""
    found = []
    for location in (one, other):
        with open(location, "rb") as file:
            source = parse_source(file.read(LARGEST_FILE + 1))
        found.append(source and [line.rstrip("\r\n") for line in source.lines])
    return found[0] is not None and found[0] == found[1]


def _remove_leftovers(project: Project) -> Iterator[str]:
    """Only what nobody can still be writing."""
    for path in leftover_files(project):
        location = project.location(path)
        try:
            if os.lstat(location).st_mtime > time.time() - MINUTE:
                continue
            if os.path.isdir(location) and not os.path.islink(location):
                shutil.rmtree(location)
            else:
                os.unlink(location)
        except OSError:
            continue
        yield f"{plain(path)} was left by a write that did not end; it is gone"


def _list_missing(root: str) -> tuple[list[Rewrite], list[Failure]]:
    rewrites: list[Rewrite] = []
    failed: list[Failure] = []
    for path, numbers, edits in _missing(Project(root)):
        project = Project(root)
        missing = [number for number in numbers(project.text(path)) if project.kind(path) == FILE]
        if not missing:
            continue
        if unread := _unread(project, path, numbers, edits):
            names = ", ".join(map(str, unread))
            failed.append(
                Failure(path, f"number {names} could be written there, and would not be read back")
            )
            continue
        changed, why = change(project, path, edits)
        rewrites += changed
        failed += why
    return rewrites, failed


def _unread(project: Project, path: str, numbers: Numbers, edits: Edits) -> list[int]:
    """What would still be missing after the edit: a name in brackets, a list behind an open fence."""
    return list(
        numbers(source_of(project.text(path)).edited(edits(source_of(project.text(path)))).text)
    )


def _missing(project: Project) -> Iterator[tuple[str, Numbers, Edits]]:
    """Goals, steps and tasks that have a folder or file and are not listed, nor seem to be."""
    yield _units(project, f"{FOLDER}/GAMEPLAN.md", "goal", project.goals(), goal_lines)
    for goal in project.goals():
        yield _units(project, f"{goal.path}/GOAL.md", "step", project.steps(goal), step_lines_of)
        for step in project.steps(goal):
            yield _tasks(project, step)


def _units(
    project: Project,
    path: str,
    label: str,
    units: Sequence[Goal | Step],
    make: Callable[[Source, Sequence[Line]], list[Edit]],
) -> tuple[str, Numbers, Edits]:
    def numbers(text: str) -> list[int]:
        title = f"{label}s"
        have = {one.number for one in listed(text, title, label)}
        missing = (
            [unit for unit in units if unit.number not in have]
            if have or find_section(text, title)
            else []
        )
        return [
            one.number
            for one in missing
            if not lookalike(text, title, label, one.number, project.title(one))
        ]

    def edits(source: Source) -> list[Edit]:
        missing = numbers(source.text)
        chosen = [unit for unit in units if unit.number in missing]
        return make(source, [Line(label, unit.number, project.title(unit)) for unit in chosen])

    return path, numbers, edits


def _tasks(project: Project, step: Step) -> tuple[str, Numbers, Edits]:
    def numbers(text: str) -> list[int]:
        have = {line.number for line in step_lines(text)}
        missing = [task for task in project.tasks(step) if task.number not in have]
        return [
            one.number
            for one in missing
            if not lookalike(text, "tasks", "task", one.number, project.title(one))
        ]

    def edits(source: Source) -> list[Edit]:
        missing = numbers(source.text)
        chosen = [task for task in project.tasks(step) if task.number in missing]
        return task_lines(source, [(task, project.title(task)) for task in chosen])

    return f"{step.path}/STEP.md", numbers, edits
