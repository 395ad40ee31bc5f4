"""Where a project stands, in few lines: for a session that begins, in text that cannot be taken for
sections.
"""

from __future__ import annotations

from director_ctx.base.text import plain
from director_ctx.context.place import PLAN_FIRST
from director_ctx.history.messages.quoted import as_text
from director_ctx.project.dctx_folder import remarks
from director_ctx.project.git.log import MOST_COMMITS, History
from director_ctx.project.git.recent import tell
from director_ctx.project.git.repository import head_id
from director_ctx.project.origins import changed_plans
from director_ctx.project.tasks.next import DONE, MOST_NAMED, UNPLANNED, current_place, next_task
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


def position(
    project: Project,
    before: Seen | None,
    dctx: str,
    fits: Callable[[str], bool],
) -> str:
    """As much as fits; the lines that are always there do."""
    questions = _questions(project)
    changes = _changes(project, before)
    always = standing(project)
    how = HOW.format(dctx=dctx)
    text = ""
    for most in LENGTHS:
        lines = [always]
        for head, rows in (questions, changes):
            # What others wrote could look like a section of a context.
            lines += map(as_text, _listed(head, rows, most))
        lines.append(how)
        text = "\n".join(lines)
        if fits(text):
            break
    return text


def standing(project: Project) -> str:
    """The lines that are always there."""
    lines = [*_standing(project), *_next(project), *_sources(project), *_not_private(project)]
    return "\n".join(map(as_text, lines))


def _standing(project: Project) -> Iterator[str]:
    yield f"Project: {_line(project_name(project))}"
    place = current_place(project)
    if place is None:
        return
    goal = goal_progress(project, place.goal)
    goal_title = _line(goal.title)
    yield f"Goal {place.goal.number}: {goal_title}, {goal.done} of {goal.total} tasks done"
    if place.step is None:
        return
    for step in goal.steps:
        if step.step.path == place.step.path:
            step_title = _line(step.title)
            yield f"Step {place.step.number}: {step_title}, {step.done} of {step.total} tasks done"


def _next(project: Project) -> Iterator[str]:
    upcoming = next_task(project)
    for begun in upcoming.begun[:MOST_NAMED]:
        place, task = begun.place, begun.place.task
        if task and begun.claim:
            yield f"Task {place.ref} {_line(project.title(task))}: {_line(begun.claim.says)}"
    if upcoming.task and upcoming.task.place.task:
        place, task = upcoming.task.place, upcoming.task.place.task
        yield f"Next task: {place.ref} {_line(project.title(task))} ({_line(task.path)})"
    elif upcoming.state == DONE:
        yield "Next task: none, everything in the gameplan is done."
    else:
        yield f"Next task: none is ready: {_line(upcoming.why)}."
        if upcoming.state == UNPLANNED:
            yield PLAN_FIRST


def _sources(project: Project) -> Iterator[str]:
    """That the plan of another tool, which this one follows, has gone on."""
    for source in changed_plans(project, quick=True):
        yield f"{source.title}'s plan has changed since: `dctx init --from {source.format}`"


def _not_private(project: Project) -> Iterator[str]:
    """That nothing is remembered here, or not as privately as it should be."""
    for remark in remarks(project.root):
        yield f"For the user: {_line(remark.says)}. {remark.advice}"


def _questions(project: Project) -> tuple[str, list[str]]:
    rows = []
    for question in open_questions(project):
        text = _line(question.text)
        path = _line(question.path)
        rows.append(f"{text} ({path}:{question.line})")
    if not rows:
        return "", []
    return f"Open questions ({len(rows)})", rows


def _changes(project: Project, before: Seen | None) -> tuple[str, list[str]]:
    """Commits that the last session did not know: how many, and what they did."""
    head = head_id(project.root)
    if before is None or not before.head or not head or head == before.head:
        return "", []

    history = History(project.root, f"{before.head}..{head}")
    commits = []
    if not history.why:
        commits = list(history.commits())
    history.close()
    since = f"the last session ({before.time})"
    if history.late:
        return f"Which commits came since {since} is not known: {history.why}", []
    if history.why or not commits:
        return "", []

    count = _counted(len(commits))
    lines = tell(commits, MOST_COMMITS, project.task_title)
    return f"Since {since}, {count}", [_line(line) for line in lines]


def _counted(commits: int) -> str:
    if commits == 1:
        return "1 commit"
    # No more than these were read.
    if commits >= MOST_COMMITS:
        return f"{commits} or more commits"
    return f"{commits} commits"


def _listed(head: str, rows: Sequence[str], most: int) -> Iterator[str]:
    shown = rows[:most]
    if head:
        end = ":" if shown else "."
        yield f"{head}{end}"
    for row in shown:
        yield f"- {row}"
    if shown and len(rows) > most:
        yield f"- and {len(rows) - most} more"


def _line(text: str) -> str:
    short = plain(text)
    if len(short) <= LONGEST_LINE:
        return short
    return f"{short[:LONGEST_LINE]}..."
