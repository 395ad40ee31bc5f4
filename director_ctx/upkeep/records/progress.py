"""The Progress section of STATE.md: a heading for each goal that has begun, a line for each of its
steps.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import find_section, outside_code
from director_ctx.project.tasks.progress import COMPLETE
from director_ctx.upkeep.records.lines import heading_line, recounted, replaced
from director_ctx.upkeep.records.source import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.tasks.progress import GoalProgress, StepProgress
    from director_ctx.upkeep.records.source import Source

_GOAL = re.compile(r"#{3,6}\s+\**Goal\s+(\d{1,9})\b", re.IGNORECASE)
_STEP = re.compile(
    r"(?P<bullet>\s*[-*+]\s+)(?P<box>\[.\]\s+)?\**Step\s+(?P<number>\d{1,9})\b[:*]*",
    re.IGNORECASE,
)
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
    section = find_section(text, "progress")
    if section is None:
        return []
    _, body, end = section
    lines: list[tuple[int, str]] = []
    for number, start, line in outside_code(text):
        if body <= start < end:
            lines.append((number, line.rstrip("\n")))

    blocks = {block.number: block for block in _blocks(lines)}
    edits: list[Edit] = []
    missing: list[str] = []
    for goal in goals:
        block = blocks.get(goal.goal.number)
        if block:
            edits += _block_edits(source, block, goal)
        elif goal.done:
            missing.append(_new_block(goal))
    heading = heading_line(text, "progress")
    edits += _append(source, lines, heading, missing, bool(goals))
    return edits


def _blocks(lines: Sequence[tuple[int, str]]) -> Iterator[_Block]:
    """A goal's block ends at the next heading that is no smaller than its own."""
    for index, (heading, line) in enumerate(lines):
        head = _GOAL.match(line)
        if not head:
            continue

        inside: list[int] = []
        last = heading
        for below, text in _until_heading(lines[index + 1 :], _level(line)):
            inside.append(below)
            if text.strip():
                last = below
        number = int(head[1])
        yield _Block(number, heading, tuple(inside), last)


def _until_heading(lines: Sequence[tuple[int, str]], level: int) -> Iterator[tuple[int, str]]:
    for number, line in lines:
        if line.startswith("#") and _level(line) <= level:
            return
        yield number, line


def _level(heading: str) -> int:
    return len(heading) - len(heading.lstrip("#"))


def _block_edits(
    source: Source,
    block: _Block,
    goal: GoalProgress,
) -> Iterator[Edit]:
    steps = {step.step.number: step for step in goal.steps}
    with_line: set[int] = set()

    heading = source.line(block.heading)
    name_end = _after_name(heading, goal.title)
    restated = _restated(heading, name_end, goal.state)
    yield from _changed(source, block.heading, restated)

    # New steps go behind the last one and what is indented below it.
    last = block.last
    indent: int | None = None
    for number in block.lines:
        line = source.line(number)
        match = _STEP.match(line)
        # What is indented deeper is a remark about a step, though it may begin with the same word.
        if match and indent in (None, _indent(line)):
            indent = _indent(line)
            last = number
            step = steps.get(int(match["number"]))
            if step:
                with_line.add(step.step.number)
                new_line = _step_line(line, match, step)
                yield from _changed(source, number, new_line)
            continue

        if indent is not None and line.strip() and _indent(line) > indent:
            last = number
            continue

        field = _FIELD.match(line)
        if field:
            yield from _changed(source, number, _field_line(line, field, goal))

    new: list[str] = []
    for step in goal.steps:
        has_line = step.step.number in with_line
        if step.done and not has_line:
            new.append(_new_line(step))
    if new:
        yield Edit(last, None, "\n".join(new))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _changed(source: Source, number: int, new: str) -> Iterator[Edit]:
    edit = replaced(source, number, new)
    if edit:
        yield edit


def _step_line(line: str, match: re.Match[str], step: StepProgress) -> str:
    """The line with this step's count, state and box; nothing is known of a step that has no tasks."""
    if not step.total:
        return line

    old_box = match["box"]
    if old_box:
        box = _box(old_box, step)
        behind_box = line[match.start("box") + len(box) :]
        line = f"{match['bullet']}{box}{behind_box}"

    start = _after_name(line, step.title, match.end())
    remarks = line[start:]
    if not remarks.strip():
        return f"{line.rstrip()}{_tail(step)}"
    remarks = recounted(remarks, step.done, step.total)
    return _restated(line[:start] + remarks, start, step.state)


def _box(old: str, step: StepProgress) -> str:
    """A tick goes where it is wrong; any other mark stays until the step is complete."""
    if step.state == COMPLETE:
        return "[x]"
    if old[1] in "xX":
        return "[ ]"
    return old[:3]


def _after_name(line: str, title: str, start: int = 0) -> int:
    """Where the name ends and the remarks begin."""
    # A name may hold a dash or a count of its own, so its end is looked for first.
    if title:
        name = re.compile(re.escape(title), re.IGNORECASE).search(line, start)
        if name:
            return name.end()
    mark = _BREAK.search(line, start)
    if mark:
        return mark.start()
    return len(line)


def _restated(line: str, start: int, state: str) -> str:
    """The state after the name, in the letters that were used for it."""
    said = _STATE.search(line[start:])
    if not said:
        return line
    old = said[1]
    # `completed` says the same as `complete`.
    if old.casefold().removesuffix("d") == state:
        return line

    new = state
    if old.isupper():
        new = state.upper()
    elif old[0].isupper():
        new = state.capitalize()
    before = line[: start + said.start(1)]
    after = line[start + said.end(1) :]
    return before + new + after


def _field_line(line: str, match: re.Match[str], goal: GoalProgress) -> str:
    start = match.end()
    name = match[1].casefold()
    if name == "status":
        return _restated(line, start, goal.state)

    if name == "steps":
        done = sum(step.state == COMPLETE for step in goal.steps)
        total = len(goal.steps)
    else:
        done = goal.done
        total = goal.total
    return line[:start] + recounted(line[start:], done, total)


def _tail(step: StepProgress) -> str:
    return f" [{step.state}] -- {step.done}/{step.total} tasks"


def _new_line(step: StepProgress) -> str:
    return f"- Step {step.step.number}: {step.title}{_tail(step)}"


def _new_block(goal: GoalProgress) -> str:
    lines = [f"### Goal {goal.goal.number}: {goal.title}"]
    for step in goal.steps:
        if step.done:
            lines.append(_new_line(step))
    return "\n".join(lines)


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
    last = heading
    only_line = ""
    if filled:
        last, last_line = filled[-1]
        if len(filled) == 1:
            only_line = last_line
    is_template = _NO_GOALS.fullmatch(only_line) is not None
    makes_room = is_template or only_line == NOTHING_DONE

    if missing and makes_room:
        yield Edit(last, source.line(last), text)
    elif missing:
        yield Edit(last, None, f"\n{text}")
    elif planned and is_template:
        yield Edit(last, source.line(last), NOTHING_DONE)
