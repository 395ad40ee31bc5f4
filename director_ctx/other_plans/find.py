"""Which tools have a plan here, found by their markers."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.other_plans.table import AUTO, BY_NAME, FORMATS, NAMES
from director_ctx.project.reading.locate import absolute, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.other_plans.table import PlanFormat
    from director_ctx.project.taken import TakenPlan


class FoundPlan(Record):
    """A plan, and where it is read."""

    format: PlanFormat
    root: str
    """The folder below which its markers are."""
    file: str = ""
    """The one file that was named."""


def found_plans(root: str, loose: bool = False) -> list[FoundPlan]:
    """With `loose` also what may be one."""
    return [
        FoundPlan(row, root)
        for row in FORMATS
        if (loose or not row.loose) and _has_marker(row, root)
    ]


def _has_marker(row: PlanFormat, root: str) -> bool:
    return any(os.path.exists(os.path.join(root, *path.split("/"))) for path in row.markers)


def tool_named(said: str) -> str:
    """The name of a tool, however it is written: `OpenSpec` is `openspec`."""
    from difflib import get_close_matches

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
        return _in_file(name, place, root)
    candidates = [place, os.path.dirname(place)] if path else [place]
    for folder in candidates:
        found = [plan for plan in found_plans(folder, True) if plan.format.name == name]
        if name == AUTO:
            found = found_plans(folder) or found_plans(folder, True)
        if len(found) > 1:
            raise DctxError(
                f"There are plans of several tools here: {_listed(found)}.",
                "Take one over after the other, with --from and its name.",
            )
        if found:
            return found[0]
    raise _nothing(name, place)


def _in_file(name: str, place: str, root: str) -> FoundPlan:
    if name == AUTO:
        raise UsageProblem("What is in this file?", "Say so with --from and the name of the tool.")
    row = BY_NAME[name]
    below = below_root(root, place)
    if row.by_file and below:
        return FoundPlan(row, root, below)
    folder, file = os.path.split(place)
    return FoundPlan(row, folder, file)


def _nothing(name: str, place: str) -> DctxError:
    if name == AUTO:
        return DctxError(
            f"No plan of another tool was found in {place}.",
            f"Known are: {', '.join(row.title for row in FORMATS)}. A plan elsewhere is named behind --from NAME.",
        )
    row = BY_NAME[name]
    return DctxError(
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
    if below_root(root, folder) is None:
        return ""
    return folder


def _listed(found: list[FoundPlan]) -> str:
    return ", ".join(f"{plan.format.title} ({plan.format.name})" for plan in found)


def below_root(root: str, folder: str) -> str | None:
    """A folder's path below the root; None where it is elsewhere."""
    real = os.path.realpath(folder)
    top = os.path.realpath(root)
    if not inside(real, top):
        return None
    path = os.path.relpath(real, top).replace(os.sep, "/")
    return "" if path == "." else path
