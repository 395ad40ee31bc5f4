"""Where one can go, for the list that Ctrl-K opens."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.doors.ui.pages.conversations import address_of, newest
from director_ctx.doors.ui.pages.table import navigation
from director_ctx.doors.ui.pages.variables import named
from director_ctx.memory.runs.storage import read_runs
from director_ctx.memory.variables.variables import variables
from director_ctx.project.tasks.next import places as tasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.project.reading.model import Goal, Step

    Entry = dict[str, str]

MOST = 5_000
MOST_CONVERSATIONS = 20
MOST_CONTEXTS = 20
MOST_VARIABLES = 500


def places(visit: Visit) -> list[Entry]:
    """Pages first, then tasks, those that are not done before those that are; then conversations and variables."""
    entries = [
        {"title": page.title, "hint": f"g {page.key}", "href": visit.link(page.address)}
        for page in navigation()
    ]
    for part in (_goals, _tasks, _contexts, _conversations, _variables):
        entries += part(visit)
    return entries[:MOST]


def _goals(visit: Visit) -> Iterator[Entry]:
    project = visit.project
    for goal in project.goals():
        refs: list[tuple[Goal | Step, str]] = [(goal, str(goal.number))]
        refs += [(step, f"{goal.number}/{step.number}") for step in project.steps(goal)]
        for one, ref in refs:
            href = visit.link(f"goals/{ref}")
            yield {"title": project.title(one), "hint": ref, "href": href}


def _conversations(visit: Visit) -> Iterator[Entry]:
    for session in newest(visit, MOST_CONVERSATIONS):
        yield {
            "title": session["title"] or "Untitled",
            "hint": f"conversation {session['short']}",
            "href": visit.link(address_of(session["id"])),
        }


def _variables(visit: Visit) -> Iterator[Entry]:
    try:
        rows = variables(visit.project)
    except DctxError:
        return  # a store that cannot be read says so on its own page
    for row in rows[:MOST_VARIABLES]:
        if named(row.name)["can_be_opened"]:
            href = visit.link("variable", name=row.name)
            yield {"title": row.name, "hint": "variable", "href": href}


def _tasks(visit: Visit) -> Iterator[Entry]:
    done = []
    for place in tasks_of(visit.project):
        if place.task is None:
            continue
        entry = {
            "title": visit.project.title(place.task),
            "hint": place.ref,
            "href": visit.link(f"tasks/{place.ref}"),
        }
        if place.task.done:
            done.append({**entry, "hint": f"{place.ref}, done"})
        else:
            yield entry
    yield from done


def _contexts(visit: Visit) -> Iterator[Entry]:
    """The last ones that were handed on, newest first."""
    for run in reversed(read_runs(visit.project.root, MOST_CONTEXTS)):
        yield {
            "title": f"What {run.agent} was told {run.task}".strip(),
            "hint": run.id,
            "href": visit.link(f"told/{run.id}"),
        }
