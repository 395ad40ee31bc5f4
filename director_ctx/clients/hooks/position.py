"""Where a project stands, in few lines: for a session that begins, in text that cannot be taken for
sections.
"""

from __future__ import annotations

from director_ctx.base.text import plain
from director_ctx.history.messages.quoted import as_text
from director_ctx.project.dctx_folder import remarks
from director_ctx.project.git.head import head_id
from director_ctx.project.git.log import MOST_COMMITS, History
from director_ctx.project.git.recent import tell
from director_ctx.project.tasks.names import current_place
from director_ctx.project.tasks.next import DONE, next_task
from director_ctx.project.tasks.progress import goal_progress
from director_ctx.upkeep.status import open_questions, project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.clients.hooks.seen import Seen
    from director_ctx.project.project import Project

LENGTHS = (10, 5, 2, 0)
"""How many questions and commits are listed; fewer where that is too much."""
LONGEST_LINE = 200
HOW = """
The files in .director/ are the plan. `{dctx} status` and `{dctx} next` show where it stands; `{dctx} task done REF`
marks a task done and brings every record in line. Agents get their context from `{dctx} assemble AGENT`."""


def position(project: Project, before: Seen | None, dctx: str, fits: Callable[[str], bool]) -> str:
    """As much as fits; the lines that are always there do."""
    lists = (_questions(project), _changes(project, before))
    text = ""
    for most in LENGTHS:
        listed = (line for head, rows in lists for line in _listed(head, rows, most))
        text = "\n".join([standing(project), *map(as_text, listed), HOW.format(dctx=dctx)])
        if fits(text):
            break
    return text


def standing(project: Project) -> str:
    """The lines that are always there."""
    return "\n".join(map(as_text, (*_standing(project), *_next(project), *_not_private(project))))


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


def _not_private(project: Project) -> Iterator[str]:
    """That nothing is remembered here, or not as privately as it should be."""
    for one in remarks(project.root):
        yield f"For the user: {_line(one.says)}. {one.advice}"


def _questions(project: Project) -> tuple[str, list[str]]:
    found = list(open_questions(project))
    head = f"Open questions ({len(found)})" if found else ""
    return head, [f"{_line(one.text)} ({_line(one.path)}:{one.line})" for one in found]


def _changes(project: Project, before: Seen | None) -> tuple[str, list[str]]:
    """Commits that the last session did not know: how many, and what they did."""
    head = head_id(project.root)
    if before is None or not head or not before.head or head == before.head:
        return "", []
    history = History(project.root, f"{before.head}..{head}")
    commits = [] if history.why else list(history.commits())
    history.close()
    if history.late:
        return (
            f"Which commits came since the last session ({before.time}) is not known: {history.why}",
            [],
        )
    if history.why or not commits:
        return "", []
    many = f"{len(commits)} or more" if len(commits) >= MOST_COMMITS else str(len(commits))
    lines = tell(commits, MOST_COMMITS, project.task_title)
    return f"Since the last session ({before.time}), {many} commit{'s' * (len(commits) != 1)}", [
        *map(_line, lines)
    ]


def _listed(head: str, rows: Sequence[str], most: int) -> Iterator[str]:
    if head:
        yield f"{head}{':' if rows and most else '.'}"
    yield from (f"- {row}" for row in rows[:most])
    if most and len(rows) > most:
        yield f"- and {len(rows) - most} more"


def _line(text: str) -> str:
    short = plain(text)
    return short if len(short) <= LONGEST_LINE else f"{short[:LONGEST_LINE]}..."
