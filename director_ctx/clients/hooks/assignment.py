"""Which task an agent is given by a hook, and the line above its context that says why."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, NothingReady
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.clients.table import SPAWN
from director_ctx.context.settings.tags import DECISIONS, PROMPT_WINS, STEP, TASK
from director_ctx.project.claims import (
    TaskTaken,
    Worker,
    start,
    start_first,
)
from director_ctx.project.tasks.in_words import TaskInWords, task_in_words
from director_ctx.project.tasks.next import UNPLANNED, next_task, place_at, ready_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.protocol import Event
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.project.claims import Claim
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place

NO_TASK = "dctx gives you no task:"
LONGEST = 200
BUILDER = "builder"
"""The instructions by which an agent carries a task out. Others only look at it, and start none."""


class Assignment(Record):
    """What an agent gets."""

    head: str
    """The first line of what it is told."""
    task: str = ""
    """The path of its task."""
    without: tuple[str, ...] = ()
    """Sections that it does not get."""
    is_alone: bool = False
    """Whether there is only the line, and no context."""
    claim: str = ""
    """The id of the claim that the agent has of its task."""


def assign(
    project: Project, event: Event, profile: Profile, prompt: str | None, only_named: bool
) -> Assignment | None:
    """None where the agent gets nothing. With `only_named` it gets something only where its prompt
    names a task or asks for the next one. A prompt of None is not known.
    """
    if STEP not in profile.sections and TASK not in profile.sections:
        return Assignment(f"Context of the {profile.name}. {PROMPT_WINS}")
    named = task_in_words(project, prompt or "")
    does_it = profile.instructions == BUILDER
    by = worker_of(event)
    before = project.claims_before()
    if named.place:
        return _named(project, named, named.place, by if does_it else None)
    if only_named and not named.asks_next:
        return None
    if named.unknown:
        unknown = _unknown(project, named)
        return Assignment(unknown, without=(TASK, STEP, DECISIONS))
    if not does_it:
        return _looked_at(project, event)
    claim = None
    try:
        claim = start_first(project, ready_places(project), by)
        place = place_at(project, claim.task.split("/")) if claim else None
    except DctxError:
        # Without a file of claims the context arrives all the same.
        place = next(ready_places(project), None)
    if place is None:
        return _none(project)
    was = before.get(place.names)
    given = _given(project, place, "the next one that is ready and free", _of_claims(claim, was))
    return given.replace(claim=claim.id if claim else "")


def worker_of(event: Event) -> Worker:
    """The agent that an event is about."""
    # In the event of a spawn the agent is the one that spawns another.
    is_spawn = event.kind == SPAWN
    return Worker(
        agent=event.agent_type,
        client=event.client.name,
        session=event.session,
        spawn=event.id if is_spawn else "",
        child="" if is_spawn else event.child,
        transcript=event.transcript,
    )


def _named(project: Project, named: TaskInWords, place: Place, by: Worker | None) -> Assignment:
    remarks: list[str] = []
    if named.disagrees:
        remarks.append(
            f"Your prompt also says {named.disagrees}, which is another task: the title counts."
        )
    if named.also:
        remarks.append(
            f"Your prompt also names {_listed(project, named.also)}: not part of this context."
        )
    claim = None
    was = project.claims_before().get(place.names)
    assert place.task
    if place.task.done:
        remarks.append("This task is done already.")
    elif by:
        try:
            claim = start(project, place, by)
        except TaskTaken as taken:
            remarks.append(f"It is {taken.claim.says}: make sure that you do not both work on it.")
        except DctxError:
            pass
    given = _given(project, place, "your prompt names it", [*remarks, *_of_claims(claim, was)])
    return given.replace(claim=claim.id if claim else "")


def _given(project: Project, place: Place, why: str, remarks: Sequence[str] = ()) -> Assignment:
    assert place.task
    title = project.title(place.task)
    parts = (f"Task {place.ref}, {title}: {why}. {PROMPT_WINS}", *remarks)
    return Assignment(" ".join(parts), place.task.path)


def _of_claims(claim: Claim | None, was: Claim | None) -> list[str]:
    """What is said of the claim that the agent has, and of the one that somebody had before."""
    said: list[str] = []
    if claim:
        said.append(f"You have it (claim {claim.id}).")
    if was:
        said.append(f"It was {was.says}: look at what is there before you begin.")
    return said


def _unknown(project: Project, named: TaskInWords) -> str:
    said = plain(named.unknown)[:LONGEST]
    nearest = ""
    if named.nearest:
        nearest = f" The nearest: {_listed(project, named.nearest)}."
    return (
        f"Your prompt names {said!r}, which is no task of this plan, so no task is given here.{nearest}"
        f" Ask or report that before you begin another one. {PROMPT_WINS}"
    )


def _none(project: Project) -> Assignment:
    """Why there is no task for it. Where nothing is planned, nobody expects one."""
    state = next_task(project)
    if state.state == UNPLANNED:
        raise NothingReady(f"No task is ready: {state.why}.", "`dctx next` says more.")
    return Assignment(f"{NO_TASK} {state.why}.", is_alone=True)


def _looked_at(project: Project, event: Event) -> Assignment | None:
    """For an agent that checks or mends: the task that its session had last, else the next one."""
    claims = {**project.claims_before(), **project.claims()}
    own = [claim for claim in claims.values() if claim.session == event.session]
    own.sort(key=lambda claim: claim.since)
    for claim in reversed(own):
        place = place_at(project, claim.task.split("/"))
        if place and place.task and not place.task.done:
            return _given(project, place, "the last one that your session has begun")
    place = next(ready_places(project), None)
    if place is None:
        return _none(project)
    return _given(project, place, "the next one that is ready")


def _listed(project: Project, places: tuple[Place, ...]) -> str:
    names: list[str] = []
    for place in places:
        assert place.task
        names.append(f"{place.ref} {project.title(place.task)}")
    return "; ".join(names)
