"""The plan as the folder has it: phases are steps, tasks are tasks, and what people wrote into the
plan stays.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import told_apart
from director_ctx.context.place import PLAN_FIRST
from director_ctx.memory.plans.diff import same_plan
from director_ctx.memory.plans.merge import FolderPhase, FolderTask, merged
from director_ctx.memory.plans.plan import Made, change_plan, current_plan, good, readable
from director_ctx.memory.plans.rules import COMPLETED
from director_ctx.memory.plans.tasks import next_action
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.child_lists import step_lines
from director_ctx.project.tasks.names import current_place
from director_ctx.project.tasks.next import UNPLANNED, WAITING, next_task
from director_ctx.project.templates import is_template_vision
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Goal, Step
    from director_ctx.project.tasks.next import Next

    Plan = dict[str, Any]

MOST_NEXT = 5
REASON = "From the folder"


class Planned(Record):
    """The plan of the folder, and what of the old plan found no place in it."""

    plan: Plan
    dropped: tuple[str, ...] = ()


def plan_of(project: Project, old: Plan | None = None) -> Planned:
    """The same folder and the same old plan give the same plan; and its plan gives itself again."""
    upcoming = next_task(project)
    plan, dropped = merged(old or {}, list(folder_phases(project)))
    phase = _current(project, upcoming, plan)
    whole = {
        **plan,
        "overall_goal": _goal(project, str((old or {}).get("overall_goal") or "")),
        "current_phase": phase,
        "next_actions": [*_next(project, upcoming), *plan["next_actions"]],
        "blockers": [*_blockers(upcoming), *plan["blockers"]],
    }
    return Planned(whole, tuple(dropped))


def folder_phases(project: Project) -> Iterator[FolderPhase]:
    """Every step in order, with its tasks. Where two have the same number, the name on disk tells
    them apart.
    """
    names: set[str] = set()
    refs: set[str] = set()
    for goal in project.goals():
        for step in project.steps(goal):
            title = f"Goal {goal.number}: {project.title(goal)} \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
            name = told_apart(
                f"{title}Step {step.number}: {project.title(step)}",
                f"{goal.name}/{step.name}",
                names,
            )
            ref = told_apart(f"{goal.number}/{step.number}", f"{goal.name}/{step.name}", refs)
            yield FolderPhase(ref, name, tuple(_tasks(project, goal, step, refs)))


def _tasks(project: Project, goal: Goal, step: Step, taken: set[str]) -> Iterator[FolderTask]:
    lines = step_lines(project.text(f"{step.path}/STEP.md"))
    drafted = {line.number for line in lines if line.mark == "~"}
    for task in project.tasks(step):
        ref = told_apart(
            f"{goal.number}/{step.number}/{task.number}",
            f"{goal.name}/{step.name}/{task.name}",
            taken,
        )
        yield FolderTask(ref, project.title(task), task.done, task.number in drafted)


def _goal(project: Project, before: str) -> str:
    """The project's name, and the first sentence of what it does; unless somebody wrote another
    goal by hand.
    """
    name, vision = project_name(project) or "The project", project.text(f"{FOLDER}/VISION.md")
    said = ""
    if not is_template_vision(vision):
        said = section(vision, "what it does") or section(vision, "what are we building") or ""
    lines = (line.strip() for line in said.split("\n\n")[0].split("\n"))
    sentence = (
        " ".join(line for line in lines if line and line[0] not in "#<[_|")
        .partition(". ")[0]
        .rstrip(".")
    )
    if before and not before.startswith(name):
        return before
    return f"{name}: {sentence}" if sentence else name


def _current(project: Project, upcoming: Next, plan: Plan) -> str:
    """The step of the next task; where none is left, the first that is unfinished, or the last one."""
    place = upcoming.task.place if upcoming.task else current_place(project)
    phases = plan["phases"]
    if place and place.step:
        ref = f"{place.goal.number}/{place.step.number}"
        phases = [one for one in phases if ref in one.get("node_ids", ())] or phases
        return str(phases[0]["phase_name"])
    unfinished = [one for one in phases if one["status"] != COMPLETED] or phases[-1:]
    return str(unfinished[0]["phase_name"]) if unfinished else ""


def _next(project: Project, upcoming: Next) -> list[str]:
    ready = [upcoming.task, *upcoming.also_ready] if upcoming.task else []
    tasks = [one.place for one in ready[:MOST_NEXT]]
    return [next_action(place.ref, project.title(place.task)) for place in tasks if place.task] + [
        f"Plan: {hole}" for hole in upcoming.unplanned if upcoming.state == UNPLANNED
    ]


def _blockers(upcoming: Next) -> list[str]:
    """That one task comes after another is no blocker; what does not exist is, and so is all that
    is left waiting.
    """
    stuck = upcoming.state == WAITING
    return [
        f"{one.place.ref}: {one.readiness.why}"
        for one in upcoming.waiting
        if stuck or "does not exist" in one.readiness.why
    ]


def plan_from_folder(project: Project, reason: str = "") -> tuple[Made, Planned]:
    """Makes the plan of the folder the current one; no new version where it is that already."""
    kept: list[Planned] = []

    def make(old: Plan | None) -> Plan | None:
        kept[:] = [_of_something(plan_of(project, old))]
        return None if old is not None and same_plan(old, kept[0].plan) else good(kept[0].plan)

    return change_plan(project, make, reason or REASON), kept[0]


def planned(project: Project) -> Planned:
    """What `plan_from_folder` would write."""
    return _of_something(plan_of(project, readable(current_plan(project))))


def _of_something(found: Planned) -> Planned:
    if not found.plan["phases"]:
        raise DctxError(
            "No goal has a step yet, so there is nothing to make a plan of.", PLAN_FIRST
        )
    return found
