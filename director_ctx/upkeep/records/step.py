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


def box_edits(
    source: Source,
    tasks: Sequence[Task],
    only: int | None = None,
) -> list[Edit]:
    """A tick for what is done and none for what is not; `[~]` stays until the task is done."""
    numbers = [task.number for task in tasks]
    # Of two tasks with one number nobody knows which the box means.
    by_number = {task.number: task for task in tasks if numbers.count(task.number) == 1}

    edits: list[Edit] = []
    for line in step_lines(source.text):
        task = by_number.get(line.number)
        if not task or not line.mark:
            continue
        if only not in (None, task.number):
            continue

        is_ticked = line.mark.casefold() == "x"
        if task.done == is_ticked:
            continue
        old = source.line(line.line)
        edit = replaced(source, line.line, _with_box(old, task.done))
        if edit:
            edits.append(edit)
    return edits


def _with_box(line: str, done: bool) -> str:
    """An unticked line no longer says DONE at its end either."""
    start = line.index("[")
    before = line[:start]
    after = line[start + len("[x]") :]
    if done:
        return f"{before}[x]{after}"

    new = f"{before}[ ]{after}"
    bare = new.rstrip()
    for ending in _DONE:
        if bare.endswith(ending):
            return bare.removesuffix(ending)
    return new
