"""STATE.md: where the project stands, and when that was last written down."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.tasks.fields import field, finished, named_numbers, without
from director_ctx.project.tasks.standing import COMPLETE, NOT_STARTED
from director_ctx.upkeep.records.claims import other_position, other_status
from director_ctx.upkeep.records.lines import names, set_fields
from director_ctx.upkeep.records.progress import progress_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.project.tasks.progress import GoalProgress
    from director_ctx.project.tasks.standing import Standing
    from director_ctx.upkeep.records.source import Edit, Source

ALL_DONE = "All goals complete"
NONE = "None"
NONE_YET = "None yet"
UNPLANNED = "Not planned yet"
_EMPTY = re.compile(
    r"(none( yet)?|nothing|pending|not (planned|started)( yet)?)( *(--|\u2014|[(,.:]).*)?"
)


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
        edits += _times(source, text, occasion)
    return edits


def _values(text: str, truth: Standing) -> Iterator[tuple[str, str]]:
    """The fields that do not say what they should, with what they should say."""
    says, _ = field(text, "Status")
    if not says or other_status(says, truth):
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
    empty = _EMPTY.fullmatch(said) is not None
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
        return needed <= named and not other_position(says, truth)
    if truth.done:
        return finished(says) and not other_position(says, truth)
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


def _times(source: Source, text: str, occasion: Occasion) -> list[Edit]:
    """A session is where work was done; bringing records in line is none."""
    values = [("Last updated", occasion.now)]
    if occasion.worked:
        day = occasion.now[: len("2026-02-16")]
        values.append(("Last session", day))
    return set_fields(source, text, values)
