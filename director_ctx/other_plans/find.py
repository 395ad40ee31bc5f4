"""The tools whose plans are read, and which of them have a plan here, found by their markers."""

from __future__ import annotations

import os
from difflib import get_close_matches

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.other_plans.formats import backlog, openspec, spec_kit, task_master, todo
from director_ctx.project.reading.locate import absolute, inside
from director_ctx.project.taken import TITLES, TakenPlan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.other_plans.model import OtherPlan, OtherTask
    from director_ctx.other_plans.source import PlanSource
    from director_ctx.upkeep.records.source import Edit, Source


class PlanFormat(Record):
    name: str
    markers: tuple[str, ...]
    """A plan of this tool is where one of these is, below the project's root."""
    read: Callable[[PlanSource], OtherPlan]
    tick: Callable[[PlanSource, OtherTask, Source, str], list[Edit]] | None = None
    """The lines that change in its file when a task is done; nothing where one box or one word would not do."""
    loose: bool = False
    """Whether its marker says little: such a file may be anything, and is looked at only when nothing else is there."""
    by_file: bool = False
    """Whether each of its files is a plan of its own, known by its path in the project."""
    numbers_anew: bool = False
    """Whether the tool numbers its tasks again whenever it likes, or not at all, so that a name says more."""

    @property
    def title(self) -> str:
        return TITLES[self.name]


FORMATS = (
    PlanFormat("openspec", openspec.MARKERS, openspec.read, openspec.tick, numbers_anew=True),
    PlanFormat("spec-kit", spec_kit.MARKERS, spec_kit.read, spec_kit.tick),
    PlanFormat("task-master", task_master.MARKERS, task_master.read, task_master.tick),
    PlanFormat("backlog", backlog.MARKERS, backlog.read, backlog.tick),
    PlanFormat("todo", todo.MARKERS, todo.read, loose=True, by_file=True, numbers_anew=True),
)
BY_NAME = {row.name: row for row in FORMATS}
AUTO = "auto"
NAMES = (AUTO, *BY_NAME)


class FoundPlan(Record):
    """A plan, and where it is read."""

    format: PlanFormat
    root: str
    """The folder below which its markers are."""
    file: str = ""
    """The one file that was named."""


def found_plans(root: str, loose: bool = False) -> list[FoundPlan]:
    """With `loose` also what may be one."""

    def is_here(row: PlanFormat) -> bool:
        return any(os.path.exists(os.path.join(root, *path.split("/"))) for path in row.markers)

    return [FoundPlan(row, root) for row in FORMATS if (loose or not row.loose) and is_here(row)]


def tool_named(said: str) -> str:
    """The name of a tool, however it is written: `OpenSpec` is `openspec`."""
    name = said.strip().casefold()
    if name in NAMES:
        return name
    known = f"Known are: {', '.join(NAMES)}."
    near = get_close_matches(name, NAMES, 1)
    if near:
        known = f"Did you mean {near[0]}? {known}"
    raise UsageProblem(f"There is no tool {plain(said)!r} whose plans can be read.", known)


def find_plan(name: str, root: str, path: str | None) -> FoundPlan:
    """The plan that is meant by `--from NAME [PATH]`."""
    place = absolute(path) if path else root
    if not os.path.exists(place):
        raise DctxError(f"There is no {path}.", "Name the folder that the plan is in.")
    if os.path.isfile(place):
        if name == AUTO:
            raise UsageProblem(
                "What is in this file?", "Say so with --from and the name of the tool."
            )
        below = below_root(root, place)
        if BY_NAME[name].by_file and below:
            return FoundPlan(BY_NAME[name], root, below)
        return FoundPlan(BY_NAME[name], *os.path.split(place))
    for folder in [place, os.path.dirname(place)] if path else [place]:
        found = [plan for plan in found_plans(folder, True) if plan.format.name == name]
        if name == AUTO:
            found = found_plans(folder) or found_plans(folder, True)
        if len(found) > 1:
            listed = ", ".join(f"{plan.format.title} ({plan.format.name})" for plan in found)
            raise DctxError(
                f"There are plans of several tools here: {listed}.",
                "Take one over after the other, with --from and its name.",
            )
        if found:
            return found[0]
    if name == AUTO:
        known = ", ".join(row.title for row in FORMATS)
        raise DctxError(
            f"No plan of another tool was found in {place}.",
            f"Known are: {known}. A plan elsewhere is named behind --from NAME.",
        )
    row = BY_NAME[name]
    raise DctxError(
        f"There is no plan of {row.title} in {place}.",
        f"It is known by {' or '.join(row.markers)}.",
    )


def folder_of(root: str, plan: TakenPlan) -> str:
    """Where a plan lies that was taken over before; empty where that is not in the project, whatever was written
    down of it.
    """
    if plan.path is None:
        return ""
    folder = os.path.join(root, *plan.path.split("/")) if plan.path else root
    return "" if below_root(root, folder) is None else folder


def below_root(root: str, folder: str) -> str | None:
    """A folder's path below the root; None where it is elsewhere."""
    real = os.path.realpath(folder)
    top = os.path.realpath(root)
    if not inside(real, top):
        return None
    path = os.path.relpath(real, top).replace(os.sep, "/")
    return "" if path == "." else path
