"""Answers about a project as JSON, the same for every door: where it stands, what upkeep changed,
what disagrees.
"""

from __future__ import annotations

from director_ctx.base.record import as_dict
from director_ctx.base.text import plain
from director_ctx.context.place import next_json, place_json, task_json, unit_json
from director_ctx.project.tasks.next import next_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.base.record import Record
    from director_ctx.project.notes.freshness import Freshness
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Step
    from director_ctx.project.tasks.progress import GoalProgress, StepProgress
    from director_ctx.upkeep.doctor import Diagnosis
    from director_ctx.upkeep.repair import Repair
    from director_ctx.upkeep.rewrite import Rewrite
    from director_ctx.upkeep.status import Status
    from director_ctx.upkeep.tasks import Upkeep

    Json = dict[str, Any]


def status_json(project: Project, state: Status, detailed: bool = False) -> Json:
    """Where a project stands; with `detailed` down to its tasks."""
    return {
        "name": state.name,
        "current": task_json(project, state.current),
        "goals": [
            {
                **_progress_json(project, goal.goal, goal),
                "steps": [_step_json(project, step, detailed) for step in goal.steps],
            }
            for goal in state.goals
        ],
        "next": next_json(project, state.next),
        "unplanned": list(state.next.unplanned),
        "questions": _dicts(state.questions),
        "staleness": _dicts(state.stale),
        "mismatches": _dicts(state.mismatches),
        "notes": _dicts(state.notes),
        "templates": list(state.templates),
        "sources": _dicts(state.sources),
    }


def _dicts(records: Sequence[Record]) -> list[Json]:
    return [as_dict(record) for record in records]


def _progress_json(
    project: Project, unit: Goal | Step, progress: GoalProgress | StepProgress
) -> Json:
    return {
        **unit_json(project, unit),
        "state": progress.state,
        "done": progress.done,
        "total": progress.total,
    }


def _step_json(project: Project, step: StepProgress, detailed: bool) -> Json:
    document = {**_progress_json(project, step.step, step), "review": list(step.review)}
    if detailed:
        tasks = project.tasks(step.step)
        document["tasks"] = [{**unit_json(project, task), "done": task.done} for task in tasks]
    return document


def stale_json(fresh: Freshness) -> Json:
    """Shared by every answer that says which notes are out of date."""
    notes = [
        {
            "path": plain(note.path),
            "since": note.since,
            "changed": [
                {
                    "path": plain(change.path),
                    "what": change.what,
                    "moved_to": plain(change.moved_to),
                    "commits": [
                        {"id": short, "subject": subject} for short, subject in change.commits
                    ],
                }
                for change in note.changed
            ],
        }
        for note in fresh.notes
    ]
    return {"stale_notes": notes, "stale_notes_unknown": fresh.why}


def upkeep_json(done: Upkeep) -> Json:
    """What was changed, what could not be, and what comes next."""
    renamed = None
    if done.renamed:
        old, new = done.renamed
        renamed = {"from": plain(old), "to": plain(new)}
    upcoming = next_task(done.project).task
    return {
        "place": place_json(done.project, done.place),
        "renamed": renamed,
        "changed": [rewrite_json(rewrite) for rewrite in done.rewrites],
        "failed": _dicts(done.failed),
        "warnings": list(done.warnings),
        "next": upcoming and task_json(done.project, upcoming.place, upcoming.readiness),
    }


def rewrite_json(rewrite: Rewrite) -> Json:
    lines = [
        {"line": edit.line, "old": _plain_text(edit.old), "new": _plain_text(edit.new)}
        for edit in rewrite.edits
    ]
    return {"path": plain(rewrite.path), "lines": lines}


def _plain_text(text: str | None) -> str | None:
    """One edit may be several lines, which stay apart."""
    if text is None:
        return None
    return "\n".join(map(plain, text.split("\n")))


def diagnosis_json(diagnosis: Diagnosis, mended: Repair) -> Json:
    """What disagrees, is odd or out of date, and what was mended before."""
    return {
        "ok": not diagnosis.problems,
        "problems": _dicts(diagnosis.problems),
        "worth_checking": _dicts(diagnosis.worth_checking),
        "questions": _dicts(diagnosis.questions),
        **stale_json(diagnosis.stale),
        "old": _dicts(diagnosis.old),
        "fixed": [*mended.done, *rewritten_paths(mended)],
        **_changed_json(mended),
    }


def repair_json(planned: Repair) -> Json:
    """What would be mended."""
    return {"would_fix": list(planned.done), **_changed_json(planned)}


def _changed_json(mended: Repair) -> Json:
    return {
        "changed": [rewrite_json(rewrite) for rewrite in mended.rewrites],
        "failed": _dicts(mended.failed),
    }


def rewritten_paths(mended: Repair) -> list[str]:
    """Each file once, however often it was rewritten."""
    paths = [plain(rewrite.path) for rewrite in mended.rewrites]
    return list(dict.fromkeys(paths))
