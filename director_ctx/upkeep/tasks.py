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
from director_ctx.upkeep.sync import Scope, bring_in_line

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
        if version is not None and version != task_version(project, place):
            raise TaskChanged(
                f"Task {place.ref} was changed since version {plain(version[:40])}, so it was not marked done.",
                f"Read it again; it is at version {task_version(project, place)} now.",
            )
        if task.done:
            return _in_line(root, now, place, [f"task {place.ref} was done already"])
        warnings: list[str] = []
        judged = readiness(Project(root), place)
        if not judged.ready:
            warnings.append(f"task {place.ref} was not ready: {judged.why}")
        return _rename(root, now, place, warnings)


def reopen(root: str, name: str, now: str) -> Upkeep:
    """Makes a finished task pending again."""
    with alone_in_project(root):
        finish_unfinished(root)
        project = Project(root)
        try:
            place = find_task(project, name, contains=has_words)
        except DctxError as error:
            # A number alone is looked for in the current step, and the last one may be in the step before.
            done = [place.ref for place in places(project) if place.task and place.task.done]
            last = f" The last one that is done is {done[-1]}." if done else ""
            raise DctxError(error.message, f"{error.hint.rstrip('.')}.{last}") from error
        task = place.task
        assert task
        if not task.done:
            return _in_line(root, now, place, [f"task {place.ref} was not done"])
        if task.twice:
            raise DctxError(
                f"Task {place.ref} has two files, with .done.md and without.",
                f"Keep the one that counts: {plain(task.path)}, or the one beside it.",
            )
        return _rename(root, now, place, [])


def _rename(root: str, now: str, place: Place, warnings: list[str]) -> Upkeep:
    """The file's name comes first: it is what counts, and the records can always be made from it."""
    assert place.step and place.task
    task = place.task
    ending = ".md" if task.done else ".done.md"
    path = f"{place.step.path}/tasks/{task.name}{ending}"
    rename(Project(root), task.path, path)
    if task.done:
        forget(Project(root), lambda claim: claim.task == place.names)
    else:
        finished(Project(root), place)
    numbers = [sibling.number for sibling in Project(root).tasks(place.step)]
    if numbers.count(task.number) > 1:
        warnings.append(f"two tasks have the number {task.number}, so STEP.md's box was left alone")
    place = place.replace(task=task.replace(path=path, done=not task.done))
    result = _in_line(root, now, place, warnings, Occasion(now, True, task.done))
    # Last: whoever is killed before loses nothing by it.
    remember_place(root, place)
    return result.replace(renamed=(task.path, path))


def _in_line(
    root: str,
    now: str,
    place: Place,
    warnings: list[str],
    occasion: Occasion | None = None,
) -> Upkeep:
    occasion = occasion or Occasion(now)
    written, failed = bring_in_line(lambda: Project(root), occasion, scope_of(place))
    return Upkeep(
        project=Project(root),
        place=place,
        rewrites=tuple(written),
        failed=tuple(failed),
        warnings=tuple(warnings),
    )


def scope_of(place: Place) -> Scope:
    """A command about one task leaves the drift of others to `doctor --fix`."""
    return Scope(*(unit.number for unit in place.units))
