"""A new goal, step or task: made from its template, listed by its parent, and every record brought
in line.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import held
from director_ctx.project.reading.model import FOLDER, Goal, Place, Step, Task
from director_ctx.project.tasks.child_lists import Listed, listed, step_lines
from director_ctx.project.tasks.fields import same_name
from director_ctx.project.tasks.names import find_goal, find_step
from director_ctx.project.tasks.standing import standing
from director_ctx.upkeep.create import create_document, create_folder, slug
from director_ctx.upkeep.records.listing import Line, goal_lines, step_lines_of, task_lines
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import Rewrite, change
from director_ctx.upkeep.sync import bring_in_line
from director_ctx.upkeep.tasks import Upkeep, scope_of
from director_ctx.upkeep.templates import filled, needing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from director_ctx.upkeep.records.source import Edit, Source
    from director_ctx.upkeep.templates import New

GAMEPLAN, PLAN = f"{FOLDER}/GAMEPLAN.md", "# Gameplan\n"


def add_goal(root: str, new: New, now: str) -> Upkeep:
    with held(root):
        project = Project(root)
        goals = project.goals()
        number = _next(goals, listed(project.text(GAMEPLAN), "goals", "goal"), new.name)
        name = f"{number:02}-{slug(new.name)}"
        goal = Goal(number, slug(new.name), name, f"{FOLDER}/goals/{name}")
        create_folder(project, goal.path, {"GOAL.md": filled(project, "goal", new, number)})
        edits = _lines(project, "goal", (*goals, goal), new, goal_lines)
        return _listed(root, now, Place(goal), GAMEPLAN, edits)


def add_step(root: str, new: New, now: str) -> Upkeep:
    with held(root):
        project = Project(root)
        goal = _goal(project, new.goal)
        steps, parent = project.steps(goal), f"{goal.path}/GOAL.md"
        number = _next(steps, listed(project.text(parent), "steps", "step"), new.name)
        name = f"{number:02}-{slug(new.name)}"
        step = Step(number, slug(new.name), name, f"{goal.path}/{name}")
        text = filled(project, "step", needing(new, "step" if steps else ""), number)
        create_folder(project, step.path, {"STEP.md": text, "tasks/": b""})
        edits = _lines(project, "step", (*steps, step), new, step_lines_of)
        return _listed(root, now, Place(goal, step), parent, edits)


def add_task(root: str, new: New, now: str) -> Upkeep:
    with held(root):
        project = Project(root)
        place = _step(project, new)
        step = place.step
        assert step
        tasks, parent = project.tasks(step), f"{step.path}/STEP.md"
        lines = [
            Listed(line.number, line.title, line.line) for line in step_lines(project.text(parent))
        ]
        number = _next(tasks, lines, new.name)
        stem = f"{number:02}-{slug(new.name)}"
        task = Task(number, slug(new.name), stem, f"{step.path}/tasks/{stem}.md")
        first = (
            not tasks and place.goal == project.goals()[0] and step == project.steps(place.goal)[0]
        )
        create_document(
            project,
            task.path,
            filled(project, "task", needing(new, "" if first else "task"), number),
        )
        made = _listed(
            root, now, place.replace(task=task), parent, _task_lines(project, (*tasks, task), new)
        )
        return made.replace(warnings=() if new.step else tuple(_elsewhere(project, place)))


def _elsewhere(project: Project, place: Place) -> Iterator[str]:
    """Steps that wait for their first task, for whoever meant one of those."""
    for step in project.steps(place.goal):
        if not project.tasks(step) and step != place.step:
            ref = place.replace(step=step, task=None).ref
            yield f"step {ref} ({project.title(step)}) has no task yet; --step {ref} adds to it"


def _next(units: Sequence[Goal | Step | Task], lines: Sequence[Listed], name: str) -> int:
    """The number after all that are there or listed; that of a line which waits for this very name."""
    taken = {unit.number for unit in units}
    planned = [one.number for one in lines if one.number not in taken and same_name(one.name, name)]
    return planned[0] if planned else max([*taken, *(one.number for one in lines)], default=0) + 1


def _lines(
    project: Project,
    label: str,
    units: Sequence[Goal | Step],
    new: New,
    make: Callable[[Source, Sequence[Line]], list[Edit]],
) -> Callable[[Source], list[Edit]]:
    """The new unit's line; those of its siblings too where the parent listed nothing yet."""

    def edits(source: Source) -> list[Edit]:
        have = {one.number for one in listed(source.text, f"{label}s", label)}
        missing = [unit for unit in (units if not have else units[-1:]) if unit.number not in have]
        last = units[-1]
        return make(
            source,
            [
                Line(label, unit.number, new.name, new.about)
                if unit is last
                else Line(label, unit.number, project.title(unit))
                for unit in missing
            ],
        )

    return edits


def _task_lines(
    project: Project, tasks: Sequence[Task], new: New
) -> Callable[[Source], list[Edit]]:
    def edits(source: Source) -> list[Edit]:
        have = {line.number for line in step_lines(source.text)}
        missing = [task for task in (tasks if not have else tasks[-1:]) if task.number not in have]
        return task_lines(
            source, [(one, new.name if one is tasks[-1] else project.title(one)) for one in missing]
        )

    return edits


def _goal(project: Project, name: str | None) -> Goal:
    """The goal that was named, else the one that is current or to be planned."""
    if name:
        return find_goal(project, name)
    goals, truth = project.goals(), standing(project)
    if not goals:
        raise DctxError(
            "There is no goal to put the step into.", "Make one first: dctx add goal 'NAME'"
        )
    current = [goal for goal in goals if truth.goal and goal.number == truth.goal.number]
    return current[0] if current else goals[-1]


def _step(project: Project, new: New) -> Place:
    """The step that was named, else the one that is current or to be planned."""
    if new.step or new.goal:
        found = find_step(project, new.goal, new.step)
        empty = (
            []
            if new.step or not found
            else [one for one in project.steps(found.goal) if not project.tasks(one)]
        )
        if found and empty and found.step and not project.pending(found.step):
            found = found.replace(step=empty[0])
    else:
        goal = _goal(project, None) if project.goals() else None
        truth = standing(project)
        steps = (
            [one for one in project.steps(goal) if truth.step and one.number == truth.step.number]
            if goal
            else []
        )
        found = (
            Place(goal, steps[0])
            if goal and steps
            else None
            if truth.goal
            else find_step(project, None, None)
        )
    if found is None or found.step is None:
        raise DctxError(
            "There is no step to put the task into.", "Make one first: dctx add step 'NAME'"
        )
    return found


def _listed(
    root: str, now: str, place: Place, path: str, edits: Callable[[Source], list[Edit]]
) -> Upkeep:
    """The parent's list, and then every record that counts."""
    changed, failed = change(Project(root), path, edits, _heading(place))
    written, more = bring_in_line(lambda: Project(root), Occasion(now), scope_of(place))
    return Upkeep(Project(root), place, None, tuple(_once([*changed, *written])), (*failed, *more))


def _heading(place: Place) -> str:
    """What a missing parent begins with."""
    if place.task and place.step:
        return f"# Step {place.step.number}: {place.step.slug.replace('-', ' ').capitalize()}\n"
    return (
        f"# Goal {place.goal.number}: {place.goal.slug.replace('-', ' ').capitalize()}\n"
        if place.step
        else PLAN
    )


def _once(rewrites: Iterable[Rewrite]) -> list[Rewrite]:
    """Two changes of one document are one."""
    found: dict[str, Rewrite] = {}
    for one in rewrites:
        first = found.get(one.path)
        found[one.path] = one.replace(before=first.before) if first else one
    return list(found.values())
