"""The plan as the folder has it: phases are steps, tasks are tasks, and what people wrote into the
plan stays.
"""

from __future__ import annotations

from director_ctx.base.text import told_apart
from director_ctx.memory.plans.merge import FolderPhase, FolderTask, merged
from director_ctx.memory.plans.rules import COMPLETED
from director_ctx.memory.plans.tasks import next_action
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.child_lists import step_lines
from director_ctx.project.tasks.next import UNPLANNED, WAITING, current_place, next_task
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


def plan_of(project: Project, old: Plan | None = None) -> Plan:
    """The same folder and the same old plan give the same plan; and its plan gives itself again."""
    old = old or {}
    upcoming = next_task(project)
    plan = merged(old, list(folder_phases(project)))
    return {
        **plan,
        "overall_goal": _goal(project, str(old.get("overall_goal") or "")),
        "current_phase": _current_phase(project, upcoming, plan["phases"]),
        "next_actions": [*_next_actions(project, upcoming), *plan["next_actions"]],
        "blockers": [*_blockers(upcoming), *plan["blockers"]],
    }


def folder_phases(project: Project) -> Iterator[FolderPhase]:
    """Every step in order, with its tasks. Where two have the same number, the name on disk tells
    them apart.
    """
    names: set[str] = set()
    refs: set[str] = set()
    for goal in project.goals():
        goal_title = f"Goal {goal.number}: {project.title(goal)}"
        for step in project.steps(goal):
            step_title = f"Step {step.number}: {project.title(step)}"
            title = f"{goal_title} \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} {step_title}"
            on_disk = f"{goal.name}/{step.name}"
            name = told_apart(title, on_disk, names)
            ref = told_apart(f"{goal.number}/{step.number}", on_disk, refs)
            tasks = tuple(_tasks(project, goal, step, refs))
            yield FolderPhase(ref, name, tasks)


def _tasks(project: Project, goal: Goal, step: Step, taken_refs: set[str]) -> Iterator[FolderTask]:
    lines = step_lines(project.text(f"{step.path}/STEP.md"))
    drafted = {line.number for line in lines if line.mark == "~"}
    taken = project.claims()
    for task in project.tasks(step):
        number = f"{goal.number}/{step.number}/{task.number}"
        on_disk = f"{goal.name}/{step.name}/{task.name}"
        yield FolderTask(
            ref=told_apart(number, on_disk, taken_refs),
            title=project.title(task),
            done=task.done,
            begun=task.number in drafted or on_disk in taken,
            path=task.path,
        )


def _goal(project: Project, before: str) -> str:
    """The project's name, and the first sentence of what it does; unless somebody wrote another
    goal by hand.
    """
    name = project_name(project) or "The project"
    if before and not before.startswith(name):
        return before
    vision = project.text(f"{FOLDER}/VISION.md")
    if is_template_vision(vision):
        return name
    said = section(vision, "what it does") or section(vision, "what are we building") or ""
    lines = [line.strip() for line in said.split("\n\n")[0].split("\n")]
    # Headings, tags, links, tables and rules say nothing of what the project does.
    text = " ".join(line for line in lines if line and line[0] not in "#<[_|")
    sentence = text.partition(". ")[0].rstrip(".")
    return f"{name}: {sentence}" if sentence else name


def _current_phase(project: Project, upcoming: Next, phases: list[Plan]) -> str:
    """The step of the next task; where none is left, the first that is unfinished, or the last one."""
    if not phases:
        return ""
    place = upcoming.task.place if upcoming.task else current_place(project)
    if place and place.step:
        ref = f"{place.goal.number}/{place.step.number}"
        found = [phase for phase in phases if ref in phase.get("node_ids", ())] or phases
    else:
        found = [phase for phase in phases if phase["status"] != COMPLETED] or phases[-1:]
    return str(found[0]["phase_name"])


def _next_actions(project: Project, upcoming: Next) -> list[str]:
    actions: list[str] = []
    ready = (upcoming.task, *upcoming.also_ready) if upcoming.task else ()
    for candidate in ready[:MOST_NEXT]:
        if task := candidate.place.task:
            actions.append(next_action(candidate.place.ref, project.title(task)))
    if upcoming.state == UNPLANNED:
        actions += [f"Plan: {hole}" for hole in upcoming.unplanned]
    return actions


def _blockers(upcoming: Next) -> list[str]:
    """That one task comes after another is no blocker; what does not exist is, and so is all that
    is left waiting.
    """
    return [
        f"{waiting.place.ref}: {waiting.readiness.why}"
        for waiting in upcoming.waiting
        if upcoming.state == WAITING or "does not exist" in waiting.readiness.why
    ]
