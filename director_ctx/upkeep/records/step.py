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
    # Of two tasks with one number nobody knows which the box means.
    known = {task.number: task for task in tasks if numbers.count(task.number) == 1}

    edits: list[Edit] = []
    for line in step_lines(source.text):
        task = known.get(line.number)
        if not task or not line.mark or only not in (None, task.number):
            continue
        is_ticked = line.mark.casefold() == "x"
        if task.done == is_ticked:
            continue
        new = _with_box(source.line(line.line), task.done)
        edit = replaced(source, line.line, new)
        if edit:
            edits.append(edit)
    return edits


def _with_box(line: str, done: bool) -> str:
    """An unticked line no longer says DONE at its end either."""
    start = line.index("[")
    box = "[x]" if done else "[ ]"
    new = line[:start] + box + line[start + 3 :]
    if done:
        return new
    for ending in _DONE:
        if new.rstrip().endswith(ending):
            return new.rstrip().removesuffix(ending)
    return new
