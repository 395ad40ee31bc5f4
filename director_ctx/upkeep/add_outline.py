"""A whole outline added to the plan. What is there already, by its name, stays and is gone on with."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.project import Project
from director_ctx.project.tasks.next import choose
from director_ctx.upkeep.add import add_unit
from director_ctx.upkeep.arranging.places import places_below
from director_ctx.upkeep.last_place import remember_place
from director_ctx.upkeep.outline import GOAL, STEP, TASK
from director_ctx.upkeep.templates import NewItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.project.reading.model import Place
    from director_ctx.upkeep.outline import Outline, OutlineEntry
    from director_ctx.upkeep.tasks import Upkeep


class Planned(Record):
    """One entry of an outline, and where it is in the plan already; None for a new one."""

    entry: OutlineEntry
    there: Place | None = None


class AddedOutline(Record):
    """What was added, and what was there before."""

    project: Project
    """As it is afterwards."""
    added: tuple[Place, ...]
    there: tuple[Place, ...]
    upkeep: tuple[Upkeep, ...]


def plan_outline(project: Project, outline: Outline) -> list[Planned]:
    """Which entries are new. Nothing is written."""
    planned: list[Planned] = []
    above: dict[str, Place | None] = {}
    for entry in outline.entries:
        above[entry.kind] = _there(project, entry, above)
        planned.append(Planned(entry, above[entry.kind]))
    return planned


def add_outline(root: str, outline: Outline, now: str) -> AddedOutline:
    """One after the other, each with its records. Ended in the middle, a second run goes on."""
    added: list[Place] = []
    there: list[Place] = []
    upkeep: list[Upkeep] = []
    above: dict[str, Place | None] = {}
    for entry in outline.entries:
        place = _there(Project(root), entry, above)
        if place:
            there.append(place)
        else:
            parent = _above(entry, above)
            new = NewItem(entry.name, entry.about, entry.needs, done=entry.done)
            if entry.kind == STEP and parent:
                new = new.replace(goal=parent.ref)
            elif parent:
                new = new.replace(step=parent.ref)
            result = add_unit(root, entry.kind, new, now)
            place = result.place
            assert place
            added.append(place)
            upkeep.append(result)
        above[entry.kind] = place
    # The end of a whole plan is not where somebody works: the next task is.
    upcoming = choose(Project(root))
    if added and upcoming:
        remember_place(root, upcoming.place)
    return AddedOutline(Project(root), tuple(added), tuple(there), tuple(upkeep))


def _above(entry: OutlineEntry, above: Mapping[str, Place | None]) -> Place | None:
    """The goal of a step, the step of a task; the reader of outlines saw to it that there is one."""
    return above.get({STEP: GOAL, TASK: STEP}.get(entry.kind, ""))


def _there(
    project: Project, entry: OutlineEntry, above: Mapping[str, Place | None]
) -> Place | None:
    parent = _above(entry, above)
    if parent is None and entry.kind != GOAL:
        return None
    for place in places_below(project, parent):
        if project.title(place.units[-1]).casefold() == entry.name.casefold():
            return place
    return None
