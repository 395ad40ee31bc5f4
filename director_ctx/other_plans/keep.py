"""What is written down of a plan that is taken over: where each unit is, and what its sections said."""

from __future__ import annotations

from director_ctx.other_plans.documents import DONE_THERE, INSIDE
from director_ctx.other_plans.model import OtherTask
from director_ctx.other_plans.origins_file import write_origins
from director_ctx.other_plans.place import REMOVED
from director_ctx.other_plans.side_documents import KEPT, MARK, UNFIT
from director_ctx.other_plans.take_over import IDEA
from director_ctx.project.origins import read_taken
from director_ctx.project.project import Project
from director_ctx.project.taken import TakenPlan, TakenUnit, mark_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.other_plans.take_over import Taking

    Units = dict[str, TakenUnit]


def keep_origins(root: str, taking: Taking, unfinished: bool) -> None:
    """Everything that was ever taken over: what is gone stays, so that it is not taken for new.

    What is there has its marks of before until it is written, so that a run that is ended owes it.
    """
    project = Project(root)
    plans = read_taken(project)
    seen = taking.seen
    if unfinished:
        seen = taking.before.seen
    units = {**_of_plan(taking, unfinished), **_of_documents(taking, unfinished)}
    for idea in taking.ideas:
        units[f"{IDEA}{idea.key}"] = TakenUnit("IDEAS.md", {MARK: mark_of(idea.text)})
    _add_earlier(units, taking)
    if not unfinished:
        for begun in taking.begun:
            del units[begun.key]
    plan = TakenPlan(taking.path, taking.file, units, seen, unfinished)
    write_origins(project, {**plans, taking.format.name: plan})


def _of_plan(taking: Taking, unfinished: bool) -> Units:
    units: Units = {}
    places = {taken.placed.key: taken.placed.at for taken in taking.units}
    for taken in taking.units:
        placed = taken.placed
        recorded = placed.recorded
        if placed.state == REMOVED:
            if recorded:
                units[placed.key] = recorded
            continue
        assert taken.text
        marks = taken.text.marks()
        if isinstance(placed.other, OtherTask):
            marks = _with_state(marks, placed.other, recorded)
        if placed.parent in places:
            marks[INSIDE] = mark_of(places[placed.parent])
        if unfinished and recorded:
            marks = dict(recorded.marks)
        units[placed.key] = TakenUnit(placed.at, marks)
    return units


def _with_state(
    marks: dict[str, str], task: OtherTask, recorded: TakenUnit | None
) -> dict[str, str]:
    if task.divided and recorded:
        marks = {**recorded.marks, **marks}
    marks.pop(DONE_THERE, None)
    if task.done:
        marks[DONE_THERE] = "yes"
    return marks


def _of_documents(taking: Taking, unfinished: bool) -> Units:
    units: Units = {}
    for document in taking.documents:
        recorded = taking.before.units.get(document.key)
        is_somebodys = document.state in (UNFIT, KEPT) and not recorded
        if unfinished and recorded:
            units[document.key] = recorded
        elif not is_somebodys:
            units[document.key] = TakenUnit(document.at, {MARK: mark_of(document.text)})
    return units


def _add_earlier(units: Units, taking: Taking) -> None:
    """What the source has no more, under a key of its own where another unit has that one by now."""
    told = {taken.placed.recorded.at for taken in taking.units if taken.placed.recorded}
    for key, unit in taking.before.units.items():
        if unit.at.startswith("goals/") and unit.at in told:
            continue
        free = key
        number = 1
        while free in units and units[free].at != unit.at:
            number += 1
            free = f"{key}~{number}"
        units.setdefault(free, unit)
