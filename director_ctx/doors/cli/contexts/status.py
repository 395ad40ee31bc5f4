"""`dctx status`: where the project stands, what is next, and how much waits for somebody, in about
fifteen lines.
"""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.base.text import counted, plain
from director_ctx.context.place import candidate_json
from director_ctx.doors.cli.contexts.progress import goal_lines, progress_lines
from director_ctx.doors.cli.contexts.status_plan import beside, beside_lines
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.plans.beside import beside_json
from director_ctx.project.notes.freshness import Freshness, freshness
from director_ctx.project.project import load_project
from director_ctx.project.tasks.names import find_goal
from director_ctx.upkeep.as_json import stale_json, status_json
from director_ctx.upkeep.status import Status, status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.tasks.next import Next

    Lines = Iterator[tuple[str, str]]

MOST_LINES = 15
MOST_BEGUN = 3
FEWEST_OF_GOALS = 3


def run(values: dict[str, Any]) -> int:
    if values["nodes"]:
        # Nodes are asked for by agents, and their module is loaded for nobody else.
        from director_ctx.doors.cli.contexts import status_nodes

        return status_nodes.run(values)
    _refuse_alone(values)

    project = load_project(root=values["root"])
    state = status(project)
    detailed = bool(values["goal"])
    if detailed:
        wanted = find_goal(project, values["goal"])
        goals = [progress for progress in state.goals if progress.goal == wanted]
        state = state.replace(goals=tuple(goals))

    # Whether notes are out of date takes a while to find out, and one goal as text does not say it.
    if values["json"]:
        notes = stale_json(freshness(project))
        plan = beside_json(beside(project))
        put_json({**status_json(project, state, detailed), "plan": plan, **notes})
    elif detailed:
        put_lines([(state.name, "bold"), *goal_lines(project, state)])
    else:
        put_lines(_lines(project, state, freshness(project)))
    return OK


def _refuse_alone(values: dict[str, Any]) -> None:
    for name in ("results", "since"):
        if values[name]:
            raise UsageProblem(f"--{name} belongs to --nodes.", f"dctx status --nodes --{name} ...")


def _lines(project: Project, state: Status, fresh: Freshness) -> list[tuple[str, str]]:
    below = [
        *_position(project, state.next),
        *beside_lines(beside(project)),
        *_attention(state, fresh),
    ]
    # The name, and an empty line above and below the goals.
    room = max(FEWEST_OF_GOALS, MOST_LINES - len(below) - 3)
    return [
        (state.name, "bold"),
        ("", ""),
        *progress_lines(state, room),
        ("", ""),
        *below,
    ]


def _position(project: Project, upcoming: Next) -> Lines:
    for begun in upcoming.begun[:MOST_BEGUN]:
        task = candidate_json(project, begun)
        says = begun.claim.says if begun.claim else ""
        yield f"{task['ref']}  {task['title']}: {says}", ""
    more = len(upcoming.begun) - MOST_BEGUN
    if more > 0:
        yield f"and {more:,} more in progress: `dctx next`", "dim"
    if upcoming.task:
        task = candidate_json(project, upcoming.task)
        yield f"Next: {task['ref']}  {task['title']}", "bold"
    elif upcoming.waiting or upcoming.begun:
        yield f"Next: nothing; {upcoming.why}: `dctx next`", "bold"
    else:
        yield f"Next: nothing; {upcoming.why}", "bold"

    if upcoming.also_ready:
        first, *others = upcoming.also_ready
        task = candidate_json(project, first)
        line = f"Also ready: {task['ref']}  {task['title']}"
        if others:
            line += f", and {len(others):,} more: `dctx next`"
        yield line, ""
    if upcoming.waiting and upcoming.task:
        tasks = _many(len(upcoming.waiting), "task", "waits", "wait")
        goal = upcoming.waiting[0].place.goal.number
        yield f"{tasks} for others: `dctx status --goal {goal}`", ""
    if upcoming.unplanned:
        line = f"Not planned yet: {upcoming.unplanned[0]}"
        left = len(upcoming.unplanned) - 1
        if left:
            line += f", and {left:,} more like it"
        yield line, ""


def _attention(state: Status, fresh: Freshness) -> Lines:
    """A line for each kind of thing that waits for somebody, and the command that shows it."""
    review = _to_review(state)
    if review:
        goal = review[0].split("/")[0]
        tasks = _many(len(review), "task", "is begun or waits", "are begun or wait")
        yield f"{tasks} for your review: `dctx status --goal {goal}`", ""
    if state.questions:
        yield f"{counted(len(state.questions), 'open question')}: `dctx doctor`", "yellow"

    stale = len(fresh.notes)
    stale += sum(folder.stale for folder in state.stale)
    if stale:
        yield f"{_many(stale, 'note')} out of date: `dctx doctor --stale`", "yellow"
    if fresh.why:
        yield f"Whether notes are out of date is not fully known: {plain(fresh.why)}", "dim"

    if state.mismatches:
        records = _many(len(state.mismatches), "record", "disagrees", "disagree")
        yield f"{records} with the files: `dctx doctor`", "yellow"
    if state.notes:
        yield f"{_many(len(state.notes), 'thing')} odd in the folder: `dctx doctor`", "yellow"
    for source in state.sources:
        files = counted(len(source.paths), "file")
        yield (
            f"{source.title} has changed since ({files}): `dctx init --from {source.format}`",
            "yellow",
        )
    if state.templates:
        yield f"Not filled in: {'; '.join(state.templates)}", "yellow"


def _to_review(state: Status) -> list[str]:
    """Tasks that are drafted and wait for somebody to look."""
    tasks: list[str] = []
    for goal in state.goals:
        for step in goal.steps:
            for number in step.review:
                tasks.append(f"{goal.goal.number}/{step.step.number}/{number}")
    return tasks


def _many(number: int, what: str, singular: str = "is", plural: str = "are") -> str:
    """`1 note is`, `2 notes are`."""
    verb = plural
    if number == 1:
        verb = singular
    return f"{counted(number, what)} {verb}"
