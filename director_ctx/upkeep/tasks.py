"""What a finished or reopened task means for the folder: its file is renamed, and every record
follows.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.tasks.names import find_task
from director_ctx.project.tasks.next import places, readiness
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import Rewrite, WriteFailure, rename
from director_ctx.upkeep.sync import EVERYTHING, Scope, bring_in_line, rewrites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.reading.model import Place


class Upkeep(Record):
    """What was changed, and what could not be."""

    project: Project
    """As it is afterwards."""
    place: Place | None = None
    renamed: tuple[str, str] | None = None
    rewrites: tuple[Rewrite, ...] = ()
    failed: tuple[WriteFailure, ...] = ()
    warnings: tuple[str, ...] = ()


def finish(root: str, name: str, now: str) -> Upkeep:
    """Marks a task done. One that is done already only has its records brought in line."""
    with alone_in_project(root):
        place = find_task(Project(root), name)
        task = place.task
        assert task
        if task.done:
            return _in_line(root, now, place, None, (f"task {place.ref} was done already",))

        judged = readiness(Project(root), place)
        warnings: tuple[str, ...] = ()
        if not judged.ready:
            warnings = (f"task {place.ref} was not ready: {judged.why}",)
        new = f"{task.path.removesuffix('.md')}.done.md"
        return _renamed(root, now, place, new, warnings)


def reopen(root: str, name: str, now: str) -> Upkeep:
    """Makes a finished task pending again."""
    with alone_in_project(root):
        place = _find_finished(Project(root), name)
        task = place.task
        assert task
        if not task.done:
            return _in_line(root, now, place, None, (f"task {place.ref} was not done",))
        if task.twice:
            raise DctxError(
                f"Task {place.ref} has two files, with .done.md and without.",
                f"Keep the one that counts: {plain(task.path)}, or the one beside it.",
            )
        new = f"{task.path.removesuffix('.done.md')}.md"
        return _renamed(root, now, place, new, ())


def _find_finished(project: Project, name: str) -> Place:
    """A number alone is looked for in the current step; if it is not there, the last finished task
    is named.
    """
    try:
        return find_task(project, name)
    except DctxError as error:
        hint = f"{error.hint}."
        done = [place for place in places(project) if place.task and place.task.done]
        if done:
            hint += f" The last one that is done is {done[-1].ref}."
        raise DctxError(error.message, hint.replace("..", ".")) from error


def sync(root: str, now: str) -> Upkeep:
    """Brings every record in line with the files."""
    with alone_in_project(root):
        return _in_line(root, now, None, None, ())


def would_sync(root: str, now: str) -> Upkeep:
    """The same, without writing anything."""
    project = Project(root)
    pending, failed = rewrites(project, Occasion(now))
    return Upkeep(project, rewrites=tuple(pending), failed=tuple(failed))


def _renamed(root: str, now: str, place: Place, new: str, warnings: tuple[str, ...]) -> Upkeep:
    """The file's name comes first: it is what counts, and the records can always be made from it."""
    assert place.step and place.task
    task = place.task
    rename(Project(root), task.path, new)
    renamed = task.replace(path=new, done=not task.done)

    numbers = [sibling.number for sibling in Project(root).tasks(place.step)]
    if numbers.count(task.number) > 1:
        twins = f"two tasks have the number {task.number}, so STEP.md's box was left alone"
        warnings = (*warnings, twins)
    return _in_line(root, now, place.replace(task=renamed), (task.path, new), warnings)


def _in_line(
    root: str,
    now: str,
    place: Place | None,
    renamed: tuple[str, str] | None,
    warnings: tuple[str, ...],
) -> Upkeep:
    worked = renamed is not None
    task = place.task if place else None
    reopened = worked and task is not None and not task.done
    occasion = Occasion(now, worked, reopened)
    written, failed = bring_in_line(lambda: Project(root), occasion, scope_of(place))
    return Upkeep(Project(root), place, renamed, tuple(written), tuple(failed), warnings)


def scope_of(place: Place | None) -> Scope:
    """A command about one task leaves the drift of others to `state sync`."""
    if place is None:
        return EVERYTHING
    step = place.step.number if place.step else None
    task = place.task.number if place.task else None
    return Scope(place.goal.number, step, task)
