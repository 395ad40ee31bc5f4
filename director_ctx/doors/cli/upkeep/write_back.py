"""`dctx task done --write-back`: the box or word of a task in the plan that it came from."""

from __future__ import annotations

from datetime import UTC, datetime

from director_ctx.base.text import has_words, plain
from director_ctx.doors.cli.shared.speak import say
from director_ctx.other_plans.write_back import (
    WriteBack,
    carry_out_write_back,
    plan_write_back,
)
from director_ctx.project.project import Project
from director_ctx.project.tasks.names import find_task


def planned(root: str, task: str) -> WriteBack:
    """Refuses before anything is marked done."""
    project = Project(root)
    place = find_task(project, task, contains=has_words)
    # As the tools write a time: in UTC, to the minute.
    minute = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    return plan_write_back(project, place, minute)


def carry_out(root: str, change: WriteBack) -> None:
    path = plain(change.path_in(root))
    if change.is_done:
        say(f"{change.format.title} has it as done already ({path}).")
        return
    carry_out_write_back(root, change)
    say(f"Marked done in {path}, too.")
