"""What to do now: the first ready task in order, and the reasons of those that wait."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.reading.model import FOLDER, Place
from director_ctx.project.tasks.child_lists import listed_goals
from director_ctx.project.tasks.readiness import Readiness, pending_places, places, readiness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

READY, WAITING, UNPLANNED, DONE = "ready", "waiting", "unplanned", "done"


class Candidate(Record):
    place: Place
    readiness: Readiness


class Next(Record):
    """The state of the plan and the pending tasks, sorted by what can be done with them."""

    state: str
    task: Candidate | None = None
    also_ready: tuple[Candidate, ...] = ()
    waiting: tuple[Candidate, ...] = ()
    unplanned: tuple[str, ...] = ()
    why: str = ""


def choose(project: Project) -> Candidate | None:
    """The next task alone, reading no more files than it needs."""
    for place in pending_places(project):
        found = Candidate(place, readiness(project, place))
        if found.readiness.ready:
            return found
    return None


def next_task(project: Project) -> Next:
    """Every pending task judged."""
    judged = [Candidate(place, readiness(project, place)) for place in pending_places(project)]
    ready = [candidate for candidate in judged if candidate.readiness.ready]
    waiting = tuple(candidate for candidate in judged if not candidate.readiness.ready)
    holes = tuple(unplanned(project))
    if ready:
        why = _why(ready[0], judged[0])
        return Next(READY, ready[0], tuple(ready[1:]), waiting, holes, why)
    if waiting:
        return Next(WAITING, waiting=waiting, unplanned=holes, why=_all_wait(len(waiting)))
    has_tasks = next(places(project), None) is not None
    if holes or not has_tasks:
        why = "what is left to do has no task file yet" if has_tasks else "no goal has a task file yet"
        return Next(UNPLANNED, unplanned=holes, why=why)
    return Next(DONE, why="every task is done")


def _all_wait(number: int) -> str:
    return "the one task left waits" if number == 1 else f"all {number} tasks left wait"


def _why(chosen: Candidate, first: Candidate) -> str:
    grounds = {
        "declared": "it says that it needs nothing first",
        "explicit": "everything it names as needed is complete",
        "assumed": "everything before it is done; its needs are prose, so this is assumed",
    }
    ground = grounds[chosen.readiness.kind]
    if chosen is first:
        return f"first pending task in order; {ground}"
    return f"{first.place.ref} comes first but waits ({first.readiness.why}); here {ground}"


def unplanned(project: Project) -> list[str]:
    """What is in the plan but has no tasks: listed goals without a folder, goals without steps, empty steps."""
    holes = []
    numbers = {goal.number for goal in project.goals()}
    for number, name in listed_goals(project.text(f"{FOLDER}/GAMEPLAN.md")):
        if number not in numbers:
            holes.append(f"goal {number} ({name}) is in GAMEPLAN.md and has no folder yet")
    for goal in project.goals():
        steps = project.steps(goal)
        if not steps:
            holes.append(f"goal {goal.number} has no steps yet")
        empty = [step for step in steps if not project.tasks(step)]
        holes += [f"step {step.number} of goal {goal.number} has no tasks yet" for step in empty]
    return holes
