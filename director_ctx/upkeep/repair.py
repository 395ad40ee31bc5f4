"""`dctx doctor --fix`: only what can be made from the files, or is there twice. Nothing is lost by
any of it.
"""

from __future__ import annotations

import os
import shutil
import time
from functools import partial

from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.project import FILE, Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.read import LARGEST_FILE
from director_ctx.project.tasks.next import places
from director_ctx.upkeep.arranging.journal import archive_place, finish_unfinished
from director_ctx.upkeep.drift import Parent, not_listed, parents
from director_ctx.upkeep.leftovers import leftover_files
from director_ctx.upkeep.records.listing import child_lines
from director_ctx.upkeep.records.source import parse_source, source_of
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import Rewrite, WriteFailure, change, would_change
from director_ctx.upkeep.sync import bring_in_line, rewrites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from director_ctx.upkeep.records.source import Edit, Source

    Edits = Callable[[Source], list[Edit]]
    CarryOut = Callable[[Project, str, Edits], tuple[list[Rewrite], list[WriteFailure]]]

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
    """Lines for goals, steps and tasks that are not listed, nor seem to be."""
    rewrites: list[Rewrite] = []
    failed: list[WriteFailure] = []
    for parent in parents(load()):
        # Another project for each parent: one reads every file once, and edits may be written between.
        project = load()
        edits = partial(_missing_lines, project, parent)
        text = project.text(parent.path)
        if project.kind(parent.path) != FILE or not not_listed(project, text, parent):
            continue
        source = source_of(text)
        # A name in brackets, or a list behind an open fence.
        unread = not_listed(project, source.edited(edits(source)).text, parent)
        if unread:
            numbers = ", ".join(str(unit.number) for unit in unread)
            why = f"number {numbers} could be written there, and would not be read back"
            failed.append(WriteFailure(parent.path, why))
            continue
        changed, unchanged = carry_out(project, parent.path, edits)
        rewrites += changed
        failed += unchanged
    return rewrites, failed


def _missing_lines(project: Project, parent: Parent, source: Source) -> list[Edit]:
    missing = not_listed(project, source.text, parent)
    return child_lines(source, parent.label, [(unit, project.title(unit)) for unit in missing])
