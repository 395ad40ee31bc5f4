"""What a session is told when it starts: where the project stands; after a compaction also its task and decisions."""

from __future__ import annotations

import time

from director_ctx.clients.answer import with_context
from director_ctx.clients.table import SESSION_PARTS
from director_ctx.context.escape import escape_tags
from director_ctx.context.hooks import Hooks
from director_ctx.context.parts import divide
from director_ctx.context.tags import DECISIONS, TASK
from director_ctx.errors import DctxError
from director_ctx.folder.head import head_id
from director_ctx.folder.naming import current_place
from director_ctx.folder.next import DONE, next_task
from director_ctx.folder.progress import goal_progress
from director_ctx.folder.status import open_questions, project_name
from director_ctx.folder.text import plain
from director_ctx.outside.git import History
from director_ctx.outside.seen import Seen, read_seen, write_seen
from director_ctx.record import Record
from director_ctx.wiring.assemble import assemble
from director_ctx.wiring.hook import command
from director_ctx.wiring.options import load_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.clients.event import Event
    from director_ctx.context.assembly import Assembly
    from director_ctx.folder.project import Project

COMPACTED = "compact"
MOST_QUESTIONS, MOST_COMMITS, LONGEST_LINE = 10, 10, 200


class Told(Record):
    """A piece of what is said."""

    tag: str
    text: str


def begun(project: Project, event: Event, part: int) -> dict[str, Any] | None:
    """One part of what a session is told. Only the first writes down that it began."""
    if not (load_settings(project).hooks or Hooks()).session:
        return None
    before = _before(project, event, write=part == 1)
    pieces: list[Any] = [Told("position", "\n".join(position(project, before)))]
    context = _of_the_task(project) if event.source == COMPACTED else None
    if context:
        pieces += [one for one in context.sections if one.tag in (TASK, DECISIONS)]
    most = SESSION_PARTS if context and event.client.parts > 1 else 1
    parts = divide(pieces, event.client.cap, most, lambda tag: _shown_by(context, tag), event.client.size)
    return with_context(event, parts[part - 1]) if 0 < part <= len(parts) else None


def _shown_by(context: Assembly | None, tag: str) -> str:
    return command(context, tag) if context and tag in (TASK, DECISIONS) else "dctx status"


def ended(project: Project, event: Event) -> None:
    """Remembers what the session saw last."""
    known = read_seen(project.root)
    if known and known[0].session == event.session:
        write_seen(project.root, (_now(project, event), *known[1:]))


def _before(project: Project, event: Event, write: bool) -> Seen | None:
    """What the session before this one saw last."""
    known = read_seen(project.root)
    others = tuple(one for one in known if one.session != event.session)
    if write and event.session and (not known or known[0].session != event.session):
        write_seen(project.root, (_now(project, event), *others))
    return others[0] if others else None


def _now(project: Project, event: Event) -> Seen:
    return Seen(event.session, head_id(project.root), time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()))


def _of_the_task(project: Project) -> Assembly | None:
    """The builder's context, for its task and decisions; none where there is no task."""
    try:
        return assemble(project, "builder", without=("vision",))
    except DctxError:
        return None


def position(project: Project, before: Seen | None) -> list[str]:
    """Where the project stands, in lines that cannot be taken for sections."""
    lines = [*_standing(project), *_next(project), *_questions(project), *_changes(project, before), "", *_HOW]
    return [escape_tags(line)[0] for line in lines]


_HOW = (
    "The files in .director/ are the plan. `dctx status` and `dctx next` show where it stands; `dctx task done REF`",
    "marks a task done and brings every record in line. Agents get their context from `dctx assemble AGENT`.",
)


def _standing(project: Project) -> Iterator[str]:
    yield f"Project: {_line(project_name(project))}"
    place = current_place(project)
    if place is None:
        return
    progress = goal_progress(project, place.goal)
    yield f"Goal {place.goal.number}: {_line(progress.title)}, {progress.done} of {progress.total} tasks done"
    for step in progress.steps:
        if place.step and step.step.path == place.step.path:
            yield f"Step {place.step.number}: {_line(step.title)}, {step.done} of {step.total} tasks done"


def _next(project: Project) -> Iterator[str]:
    upcoming = next_task(project)
    if upcoming.task and upcoming.task.place.task:
        place, task = upcoming.task.place, upcoming.task.place.task
        yield f"Next task: {place.ref} {_line(project.title(task))} ({_line(task.path)})"
    elif upcoming.state == DONE:
        yield "Next task: none, everything in the gameplan is done."
    else:
        yield f"Next task: none is ready: {_line(upcoming.why)}."


def _questions(project: Project) -> Iterator[str]:
    found = list(open_questions(project))
    if found:
        yield f"Open questions ({len(found)}):"
    yield from (f"- {_line(one.text)} ({_line(one.path)}:{one.line})" for one in found[:MOST_QUESTIONS])
    yield from _more(found, MOST_QUESTIONS)


def _changes(project: Project, before: Seen | None) -> Iterator[str]:
    """Commits that the last session did not know."""
    head = head_id(project.root)
    if before is None or not head or not before.head or head == before.head:
        return
    history = History(project.root, f"{before.head}..{head}")
    subjects = [commit.subject for commit in history.commits()]
    history.close()
    if subjects and not history.why:
        yield f"Since the last session ({before.time}), {len(subjects)} commit{'s' * (len(subjects) > 1)}:"
        yield from (f"- {_line(subject)}" for subject in subjects[:MOST_COMMITS])
        yield from _more(subjects, MOST_COMMITS)


def _more(found: Sequence[object], most: int) -> Iterator[str]:
    if len(found) > most:
        yield f"- and {len(found) - most} more"


def _line(text: str) -> str:
    short = plain(text)
    return short if len(short) <= LONGEST_LINE else f"{short[:LONGEST_LINE]}..."
