"""Every record of a project, and what it takes to bring each in line with the files."""

from __future__ import annotations

from functools import partial

from director_ctx.base.record import Record
from director_ctx.project.tasks.progress import goal_progress
from director_ctx.project.tasks.standing import standing
from director_ctx.upkeep.records.drift import GAMEPLAN, STATE
from director_ctx.upkeep.records.gameplan import focus_edits
from director_ctx.upkeep.records.goal import goal_edits
from director_ctx.upkeep.records.state import Occasion, state_edits
from director_ctx.upkeep.records.step import box_edits
from director_ctx.upkeep.rewrite import (
    TRIES,
    Failure,
    Rewrite,
    Unchangeable,
    planned,
    source_at,
    write,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from director_ctx.project.project import Project
    from director_ctx.project.tasks.progress import GoalProgress
    from director_ctx.upkeep.records.source import Edit, Source


class Scope(Record):
    """Which records follow: those of one goal, step and task, or all. STATE and GAMEPLAN are about
    everything.
    """

    goal: int | None = None
    step: int | None = None
    task: int | None = None


EVERYTHING = Scope()
NOTHING_NEW = Occasion()


def rewrites(
    project: Project, occasion: Occasion = NOTHING_NEW, scope: Scope = EVERYTHING
) -> tuple[list[Rewrite], list[Failure]]:
    """The documents to change: STEPs and GOALs first, because STATE and GAMEPLAN are made from the
    same facts.
    """
    found: list[Rewrite] = []
    failed: list[Failure] = []
    for path, edits in _records(project, occasion, scope):
        try:
            read = source_at(project, path)
        except Unchangeable as error:
            failed.append(Failure(path, str(error)))
            continue
        if read:
            found += planned(path, *read, edits(read[1]))
    return found, failed


def _records(
    project: Project, occasion: Occasion, scope: Scope
) -> Iterator[tuple[str, Callable[[Source], list[Edit]]]]:
    truth = standing(project)
    goals = [goal_progress(project, goal) for goal in project.goals()]
    for goal in goals:
        if scope.goal in (None, goal.goal.number):
            yield from _of_goal(project, goal, occasion, scope)
    yield STATE, lambda source: state_edits(source, truth, goals, occasion)
    yield GAMEPLAN, lambda source: focus_edits(source, truth)


def _of_goal(
    project: Project, goal: GoalProgress, occasion: Occasion, scope: Scope
) -> Iterator[tuple[str, Callable[[Source], list[Edit]]]]:
    for step in goal.steps:
        tasks = project.tasks(step.step)
        if scope.step in (None, step.step.number):
            yield f"{step.step.path}/STEP.md", partial(box_edits, tasks=tasks, only=scope.task)
    yield f"{goal.goal.path}/GOAL.md", partial(goal_edits, goal=goal, reopened=occasion.reopened)


def bring_in_line(
    load: Callable[[], Project], occasion: Occasion, scope: Scope = EVERYTHING
) -> tuple[list[Rewrite], list[Failure]]:
    """Writes what is out of line. A document that somebody else writes meanwhile is read again."""
    written: dict[str, Rewrite] = {}
    failed: dict[str, Failure] = {}
    for _ in range(TRIES):
        project = load()
        pending, unreadable = rewrites(project, occasion, scope)
        failed |= {one.path: one for one in unreadable}
        missed = [
            one.path
            for one in pending
            if one.path not in failed and not _put(project, one, written, failed)
        ]
        if not missed:
            break
    else:
        failed |= {path: Failure(path, "somebody else keeps writing it") for path in missed}
    return list(written.values()), list(failed.values())


def _put(
    project: Project, one: Rewrite, written: dict[str, Rewrite], failed: dict[str, Failure]
) -> bool:
    """Writes one document; False if it has to be read again."""
    try:
        if not write(project, one):
            return False
    except OSError as error:
        failed[one.path] = Failure(one.path, error.strerror or str(error))
        return True
    first = written.get(one.path)
    written[one.path] = (
        one.replace(before=first.before, edits=(*first.edits, *one.edits)) if first else one
    )
    return True
