"""`dctx status`: goals and steps with bars, what is next, and what does not agree."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.base.record import as_dict
from director_ctx.base.text import plain
from director_ctx.context.place import task_json, unit_json
from director_ctx.doors.cli.contexts.next import MOST_SHOWN, candidate_json, next_json
from director_ctx.doors.cli.shared.output import put_json, shown_bar
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.notes.freshness import Freshness, freshness
from director_ctx.project.project import load_project
from director_ctx.project.tasks.names import find_goal
from director_ctx.project.tasks.progress import COMPLETE, GoalProgress, StepProgress
from director_ctx.upkeep.status import Status, status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.notes.evidence import Change, StaleNote
    from director_ctx.project.project import Project

    Lines = Iterator[tuple[str, str]]


def run(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    found = status(project)
    if values["goal"]:
        goal = find_goal(project, values["goal"])
        found = found.replace(goals=tuple(one for one in found.goals if one.goal == goal))
    fresh = freshness(project) if values["json"] or not values["goal"] else Freshness()
    if values["json"]:
        put_json({**status_json(project, found, bool(values["goal"])), **stale_json(fresh)})
    else:
        put_lines(list(_lines(project, found, fresh, bool(values["goal"]))))
    return OK


def status_json(project: Project, found: Status, detailed: bool = False) -> dict[str, Any]:
    return {
        "name": found.name,
        "current": task_json(project, found.current),
        "goals": [_goal_json(project, goal, detailed) for goal in found.goals],
        "next": next_json(project, found.next),
        "unplanned": list(found.next.unplanned),
        "questions": [as_dict(question) for question in found.questions],
        "staleness": [as_dict(one) for one in found.stale],
        "mismatches": [as_dict(one) for one in found.mismatches],
        "notes": [as_dict(note) for note in found.notes],
        "templates": list(found.templates),
    }


def stale_json(fresh: Freshness) -> dict[str, Any]:
    """Shared by every command that says which notes are out of date."""
    return {
        "stale_notes": [_note_json(note) for note in fresh.notes],
        "stale_notes_unknown": fresh.why,
    }


def _note_json(note: StaleNote) -> dict[str, Any]:
    changed = [
        {
            "path": plain(one.path),
            "what": one.what,
            "moved_to": plain(one.moved_to),
            "commits": [{"id": short, "subject": subject} for short, subject in one.commits],
        }
        for one in note.changed
    ]
    return {"path": plain(note.path), "since": note.since, "changed": changed}


def _goal_json(project: Project, goal: GoalProgress, detailed: bool) -> dict[str, Any]:
    steps = [_step_json(project, step, detailed) for step in goal.steps]
    own = {"state": goal.state, "done": goal.done, "total": goal.total, "steps": steps}
    return {**unit_json(project, goal.goal), **own}


def _step_json(project: Project, step: StepProgress, detailed: bool) -> dict[str, Any]:
    own: dict[str, Any] = {
        "state": step.state,
        "done": step.done,
        "total": step.total,
        "review": list(step.review),
    }
    if detailed:
        own["tasks"] = [
            {**unit_json(project, task), "done": task.done} for task in project.tasks(step.step)
        ]
    return {**unit_json(project, step.step), **own}


def _lines(project: Project, found: Status, fresh: Freshness, detailed: bool) -> Lines:
    yield found.name, "bold"
    if not found.goals:
        yield "No goals are planned yet.", ""
    for goal in found.goals:
        yield from _goal(project, goal, detailed)
    if not detailed:
        yield "", ""
        yield from _position(project, found)
        yield from _attention(found)
        yield from _stale_notes(fresh)
        yield from _footnote(found)


def _goal(project: Project, goal: GoalProgress, detailed: bool) -> Lines:
    yield "", ""
    yield (
        _progress(f"Goal {goal.goal.number}: {goal.title}", goal.done, goal.total, goal.state),
        "bold",
    )
    for step in goal.steps:
        style = "dim" if step.state == COMPLETE else ""
        yield (
            _progress(
                f"  Step {step.step.number}: {step.title}", step.done, step.total, step.state
            ),
            style,
        )
        if detailed:
            yield from _tasks(project, step)


def _progress(label: str, done: int, total: int, state: str) -> str:
    percent = round(done * 100 / total) if total else 0
    name = label if len(label) <= 44 else f"{label[:43]}…"
    return f"{name:<44}  {shown_bar(percent / 100)} {percent:>3}%  {done}/{total} tasks, {state}"


def _tasks(project: Project, step: StepProgress) -> Lines:
    for task in project.tasks(step.step):
        mark = "x" if task.done else "~" if task.number in step.review else " "
        yield f"    [{mark}] {task.number}. {project.title(task)}", "dim" if task.done else ""


def _position(project: Project, found: Status) -> Lines:
    upcoming = found.next
    if upcoming.task:
        task = candidate_json(project, upcoming.task)
        yield f"Next: {task['ref']}  {task['title']} (ready, {task['readiness']})", "bold"
    else:
        yield f"Next: nothing; {upcoming.why}", "bold"
    for one in upcoming.also_ready[:MOST_SHOWN]:
        task = candidate_json(project, one)
        yield f"Also ready: {task['ref']}  {task['title']}", ""
    for one in upcoming.waiting[:MOST_SHOWN]:
        task = candidate_json(project, one)
        yield f"Waiting: {task['ref']}  {task['title']} ({one.readiness.why})", "dim"
    if len(upcoming.waiting) > MOST_SHOWN:
        yield f"Waiting: and {len(upcoming.waiting) - MOST_SHOWN} more", "dim"
    for hole in upcoming.unplanned:
        yield f"Not planned yet: {hole}", ""


def _attention(found: Status) -> Lines:
    for goal in found.goals:
        for step in goal.steps:
            for number in step.review:
                yield f"Waiting for review: {goal.goal.number}/{step.step.number}/{number}", ""
    for question in found.questions:
        yield f"Open question: {question.text} ({question.path}:{question.line})", "yellow"
    for one in found.stale:
        if one.stale:
            made = (
                f", made {one.generated_at or one.analysis_date}"
                if one.generated_at or one.analysis_date
                else ""
            )
            yield (
                f"Stale: .director/{one.folder}/ ({one.goals_since} goals were completed since{made})",
                "yellow",
            )
    for text in found.templates:
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
    shown = [
        f"{became(one)} in {plain(one.commits[0][0])}" for one in note.changed[:2] if one.commits
    ]
    more = f", and {len(note.changed) - 2} more" if len(note.changed) > 2 else ""
    return f"Stale: {plain(note.path)} ({', '.join(shown)}{more})"


def became(change: Change) -> str:
    """`a.py changed`, `a.py vanished`, `a.py is now b.py`."""
    return f"{plain(change.path)} {f'is now {plain(change.moved_to)}' if change.moved_to else change.what}"


def _footnote(found: Status) -> Lines:
    if found.mismatches:
        yield "", ""
        yield "The files do not agree everywhere; the file names count:", "dim"
    for one in found.mismatches:
        where = f"{one.path}:{one.line}" if one.line else one.path
        yield f"  {where}: {one.says} -- {one.files_say}", "dim"
    if found.notes:
        yield "", ""
        yield "Odd in the folder:", "dim"
    for note in found.notes:
        yield f"  {note.path} {note.text}", "dim"
