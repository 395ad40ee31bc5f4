"""Which goal, step or task is meant: `2`, `2/1`, `2/1/3`, `goal 2`, or a task by its words."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.project.reading.model import Place
from director_ctx.project.tasks.names import find_goal, find_step, find_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project


def find_unit(project: Project, name: str) -> Place:
    """The one that is meant; a number alone only where it can be nothing else."""
    words = name.strip()
    first_word, _, rest = words.partition(" ")
    kind = first_word.casefold()
    if rest and ">" not in rest:
        if kind == "goal":
            return Place(find_goal(project, rest))
        if kind == "step":
            return _step(project, rest.strip())
        if kind == "task":
            return find_task(project, rest.strip())

    parts = words.split("/")
    if not all(part.isascii() and part.isdigit() for part in parts):
        return find_task(project, words)
    if len(parts) == 1:
        return _by_number(project, words)
    if len(parts) == 2:
        return _step(project, words)
    return find_task(project, words)


def _step(project: Project, name: str) -> Place:
    place = find_step(project, None, name)
    if place is None:
        raise DctxError("No goal is planned yet.", "Make one first: dctx add goal 'NAME'")
    return place


def _by_number(project: Project, number: str) -> Place:
    """Elsewhere a number alone is a task of the current step, so both are looked for."""
    goal: Place | None = None
    task: Place | None = None
    try:
        goal = Place(find_goal(project, number))
    except DctxError as error:
        unknown = error
    try:
        task = find_task(project, number)
    except DctxError:
        pass
    if goal and task:
        raise UsageProblem(
            f"{number} may be goal {number} or task {task.ref}.",
            f"Say 'goal {number}' or {task.ref}.",
        )
    if not goal and not task:
        raise unknown
    found = goal or task
    assert found
    return found
