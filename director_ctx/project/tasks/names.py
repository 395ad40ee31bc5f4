"""Which task, step or goal the user means: a number, `2/3`, `Goal 1 > Step 2 > Task 3`, a slug,
words, a path.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.project.reading.model import Goal, Place, Step, Task
from director_ctx.project.tasks.needs import tokenize
from director_ctx.project.tasks.next import pending_places, places, step_complete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from director_ctx.project.project import Project

    Unit = TypeVar("Unit", Goal, Step, Task)

_ORDER = ("goal", "step", "task")


def find_task(
    project: Project, name: str, goal: str | None = None, step: str | None = None
) -> Place:
    """The one task that `name` means, within a goal and step if those are given."""
    wanted = name.strip()
    if not wanted:
        raise DctxError(
            "--task is empty.", "Give a number, such as 3, or a reference, such as 1/2/3."
        )
    by_path = _by_path(project, wanted)
    if by_path:
        return _agreeing(tasks_within(project, goal, step), [by_path], wanted)
    numbers = _numbers(wanted)
    if numbers:
        return _by_numbers(project, numbers, goal, step, wanted)
    scope = tasks_within(project, goal, step)
    return _agreeing(scope, _by_words(project, scope, wanted), wanted)


def find_step(project: Project, goal: str | None, step: str | None) -> Place | None:
    """The step that the options name; without options the current one; None in an empty plan."""
    if step and (pair := _goal_and_step(step)):
        if goal and _one(project, project.goals(), goal, "goal").number != int(pair[0]):
            raise DctxError(f"--step {step} is not in goal {goal}.", "Leave one of the two out.")
        goal, step = pair
    where = _goal(project, goal)
    if where is None:
        return None
    if step:
        return Place(where, _one(project, project.steps(where), step, "step"))
    current = _current_step(project, where)
    return Place(where, current) if current else None


def _goal_and_step(step: str) -> tuple[str, str] | None:
    """`--step 1/2` is step 2 of goal 1."""
    parts = step.replace(".", "/").split("/")
    if len(parts) == 2 and all(part.strip().isascii() and part.strip().isdigit() for part in parts):
        return parts[0], parts[1]
    return None


def find_goal(project: Project, name: str) -> Goal:
    """The goal of that number, slug, or part of a slug or title."""
    return _one(project, project.goals(), name, "goal")


def current_place(project: Project) -> Place | None:
    """Where the project stands: the first pending task in order, ready or not."""
    return next(pending_places(project), None)


def _goal(project: Project, goal: str | None) -> Goal | None:
    goals = project.goals()
    if goal:
        return _one(project, goals, goal, "goal")
    current = current_place(project)
    if current:
        return current.goal
    return goals[-1] if goals else None


def _current_step(project: Project, goal: Goal) -> Step | None:
    """The step of the first pending task; in a finished goal the last step."""
    steps = project.steps(goal)
    for step in steps:
        if project.has_pending(step) and not step_complete(project, step):
            return step
    planned = [step for step in steps if project.tasks(step)] or steps
    return planned[-1] if planned else None


def _numbers(name: str) -> dict[str, int]:
    """`3`, `2/3`, `1.2.3`, `Task 3`, `Goal 1 > Step 2 > Task 3` as units and numbers."""
    parts = name.replace(".", "/").strip("/").split("/")
    if len(parts) <= 3 and all(
        part.isascii() and part.isdigit() and len(part) < 10 for part in parts
    ):
        return dict(zip(_ORDER[-len(parts) :], map(int, parts), strict=True))
    return _labelled(tokenize(name))


def _labelled(tokens: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for unit, number in zip(tokens, tokens[1:], strict=False):
        if unit in _ORDER and number.isascii() and number.isdigit() and len(number) < 10:
            if unit in found:
                return {}
            found[unit] = int(number)
    return found if "task" in found and tokens[0] in _ORDER else {}


def _by_numbers(
    project: Project, numbers: dict[str, int], goal: str | None, step: str | None, name: str
) -> Place:
    _no_conflict(project, numbers, goal, step, name)
    where = find_step(
        project,
        str(numbers["goal"]) if "goal" in numbers else goal,
        str(numbers["step"]) if "step" in numbers else step,
    )
    if where is None or where.step is None:
        raise DctxError(
            f"There is no task {name}: no step is planned yet.",
            "Run `dctx status` to see the plan.",
        )
    task = _one(
        project, project.tasks(where.step), str(numbers["task"]), "task", f" in step {where.ref}"
    )
    return where.replace(task=task)


def _no_conflict(
    project: Project, numbers: dict[str, int], goal: str | None, step: str | None, name: str
) -> None:
    """`--goal 2 --task 1/2/3` contradicts itself."""
    if (
        goal
        and "goal" in numbers
        and _one(project, project.goals(), goal, "goal").number != numbers["goal"]
    ):
        raise DctxError(f"--task {name} is not in goal {goal}.", "Leave one of the two out.")
    if step and "step" in numbers:
        place = find_step(project, str(numbers["goal"]) if "goal" in numbers else goal, step)
        if place and place.step and place.step.number != numbers["step"]:
            raise DctxError(f"--task {name} is not in step {step}.", "Leave one of the two out.")


def tasks_within(project: Project, goal: str | None, step: str | None) -> list[Place]:
    """Tasks within the goal and step that were named, or all of them."""
    if step:
        where = find_step(project, goal, step)
        return [place for place in places(project) if where and place.step == where.step]
    if goal:
        wanted = _one(project, project.goals(), goal, "goal")
        return [place for place in places(project) if place.goal == wanted]
    return list(places(project))


def _by_path(project: Project, name: str) -> Place | None:
    """A task file's path or the end of one, with either ending; None where it is no path."""
    if not name.endswith(".md"):
        return None
    wanted: list[str] = []
    for part in name.replace("\\", "/").split("/"):
        if part == "goals":
            # The names of the plan begin behind the last folder of that name.
            wanted = []
        elif part not in ("", ".", "tasks"):
            wanted.append(part)
    if wanted:
        wanted[-1] = wanted[-1].removesuffix(".md").removesuffix(".done")

    matching: list[Place] = []
    for place in places(project):
        if wanted and names_of(place)[-len(wanted) :] == wanted:
            matching.append(place)
    if not matching:
        raise DctxError(f"There is no task file {name}.", "Run `dctx status` to see the plan.")
    return _agreeing(matching, matching, name)


def names_of(place: Place) -> list[str]:
    """The names of its folders and its task, as they are on disk."""
    return [unit.name for unit in (place.goal, place.step, place.task) if unit]


def _by_words(project: Project, scope: list[Place], name: str) -> list[Place]:
    """An exact file name first, then part of one, then part of a title."""
    wanted = name.removesuffix(".md").removesuffix(".done").casefold()
    slug = wanted.replace(" ", "-")

    def is_exact(task: Task) -> bool:
        own_slug = task.slug.casefold()
        return wanted in (task.name.casefold(), own_slug) or slug == own_slug

    tests: tuple[Callable[[Task], bool], ...] = (
        is_exact,
        lambda task: slug in task.name.casefold(),
        lambda task: wanted in project.title(task).casefold(),
    )
    for test in tests:
        matching = [place for place in scope if place.task and test(place.task)]
        if matching:
            return matching
    return []


def _agreeing(scope: list[Place], matching: list[Place], name: str) -> Place:
    allowed = {place.task.path for place in scope if place.task}
    chosen = [place for place in matching if place.task and place.task.path in allowed]
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise DctxError(f"No task matches {name!r}.", "Run `dctx status` to see the plan.")
    names = [f"{place.ref} {place.task.name}" for place in chosen[:10] if place.task]
    raise DctxError(
        f"{name!r} matches {len(chosen)} tasks.",
        f"Say which: {'; '.join(names)}",
    )


def _one(project: Project, units: Sequence[Unit], name: str, kind: str, where: str = "") -> Unit:
    """The one goal, step or task with this number, slug, or part of a slug or title."""
    matching = _matching(project, units, name, kind)
    if len(matching) == 1:
        return matching[0]
    names = ", ".join(unit.name for unit in (matching or units)[:10]) or "none"
    if matching:
        raise DctxError(
            f"{kind.title()} {name!r} is ambiguous{where}.", f"Say which by its name: {names}"
        )
    raise DctxError(f"There is no {kind} {name!r}{where}.", f"There are: {names}")


def _matching(project: Project, units: Sequence[Unit], name: str, kind: str) -> Sequence[Unit]:
    """By number alone where it is one; else by the first of name, part of a name, part of a title
    that fits any.
    """
    wanted = name.strip().casefold()
    digits = wanted.removeprefix(kind).strip()
    if digits.isascii() and digits.isdigit() and len(digits) < 10:
        return [unit for unit in units if unit.number == int(digits)]

    exact = [unit for unit in units if wanted in (unit.name.casefold(), unit.slug.casefold())]
    if exact:
        return exact
    slug = wanted.replace(" ", "-")
    named = [unit for unit in units if slug in unit.name.casefold()]
    if named:
        return named
    return [unit for unit in units if wanted in project.title(unit).casefold()]
