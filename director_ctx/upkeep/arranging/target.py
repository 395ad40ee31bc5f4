"""Where something is moved to: its new parent, and the sibling that it goes beside."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.upkeep.arranging.numbers import Neighbour
from director_ctx.upkeep.arranging.places import LABELS, parent_of
from director_ctx.upkeep.arranging.units import find_unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place


class UnitTarget(Record):
    """Into another parent, and before or after a sibling."""

    to: str = ""
    before: str = ""
    after: str = ""


def find_target(
    project: Project, place: Place, target: UnitTarget
) -> tuple[Place | None, Neighbour | None]:
    """The parent that it goes to, which is None for the plan, and the sibling, if one is named."""
    if target.before and target.after:
        raise UsageProblem("--before and --after exclude each other.", "Give one of them.")
    name = target.before or target.after
    if not target.to and not name:
        raise UsageProblem(
            "Move it where?",
            "Give --to, the step or goal that it goes into, --before or --after; --title renames it.",
        )

    parent = parent_of(place)
    if target.to:
        parent = _named_parent(project, place, target.to)
    if not name:
        _expect_fitting(place, parent)
        return parent, None

    sibling = _sibling(project, name, parent)
    if not target.to:
        parent = parent_of(sibling)
    _expect_fitting(place, parent)
    if parent_of(sibling) != parent or _depth(sibling) != _depth(place):
        raise UsageProblem(f"{sibling.ref} is not in {_called(parent)}.", "Leave --to out.")
    return parent, Neighbour(sibling.units[-1].number, is_after=bool(target.after))


def _named_parent(project: Project, place: Place, name: str) -> Place:
    """A number alone is a goal for a step, and for a task a step of its goal."""
    if not _is_number(name):
        return find_unit(project, name)
    if place.task:
        return find_unit(project, f"{place.goal.number}/{name}")
    return find_unit(project, f"goal {name}")


def _sibling(project: Project, name: str, parent: Place | None) -> Place:
    """A number alone is one of the same parent."""
    if not _is_number(name):
        return find_unit(project, name)
    if parent:
        return find_unit(project, f"{parent.ref}/{name}")
    return find_unit(project, f"goal {name}")


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit()


def _expect_fitting(place: Place, parent: Place | None) -> None:
    above = _depth(place) - 1
    if _depth(parent) == above:
        return
    kind = LABELS[_depth(place)]
    parent_kind = LABELS[above] or "plan"
    raise UsageProblem(
        f"A {kind} goes into a {parent_kind}, and beside another {kind}.",
        "`dctx status --goal N` shows the references.",
    )


def _depth(place: Place | None) -> int:
    """Of the plan, which is no place of its own, 0."""
    if place is None:
        return 0
    return len(place.units)


def _called(parent: Place | None) -> str:
    if parent is None:
        return "the plan"
    return parent.ref
