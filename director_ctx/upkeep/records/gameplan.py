"""GAMEPLAN.md: what is in focus."""

from __future__ import annotations

from director_ctx.project.reading.markdown import find_section
from director_ctx.project.tasks.fields import field, same_name
from director_ctx.upkeep.records.lines import names, set_field
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
    wanted = list(_values(text, truth))
    edits = [edit for name, value in wanted if (edit := set_field(source, text, name, value))]
    return edits or list(_reopened(source, truth))


def _values(text: str, truth: Standing) -> Iterator[tuple[str, str]]:
    for name, label, unit in (
        ("Current Goal", "goal", truth.goal),
        ("Current Step", "step", truth.step),
    ):
        says = field(text, name)[0]
        if unit and not names(says, label, unit):
            yield name, _styled(says, label, unit)
        elif not unit and not says_nothing(says, truth):
            yield name, nothing(label, truth)
    says = field(text, "Next Up")[0]
    upcoming = _next_up(truth)
    if not same_name(says, upcoming) and not (truth.task and truth.task.name in says):
        yield "Next Up", upcoming


def _styled(says: str, label: str, unit: Unit) -> str:
    """`Goal 2`, `Step 1 (Name)`, `Step 1: Name` or the name alone: as it was written before."""
    numbered = f"{label.title()} {unit.number}"
    old = says.strip()
    if old.casefold().startswith(f"{label} "):
        if "(" not in old and ":" not in old and " -" not in old:
            return numbered
        return f"{numbered} ({unit.name})" if "(" in old else f"{numbered}: {unit.name}"
    return (
        f"{numbered} ({unit.name})" if old.casefold().startswith(_EMPTY) or not old else unit.name
    )


def _next_up(truth: Standing) -> str:
    if truth.task:
        return truth.task.name
    if not truth.goal:
        return "Nothing, all goals are complete" if truth.done else NONE_YET
    return (
        f"Plan step {truth.step.number} ({truth.step.name})"
        if truth.step
        else f"Plan goal {truth.goal.number}"
    )


def _reopened(source: Source, truth: Standing) -> Iterator[Edit]:
    """A closing sentence instead of fields, in a plan that is open again: the fields return, the
    rest stays.
    """
    found = find_section(source.text, "current focus")
    fields = ("Current Goal", "Current Step", "Next Up")
    if not found or not truth.goal or any(field(source.text, name)[1] for name in fields):
        return
    first = source.text.count("\n", 0, found[1]) + 1
    for number in range(first, first + source.text.count("\n", found[1], found[2]) + 1):
        line = source.line(number) if number <= len(source.lines) else ""
        if line.startswith(_CLOSED):
            rest = line[len(_CLOSED) :].strip()
            yield Edit(number, line, "\n".join(_fields(truth)) + (f"\n\n{rest}" if rest else ""))
            return


def _fields(truth: Standing) -> Iterator[str]:
    for label, unit in (("goal", truth.goal), ("step", truth.step)):
        value = f"{label.title()} {unit.number} ({unit.name})" if unit else UNPLANNED
        yield f"**Current {label.title()}:** {value}"
    yield f"**Next Up:** {_next_up(truth)}"
