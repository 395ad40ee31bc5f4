"""Goals, steps and tasks by their references: which one is meant, what is above and below each, and its document."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import has_words
from director_ctx.project.reading.model import FOLDER, Place
from director_ctx.project.tasks.names import find_goal, find_step, find_task
from director_ctx.upkeep.arranging.numbers import Neighbour

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Step, Task
    from director_ctx.upkeep.arranging.numbers import Ref

GAMEPLAN = f"{FOLDER}/GAMEPLAN.md"
LABELS = ("", "goal", "step", "task")
"""By how many numbers a reference has."""


def ref_of(place: Place) -> Ref:
    return tuple(unit.number for unit in place.units)


def place_at(project: Project, ref: Ref | None) -> Place | None:
    for place in every_unit(project):
        if ref_of(place) == ref:
            return place
    return None


def every_unit(project: Project) -> Iterator[Place]:
    """Every goal, step and task, each before what is below it."""
    for goal in places_below(project, None):
        yield goal
        for step in places_below(project, goal):
            yield step
            yield from places_below(project, step)


def parent_of(place: Place) -> Place | None:
    """The step of a task, the goal of a step; None for a goal, whose parent is the plan."""
    if place.task:
        return place.replace(task=None)
    if place.step:
        return Place(place.goal)
    return None


def children(project: Project, parent: Place | None) -> tuple[Goal | Step | Task, ...]:
    if parent is None:
        return project.goals()
    if parent.step:
        return project.tasks(parent.step)
    return project.steps(parent.goal)


def places_below(project: Project, parent: Place | None) -> Iterator[Place]:
    """The children of a goal or step, or of the plan, each as a place of its own."""
    if parent is None:
        yield from map(Place, project.goals())
    elif parent.step is None:
        yield from (parent.replace(step=step) for step in project.steps(parent.goal))
    elif parent.task is None:
        yield from (parent.replace(task=task) for task in project.tasks(parent.step))


def document_of(place: Place | None) -> str:
    """The file of a goal, step or task, and of the plan itself."""
    if place is None:
        return GAMEPLAN
    if place.task:
        return place.task.path
    if place.step:
        return f"{place.step.path}/STEP.md"
    return f"{place.goal.path}/GOAL.md"


def find_unit(project: Project, name: str) -> Place:
    """The one that is meant. What a number alone means would change with the plan, so it is refused."""
    words = name.strip()
    first_word, _, rest = words.partition(" ")
    kind = first_word.casefold()
    if rest and ">" not in rest:
        if kind == "goal":
            return _wholly(project, Place(find_goal(project, rest)), rest)
        if kind == "step":
            return _find_step(project, rest.strip())
        if kind == "task":
            return find_task(project, rest.strip(), contains=has_words)

    parts = words.split("/")
    if not all(part.isascii() and part.isdigit() for part in parts):
        return find_task(project, words, contains=has_words)
    if len(parts) == 1:
        raise _number_alone(project, words)
    if len(parts) == 2:
        return _find_step(project, words)
    return find_task(project, words)


def _find_step(project: Project, name: str) -> Place:
    place = find_step(project, None, name)
    if place is None:
        raise DctxError("No goal is planned yet.", "Make one first: dctx add goal 'NAME'")
    return _wholly(project, place, name)


def _wholly(project: Project, place: Place, name: str) -> Place:
    """The place, unless only part of a word fits: that is too little to change something."""
    unit = place.units[-1]
    is_number = all(char.isdigit() or char in "/. " for char in name)
    if is_number or has_words(unit.name, name) or has_words(project.title(unit), name):
        return place
    form = place.ref
    if not place.step:
        form = f"'goal {place.ref}'"
    raise DctxError(
        f"Only part of a word of {unit.name} is {name!r}, which is too little to change something.",
        f"If that is meant, say {form}.",
    )


def _number_alone(project: Project, number: str) -> UsageProblem:
    """Elsewhere a number alone is a task of the current step, so both readings are named."""
    forms: list[str] = []
    try:
        goal = find_goal(project, number)
        forms.append(f"'goal {number}' is {project.title(goal)!r}")
    except DctxError:
        pass
    try:
        place = find_task(project, number)
        assert place.task
        forms.append(f"{place.ref} is the task {project.title(place.task)!r}")
    except DctxError:
        pass
    hint = "`dctx status` shows the plan."
    if forms:
        hint = f"Say which: {', '.join(forms)}."
    return UsageProblem(f"{number} alone may be a goal or a task.", hint)


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
        above = f"{place.goal.number}/" if place.task else "goal "
        parent = find_unit(project, f"{above}{target.to}" if _is_number(target.to) else target.to)
    if not name:
        _expect_fitting(place, parent)
        return parent, None

    if _is_number(name):
        # One of the same parent.
        name = f"{parent.ref}/{name}" if parent else f"goal {name}"
    sibling = find_unit(project, name)
    if not target.to:
        parent = parent_of(sibling)
    _expect_fitting(place, parent)
    if parent_of(sibling) != parent or _depth(sibling) != _depth(place):
        where = parent.ref if parent else "the plan"
        raise UsageProblem(f"{sibling.ref} is not in {where}.", "Leave --to out.")
    return parent, Neighbour(sibling.units[-1].number, is_after=bool(target.after))


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
