"""`dctx status`: goals and steps with bars, what is next, and what does not agree."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.base.text import plain
from director_ctx.context.place import candidate_json
from director_ctx.doors.cli.contexts.next import MOST_SHOWN
from director_ctx.doors.cli.contexts.status_plan import beside, beside_lines
from director_ctx.doors.cli.shared.output import put_json, shown_bar
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.plans.following import beside_json
from director_ctx.project.notes.freshness import Freshness, freshness
from director_ctx.project.project import load_project
from director_ctx.project.tasks.names import find_goal
from director_ctx.project.tasks.progress import COMPLETE, GoalProgress, StepProgress
from director_ctx.upkeep.as_json import stale_json, status_json
from director_ctx.upkeep.status import Status, status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.notes.evidence import CodeChange, StaleNote
    from director_ctx.project.project import Project

    Lines = Iterator[tuple[str, str]]


WIDTH = 44
"""Of a title; with its bar and numbers the line fits a terminal of usual width."""


def run(values: dict[str, Any]) -> int:
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
        plan = {"plan": beside_json(beside(project))}
        put_json({**status_json(project, state, detailed), **plan, **notes})
    else:
        fresh = Freshness()
        if not detailed:
            fresh = freshness(project)
        put_lines(list(_lines(project, state, fresh, detailed)))
    return OK


def _lines(project: Project, state: Status, fresh: Freshness, detailed: bool) -> Lines:
    yield state.name, "bold"
    if not state.goals:
        yield "No goals are planned yet.", ""
    for goal in state.goals:
        yield from _goal(project, goal, detailed)
    if not detailed:
        yield "", ""
        yield from _position(project, state)
        yield from beside_lines(beside(project))
        yield from _attention(state)
        yield from _stale_notes(fresh)
        yield from _footnote(state)


def _goal(project: Project, goal: GoalProgress, detailed: bool) -> Lines:
    label = f"Goal {goal.goal.number}: {goal.title}"
    yield "", ""
    yield _progress(label, goal.done, goal.total, goal.state), "bold"
    for step in goal.steps:
        label = f"  Step {step.step.number}: {step.title}"
        # The eye should land on what is not done yet.
        style = "dim" if step.state == COMPLETE else ""
        yield _progress(label, step.done, step.total, step.state), style
        if detailed:
            yield from _tasks(project, step)


def _progress(label: str, done: int, total: int, state: str) -> str:
    percent = 0
    if total:
        percent = round(done * 100 / total)
    name = label
    if len(label) > WIDTH:
        name = f"{label[: WIDTH - 1]}…"
    return (
        f"{name:<{WIDTH}}  {shown_bar(percent / 100)} {percent:>3}%  {done}/{total} tasks, {state}"
    )


def _tasks(project: Project, step: StepProgress) -> Lines:
    for task in project.tasks(step.step):
        line = f"{task.number}. {project.title(task)}"
        if task.done:
            yield f"    [x] {line}", "dim"
        elif task.number in step.review:
            # STEP.md has a ~ in its box: somebody is to look at it.
            yield f"    [~] {line}", ""
        else:
            yield f"    [ ] {line}", ""


def _position(project: Project, state: Status) -> Lines:
    upcoming = state.next
    if upcoming.task:
        task = candidate_json(project, upcoming.task)
        yield f"Next: {task['ref']}  {task['title']} (ready, {task['readiness']})", "bold"
    else:
        yield f"Next: nothing; {upcoming.why}", "bold"
    for candidate in upcoming.also_ready[:MOST_SHOWN]:
        task = candidate_json(project, candidate)
        yield f"Also ready: {task['ref']}  {task['title']}", ""
    for candidate in upcoming.waiting[:MOST_SHOWN]:
        task = candidate_json(project, candidate)
        yield f"Waiting: {task['ref']}  {task['title']} ({candidate.readiness.why})", "dim"
    if len(upcoming.waiting) > MOST_SHOWN:
        yield f"Waiting: and {len(upcoming.waiting) - MOST_SHOWN} more", "dim"
    for hole in upcoming.unplanned:
        yield f"Not planned yet: {hole}", ""


def _attention(state: Status) -> Lines:
    for goal in state.goals:
        for step in goal.steps:
            for number in step.review:
                yield f"Waiting for review: {goal.goal.number}/{step.step.number}/{number}", ""
    for question in state.questions:
        yield f"Open question: {question.text} ({question.path}:{question.line})", "yellow"
    for folder in state.stale:
        if folder.stale:
            since = f"{folder.goals_since} goals were completed since"
            day = folder.generated_at or folder.analysis_date
            if day:
                since += f", made {day}"
            yield f"Stale: .director/{folder.folder}/ ({since})", "yellow"
    for text in state.templates:
        yield f"Not filled in: {text}", "yellow"


def _stale_notes(fresh: Freshness) -> Lines:
    for note in fresh.notes[:MOST_SHOWN]:
        yield _stale_line(note), "yellow"
    if len(fresh.notes) > MOST_SHOWN:
        yield f"Stale: and {len(fresh.notes) - MOST_SHOWN} more notes", "yellow"
    yield from not_known(fresh)


def not_known(fresh: Freshness) -> Lines:
    if fresh.why:
        yield f"Whether notes are out of date is not fully known: {plain(fresh.why)}", "dim"


def _stale_line(note: StaleNote) -> str:
    """The note, what it cites that changed, and the newest commit that made it so."""
    changes = []
    for change in note.changed[:2]:
        if change.commits:
            # They stand newest first.
            commit, _ = change.commits[0]
            changes.append(f"{became(change)} in {plain(commit)}")
    shown = ", ".join(changes)
    if len(note.changed) > 2:
        shown += f", and {len(note.changed) - 2} more"
    return f"Stale: {plain(note.path)} ({shown})"


def became(change: CodeChange) -> str:
    """`a.py changed`, `a.py vanished`, `a.py is now b.py`."""
    if change.moved_to:
        return f"{plain(change.path)} is now {plain(change.moved_to)}"
    return f"{plain(change.path)} {change.what}"


def _footnote(state: Status) -> Lines:
    if state.mismatches:
        yield "", ""
        yield "The files do not agree everywhere; the file names count:", "dim"
    for mismatch in state.mismatches:
        where = mismatch.path
        if mismatch.line:
            where += f":{mismatch.line}"
        yield f"  {where}: {mismatch.says} -- {mismatch.files_say}", "dim"
    if state.notes:
        yield "", ""
        yield "Odd in the folder:", "dim"
    for note in state.notes:
        yield f"  {note.path} {note.text}", "dim"
