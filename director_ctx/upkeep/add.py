"""A new goal, step or task: made from its template, listed by its parent, and every record brought
in line.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.model import FOLDER, Goal, Place, Step, Task
from director_ctx.project.tasks.child_lists import Listed, listed_units, step_lines
from director_ctx.project.tasks.fields import same_name
from director_ctx.project.tasks.names import find_goal, find_step
from director_ctx.project.tasks.standing import standing
from director_ctx.upkeep.create import create_document, create_folder
from director_ctx.upkeep.records.listing import ListedChild, goal_lines, step_lines_of, task_lines
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import Rewrite, change
from director_ctx.upkeep.slug import slug
from director_ctx.upkeep.sync import bring_in_line
from director_ctx.upkeep.tasks import Upkeep, scope_of
from director_ctx.upkeep.templates import filled, needing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from director_ctx.upkeep.records.source import Edit, Source
    from director_ctx.upkeep.templates import NewItem

GAMEPLAN, PLAN = f"{FOLDER}/GAMEPLAN.md", "# Gameplan\n"


def add_goal(root: str, new: NewItem, now: str) -> Upkeep:
    with alone_in_project(root):
        project = Project(root)
        goals = project.goals()
        lines = listed_units(project.text(GAMEPLAN), "goals", "goal")
        number = _next(goals, lines, new.name)
        name = f"{number:02}-{slug(new.name)}"
        goal = Goal(number, slug(new.name), name, f"{FOLDER}/goals/{name}")

        text = filled(project, "goal", new, number)
        create_folder(project, goal.path, {"GOAL.md": text})

        edits = _lines(project, "goal", (*goals, goal), new, goal_lines)
        return _listed(root, now, Place(goal), GAMEPLAN, edits)


def add_step(root: str, new: NewItem, now: str) -> Upkeep:
    with alone_in_project(root):
        project = Project(root)
        goal = _goal(project, new.goal)
        steps = project.steps(goal)
        parent = f"{goal.path}/GOAL.md"
        lines = listed_units(project.text(parent), "steps", "step")
        number = _next(steps, lines, new.name)
        name = f"{number:02}-{slug(new.name)}"
        step = Step(number, slug(new.name), name, f"{goal.path}/{name}")

        before = "step" if steps else ""
        text = filled(project, "step", needing(new, before), number)
        create_folder(project, step.path, {"STEP.md": text, "tasks/": b""})

        edits = _lines(project, "step", (*steps, step), new, step_lines_of)
        return _listed(root, now, Place(goal, step), parent, edits)


def add_task(root: str, new: NewItem, now: str) -> Upkeep:
    with alone_in_project(root):
        project = Project(root)
        place = _step(project, new)
        step = place.step
        assert step
        tasks = project.tasks(step)
        parent = f"{step.path}/STEP.md"
        lines = [
            Listed(line.number, line.title, line.line) for line in step_lines(project.text(parent))
        ]
        number = _next(tasks, lines, new.name)
        stem = f"{number:02}-{slug(new.name)}"
        task = Task(number, slug(new.name), stem, f"{step.path}/tasks/{stem}.md")

        is_first_goal = place.goal == project.goals()[0]
        is_first_step = is_first_goal and step == project.steps(place.goal)[0]
        before = "" if is_first_step and not tasks else "task"
        text = filled(project, "task", needing(new, before), number)
        create_document(project, task.path, text)

        edits = _task_lines(project, (*tasks, task), new)
        upkeep = _listed(root, now, place.replace(task=task), parent, edits)
        if new.step:
            return upkeep
        return upkeep.replace(warnings=tuple(_elsewhere(project, place)))


def _elsewhere(project: Project, place: Place) -> Iterator[str]:
    """Steps that wait for their first task, for whoever meant one of those."""
    for step in project.steps(place.goal):
        if not project.tasks(step) and step != place.step:
            ref = place.replace(step=step, task=None).ref
            yield f"step {ref} ({project.title(step)}) has no task yet; --step {ref} adds to it"


def _next(units: Sequence[Goal | Step | Task], lines: Sequence[Listed], name: str) -> int:
    """The number after all that are there or listed; that of a line which waits for this very name."""
    taken = {unit.number for unit in units}
    for line in lines:
        if line.number not in taken and same_name(line.name, name):
            return line.number
    listed_numbers = [line.number for line in lines]
    return max([*taken, *listed_numbers], default=0) + 1


def _lines(
    project: Project,
    label: str,
    units: Sequence[Goal | Step],
    new: NewItem,
    make: Callable[[Source, Sequence[ListedChild]], list[Edit]],
) -> Callable[[Source], list[Edit]]:
    """The new unit's line; those of its siblings too where the parent listed nothing yet."""

    def edits(source: Source) -> list[Edit]:
        known = {line.number for line in listed_units(source.text, f"{label}s", label)}
        *siblings, last = units
        lines: list[ListedChild] = []
        if not known:
            lines += [ListedChild(label, unit.number, project.title(unit)) for unit in siblings]
        if last.number not in known:
            lines.append(ListedChild(label, last.number, new.name, new.about))
        return make(source, lines)

    return edits


def _task_lines(
    project: Project, tasks: Sequence[Task], new: NewItem
) -> Callable[[Source], list[Edit]]:
    def edits(source: Source) -> list[Edit]:
        known = {line.number for line in step_lines(source.text)}
        *siblings, last = tasks
        lines: list[tuple[Task, str]] = []
        if not known:
            lines += [(task, project.title(task)) for task in siblings]
        if last.number not in known:
            lines.append((last, new.name))
        return task_lines(source, lines)

    return edits


def _goal(project: Project, name: str | None) -> Goal:
    """The goal that was named, else the one that is current or to be planned."""
    if name:
        return find_goal(project, name)
    goals = project.goals()
    truth = standing(project)
    if not goals:
        raise DctxError(
            "There is no goal to put the step into.", "Make one first: dctx add goal 'NAME'"
        )
    for goal in goals:
        if truth.goal and goal.number == truth.goal.number:
            return goal
    return goals[-1]


def _step(project: Project, new: NewItem) -> Place:
    """The step that was named, else the one that is current or to be planned."""
    if new.step:
        place = find_step(project, new.goal, new.step)
    elif new.goal:
        place = _step_of_goal(project, new.goal)
    else:
        place = _current_step(project)
    if place is None or place.step is None:
        raise DctxError(
            "There is no step to put the task into.", "Make one first: dctx add step 'NAME'"
        )
    return place


def _step_of_goal(project: Project, name: str) -> Place | None:
    """The goal's current step; its first without a task where nothing is pending in that one."""
    place = find_step(project, name, None)
    if not place or not place.step or project.pending(place.step):
        return place
    for step in project.steps(place.goal):
        if not project.tasks(step):
            return place.replace(step=step)
    return place


def _current_step(project: Project) -> Place | None:
    truth = standing(project)
    if project.goals():
        goal = _goal(project, None)
        for step in project.steps(goal):
            if truth.step and step.number == truth.step.number:
                return Place(goal, step)
    if truth.goal:
        # A goal without a step is to be planned first.
        return None
    return find_step(project, None, None)


def _listed(
    root: str, now: str, place: Place, path: str, edits: Callable[[Source], list[Edit]]
) -> Upkeep:
    """The parent's list, and then every record that counts."""
    changed, unchanged = change(Project(root), path, edits, _heading(place))
    written, unwritten = bring_in_line(lambda: Project(root), Occasion(now), scope_of(place))
    return Upkeep(
        Project(root),
        place,
        rewrites=tuple(_once([*changed, *written])),
        failed=(*unchanged, *unwritten),
    )


def _heading(place: Place) -> str:
    """What a missing parent begins with."""
    if not place.step:
        return PLAN
    parent = place.step if place.task else place.goal
    label = "Step" if place.task else "Goal"
    name = parent.slug.replace("-", " ").capitalize()
    return f"# {label} {parent.number}: {name}\n"


def _once(rewrites: Iterable[Rewrite]) -> list[Rewrite]:
    """Two changes of one document are one."""
    merged: dict[str, Rewrite] = {}
    for rewrite in rewrites:
        first = merged.get(rewrite.path)
        if first:
            merged[rewrite.path] = rewrite.replace(before=first.before)
        else:
            merged[rewrite.path] = rewrite
    return list(merged.values())
