"""The goal and step that somebody added to or worked on last, so that the next `add` goes there.

File times would tell it too, but a checkout sets them all anew.
"""

from __future__ import annotations

from director_ctx.project.dctx_folder import kept_rows, write_kept
from director_ctx.project.reading.model import Place
from director_ctx.project.tasks.next import goal_complete, step_complete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

NAME = "last-place.json"
LARGEST = 2_000


def remember_place(root: str, place: Place | None) -> None:
    """By the names of the folders. It may be lost without harm, so nothing fails for it."""
    if place is None:
        return
    # Only whoever changes the plan waits for it.
    import json

    names = [unit.name for unit in (place.goal, place.step) if unit]
    try:
        write_kept(root, NAME, json.dumps(names).encode())
    except (OSError, ValueError):
        pass


def last_place(project: Project) -> Place | None:
    """That goal and step while something is left to do there; None where nothing is known."""
    names = kept_rows(project.root, NAME, LARGEST)
    if not names:
        return None
    for goal in project.goals():
        if goal.name != names[0] or goal_complete(project, goal):
            continue
        for step in project.steps(goal):
            if names[1:] == [step.name] and not step_complete(project, step):
                return Place(goal, step)
        return Place(goal)
    return None
