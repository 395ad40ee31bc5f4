"""GAMEPLAN.md: what is in focus."""

from __future__ import annotations

from director_ctx.project.reading.markdown import find_section
from director_ctx.project.tasks.fields import field, same_name
from director_ctx.upkeep.records.lines import names, set_fields
from director_ctx.upkeep.records.source import Edit
from director_ctx.upkeep.records.state import NONE_YET, UNPLANNED, nothing, says_nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.tasks.standing import Standing, Unit
    from director_ctx.upkeep.records.source import Source

_CLOSED = "**All goals complete.**"
_EMPTY = ("none", "not ", "nothing", "all ", "pending")


def focus_edits(source: Source, truth: Standing) -> list[Edit]:
    """The fields of Current Focus, in the form in which they are written."""
    text = source.text
    edits = set_fields(source, text, _values(text, truth))
    # Without fields to edit, the section may be closed by a sentence.
    return edits or list(_reopened(source, truth))


def _values(text: str, truth: Standing) -> Iterator[tuple[str, str]]:
    for name, label, unit in (
        ("Current Goal", "goal", truth.goal),
        ("Current Step", "step", truth.step),
    ):
        says, _ = field(text, name)
        if unit is None:
            if not says_nothing(says, truth):
                yield name, nothing(label, truth)
        elif not names(says, label, unit):
            yield name, _styled(says, label, unit)

    says, _ = field(text, "Next Up")
    upcoming = _next_up(truth)
    names_task = truth.task and truth.task.name in says
    if not same_name(says, upcoming) and not names_task:
        yield "Next Up", upcoming


def _styled(says: str, label: str, unit: Unit) -> str:
    """`Goal 2`, `Step 1 (Name)`, `Step 1: Name` or the name alone: as it was written before."""
    numbered = f"{label.title()} {unit.number}"
    full = f"{numbered} ({unit.name})"
    old = says.strip()
    if old.casefold().startswith(f"{label} "):
        if "(" in old:
            return full
        if ":" in old or " -" in old:
            return f"{numbered}: {unit.name}"
        return numbered

    if not old or old.casefold().startswith(_EMPTY):
        return full
    return unit.name


def _next_up(truth: Standing) -> str:
    if truth.task:
        return truth.task.name
    if not truth.goal:
        if truth.done:
            return "Nothing, all goals are complete"
        return NONE_YET
    if truth.step:
        return f"Plan step {truth.step.number} ({truth.step.name})"
    return f"Plan goal {truth.goal.number}"


def _reopened(source: Source, truth: Standing) -> Iterator[Edit]:
    """A closing sentence instead of fields, in a plan that is open again: the fields return, the
    rest stays.
    """
    text = source.text
    section = find_section(text, "current focus")
    if not section or not truth.goal:
        return
    for name in ("Current Goal", "Current Step", "Next Up"):
        _, line_number = field(text, name)
        if line_number:
            return

    _, start, end = section
    first = text.count("\n", 0, start) + 1
    last = first + text.count("\n", start, end)
    for number in range(first, min(last, len(source.lines)) + 1):
        line = source.line(number)
        if not line.startswith(_CLOSED):
            continue
        new = "\n".join(_fields(truth))
        rest = line.removeprefix(_CLOSED).strip()
        if rest:
            new += f"\n\n{rest}"
        yield Edit(number, line, new)
        return


def _fields(truth: Standing) -> Iterator[str]:
    for label, unit in (("goal", truth.goal), ("step", truth.step)):
        title = label.title()
        value = UNPLANNED
        if unit:
            value = f"{title} {unit.number} ({unit.name})"
        yield f"**Current {title}:** {value}"
    yield f"**Next Up:** {_next_up(truth)}"
