"""STATE.md: where the project stands, and when that was last written down."""

from __future__ import annotations

from director_ctx.folder.contradictions import other_position, other_status
from director_ctx.folder.fields import field, finished, named_numbers
from director_ctx.folder.records.lines import names, set_field
from director_ctx.folder.records.progress import progress_edits
from director_ctx.folder.standing import COMPLETE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.folder.progress import GoalProgress
    from director_ctx.folder.source import Edit, Source
    from director_ctx.folder.standing import Standing

ALL_DONE, NONE, UNPLANNED = "All goals complete", "None", "Not planned yet"


def state_edits(source: Source, truth: Standing, goals: Sequence[GoalProgress], now: str, always: bool) -> list[Edit]:
    """The position, the progress, and the time where anything changed (or `always`)."""
    if not truth.goal and truth.status != COMPLETE:
        return []
    wanted = _values(source.text, truth)
    edits = [edit for name, value in wanted if (edit := set_field(source, name, value))]
    edits += progress_edits(source, goals)
    return [*edits, *_times(source, now, always)] if edits or always else []


def _values(text: str, truth: Standing) -> Iterator[tuple[str, str]]:
    """The fields that do not say what they should, with what they should say."""
    says = field(text, "Status")[0]
    if not says or other_status(says, truth):
        yield "Status", truth.status
    for name, label, unit in (
        ("Current goal", "goal", truth.goal),
        ("Current step", "step", truth.step),
        ("Current task", "task", truth.task),
    ):
        says = field(text, name)[0]
        if unit and not names(says, label, unit):
            yield name, unit.name
        elif not unit and not says_nothing(says, truth):
            yield name, UNPLANNED if truth.goal else ALL_DONE if label == "goal" else NONE
    says = field(text, "Position")[0]
    if not _locates(says, truth):
        yield "Position", position(truth, ", " if "," in says else " > ")


def says_nothing(says: str, truth: Standing) -> bool:
    """Whether a field that can name nothing says so: that something is to be planned, or that all is done."""
    said = says.casefold()
    if truth.goal:
        return said.startswith(("not planned", "pending", "none ")) and not said.startswith("none yet")
    return said.startswith("none") or (finished(says) and said.startswith("all"))


def _locates(says: str, truth: Standing) -> bool:
    """Whether a position is the current one, as deep as it can be told."""
    placed = truth.numbers.keys() <= named_numbers(says).keys() if truth.goal else finished(says)
    return placed and not other_position(says, truth)


def position(truth: Standing, between: str = " > ") -> str:
    """`Goal 1 > Step 2 > Task 3`."""
    return between.join(f"{label.title()} {number}" for label, number in truth.numbers.items()) or ALL_DONE


def _times(source: Source, now: str, always: bool) -> list[Edit]:
    """A session is where work was done; bringing records in line is none."""
    edits = [set_field(source, "Last updated", now), set_field(source, "Last session", now[:10]) if always else None]
    return [edit for edit in edits if edit] if now else []
