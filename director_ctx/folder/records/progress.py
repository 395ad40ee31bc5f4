"""The Progress section of STATE.md: a heading for each goal that has begun, a line for each of its steps."""

from __future__ import annotations

import re

from director_ctx.folder.markdown import find_section, outside_code
from director_ctx.folder.progress import COMPLETE
from director_ctx.folder.records.lines import has_count, recounted, replaced
from director_ctx.folder.source import Edit
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.folder.progress import GoalProgress, StepProgress
    from director_ctx.folder.source import Source

_GOAL = re.compile(r"#{3,6}\s+\**Goal\s+(\d{1,9})\b", re.IGNORECASE)
_STEP = re.compile(r"(\s*[-*+]\s+)(\[.\]\s+)?(\**Step\s+(\d{1,9})\b[:*]*)", re.IGNORECASE)
_FIELD = re.compile(r"\s*[-*+]?\s*\**(Steps|Tasks|Status)\b[^:]*:", re.IGNORECASE)
_STATE = re.compile(r"\b(not started|in progress|unplanned|completed?)\b(?!\s*:)", re.IGNORECASE)
_BREAK = re.compile(r"\s*(\[|--|\u2014|\(|$)")
_PLACEHOLDER = re.compile(r"\W*No goals defined yet\W*", re.IGNORECASE)


class _Block(Record):
    """One goal's part of the section: the line of its heading, its lines, and after which line more may go."""

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
    first, last = text.count("\n", 0, found[1]) + 1, text.count("\n", 0, found[2]) + (found[2] == len(text))
    lines = [(number, line.rstrip("\n")) for number, _, line in outside_code(text) if first <= number <= last]
    blocks = {block.number: block for block in _blocks(lines)}
    edits: list[Edit] = []
    missing: list[str] = []
    for goal in goals:
        if block := blocks.get(goal.goal.number):
            edits += _block_edits(source, block, goal)
        elif goal.done:
            missing.append(_new_block(goal))
    return [*edits, *_append(source, lines, first - 1, missing)]


def _blocks(lines: Sequence[tuple[int, str]]) -> Iterator[_Block]:
    heads = [(place, number, head) for place, (number, line) in enumerate(lines) if (head := _GOAL.match(line))]
    ends = [*(place for place, _, _ in heads[1:]), len(lines)]
    for (place, number, head), end in zip(heads, ends, strict=False):
        inside = lines[place + 1 : end]
        filled = [number, *(n for n, line in inside if line.strip())]
        yield _Block(int(head[1]), number, tuple(n for n, _ in inside), filled[-1])


def _block_edits(source: Source, block: _Block, goal: GoalProgress) -> Iterator[Edit]:
    steps = {step.step.number: step for step in goal.steps}
    seen: set[int] = set()
    last = block.heading
    heading = source.line(block.heading)
    yield from _one(source, block.heading, _restated(heading, _after_name(heading, goal.title), goal.state))
    for number in block.lines:
        line = source.line(number)
        if (match := _STEP.match(line)) and (step := steps.get(int(match[4]))):
            seen.add(step.step.number)
            last = number
            yield from _one(source, number, _step_line(line, match, step))
        elif match := _FIELD.match(line):
            yield from _one(source, number, _field_line(line, match, goal))
    new = [_new_line(step) for step in goal.steps if step.done and step.step.number not in seen]
    if new:
        yield Edit(last if seen else block.last, None, "\n".join(new))


def _one(source: Source, number: int, new: str) -> Iterator[Edit]:
    if edit := replaced(source, number, new):
        yield edit


def _step_line(line: str, match: re.Match[str], step: StepProgress) -> str:
    """The line with this step's count, state and box; nothing is known of it where there are no tasks."""
    if match[2]:
        box = "[x]" if step.state == COMPLETE else "[ ]" if match[2][1] in "xX" else match[2][:3]
        line = f"{match[1]}{box}{line[match.start(2) + 3 :]}"
    start = _after_name(line, step.title, match.end())
    rest = line[start:]
    if not has_count(rest) and not _STATE.search(rest):
        return f"{line.rstrip()}{_tail(step)}"
    counted = line[:start] + recounted(rest, step.done, step.total)
    return _restated(counted, start, step.state)


def _after_name(line: str, title: str, start: int = 0) -> int:
    """Where the name ends and the remarks begin."""
    at = line.casefold().find(title.casefold(), start) if title else -1
    if at >= 0:
        return at + len(title)
    mark = _BREAK.search(line, start)
    return mark.start() if mark else len(line)


def _restated(line: str, start: int, state: str) -> str:
    """The state after the name, in the letters that were used for it."""

    def put(match: re.Match[str]) -> str:
        old = match[0]
        return state.upper() if old.isupper() else state.capitalize() if old[0].isupper() else state

    found = _STATE.search(line, start)
    if not found or found[0].casefold().removesuffix("d") == state:
        return line
    return line[: found.start()] + put(found) + line[found.end() :]


def _field_line(line: str, match: re.Match[str], goal: GoalProgress) -> str:
    if match[1].casefold() == "status":
        return _restated(line, match.end(), goal.state)
    done_steps = sum(step.state == COMPLETE for step in goal.steps)
    counts = (done_steps, len(goal.steps)) if match[1].casefold() == "steps" else (goal.done, goal.total)
    return line[: match.end()] + recounted(line[match.end() :], *counts)


def _tail(step: StepProgress) -> str:
    return f" [{step.state}] -- {step.done}/{step.total} tasks"


def _new_line(step: StepProgress) -> str:
    return f"- Step {step.step.number}: {step.title}{_tail(step)}"


def _new_block(goal: GoalProgress) -> str:
    begun = [_new_line(step) for step in goal.steps if step.done]
    return "\n".join([f"### Goal {goal.goal.number}: {goal.title}", *begun])


def _append(source: Source, lines: Sequence[tuple[int, str]], heading: int, missing: Sequence[str]) -> Iterator[Edit]:
    """New goals go to the end of the section; the template's sentence makes room for the first."""
    if not missing:
        return
    text = "\n\n".join(missing)
    filled = [(number, line) for number, line in lines if line.strip()]
    if len(filled) == 1 and _PLACEHOLDER.fullmatch(filled[0][1]):
        yield Edit(filled[0][0], source.line(filled[0][0]), text)
        return
    yield Edit(filled[-1][0] if filled else heading, None, f"\n{text}")
