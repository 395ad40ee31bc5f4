"""A new goal, step, task or idea: made from its template, listed by its parent, and every record brought in line."""

from __future__ import annotations

from functools import partial

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.model import FOLDER, Goal, Place, Step, Task
from director_ctx.project.tasks.child_lists import listed_children
from director_ctx.project.tasks.fields import same_name
from director_ctx.project.tasks.names import find_goal, find_step
from director_ctx.project.tasks.standing import standing
from director_ctx.upkeep.arranging.journal import finish_unfinished
from director_ctx.upkeep.arranging.places import LABELS, children, document_of, parent_of
from director_ctx.upkeep.create import create_document, create_folder
from director_ctx.upkeep.idea_list import EMPTY, ideas, with_idea
from director_ctx.upkeep.last_place import last_place, remember_place
from director_ctx.upkeep.outline import STEP, TASK
from director_ctx.upkeep.records.listing import child_lines
from director_ctx.upkeep.records.state import Occasion
from director_ctx.upkeep.rewrite import change, merged
from director_ctx.upkeep.slug import slug
from director_ctx.upkeep.sync import bring_in_line
from director_ctx.upkeep.tasks import Upkeep, scope_of
from director_ctx.upkeep.templates import filled, needing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.upkeep.idea_list import Idea
    from director_ctx.upkeep.records.source import Edit, Source
    from director_ctx.upkeep.templates import NewItem

IDEAS = f"{FOLDER}/IDEAS.md"
AT_ONCE = "A whole plan at once: dctx add --from FILE"


def add_idea(root: str, text: str, now: str) -> Idea:
    """Writes an idea down before all others; the idea as it is read back."""
    with alone_in_project(root):
        _, failed = change(Project(root), IDEAS, lambda source: with_idea(source, text, now), EMPTY)
        if failed:
            raise DctxError(f"Could not write {IDEAS}: {failed[0].why}.", "Nothing was changed.")
        return ideas(Project(root).text(IDEAS))[0]


def add_unit(root: str, kind: str, new: NewItem, now: str) -> Upkeep:
    """A goal, a step or a task."""
    with alone_in_project(root):
        finish_unfinished(root)
        project = Project(root)
        parent: Place | None = None
        if kind == STEP:
            parent = Place(_goal(project, new.goal))
        elif kind == TASK:
            parent = _step(project, new)
        if kind != TASK:
            _refuse_twin(project, children(project, parent), new.name, kind)
        number = _next_number(project, parent, kind, new.name)
        place = _make(project, parent, kind, number, new)
        edits = partial(_lines, project, place, new)
        return _list_and_follow(root, now, place, edits)


def _refuse_twin(
    project: Project, units: Sequence[Goal | Step | Task], name: str, kind: str
) -> None:
    """A command that somebody runs twice makes no second goal or step of the same name."""
    wanted = name.strip().casefold()
    for unit in units:
        if project.title(unit).casefold() == wanted:
            raise DctxError(
                f"There is a {kind} of this name already: {kind} {unit.number} ({plain(unit.path)}).",
                "Give the new one a name of its own.",
            )


def _next_number(project: Project, parent: Place | None, kind: str, name: str) -> int:
    """The number after all that are there or listed; that of a line which waits for this very name."""
    taken = {unit.number for unit in children(project, parent)}
    lines = listed_children(project.text(document_of(parent)), kind)
    for line in lines:
        if line.number not in taken and same_name(line.name, name):
            return line.number
    return max((*taken, *(line.number for line in lines)), default=0) + 1


def _make(project: Project, parent: Place | None, kind: str, number: int, new: NewItem) -> Place:
    """Its folder or file. What it needs first, where nothing is said, is what stands before it."""
    words = slug(new.name)
    name = f"{number:02}-{words}"
    before = kind if children(project, parent) else ""
    if parent is None:
        place = Place(Goal(number, words, name, f"{FOLDER}/goals/{name}"))
        text = filled(project, kind, new, number)
        create_folder(project, place.goal.path, {"GOAL.md": text})
        return place
    if parent.step is None:
        step = Step(number, words, name, f"{parent.goal.path}/{name}")
        text = filled(project, kind, needing(new, before), number)
        create_folder(project, step.path, {"STEP.md": text, "tasks/": b""})
        return parent.replace(step=step)

    first_goal = project.goals()[0]
    is_in_first_step = parent == Place(first_goal, project.steps(first_goal)[0])
    if not is_in_first_step:
        before = kind
    ending = ".done.md" if new.done else ".md"
    path = f"{parent.step.path}/tasks/{name}{ending}"
    create_document(project, path, filled(project, kind, needing(new, before), number))
    return parent.replace(task=Task(number, words, name, path, new.done))


def _lines(project: Project, place: Place, new: NewItem, source: Source) -> list[Edit]:
    """The new one's line; those of its siblings too where the parent listed nothing yet."""
    kind = LABELS[len(place.units)]
    siblings = children(project, parent_of(place))
    known = {line.number for line in listed_children(source.text, kind)}
    missing = [(unit, project.title(unit)) for unit in siblings if not known]
    about = ""
    if place.units[-1].number not in known:
        missing.append((place.units[-1], new.name))
        about = new.about
    return child_lines(source, kind, missing, about)


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
    last = None if new.step or new.goal else last_place(project)
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


def _list_and_follow(root: str, now: str, place: Place, edits: partial[list[Edit]]) -> Upkeep:
    """The parent's list, and then every record that counts."""
    parent = parent_of(place)
    # What a parent begins with that is missing.
    heading = "# Gameplan\n"
    if parent:
        unit = parent.units[-1]
        label = "Step" if parent.step else "Goal"
        heading = f"# {label} {unit.number}: {unit.slug.replace('-', ' ').capitalize()}\n"
    # Another project: the first one has listed the folder without what was just made.
    changed, unchanged = change(Project(root), document_of(parent), edits, heading)
    written, unwritten = bring_in_line(lambda: Project(root), Occasion(now), scope_of(place))
    # Last: whoever is killed before loses nothing by it.
    remember_place(root, place)
    return Upkeep(
        Project(root),
        place,
        rewrites=tuple(merged((*changed, *written))),
        failed=(*unchanged, *unwritten),
    )
