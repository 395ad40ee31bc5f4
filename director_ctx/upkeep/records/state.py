"""STATE.md: where the project stands, how far each goal is, and when that was last written down."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import find_section, outside_code
from director_ctx.project.tasks.fields import (
    FINISHED,
    field,
    finished,
    named_numbers,
    unnamed,
    without,
)
from director_ctx.project.tasks.needs import tokenize
from director_ctx.project.tasks.progress import COMPLETE as GOAL_COMPLETE
from director_ctx.project.tasks.standing import COMPLETE, NOT_STARTED
from director_ctx.upkeep.records.lines import heading_line, names, recounted, replaced, set_fields
from director_ctx.upkeep.records.source import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.reading.model import Place
    from director_ctx.project.tasks.progress import GoalProgress, StepProgress
    from director_ctx.project.tasks.standing import Standing
    from director_ctx.upkeep.records.source import Source

ALL_DONE = "All goals complete"
NONE = "None"
NONE_YET = "None yet"
UNPLANNED = "Not planned yet"
_EMPTY = r"(none( yet)?|nothing|pending|not (planned|started)( yet)?)( *(--|\u2014|[(,.:]).*)?"


class Occasion(Record):
    """Why records are brought in line: when, after work on a task or not, and whether one was
    opened again.
    """

    now: str = ""
    worked: bool = False
    reopened: bool = False


def state_edits(
    source: Source,
    truth: Standing,
    goals: Sequence[GoalProgress],
    occasion: Occasion,
) -> list[Edit]:
    """The position, the progress, and the time where anything changed or work was done."""
    # Progress has fields of its own, for each goal.
    text = without(source.text, "progress")
    values = list(_values(text, truth))
    status, _ = field(text, "Status")
    # Nothing is begun any more once the only finished task is open again.
    if occasion.reopened and truth.status == NOT_STARTED and status.casefold() == "in progress":
        values.append(("Status", NOT_STARTED))

    edits = set_fields(source, text, values)
    edits += progress_edits(source, goals)
    if occasion.now and (edits or occasion.worked):
        times = [("Last updated", occasion.now)]
        # A session is where work was done; bringing records in line is none.
        if occasion.worked:
            times.append(("Last session", occasion.now[: len("2026-02-16")]))
        edits += set_fields(source, text, times)
    return edits


def _values(text: str, truth: Standing) -> Iterator[tuple[str, str]]:
    """The fields that do not say what they should, with what they should say."""
    says, _ = field(text, "Status")
    if not says or contradicts_status(says, truth):
        yield "Status", truth.status

    for name, label, unit in (
        ("Current goal", "goal", truth.goal),
        ("Current step", "step", truth.step),
        ("Current task", "task", truth.task),
    ):
        says, _ = field(text, name)
        if unit is None:
            if not says_nothing(says, truth):
                yield name, nothing(label, truth)
        elif not names(says, label, unit):
            yield name, unit.name

    says, _ = field(text, "Position")
    if not _locates(says, truth):
        between = " > "
        if "," in says:
            between = ", "
        yield "Position", position(truth, between)


def nothing(label: str, truth: Standing) -> str:
    """What a field says that can name nothing."""
    if truth.goal:
        return UNPLANNED
    if truth.status != COMPLETE:
        return NONE_YET
    if label == "goal":
        return ALL_DONE
    return NONE


def says_nothing(says: str, truth: Standing) -> bool:
    """Whether it says so already: that something is to be planned, that all is done, or that
    nothing has begun.
    """
    said = says.casefold()
    empty = re.fullmatch(_EMPTY, said) is not None
    if truth.goal:
        return empty and said not in ("none", "none yet")
    if not truth.done:
        return empty
    if empty:
        return said != "none yet"
    return finished(says) and said.startswith("all")


def _locates(says: str, truth: Standing) -> bool:
    """Whether a position is the current one, as deep as it can be told."""
    if truth.goal:
        named = named_numbers(says).keys()
        needed = set(truth.numbers)
        if ">" not in says:
            needed.discard("task")
        return needed <= named and not contradicts_position(says, truth)
    if truth.done:
        return finished(says) and not contradicts_position(says, truth)
    return not named_numbers(says) and not finished(says)


def position(truth: Standing, between: str = " > ") -> str:
    """`Goal 1 > Step 2 > Task 3`."""
    units: list[str] = []
    for label, number in truth.numbers.items():
        units.append(f"{label.title()} {number}")
    if units:
        return between.join(units)
    if truth.done:
        return ALL_DONE
    return NOT_STARTED


def contradicts_status(says: str, truth: Standing) -> bool:
    said = says.casefold()
    if said.startswith("complete"):
        return truth.status != COMPLETE
    if said.startswith("not started"):
        return truth.status != NOT_STARTED
    return said.startswith(("in progress", "building")) and truth.status == COMPLETE


def contradicts_position(says: str, truth: Standing) -> bool:
    """Whether it is not the current one, or calls something complete that is not the last thing done."""
    # A name may hold numbers and words such as `done` of its own.
    for unit in (truth.goal, truth.step, truth.task):
        if unit:
            says = unnamed(says, unit.name)
    words = tokenize(says)
    end = next((place for place, word in enumerate(words) if word in FINISHED), len(words))
    claimed = named_numbers(" ".join(words[:end]))
    if "goal" not in claimed:
        return False

    is_current = bool(truth.numbers) and _agrees(claimed, truth.numbers)
    if end == len(words):
        return not is_current
    # Whoever calls the last thing done complete is right, though it is current no longer.
    before = [
        _numbers(place)
        for place in truth.done
        if truth.current is None or _order(place) < _order(truth.current)
    ]
    return is_current or not before or not _agrees(claimed, before[-1])


def _order(place: Place) -> tuple[int, ...]:
    return tuple(unit.number for unit in place.units)


def _numbers(place: Place) -> dict[str, int]:
    return dict(zip(("goal", "step", "task"), _order(place), strict=False))


def _agrees(claimed: dict[str, int], actual: dict[str, int]) -> bool:
    """Whatever both name is the same; what is only claimed is left open, but not a task that is not planned."""
    return all(actual.get(label) == number for label, number in claimed.items())


# The Progress section: a heading for each goal that has begun, a line for each of its steps.

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
            new = [f"### Goal {goal.goal.number}: {goal.title}"]
            new += [_new_line(step) for step in goal.steps if step.done]
            missing.append("\n".join(new))
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
        for below, text in lines[index + 1 :]:
            if text.startswith("#") and _level(text) <= _level(line):
                break
            inside.append(below)
            if text.strip():
                last = below
        number = int(head[1])
        yield _Block(number, heading, tuple(inside), last)


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

    new = [
        _new_line(step) for step in goal.steps if step.done and step.step.number not in with_line
    ]
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
        return f"{line.rstrip()} {_standing_of(step)}"
    remarks = recounted(remarks, step.done, step.total)
    return _restated(line[:start] + remarks, start, step.state)


def _box(old: str, step: StepProgress) -> str:
    """A tick goes where it is wrong; any other mark stays until the step is complete."""
    if step.state == GOAL_COMPLETE:
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
        done = sum(step.state == GOAL_COMPLETE for step in goal.steps)
        total = len(goal.steps)
    else:
        done = goal.done
        total = goal.total
    return line[:start] + recounted(line[start:], done, total)


def _standing_of(step: StepProgress) -> str:
    return f"[{step.state}] -- {step.done}/{step.total} tasks"


def _new_line(step: StepProgress) -> str:
    return f"- Step {step.step.number}: {step.title} {_standing_of(step)}"


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
    last, last_line = filled[-1] if filled else (heading, "")
    only_line = last_line if len(filled) == 1 else ""
    is_template = _NO_GOALS.fullmatch(only_line) is not None
    if missing and (is_template or only_line == NOTHING_DONE):
        yield Edit(last, source.line(last), text)
    elif missing:
        yield Edit(last, None, f"\n{text}")
    elif planned and is_template:
        yield Edit(last, source.line(last), NOTHING_DONE)
