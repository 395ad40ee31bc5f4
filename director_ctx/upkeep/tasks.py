"""What a finished or reopened task means for the folder: its file is renamed, and every record
follows.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record
from director_ctx.base.text import has_words, plain
from director_ctx.project.claims import finished, forget
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.tasks.names import find_task
from director_ctx.project.tasks.next import places, readiness
from director_ctx.upkeep.arranging.journal import finish_unfinished
from director_ctx.upkeep.last_place import remember_place
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import Rewrite, WriteFailure, rename
from director_ctx.upkeep.sync import EVERYTHING, Scope, bring_in_line, rewrites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.reading.model import Place


VERSION_LENGTH = 8
"""Letters of a task's version: a few million changes tell themselves apart."""


class Upkeep(Record):
    """What was changed, and what could not be."""

    project: Project
    """As it is afterwards."""
    place: Place | None = None
    renamed: tuple[str, str] | None = None
    rewrites: tuple[Rewrite, ...] = ()
    failed: tuple[WriteFailure, ...] = ()
    warnings: tuple[str, ...] = ()


class TaskChanged(DctxError):
    """The task does not say any more what somebody read."""


def task_version(project: Project, place: Place) -> str:
    """What a task's file says and whether it is done, in a few letters that change with it."""
    task = place.task
    assert task
    return text_digest(f"{task.done} {project.text(task.path)}")[:VERSION_LENGTH]


def finish(root: str, name: str, now: str, version: str | None = None) -> Upkeep:
    """Marks a task done. One that is done already only has its records brought in line.

    With `version`, only if the task still says what it said then.
    """
    with alone_in_project(root):
        finish_unfinished(root)
        project = Project(root)
        place = find_task(project, name, contains=has_words)
        task = place.task
        assert task
        if version is not None:
            _expect_version(project, place, version)
        if task.done:
            warning = f"task {place.ref} was done already"
            return _in_line(root, now, place, warnings=(warning,))

        warnings: list[str] = []
        judged = readiness(Project(root), place)
        if not judged.ready:
            warnings.append(f"task {place.ref} was not ready: {judged.why}")
        stem = task.path.removesuffix(".md")
        return _rename(root, now, place, f"{stem}.done.md", warnings)


def _expect_version(project: Project, place: Place, version: str) -> None:
    newest = task_version(project, place)
    if version != newest:
        raise TaskChanged(
            f"Task {place.ref} was changed since version {plain(version[:40])}, so it was not marked done.",
            f"Read it again; it is at version {newest} now.",
        )


def reopen(root: str, name: str, now: str) -> Upkeep:
    """Makes a finished task pending again."""
    with alone_in_project(root):
        finish_unfinished(root)
        place = _find_finished(Project(root), name)
        task = place.task
        assert task
        if not task.done:
            warning = f"task {place.ref} was not done"
            return _in_line(root, now, place, warnings=(warning,))
        if task.twice:
            raise DctxError(
                f"Task {place.ref} has two files, with .done.md and without.",
                f"Keep the one that counts: {plain(task.path)}, or the one beside it.",
            )
        stem = task.path.removesuffix(".done.md")
        return _rename(root, now, place, f"{stem}.md", [])


def _find_finished(project: Project, name: str) -> Place:
    """A number alone is looked for in the current step; if it is not there, the last finished task
    is named.
    """
    try:
        return find_task(project, name, contains=has_words)
    except DctxError as error:
        last_done = None
        for place in places(project):
            if place.task and place.task.done:
                last_done = place

        hint = f"{error.hint}."
        if last_done:
            hint += f" The last one that is done is {last_done.ref}."
        # The hint may have ended in a full stop of its own.
        hint = hint.replace("..", ".")
        raise DctxError(error.message, hint) from error


def sync(root: str, now: str) -> Upkeep:
    """Brings every record in line with the files."""
    with alone_in_project(root):
        finish_unfinished(root)
        return _in_line(root, now, None)


def would_sync(root: str, now: str) -> Upkeep:
    """The same, without writing anything."""
    project = Project(root)
    pending, failed = rewrites(project, Occasion(now))
    return Upkeep(project, rewrites=tuple(pending), failed=tuple(failed))


def _rename(
    root: str,
    now: str,
    place: Place,
    path: str,
    warnings: list[str],
) -> Upkeep:
    """The file's name comes first: it is what counts, and the records can always be made from it."""
    assert place.step and place.task
    task = place.task
    rename(Project(root), task.path, path)
    renamed = task.replace(path=path, done=not task.done)
    if renamed.done:
        finished(Project(root), place)
    else:
        forget(Project(root), lambda claim: claim.task == place.names)

    siblings = Project(root).tasks(place.step)
    numbers = [sibling.number for sibling in siblings]
    if numbers.count(task.number) > 1:
        warnings.append(
            f"two tasks have the number {task.number}, so STEP.md's box was left alone",
        )
    return _in_line(
        root,
        now,
        place.replace(task=renamed),
        renamed=(task.path, path),
        warnings=tuple(warnings),
    )


def _in_line(
    root: str,
    now: str,
    place: Place | None,
    *,
    renamed: tuple[str, str] | None = None,
    warnings: tuple[str, ...] = (),
) -> Upkeep:
    worked = renamed is not None
    reopened = False
    if worked and place and place.task:
        reopened = not place.task.done

    written, failed = bring_in_line(
        lambda: Project(root),
        Occasion(now, worked, reopened),
        scope_of(place),
    )
    if worked:
        # Last: whoever is killed before loses nothing by it.
        remember_place(root, place)
    return Upkeep(
        project=Project(root),
        place=place,
        renamed=renamed,
        rewrites=tuple(written),
        failed=tuple(failed),
        warnings=warnings,
    )


def scope_of(place: Place | None) -> Scope:
    """A command about one task leaves the drift of others to `doctor --fix`."""
    if place is None:
        return EVERYTHING
    scope = Scope(place.goal.number)
    if place.step:
        scope = scope.replace(step=place.step.number)
    if place.task:
        scope = scope.replace(task=place.task.number)
    return scope
