"""A new goal, step or task: made from its template, listed by its parent, and every record brought
in line.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.model import FOLDER, Goal, Place, Step, Task
from director_ctx.project.tasks.child_lists import Listed, listed_units, step_lines
from director_ctx.project.tasks.fields import same_name
from director_ctx.project.tasks.names import find_goal, find_step
from director_ctx.project.tasks.standing import standing
from director_ctx.upkeep.arranging.journal import finish_unfinished
from director_ctx.upkeep.create import create_document, create_folder
from director_ctx.upkeep.idea_list import EMPTY, ideas, with_idea
from director_ctx.upkeep.last_place import last_place, remember_place
from director_ctx.upkeep.records.listing import ListedChild, goal_lines, step_lines_of, task_lines
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import Rewrite, change
from director_ctx.upkeep.slug import slug
from director_ctx.upkeep.sync import bring_in_line
from director_ctx.upkeep.tasks import Upkeep, scope_of
from director_ctx.upkeep.templates import filled, needing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from director_ctx.upkeep.idea_list import Idea
    from director_ctx.upkeep.records.source import Edit, Source
    from director_ctx.upkeep.templates import NewItem

    Edits = Callable[[Source], list[Edit]]
    WriteLines = Callable[[Source, Sequence[ListedChild]], list[Edit]]

GAMEPLAN = f"{FOLDER}/GAMEPLAN.md"
IDEAS = f"{FOLDER}/IDEAS.md"
PLAN = "# Gameplan\n"
AT_ONCE = "A whole plan at once: dctx add --from FILE"


def add_goal(root: str, new: NewItem, now: str) -> Upkeep:
    with alone_in_project(root):
        finish_unfinished(root)
        project = Project(root)
        goals = project.goals()
        _refuse_twin(project, goals, new.name, "goal")
        lines = listed_units(project.text(GAMEPLAN), "goals", "goal")
        number = _next_number(goals, lines, new.name)
        words = slug(new.name)
        name = f"{number:02}-{words}"
        goal = Goal(number, words, name, f"{FOLDER}/goals/{name}")

        text = filled(project, "goal", new, number)
        create_folder(project, goal.path, {"GOAL.md": text})

        edits = _edits_for_unit(project, "goal", (*goals, goal), new, goal_lines)
        return _list_and_follow(root, now, Place(goal), GAMEPLAN, edits)


def add_step(root: str, new: NewItem, now: str) -> Upkeep:
    with alone_in_project(root):
        finish_unfinished(root)
        project = Project(root)
        goal = _goal(project, new.goal)
        parent = f"{goal.path}/GOAL.md"
        steps = project.steps(goal)
        _refuse_twin(project, steps, new.name, "step")
        lines = listed_units(project.text(parent), "steps", "step")
        number = _next_number(steps, lines, new.name)
        words = slug(new.name)
        name = f"{number:02}-{words}"
        step = Step(number, words, name, f"{goal.path}/{name}")

        before = ""
        if steps:
            before = "step"
        text = filled(project, "step", needing(new, before), number)
        create_folder(project, step.path, {"STEP.md": text, "tasks/": b""})

        edits = _edits_for_unit(project, "step", (*steps, step), new, step_lines_of)
        return _list_and_follow(root, now, Place(goal, step), parent, edits)


def add_task(root: str, new: NewItem, now: str) -> Upkeep:
    with alone_in_project(root):
        finish_unfinished(root)
        project = Project(root)
        place = _step(project, new)
        step = place.step
        assert step
        parent = f"{step.path}/STEP.md"
        tasks = project.tasks(step)
        number = _next_number(tasks, _listed_tasks(project.text(parent)), new.name)
        words = slug(new.name)
        stem = f"{number:02}-{words}"
        ending = ".md"
        if new.done:
            ending = ".done.md"
        task = Task(number, words, stem, f"{step.path}/tasks/{stem}{ending}", new.done)

        before = "task"
        if not tasks and _is_first_step(project, place):
            before = ""
        text = filled(project, "task", needing(new, before), number)
        create_document(project, task.path, text)

        edits = _edits_for_task(project, (*tasks, task), new)
        return _list_and_follow(root, now, place.replace(task=task), parent, edits)


def add_idea(root: str, text: str, now: str) -> Idea:
    """Writes an idea down before all others; the idea as it is read back."""
    with alone_in_project(root):
        _, failed = change(Project(root), IDEAS, lambda source: with_idea(source, text, now), EMPTY)
        if failed:
            raise DctxError(f"Could not write {IDEAS}: {failed[0].why}.", "Nothing was changed.")
        return ideas(Project(root).text(IDEAS))[0]


def _refuse_twin(project: Project, units: Sequence[Goal | Step], name: str, kind: str) -> None:
    """A command that somebody runs twice makes no second goal or step of the same name."""
    wanted = name.strip().casefold()
    for unit in units:
        if project.title(unit).casefold() == wanted:
            raise DctxError(
                f"There is a {kind} of this name already: {kind} {unit.number} ({plain(unit.path)}).",
                "Give the new one a name of its own.",
            )


def _listed_tasks(text: str) -> list[Listed]:
    return [Listed(line.number, line.title, line.line) for line in step_lines(text)]


def _is_first_step(project: Project, place: Place) -> bool:
    """Whether no step of the whole plan stands before it."""
    first_goal = project.goals()[0]
    if place.goal != first_goal:
        return False
    return place.step == project.steps(first_goal)[0]


def _next_number(
    units: Sequence[Goal | Step | Task],
    lines: Sequence[Listed],
    name: str,
) -> int:
    """The number after all that are there or listed; that of a line which waits for this very name."""
    taken = {unit.number for unit in units}
    for line in lines:
        if line.number not in taken and same_name(line.name, name):
            return line.number
    listed_numbers = {line.number for line in lines}
    return max(taken | listed_numbers, default=0) + 1


def _edits_for_unit(
    project: Project,
    label: str,
    units: Sequence[Goal | Step],
    new: NewItem,
    write_lines: WriteLines,
) -> Edits:
    """The new unit's line; those of its siblings too where the parent listed nothing yet."""
    *siblings, last = units

    # A callable, because a parent that somebody else writes meanwhile is read again.
    def edits(source: Source) -> list[Edit]:
        known = {line.number for line in listed_units(source.text, f"{label}s", label)}
        lines: list[ListedChild] = []
        if not known:
            for unit in siblings:
                lines.append(ListedChild(label, unit.number, project.title(unit)))
        if last.number not in known:
            lines.append(ListedChild(label, last.number, new.name, new.about))
        return write_lines(source, lines)

    return edits


def _edits_for_task(project: Project, tasks: Sequence[Task], new: NewItem) -> Edits:
    """The same for a task, whose line has a box."""
    *siblings, last = tasks

    def edits(source: Source) -> list[Edit]:
        known = {line.number for line in step_lines(source.text)}
        lines: list[tuple[Task, str]] = []
        if not known:
            for task in siblings:
                lines.append((task, project.title(task)))
        if last.number not in known:
            lines.append((last, new.name))
        return task_lines(source, lines)

    return edits


def _goal(project: Project, name: str | None) -> Goal:
    """The goal that was named; else the one that somebody was at last, or that is current."""
    if name:
        return find_goal(project, name)
    last = last_place(project)
    if last:
        return last.goal

    if not project.goals():
        raise DctxError(
            "There is no goal to put the step into.",
            f"Make one first: dctx add goal 'NAME'. {AT_ONCE}",
        )
    return _current_goal(project)


def _current_goal(project: Project) -> Goal:
    """The one that is current or to be planned; where all are complete, the last."""
    goals = project.goals()
    current = standing(project).goal
    for goal in goals:
        if current and goal.number == current.number:
            return goal
    return goals[-1]


def _step(project: Project, new: NewItem) -> Place:
    """The step that was named; else the one that somebody was at last, or that is current."""
    last = None
    if not new.step and not new.goal:
        last = last_place(project)
    if last and last.step:
        return last
    if new.step:
        place = find_step(project, new.goal, new.step)
    elif new.goal:
        place = _step_of_goal(project, new.goal)
    else:
        place = _current_step(project)
    if place is None or place.step is None:
        first = "step"
        if not project.goals():
            first = "goal"
        raise DctxError(
            "There is no step to put the task into.",
            f"Make a {first} first: dctx add {first} 'NAME'. {AT_ONCE}",
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
    last = last_place(project)
    if last and project.steps(last.goal):
        return _step_of_goal(project, last.goal.name)
    if project.goals():
        goal = _current_goal(project)
        for step in project.steps(goal):
            if truth.step and step.number == truth.step.number:
                return Place(goal, step)

    if truth.goal:
        # A goal without a step is to be planned first.
        return None
    return find_step(project, None, None)


def _list_and_follow(
    root: str,
    now: str,
    place: Place,
    parent: str,
    edits: Edits,
) -> Upkeep:
    """The parent's list, and then every record that counts."""
    # Another project: the first one has listed the folder without what was just made.
    changed, unchanged = change(Project(root), parent, edits, _heading(place))
    written, unwritten = bring_in_line(
        lambda: Project(root),
        Occasion(now),
        scope_of(place),
    )
    # Last: whoever is killed before loses nothing by it.
    remember_place(root, place)
    return Upkeep(
        Project(root),
        place,
        rewrites=tuple(_merged([*changed, *written])),
        failed=(*unchanged, *unwritten),
    )


def _heading(place: Place) -> str:
    """What a missing parent begins with."""
    if not place.step:
        return PLAN
    label = "Goal"
    parent: Goal | Step = place.goal
    if place.task:
        label = "Step"
        parent = place.step
    name = parent.slug.replace("-", " ").capitalize()
    return f"# {label} {parent.number}: {name}\n"


def _merged(rewrites: Iterable[Rewrite]) -> list[Rewrite]:
    """Two changes of one document are one."""
    merged: dict[str, Rewrite] = {}
    for rewrite in rewrites:
        first = merged.get(rewrite.path)
        if first:
            merged[rewrite.path] = rewrite.replace(before=first.before)
        else:
            merged[rewrite.path] = rewrite
    return list(merged.values())
