"""Every record of a project, and what it takes to bring each in line with the files."""

from __future__ import annotations

from functools import partial

from director_ctx.base.record import Record
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.progress import goal_progress
from director_ctx.project.tasks.standing import standing
from director_ctx.upkeep.records.plan import box_edits, focus_edits, goal_edits
from director_ctx.upkeep.records.state import Occasion, state_edits
from director_ctx.upkeep.rewrite import TRIES, Rewrite, WriteFailure, merged, would_change, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from director_ctx.project.project import Project
    from director_ctx.upkeep.records.source import Edit, Source

    Edits = Callable[[Source], list[Edit]]


GAMEPLAN = f"{FOLDER}/GAMEPLAN.md"
STATE = f"{FOLDER}/STATE.md"


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
) -> tuple[list[Rewrite], list[WriteFailure]]:
    """The documents to change: STEPs and GOALs first, because STATE and GAMEPLAN are made from the
    same facts.
    """
    pending: list[Rewrite] = []
    failed: list[WriteFailure] = []
    for path, edits in every_record(project, occasion, scope):
        changed, unchangeable = would_change(project, path, edits)
        pending += changed
        failed += unchangeable
    return pending, failed


def every_record(
    project: Project, occasion: Occasion = NOTHING_NEW, scope: Scope = EVERYTHING
) -> Iterator[tuple[str, Edits]]:
    """The path of each record, and what makes the edits of its text."""
    truth = standing(project)
    goals = [goal_progress(project, goal) for goal in project.goals()]
    for goal in goals:
        if scope.goal not in (None, goal.goal.number):
            continue
        for progress in goal.steps:
            step = progress.step
            if scope.step in (None, step.number):
                boxes = partial(box_edits, tasks=project.tasks(step), only=scope.task)
                yield f"{step.path}/STEP.md", boxes
        yield (
            f"{goal.goal.path}/GOAL.md",
            partial(goal_edits, goal=goal, reopened=occasion.reopened),
        )
    yield STATE, partial(state_edits, truth=truth, goals=goals, occasion=occasion)
    yield GAMEPLAN, partial(focus_edits, truth=truth)


def bring_in_line(
    load: Callable[[], Project], occasion: Occasion, scope: Scope = EVERYTHING
) -> tuple[list[Rewrite], list[WriteFailure]]:
    """Writes what is out of line. A document that somebody else writes meanwhile is read again."""
    written: list[Rewrite] = []
    failed: dict[str, WriteFailure] = {}
    for _ in range(TRIES):
        project = load()
        pending, unreadable = rewrites(project, occasion, scope)
        for failure in unreadable:
            failed[failure.path] = failure
        missed: list[str] = []
        for rewrite in pending:
            if rewrite.path in failed:
                continue
            try:
                if write(project, rewrite):
                    written.append(rewrite)
                else:
                    missed.append(rewrite.path)
            except OSError as error:
                why = error.strerror or str(error)
                failed[rewrite.path] = WriteFailure(rewrite.path, why)
        if not missed:
            break
    else:
        # Read anew so many times, and still written by somebody else each time.
        for path in missed:
            failed[path] = WriteFailure(path, "somebody else keeps writing it")
    return merged(written), list(failed.values())
