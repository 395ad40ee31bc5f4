"""Which task, step or goal the user means: a number, `2/3`, `Goal 1 > Step 2 > Task 3`, a slug,
words, a path.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.text import has_part, has_words
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import Goal, Place, Step, Task, task_name
from director_ctx.project.tasks.needs import tokenize
from director_ctx.project.tasks.next import choose, current_place, place_at, places, step_complete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from director_ctx.project.project import Project

    Unit = TypeVar("Unit", Goal, Step, Task)
    Contains = Callable[[str, str], bool]

_ORDER = ("goal", "step", "task")
MOST_NAMED = 10


def find_task(
    project: Project,
    name: str,
    goal: str | None = None,
    step: str | None = None,
    contains: Contains = has_part,
) -> Place:
    """The one task that `name` means, within a goal and step if those are given."""
    wanted = name.strip()
    if not wanted:
        raise DctxError(
            "--task is empty.", "Give a number, such as 3, or a reference, such as 1/2/3."
        )
    by_path = _by_path(project, wanted)
    if by_path and not goal and not step:
        return by_path
    if by_path:
        return _agreeing(tasks_within(project, goal, step), [by_path], wanted)
    numbers = numbers_meant(wanted)
    if numbers:
        return _by_numbers(project, numbers, goal, step, wanted)
    scope = tasks_within(project, goal, step)
    if " " not in wanted and any(map(str.isdigit, wanted)):
        of_source = _called_in_source(project, scope, wanted.casefold())
        if of_source:
            return _agreeing(scope, of_source, wanted)
    matching = _by_words(project, scope, wanted, contains)
    if len(matching) == 1:
        return matching[0]
    from director_ctx.project.tasks.in_words import task_in_words

    # A whole sentence, as an agent is told it; whoever describes a task here wants that one.
    named = task_in_words(project, wanted)
    place = named.place or task_in_words(project, f"Do {wanted}").place
    if not place and named.asks_next and contains is has_part:
        # Only to look at it or to begin it: what is changed has to be named.
        upcoming = choose(project)
        place = upcoming.place if upcoming else None
    if place:
        return _agreeing(scope, [place], wanted)
    if not matching and contains is has_words:
        near = _by_words(project, scope, wanted, has_part)
        names = "; ".join(f"{one.ref} {one.units[-1].name}" for one in near[:MOST_NAMED])
        if near:
            raise DctxError(
                f"No task has {wanted!r} as a whole word of its name.",
                f"Only part of a word fits, which is too little to change something. Say which: {names}",
            )
    return _agreeing(scope, matching, wanted)


def _called_in_source(project: Project, scope: Sequence[Place], wanted: str) -> list[Place]:
    """Those that another tool's plan calls so, which their last section says: `T006`, `#3`, `TASK-4`."""
    # An agent that is spawned names its task by number, and loads nothing of this.
    from director_ctx.project.taken import ORIGINS

    matching: list[Place] = []
    for place in scope if project.kind(ORIGINS) == "file" else ():
        text = project.text(place.task.path) if place.task else ""
        _, _, id = (section(text, "source") or "").strip().partition(": ")
        if id.casefold() == wanted:
            matching.append(place)
    return matching


def find_step(
    project: Project,
    goal: str | None,
    step: str | None,
) -> Place | None:
    """The step that the options name; without options the current one; None in an empty plan."""
    if step:
        # `--step 1/2` is step 2 of goal 1.
        parts = [part.strip() for part in step.replace(".", "/").split("/")]
        if len(parts) == 2 and all(part.isascii() and part.isdigit() for part in parts):
            goal_number, step_number = parts
            if goal and find_goal(project, goal).number != int(goal_number):
                raise DctxError(
                    f"--step {step} is not in goal {goal}.", "Leave one of the two out."
                )
            goal = goal_number
            step = step_number

    parent = _goal(project, goal)
    if parent is None:
        return None
    if step:
        return Place(parent, _only(project, project.steps(parent), step, "step"))
    current = _current_step(project, parent)
    if current is None:
        return None
    return Place(parent, current)


def find_goal(project: Project, name: str) -> Goal:
    """The goal of that number, slug, or part of a slug or title."""
    return _only(project, project.goals(), name, "goal")


def _goal(project: Project, goal: str | None) -> Goal | None:
    if goal:
        return find_goal(project, goal)
    current = current_place(project)
    if current:
        return current.goal
    goals = project.goals()
    if not goals:
        return None
    return goals[-1]


def _current_step(project: Project, goal: Goal) -> Step | None:
    """The step of the first pending task; in a finished goal the last step."""
    steps = project.steps(goal)
    for step in steps:
        if project.has_pending(step) and not step_complete(project, step):
            return step
    candidates = [step for step in steps if project.tasks(step)] or steps
    return candidates[-1] if candidates else None


def numbers_meant(name: str) -> dict[str, int]:
    """`3`, `2/3`, `1.2.3`, `Task 3`, `Goal 1 > Step 2 > Task 3` as units and numbers."""
    parts = name.replace(".", "/").strip("/").split("/")
    if len(parts) <= 3 and all(map(_is_number, parts)):
        # The last one is always the task.
        units = _ORDER[-len(parts) :]
        return dict(zip(units, map(int, parts), strict=True))
    return _labelled(tokenize(name))


def _is_number(text: str) -> bool:
    if len(text) > 9:
        return False
    return text.isascii() and text.isdigit()


def _labelled(tokens: Sequence[str]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for unit, number in zip(tokens, tokens[1:], strict=False):
        if unit not in _ORDER or not _is_number(number):
            continue
        if unit in numbers:
            return {}
        numbers[unit] = int(number)
    # Words before the first label may be part of a title.
    if "task" not in numbers or tokens[0] not in _ORDER:
        return {}
    return numbers


def _by_numbers(
    project: Project,
    numbers: dict[str, int],
    goal: str | None,
    step: str | None,
    name: str,
) -> Place:
    _no_conflict(project, numbers, goal, step, name)
    if "goal" in numbers:
        goal = str(numbers["goal"])
    if "step" in numbers:
        step = str(numbers["step"])
    where = find_step(project, goal, step)
    if where is None or where.step is None:
        raise DctxError(
            f"There is no task {name}: no step is planned yet.",
            "Run `dctx status` to see the plan.",
        )
    tasks = project.tasks(where.step)
    task = _only(project, tasks, str(numbers["task"]), "task", f" in step {where.ref}")
    return where.replace(task=task)


def _no_conflict(
    project: Project,
    numbers: dict[str, int],
    goal: str | None,
    step: str | None,
    name: str,
) -> None:
    """`--goal 2 --task 1/2/3` contradicts itself."""
    if "goal" in numbers:
        if goal and find_goal(project, goal).number != numbers["goal"]:
            raise DctxError(f"--task {name} is not in goal {goal}.", "Leave one of the two out.")
        goal = str(numbers["goal"])
    if step and "step" in numbers:
        place = find_step(project, goal, step)
        if place and place.step and place.step.number != numbers["step"]:
            raise DctxError(f"--task {name} is not in step {step}.", "Leave one of the two out.")


def tasks_within(
    project: Project,
    goal: str | None,
    step: str | None,
) -> list[Place]:
    """Tasks within the goal and step that were named, or all of them."""
    if step:
        where = find_step(project, goal, step)
        if where is None:
            return []
        return [place for place in places(project) if place.step == where.step]
    if goal:
        parent = find_goal(project, goal)
        return [place for place in places(project) if place.goal == parent]
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
        file_name = wanted.pop()
        wanted.append(task_name(file_name))

    whole = place_at(project, wanted) if len(wanted) == 3 else None
    if whole:
        return whole
    matching: list[Place] = []
    for place in places(project):
        ending = [unit.name for unit in place.units][-len(wanted) :]
        if wanted and ending == wanted:
            matching.append(place)
    if not matching:
        raise DctxError(f"There is no task file {name}.", "Run `dctx status` to see the plan.")
    return _agreeing(matching, matching, name)


def _by_words(project: Project, scope: list[Place], name: str, contains: Contains) -> list[Place]:
    """An exact file name first, then part of one, then part of a title."""
    wanted = task_name(name).casefold()
    slugs = (wanted, wanted.replace(" ", "-"))
    tasks = [place.task for place in scope if place.task]
    matching = _by_name_or_title(project, tasks, wanted, slugs, contains)
    return [place for place in scope if place.task in matching]


def _agreeing(scope: list[Place], matching: list[Place], name: str) -> Place:
    """The one that matches, if it is in the goal and step that were named."""
    allowed = {place.task.path for place in scope if place.task}
    names: list[str] = []
    chosen: list[Place] = []
    for place in matching:
        if place.task and place.task.path in allowed:
            chosen.append(place)
            names.append(f"{place.ref} {place.task.name}")
    if not chosen:
        raise DctxError(f"No task matches {name!r}.", "Run `dctx status` to see the plan.")
    if len(chosen) > 1:
        raise DctxError(
            f"{name!r} matches {len(chosen)} tasks.", f"Say which: {'; '.join(names[:MOST_NAMED])}"
        )
    return chosen[0]


def _only(
    project: Project,
    units: Sequence[Unit],
    name: str,
    kind: str,
    where: str = "",
) -> Unit:
    """The one goal, step or task with this number, slug, or part of a slug or title."""
    matching = _matching(project, units, name, kind)
    if len(matching) == 1:
        return matching[0]
    candidates = matching or units
    names = ", ".join(unit.name for unit in candidates[:MOST_NAMED])
    if matching:
        raise DctxError(
            f"{kind.title()} {name!r} is ambiguous{where}.", f"Say which by its name: {names}"
        )
    hint = f"There are: {names}"
    if not names:
        hint = f"No {kind} is planned{where} yet: `dctx add {kind} NAME` makes one."
    raise DctxError(f"There is no {kind} {name!r}{where}.", hint)


def _matching(
    project: Project,
    units: Sequence[Unit],
    name: str,
    kind: str,
) -> Sequence[Unit]:
    """By number alone where it is one; else by the first of name, part of a name, part of a title
    that fits any.
    """
    wanted = name.strip().casefold()
    digits = wanted.removeprefix(kind).strip()
    if _is_number(digits):
        return [unit for unit in units if unit.number == int(digits)]

    return _by_name_or_title(project, units, wanted, (wanted,), has_part)


def _by_name_or_title(
    project: Project,
    units: Sequence[Unit],
    wanted: str,
    slugs: Sequence[str],
    contains: Contains,
) -> Sequence[Unit]:
    """Those whose name or slug it is; else those with it in their name, else in their title."""
    part = wanted.replace(" ", "-")
    exact: list[Unit] = []
    named: list[Unit] = []
    for unit in units:
        own_name = unit.name.casefold()
        if wanted == own_name or unit.slug.casefold() in slugs:
            exact.append(unit)
        if contains(own_name, part):
            named.append(unit)
    if exact or named:
        return exact or named
    # Only now, because a title stands in the file.
    return [unit for unit in units if contains(project.title(unit).casefold(), wanted)]
