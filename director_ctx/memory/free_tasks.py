"""Which tasks an agent can take now: those that are ready, and that no other agent has taken."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.claims import TaskTaken, claim, claims
from director_ctx.project.tasks.next import next_task, readiness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.claims import Claim
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place
    from director_ctx.project.tasks.next import Next

MOST_NAMED = 3


class FreeTasks(Record):
    """The tasks that are ready, by whether somebody works on them."""

    claims: tuple[Claim, ...]
    """All that stand now, also of tasks that are not ready."""
    taken: Claim | None
    """Who has the next task, if anybody."""
    free: tuple[Place, ...]
    """Ready, and nobody's; in order."""

    @property
    def refs(self) -> str:
        """The first of those that are free, in a few words."""
        names = [place.ref for place in self.free[:MOST_NAMED]]
        more = len(self.free) - MOST_NAMED
        if more > 0:
            names.append(f"and {more:,} more")
        return ", ".join(names)

    @property
    def says(self) -> str:
        """What is to be said where somebody has the next task; empty where it is free."""
        if self.taken is None:
            return ""
        until = f"{self.taken.task} is {self.taken.agent}'s until {self.taken.ends}"
        if self.free:
            return f"{until}; free: {self.refs}"
        return f"{until}; no other task is ready"


def taken_json(project: Project) -> list[dict[str, str]]:
    """Who works on which task, and until when; for whoever reads JSON."""
    rows = []
    for row in standing_claims(project):
        rows.append({"task": row.task, "agent": row.agent, "until": row.until})
    return rows


class TaskNotFree(DctxError):
    """A task cannot be taken now. It knows which ones can."""

    def __init__(self, message: str, tasks: FreeTasks) -> None:
        self.tasks = tasks
        hint = "No other task is ready."
        if tasks.free:
            hint = f"Free: {tasks.refs}."
        super().__init__(message, hint)


def free_tasks(project: Project, upcoming: Next | None = None) -> FreeTasks:
    """`upcoming` is what `next_task` said, for whoever knows it already."""
    if upcoming is None:
        upcoming = next_task(project)
    standing = standing_claims(project)
    by_task = {row.task: row for row in standing}

    ready = list(upcoming.also_ready)
    taken = None
    if upcoming.task:
        ready.insert(0, upcoming.task)
        taken = by_task.get(upcoming.task.place.ref)
    free = [candidate.place for candidate in ready if candidate.place.ref not in by_task]
    return FreeTasks(tuple(standing), taken, tuple(free))


def standing_claims(project: Project) -> list[Claim]:
    """None where the store cannot be used: where the project stands is known by its files."""
    try:
        return claims(project)
    except DctxError:
        return []


def take(project: Project, place: Place, agent: str) -> Claim:
    """Takes a task for an agent, if it is ready and nobody else's; `TaskNotFree` otherwise."""
    assert place.task
    if place.task.done:
        raise TaskNotFree(f"Task {place.ref} is done already.", free_tasks(project))
    judged = readiness(project, place)
    if not judged.ready:
        waits = f"Task {place.ref} cannot start yet: {judged.why}."
        raise TaskNotFree(waits, free_tasks(project))
    try:
        return claim(project, place.ref, agent)
    except TaskTaken as taken:
        raise TaskNotFree(taken.message, free_tasks(project)) from taken
