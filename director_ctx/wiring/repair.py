"""`dctx doctor --fix`: only what can be made from the files, or is there twice. Nothing is lost by any of it."""

from __future__ import annotations

import os
import shutil
import time

from director_ctx.folder.archive import move_aside
from director_ctx.folder.in_line import bring_in_line
from director_ctx.folder.leftovers import leftover_files
from director_ctx.folder.listed import listed
from director_ctx.folder.lock import held
from director_ctx.folder.model import FOLDER, Goal, Step
from director_ctx.folder.project import FILE, Project
from director_ctx.folder.records.listing import Line, goal_line, step_line, task_line
from director_ctx.folder.rewrite import Failure, Rewrite, change
from director_ctx.folder.step_lines import step_lines
from director_ctx.folder.text import plain
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from director_ctx.folder.source import Edit, Source

    Addition = tuple[str, Callable[[Source], list[Edit]]]

HOUR = 3600


class Repair(Record):
    """What was done, and what could not be."""

    done: tuple[str, ...]
    rewrites: tuple[Rewrite, ...]
    failed: tuple[Failure, ...]


def repair(root: str, now: str) -> Repair:
    with held(root):
        done = [*_twins(Project(root)), *_remove_leftovers(Project(root))]
        rewrites, failed = _list_missing(root)
        written, more = bring_in_line(lambda: Project(root), now)
        return Repair(tuple(done), (*rewrites, *written), (*failed, *more))


def _twins(project: Project) -> Iterator[str]:
    """A plain task file beside its `.done.md`, where both say the same."""
    for goal in project.goals():
        for step in project.steps(goal):
            for task in project.tasks(step):
                old = f"{step.path}/tasks/{task.name}.md"
                if task.twice and project.text(old) == project.text(task.path):
                    kept = move_aside(project.root, project.location(old), old.removeprefix(f"{FOLDER}/"))
                    yield f"{plain(old)} said the same as its .done.md; it is now {plain(kept)}"


def _remove_leftovers(project: Project) -> Iterator[str]:
    """Only what nobody can still be writing."""
    for path in leftover_files(project):
        location = project.location(path)
        try:
            if os.lstat(location).st_mtime > time.time() - HOUR:
                continue
            if os.path.isdir(location):
                shutil.rmtree(location)
            else:
                os.unlink(location)
        except OSError:
            continue
        yield f"{plain(path)} was left by a write that did not end; it is gone"


def _list_missing(root: str) -> tuple[list[Rewrite], list[Failure]]:
    rewrites: list[Rewrite] = []
    failed: list[Failure] = []
    for path, edits in _missing(Project(root)):
        project = Project(root)
        changed, why = change(project, path, edits, "") if project.kind(path) == FILE else ([], [])
        rewrites += changed
        failed += why
    return rewrites, failed


def _missing(project: Project) -> Iterator[Addition]:
    """Goals, steps and tasks that have a folder or file, where the parent lists others of their kind."""
    gameplan = f"{FOLDER}/GAMEPLAN.md"
    yield from _not_listed(project, gameplan, "goals", project.goals(), goal_line)
    for goal in project.goals():
        yield from _not_listed(project, f"{goal.path}/GOAL.md", "steps", project.steps(goal), step_line)
        for step in project.steps(goal):
            path = f"{step.path}/STEP.md"
            have = {line.number for line in step_lines(project.text(path))}
            for task in project.tasks(step):
                if task.number not in have:
                    name = project.title(task)
                    yield path, lambda source, task=task, name=name: task_line(source, task, name)  # type: ignore[misc]


def _not_listed(
    project: Project,
    path: str,
    title: str,
    units: tuple[Goal | Step, ...] | tuple[Goal, ...] | tuple[Step, ...],
    add: Callable[[Source, Line], list[Edit]],
) -> Iterator[Addition]:
    label = title.removesuffix("s")
    have = {one.number for one in listed(project.text(path), title, label)}
    for unit in units:
        if have and unit.number not in have:
            line = Line(label, unit.number, project.title(unit))
            yield path, lambda source, line=line: add(source, line)  # type: ignore[misc]
