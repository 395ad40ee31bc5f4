"""Removes, moves and renames goals, steps and tasks: numbers close up, and lists, records and Needs
First follow.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record, as_dict
from director_ctx.base.text import plain
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import FOLDER, Place
from director_ctx.project.tasks.child_lists import listed_children
from director_ctx.project.tasks.needs import parse_needs
from director_ctx.upkeep.arranging.documents import NO_NAMES, Change, edits_to, renamings, rewritten
from director_ctx.upkeep.arranging.journal import (
    ARCHIVE,
    archive_place,
    carry_out,
    finish_unfinished,
    rename_step,
    renames,
    writes,
)
from director_ctx.upkeep.arranging.needs_text import meant
from director_ctx.upkeep.arranging.numbers import (
    NOTHING,
    Neighbour,
    across,
    ref_text,
    within,
    without,
)
from director_ctx.upkeep.arranging.origins import time_kept, with_new_places
from director_ctx.upkeep.arranging.places import (
    LABELS,
    children,
    document_of,
    every_unit,
    find_target,
    find_unit,
    parent_of,
    place_at,
    ref_of,
)
from director_ctx.upkeep.as_json import rewrite_json
from director_ctx.upkeep.last_place import remember_place
from director_ctx.upkeep.records.source import parse_source
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import Rewrite, WriteFailure
from director_ctx.upkeep.sync import EVERYTHING, Scope, bring_in_line
from director_ctx.upkeep.templates import checked_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from director_ctx.upkeep.arranging.documents import Renaming
    from director_ctx.upkeep.arranging.numbers import Moved, Ref
    from director_ctx.upkeep.arranging.places import UnitTarget

    Arrange = Callable[[str], "Arranged"]
    Json = dict[str, Any]


class Arranged(Record):
    """What was changed, and what could not be."""

    project: Project
    """As it is afterwards."""
    ref: str
    """Of what was removed, moved or renamed, before."""
    title: str
    """The name before."""
    now: str
    """Its reference afterwards; empty where it was removed."""
    change: Change
    archived: str = ""
    renamed: tuple[Renaming, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    failed: tuple[WriteFailure, ...] = ()
    warnings: tuple[str, ...] = ()


def remove(root: str, name: str, now: str) -> Arranged:
    """Takes a goal, step or task out of the plan. Its files go to the archive."""
    with alone_in_project(root):
        project = _ready(root)
        place = find_unit(project, name)
        taken = _taken(project, parent_of(place))
        change = Change(moved=without(ref_of(place), taken))
        return _arrange(project, place, change, now)


def move(
    root: str, name: str, target: UnitTarget, now: str, new_name: str | None = None
) -> Arranged:
    """Gives a goal, step or task another place in the plan, or another name: in its file, on disk, and where it is
    listed.
    """
    if new_name is not None:
        new_name = checked_name(new_name)
    with alone_in_project(root):
        project = _ready(root)
        place = find_unit(project, name)
        moved, names = NOTHING, NO_NAMES
        if new_name is not None:
            names = {ref_of(place): (project.title(place.units[-1]), new_name)}
        if not names or target.to or target.before or target.after:
            new_parent, beside = find_target(project, place, target)
            moved = _moved(project, place, new_parent, beside)
        return _arrange(project, place, Change(moved, names), now)


def _moved(
    project: Project, place: Place, new_parent: Place | None, beside: Neighbour | None
) -> Moved:
    ref = ref_of(place)
    old_parent = parent_of(place)
    taken = _taken(project, old_parent)
    if new_parent != old_parent:
        assert new_parent
        taken_there = _taken(project, new_parent)
        return across(ref, taken, ref_of(new_parent), taken_there, beside)

    at_the_end = Neighbour(number=max(taken), is_after=True)
    return within(ref, taken, beside or at_the_end)


def would(root: str, arrange: Arrange) -> Arranged:
    """The same on a copy: what would be changed, and nothing is."""
    with tempfile.TemporaryDirectory(prefix="dctx-") as folder:
        own = os.path.join(root, FOLDER)
        shutil.copytree(
            own,
            os.path.join(folder, FOLDER),
            symlinks=True,
            ignore=_not_copied,
        )
        return arrange(folder)


def _not_copied(folder: str, names: list[str]) -> list[str]:
    """What dctx keeps, and what no plan can be read from: pipes, and what is locked."""
    left_out: list[str] = []
    for name in names:
        path = os.path.join(folder, name)
        is_link = os.path.islink(path)
        is_plain = os.path.isfile(path) or os.path.isdir(path)
        is_readable = is_plain and os.access(path, os.R_OK)
        if name == ".dctx" or not (is_link or is_readable):
            left_out.append(name)
    return left_out


def _ready(root: str) -> Project:
    """The project, with no change of the plan unfinished."""
    finish_unfinished(root)
    return Project(root)


def _taken(project: Project, parent: Place | None) -> list[int]:
    """The numbers of all children that are there or listed; one that two have is no number."""
    numbers = [unit.number for unit in children(project, parent)]
    for number in numbers:
        if numbers.count(number) > 1:
            raise DctxError(
                f"Two of the same parent have the number {number}, so nothing is renumbered.",
                "`dctx doctor` names them; give one another number.",
            )
    label = LABELS[len(parent.units) + 1 if parent else 1]
    listed = listed_children(project.text(document_of(parent)), label)
    return sorted({*numbers, *(line.number for line in listed)})


def _arrange(project: Project, place: Place, change: Change, now: str) -> Arranged:
    """Decided first, then written: documents, what is removed, names; and the records at the end."""
    if place.task and place.task.twice:
        raise DctxError(
            f"Task {place.ref} has two files, with .done.md and without.",
            "Keep the one that counts; then try again.",
        )
    root = project.root
    title = project.title(place.units[-1])
    ref = ref_of(place)
    new_ref = change.moved.now(ref)
    rewrites, failed = rewritten(project, change)
    renamed = renamings(project, change)
    warnings = tuple(_warnings(project, change))
    origins, unfollowed = with_new_places(project, renamed)
    failed += unfollowed
    steps = writes([*rewrites, *origins])
    archived = ""
    if new_ref is None:
        path = place.units[-1].path
        archived = archive_place(root, path)
        steps.append(rename_step(path, archived))
    steps += renames(renamed)
    if steps:
        with time_kept(project):
            failed += carry_out(root, steps)

    records, unwritten = _follow(root, now, [ref, new_ref])
    after = Project(root)
    remember_place(root, place_at(after, new_ref))
    documents = [rewrite.replace(path=_renamed(rewrite.path, renamed)) for rewrite in rewrites]
    return Arranged(
        project=after,
        ref=place.ref,
        title=title,
        now=ref_text(new_ref),
        change=change,
        archived=archived,
        renamed=tuple(renamed),
        rewrites=tuple(_merged([*documents, *records])),
        failed=(*failed, *unwritten),
        warnings=warnings,
    )


def _follow(
    root: str, now: str, refs: Iterable[Ref | None]
) -> tuple[list[Rewrite], list[WriteFailure]]:
    """The records of the goals that it was in and is in; of all, where a goal itself was meant."""
    scopes = dict.fromkeys(EVERYTHING if len(ref) == 1 else Scope(ref[0]) for ref in refs if ref)
    written: list[Rewrite] = []
    failed: list[WriteFailure] = []
    for scope in scopes:
        more, unwritten = bring_in_line(lambda: Project(root), Occasion(now), scope)
        written += more
        failed += unwritten
    return written, failed


def _warnings(project: Project, change: Change) -> Iterator[str]:
    """Open tasks that needed what is removed: their Needs First says so from now on."""
    for place in every_unit(project):
        ref = ref_of(place)
        if place.task is None or place.task.done or change.moved.now(ref) is None:
            continue
        needs = parse_needs(section(project.text(place.task.path), "needs first") or "")
        for reference in needs.references:
            if reference.relative:
                continue
            needed = meant(reference, ref)
            if change.moved.now(needed) is None:
                new = ref_text(change.moved.now(ref))
                old = ref_text(needed)
                yield f"{new} needed {old}, which is removed; look at its Needs First"


def _renamed(path: str, renamings: Iterable[Renaming]) -> str:
    for renaming in renamings:
        if path == renaming.old or path.startswith(f"{renaming.old}/"):
            return renaming.new + path.removeprefix(renaming.old)
    return path


def _merged(rewrites: Iterable[Rewrite]) -> list[Rewrite]:
    """Two changes of one document are one."""
    merged: dict[str, Rewrite] = {}
    for rewrite in rewrites:
        first = merged.get(rewrite.path)
        if first is None:
            merged[rewrite.path] = rewrite
            continue
        before = parse_source(first.before)
        after = parse_source(rewrite.after)
        assert before and after
        edits = tuple(edits_to(before, after.text))
        merged[rewrite.path] = Rewrite(rewrite.path, first.before, rewrite.after, edits)
    return list(merged.values())


def way_back(removed: Arranged) -> str:
    """Where somebody moves what they removed to have it again; `dctx doctor --fix` lists it there."""
    inner = removed.archived.removeprefix(f"{ARCHIVE}/")
    folder, _, archived_name = inner.rpartition("/")
    # The archive sets a number behind each name: `02-water.md.1`.
    _, _, words = archived_name.rpartition(".")[0].partition("-")
    above = tuple(map(int, removed.ref.split("/")[:-1]))
    parent = place_at(removed.project, above) if above else None
    numbers = [unit.number for unit in children(removed.project, parent)]
    return f"{FOLDER}/{folder}/{max(numbers, default=0) + 1:02}-{words}"


def arranged_json(done: Arranged) -> Json:
    renamed: list[dict[str, str]] = []
    for renaming in done.renamed:
        renamed.append({"from": plain(renaming.old), "to": plain(renaming.new)})
    return {
        "ref": done.ref,
        "title": done.title,
        "now": done.now or None,
        "archived": plain(done.archived) or None,
        "renamed": renamed,
        "changed": [rewrite_json(rewrite) for rewrite in done.rewrites],
        "failed": [as_dict(failure) for failure in done.failed],
        "warnings": list(done.warnings),
    }
