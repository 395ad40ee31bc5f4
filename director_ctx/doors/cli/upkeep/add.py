"""`dctx add`: a goal, a step or a task."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.times import now
from director_ctx.doors.cli.upkeep.changes import present
from director_ctx.project.project import load_project
from director_ctx.upkeep.add import add_goal, add_step, add_task
from director_ctx.upkeep.templates import NewItem, checked_name, checked_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place
    from director_ctx.upkeep.tasks import Upkeep

SIZES = ("small", "medium", "large")


def goal(values: dict[str, Any]) -> int:
    return _add(values, add_goal)


def step(values: dict[str, Any]) -> int:
    return _add(values, add_step)


def task(values: dict[str, Any]) -> int:
    if values["size"] and values["size"] not in SIZES:
        raise UsageProblem(
            f"--size: there is no {values['size']!r}.", "Choose one of: " + ", ".join(SIZES)
        )
    return _add(values, add_task)


def _add(values: dict[str, Any], add: Callable[[str, NewItem, str], Upkeep]) -> int:
    root = load_project(root=values["root"]).root
    new = _new(values)
    result = add(root, new, now())
    place = result.place
    assert place

    # The smallest unit of its place is the one that was added.
    name = plain(values["name"].strip())
    unit = place.task or place.step or place.goal
    headline = f"Added {place.ref}  {name}: {plain(unit.path)}"
    return present(values, result, headline, _parents(result.project, place))


def _parents(project: Project, place: Place) -> str:
    """Where it went, in words; nothing for a goal."""
    if place.step is None:
        return ""
    parents = f"  in goal {place.goal.number} ({project.title(place.goal)})"
    if place.task:
        parents += f", step {place.step.number} ({project.title(place.step)})"
    return parents


def _new(values: dict[str, Any]) -> NewItem:
    """What is to be added, once its texts are known to be such as a file takes."""
    # Only a task has a size, and not every unit needs another first: some commands lack an option.
    about = checked_text("--about", values.get("about"))
    needs = checked_text("--needs", values.get("needs"))
    size = checked_text("--size", values.get("size"))
    name = checked_name(values["name"])
    return NewItem(name, about, needs, size, values.get("goal"), values.get("step"))
