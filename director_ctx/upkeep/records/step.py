"""STEP.md: a box for each task."""

from __future__ import annotations

from director_ctx.project.tasks.child_lists import step_lines
from director_ctx.upkeep.records.lines import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.project.reading.model import Task
    from director_ctx.upkeep.records.source import Edit, Source

_DONE = (" -- DONE", " \u2014 DONE", " - DONE", " (DONE)")


def box_edits(source: Source, tasks: Sequence[Task], only: int | None = None) -> list[Edit]:
    """A tick for what is done and none for what is not; `[~]` stays until the task is done."""
    numbers = [task.number for task in tasks]
    known = {task.number: task for task in tasks if numbers.count(task.number) == 1}
    edits = []
    for line in step_lines(source.text):
        task = known.get(line.number)
        ticked = line.mark.casefold() == "x"
        if task and line.mark and task.done != ticked and only in (None, task.number):
            edits.append(replaced(source, line.line, _with_box(source.line(line.line), task.done)))
    return [edit for edit in edits if edit]


def _with_box(line: str, done: bool) -> str:
    """An unticked line no longer says DONE at its end either."""
    start = line.index("[")
    new = f"{line[:start]}[{'x' if done else ' '}]{line[start + 3 :]}"
    ending = next((mark for mark in _DONE if not done and new.rstrip().endswith(mark)), "")
    return new.rstrip()[: -len(ending)] if ending else new
