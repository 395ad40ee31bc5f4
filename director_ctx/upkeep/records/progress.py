"""The Progress section of STATE.md: a heading for each goal that has begun, a line for each of its
steps.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import find_section, outside_code
from director_ctx.project.tasks.progress import COMPLETE
from director_ctx.upkeep.records.lines import recounted, replaced
from director_ctx.upkeep.records.source import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.tasks.progress import GoalProgress, StepProgress
    from director_ctx.upkeep.records.source import Source

_GOAL = re.compile(r"#{3,6}\s+\**Goal\s+(\d{1,9})\b", re.IGNORECASE)
_STEP = re.compile(r"(\s*[-*+]\s+)(\[.\]\s+)?(\**Step\s+(\d{1,9})\b[:*]*)", re.IGNORECASE)
_FIELD = re.compile(r"\s*[-*+]?\s*\**(Steps|Tasks|Status)\b[^:]*:[*\s]*", re.IGNORECASE)
_STATE = re.compile(
    r"(?:^|[\[(,;:]|-|\u2014)\s*(not started|in progress|unplanned|completed?)\s*(?=$|[\])(,;.]|--|\u2014)",
    re.IGNORECASE,
)
"""A state between two marks; the same words inside a sentence are none."""
_BREAK = re.compile(r"\s*(\[|--|\u2014|\(|$)")
_NO_GOALS = re.compile(r"\W*No goals defined yet\W*", re.IGNORECASE)
NOTHING_DONE = "No task is done yet."


class _Block(Record):
    """One goal's part of the section: the line of its heading, its lines, and after which line more
    may go.
    """

    number: int
    heading: int
    lines: tuple[int, ...]
    last: int


def progress_edits(source: Source, goals: Sequence[GoalProgress]) -> list[Edit]:
    """Counts and states that are wrong, and what has begun and is not listed."""
    text = source.text
    found = find_section(text, "progress")
    if found is None:
        return []
    heading = text.count("\n", 0, found[0]) + 1
    inside = outside_code(text)
    lines = [
        (number, line.rstrip("\n"))
        for number, start, line in inside
        if found[1] <= start < found[2]
    ]
    blocks = {block.number: block for block in _blocks(lines)}
    edits: list[Edit] = []
    missing: list[str] = []
    for goal in goals:
        if block := blocks.get(goal.goal.number):
            edits += _block_edits(source, block, goal)
        elif goal.done:
            missing.append(_new_block(goal))
    return [*edits, *_append(source, lines, heading, missing, bool(goals))]


def _blocks(lines: Sequence[tuple[int, str]]) -> Iterator[_Block]:
    """A goal's block ends at the next heading that is no smaller than its own."""
    for place, (number, line) in enumerate(lines):
        if head := _GOAL.match(line):
            level = len(line) - len(line.lstrip("#"))
            inside = list(_until_heading(lines[place + 1 :], level))
            filled = [number, *(n for n, text in inside if text.strip())]
            yield _Block(int(head[1]), number, tuple(n for n, _ in inside), filled[-1])


def _until_heading(lines: Sequence[tuple[int, str]], level: int) -> Iterator[tuple[int, str]]:
    for number, line in lines:
        if line.startswith("#") and len(line) - len(line.lstrip("#")) <= level:
            return
        yield number, line


def _block_edits(source: Source, block: _Block, goal: GoalProgress) -> Iterator[Edit]:
    steps = {step.step.number: step for step in goal.steps}
    seen: set[int] = set()
    last, indent = block.heading, None
    heading = source.line(block.heading)
    yield from _one(
        source, block.heading, _restated(heading, _after_name(heading, goal.title), goal.state)
    )
    for number in block.lines:
        line = source.line(number)
        match = _STEP.match(line)
        if match and indent in (None, _indent(line)):
            indent, last = _indent(line), number
            if step := steps.get(int(match[4])):
                seen.add(step.step.number)
                yield from _one(source, number, _step_line(line, match, step))
        elif indent is not None and line.strip() and _indent(line) > indent:
            last = number
        elif field := _FIELD.match(line):
            yield from _one(source, number, _field_line(line, field, goal))
    new = [_new_line(step) for step in goal.steps if step.done and step.step.number not in seen]
    if new:
        yield Edit(last if indent is not None else block.last, None, "\n".join(new))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _one(source: Source, number: int, new: str) -> Iterator[Edit]:
    if edit := replaced(source, number, new):
        yield edit


def _step_line(line: str, match: re.Match[str], step: StepProgress) -> str:
    """The line with this step's count, state and box; nothing is known of a step that has no tasks."""
    if not step.total:
        return line
    if match[2]:
        box = "[x]" if step.state == COMPLETE else "[ ]" if match[2][1] in "xX" else match[2][:3]
        line = f"{match[1]}{box}{line[match.start(2) + 3 :]}"
    start = _after_name(line, step.title, match.end())
    if not line[start:].strip():
        return f"{line.rstrip()}{_tail(step)}"
    return _restated(
        line[:start] + recounted(line[start:], step.done, step.total), start, step.state
    )


def _after_name(line: str, title: str, start: int = 0) -> int:
    """Where the name ends and the remarks begin."""
    found = re.compile(re.escape(title), re.IGNORECASE).search(line, start) if title else None
    if found:
        return found.end()
    mark = _BREAK.search(line, start)
    return mark.start() if mark else len(line)


def _restated(line: str, start: int, state: str) -> str:
    """The state after the name, in the letters that were used for it."""
    rest = line[start:]
    found = _STATE.search(rest)
    if not found or found[1].casefold().removesuffix("d") == state:
        return line
    old = found[1]
    new = state.upper() if old.isupper() else state.capitalize() if old[0].isupper() else state
    return line[:start] + rest[: found.start(1)] + new + rest[found.end(1) :]


def _field_line(line: str, match: re.Match[str], goal: GoalProgress) -> str:
    start = match.end()
    if match[1].casefold() == "status":
        return _restated(line, start, goal.state)
    done_steps = sum(step.state == COMPLETE for step in goal.steps)
    counts = (
        (done_steps, len(goal.steps)) if match[1].casefold() == "steps" else (goal.done, goal.total)
    )
    return line[:start] + recounted(line[start:], *counts)


def _tail(step: StepProgress) -> str:
    return f" [{step.state}] -- {step.done}/{step.total} tasks"


def _new_line(step: StepProgress) -> str:
    return f"- Step {step.step.number}: {step.title}{_tail(step)}"


def _new_block(goal: GoalProgress) -> str:
    begun = [_new_line(step) for step in goal.steps if step.done]
    return "\n".join([f"### Goal {goal.goal.number}: {goal.title}", *begun])


def _append(
    source: Source,
    lines: Sequence[tuple[int, str]],
    heading: int,
    missing: Sequence[str],
    planned: bool,
) -> Iterator[Edit]:
    """New goals go to the end of the section; the template's sentence makes room for the first."""
    text = "\n\n".join(missing)
    filled = [(number, line) for number, line in lines if line.strip()]
    alone = filled[0] if len(filled) == 1 else (0, "")
    if missing and (_NO_GOALS.fullmatch(alone[1]) or alone[1] == NOTHING_DONE):
        yield Edit(alone[0], source.line(alone[0]), text)
    elif missing:
        yield Edit(filled[-1][0] if filled else heading, None, f"\n{text}")
    elif planned and _NO_GOALS.fullmatch(alone[1]):
        yield Edit(alone[0], source.line(alone[0]), NOTHING_DONE)
