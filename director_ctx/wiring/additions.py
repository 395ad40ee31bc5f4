"""A new goal, step or task: made from its template, listed by its parent, and every record brought in line."""

from __future__ import annotations

from director_ctx.errors import DctxError, UsageProblem
from director_ctx.folder.create import create_document, create_folder
from director_ctx.folder.in_line import bring_in_line
from director_ctx.folder.lock import held
from director_ctx.folder.model import FOLDER, Goal, Place, Step, Task
from director_ctx.folder.naming import find_goal, find_step
from director_ctx.folder.project import Project
from director_ctx.folder.records.listing import Line, goal_line, step_line, task_line
from director_ctx.folder.rewrite import Rewrite, change
from director_ctx.folder.slug import slug
from director_ctx.folder.text import plain
from director_ctx.record import Record
from director_ctx.resources import read_shipped
from director_ctx.wiring.upkeep import Upkeep, scope_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from director_ctx.folder.source import Edit, Source

FIRST, BEFORE = "Nothing -- this can start right away.", "The previous {}."
PLAN = "# Gameplan\n"
HINTS = {
    "goal": "_What can people do when this goal is reached?_",
    "step": "_What works when this step is done?_",
    "task": "_What should be there when this is done?_",
}


class New(Record):
    """What is to be added, in the user's words."""

    name: str
    about: str = ""
    needs: str = ""
    size: str = ""
    goal: str | None = None
    step: str | None = None


def add_goal(root: str, new: New, now: str) -> Upkeep:
    with held(root):
        project = Project(root)
        number = _next([goal.number for goal in project.goals()])
        name = f"{number:02}-{slug(new.name)}"
        goal = Goal(number, slug(new.name), name, f"{FOLDER}/goals/{name}")
        create_folder(project, goal.path, {"GOAL.md": _filled(project, "goal", new, number)})
        line = Line("goal", number, new.name, new.about)
        return _listed(root, now, Place(goal), f"{FOLDER}/GAMEPLAN.md", lambda source: goal_line(source, line))


def add_step(root: str, new: New, now: str) -> Upkeep:
    with held(root):
        project = Project(root)
        goal = _goal(project, new.goal)
        steps = project.steps(goal)
        number = _next([step.number for step in steps])
        name = f"{number:02}-{slug(new.name)}"
        step = Step(number, slug(new.name), name, f"{goal.path}/{name}")
        text = _filled(project, "step", _needing(new, "step" if steps else ""), number)
        create_folder(project, step.path, {"STEP.md": text, "tasks/": b""})
        line = Line("step", number, new.name, new.about)
        return _listed(root, now, Place(goal, step), f"{goal.path}/GOAL.md", lambda source: step_line(source, line))


def add_task(root: str, new: New, now: str) -> Upkeep:
    with held(root):
        project = Project(root)
        place = find_step(project, new.goal, new.step)
        if place is None or place.step is None:
            raise DctxError("There is no step to put the task into.", "Make one first: dctx add step 'NAME'")
        step = place.step
        number = _next([task.number for task in project.tasks(step)])
        stem = f"{number:02}-{slug(new.name)}"
        task = Task(number, slug(new.name), stem, f"{step.path}/tasks/{stem}.md")
        first = number == 1 and place.goal == project.goals()[0] and step == project.steps(place.goal)[0]
        create_document(project, task.path, _filled(project, "task", _needing(new, "" if first else "task"), number))
        add = lambda source: task_line(source, task, new.name)  # noqa: E731
        return _listed(root, now, place.replace(task=task), f"{step.path}/STEP.md", add)


def checked_name(name: str) -> str:
    """A name of one line; anything else could not be listed."""
    if not name.strip() or not plain(name).strip("#*_-. "):
        raise UsageProblem("The name is empty.", "Give it in quotes, such as dctx add task 'Mark a link as read'.")
    if "\n" in name or "\r" in name or plain(name) != name:
        raise UsageProblem("A name is one line of printable text.", "Put the rest into the file.")
    if len(name) > 200:
        raise UsageProblem("The name is too long.", "Up to 200 characters; the rest belongs into the file.")
    return name.strip()


def _next(numbers: list[int]) -> int:
    return max(numbers, default=0) + 1


def _goal(project: Project, name: str | None) -> Goal:
    if name:
        return find_goal(project, name)
    place = find_step(project, None, None)
    goals = project.goals()
    if place is None and not goals:
        raise DctxError("There is no goal to put the step into.", "Make one first: dctx add goal 'NAME'")
    return place.goal if place else goals[-1]


def _needing(new: New, before: str) -> New:
    """What was not said is decided by order: the first needs nothing, every other one what stands before it."""
    return new if new.needs else new.replace(needs=BEFORE.format(before) if before else FIRST)


def _filled(project: Project, kind: str, new: New, number: int) -> bytes:
    """The project's own template, else the shipped one. Values go in once and are not read again."""
    own = project.text(f"{FOLDER}/templates/{kind}.md")
    text = own if own.strip() else read_shipped("templates", "plan", f"{kind}.md")
    values = {
        "number": str(number),
        "name": new.name,
        "about": new.about or HINTS[kind],
        "needs": new.needs,
        "size": new.size or "_small, medium or large?_",
    }
    first, *pieces = text.split("{{")
    filled = [first]
    for piece in pieces:
        key, closed, rest = piece.partition("}}")
        known = closed and key.strip() in values
        filled.append(f"{values[key.strip()]}{rest}" if known else "{{" + piece)
    return "".join(filled).encode("utf-8", "replace")


def _listed(root: str, now: str, place: Place, path: str, edits: Callable[[Source], list[Edit]]) -> Upkeep:
    """The parent's list, and then every record that counts."""
    changed, failed = change(Project(root), path, edits, _heading(place))
    written, more = bring_in_line(lambda: Project(root), now, scope=scope_of(place))
    return Upkeep(Project(root), place, None, tuple(_once([*changed, *written])), (*failed, *more))


def _heading(place: Place) -> str:
    """What a missing parent begins with."""
    if place.task and place.step:
        return f"# Step {place.step.number}: {place.step.slug.replace('-', ' ').capitalize()}\n"
    return f"# Goal {place.goal.number}: {place.goal.slug.replace('-', ' ').capitalize()}\n" if place.step else PLAN


def _once(rewrites: Iterable[Rewrite]) -> list[Rewrite]:
    """Two changes of one document are one."""
    found: dict[str, Rewrite] = {}
    for one in rewrites:
        first = found.get(one.path)
        found[one.path] = one.replace(before=first.before) if first else one
    return list(found.values())
