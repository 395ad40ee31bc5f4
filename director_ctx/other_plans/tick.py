"""One box or one word changed in the source of a task that is done, and nothing else."""

from __future__ import annotations

import json
import re

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.other_plans.formats.backlog import place_and_config
from director_ctx.other_plans.formats.openspec_tasks import open_inside
from director_ctx.other_plans.formats.parts import string, strings
from director_ctx.other_plans.formats.task_master import is_done, number, rows, tags_of, tasks_path
from director_ctx.upkeep.records.source import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.other_plans.model import OtherTask
    from director_ctx.other_plans.source import PlanSource
    from director_ctx.upkeep.records.source import Source

    TickTask = Callable[[PlanSource, OtherTask, str], "SourceTick"]

_MARK = re.compile(
    r"(?P<head>\s*(?:[-*+]|\d{1,9}[.)])\s*\[)\s{0,9}[^\]\s]?\s{0,9}(?P<tail>\].*)", re.DOTALL
)
_FINAL = "Done"


class SourceTick(Record):
    """The lines of one file that change."""

    path: str
    edits: Callable[[Source], list[Edit]]


def tick_with_inner(source: PlanSource, task: OtherTask, now: str) -> SourceTick:
    """OpenSpec counts the boxes inside a task, too."""
    lines = [task.line, *open_inside(source.text(task.path), task.line)]
    return SourceTick(task.path, lambda text: _box_edits(text, lines, "x"))


def tick_large_box(source: PlanSource, task: OtherTask, now: str) -> SourceTick:
    """Spec Kit's agents write a capital letter."""
    return SourceTick(task.path, lambda text: _box_edits(text, [task.line], "X"))


def _box_edits(text: Source, lines: Sequence[int], mark: str) -> list[Edit]:
    edits: list[Edit] = []
    for line in lines:
        old = text.line(line)
        match = _MARK.fullmatch(old)
        if match is None:
            raise DctxError(f"Line {line} has no box.", "Tick it by hand.")
        edits.append(Edit(line, old, f"{match['head']}{mark}{match['tail']}"))
    return edits


def tick_status(source: PlanSource, task: OtherTask, now: str) -> SourceTick:
    """Backlog.md: the two lines that its own program changes."""
    _, config = place_and_config(source)
    statuses = strings(config.get("statuses")) or [_FINAL]
    final = statuses[-1]
    return SourceTick(task.path, lambda text: _status_edits(text, final, now))


def _status_edits(text: Source, final: str, now: str) -> list[Edit]:
    edits: list[Edit] = []
    created = 0
    updated = 0
    for line in range(2, len(text.lines) + 1):
        old = text.line(line)
        if old.startswith("---"):
            break
        if old.startswith("status:"):
            value = final if re.fullmatch(r"[\w ]+", final) else json.dumps(final)
            edits.append(Edit(line, old, f"status: {value}"))
        elif old.startswith("created_date:"):
            created = line
        elif old.startswith("updated_date:"):
            updated = line
            edits.append(Edit(line, old, f"updated_date: '{now}'"))
    if len(edits) - bool(updated) != 1:
        raise DctxError("Its file has no status that can be changed.", "Change it by hand.")
    if created and not updated:
        edits.append(Edit(created, None, f"updated_date: '{now}'"))
    return edits


def tick_word(source: PlanSource, task: OtherTask, now: str) -> SourceTick:
    """Task Master: the one word of its status; the parent's, too, when it was the last subtask."""
    path = tasks_path(source)
    return SourceTick(path, lambda text: _word_edits(text, task.key))


def _word_edits(source: Source, key: str) -> list[Edit]:
    # Line ends stay as they are: each line is one of the file.
    lines = [source.line(number) for number in range(1, len(source.lines) + 1)]
    text = "\n".join(lines)

    edits: list[Edit] = []
    for steps in _statuses(json.loads(text), key):
        start, end = _place_of(text, steps)
        number = text.count("\n", 0, start) + 1
        begin = text.rfind("\n", 0, start) + 1
        line = source.line(number)
        before = line[: start - begin]
        behind = line[end - begin :]
        edits.append(Edit(number, line, f'{before}"done"{behind}'))

    changed = {edit.line for edit in edits}
    if len(changed) < len(edits):
        raise DctxError("Its file is all on one line.", "Change it with the tool itself.")
    return edits


def _statuses(data: Any, key: str) -> list[list[str | int]]:
    """Where the words stand that are to change."""
    tag, _, id = key.partition("/")
    is_old = isinstance(data.get("tasks"), list)
    for name, tasks in tags_of(data):
        if name != tag:
            continue
        own = data["tasks"] if is_old else data[tag]["tasks"]
        head: list[str | int] = ["tasks"] if is_old else [tag, "tasks"]
        for task in tasks:
            place = [*head, own.index(task)]
            if number(task) == id:
                return [[*place, "status"]]
            for row in rows(task.get("subtasks")):
                if f"{number(task)}.{number(row)}" != id:
                    continue
                words: list[list[str | int]] = [
                    [*place, "subtasks", task["subtasks"].index(row), "status"]
                ]
                others = [other for other in rows(task["subtasks"]) if other is not row]
                if all(map(is_done, others)) and not is_done(task):
                    words.append([*place, "status"])
                return words
    raise DctxError("It is not in the file any more.", "Look at it with the tool itself.")


def _place_of(text: str, steps: Sequence[str | int]) -> tuple[int, int]:
    """Where a value begins and ends in a JSON text."""
    decoder = json.JSONDecoder()
    index = _past_blanks(text, 0)
    for step in steps:
        index = _member(text, index, step, decoder)
    value, end = decoder.raw_decode(text, index)
    if not string(value):
        raise DctxError("Its status is no word.", "Change it with the tool itself.")
    return index, end


def _member(text: str, index: int, step: str | int, decoder: json.JSONDecoder) -> int:
    """Where one member of an object or an array begins."""
    found = -1
    count = 0
    index = _past_blanks(text, index + 1)
    while index < len(text) and text[index] not in "]}":
        name: str | int = count
        if isinstance(step, str):
            name, index = decoder.raw_decode(text, index)
            index = _past_blanks(text, _past_blanks(text, index) + 1)
        # Of two equal names the last one counts, as it does for every reader.
        if name == step:
            found = index
        _, index = decoder.raw_decode(text, index)
        index = _past_blanks(text, index)
        if text[index : index + 1] == ",":
            index = _past_blanks(text, index + 1)
        count += 1
    if found < 0:
        raise DctxError(f"It has no {step} in its file.", "Change it with the tool itself.")
    return found


def _past_blanks(text: str, index: int) -> int:
    while index < len(text) and text[index] in " \t\n\r":
        index += 1
    return index
