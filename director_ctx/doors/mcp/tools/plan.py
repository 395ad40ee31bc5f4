"""The plan and the variables, shown and changed; whoever changes something names the version that they
saw.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.doors.mcp.tools.pages import page_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.doors.mcp.serving.call import Call
    from director_ctx.doors.mcp.serving.service import Service
    from director_ctx.memory.plans.plan import PlanConflict, PlanUpdate
    from director_ctx.project.project import Project

    Action = Callable[[Project, dict[str, Any]], str]

NO_PLAN = "There is no plan yet: version 0.\n"


def run(service: Service, _: Call, values: dict[str, Any]) -> str:
    text = ACTIONS[values["action"]](service.project(), values)
    return page_of(text, "plan", values)


def show(project: Project, values: dict[str, Any]) -> str:
    from director_ctx.memory.plans.plan import current_plan
    from director_ctx.memory.plans.text import plan_markdown

    version = current_plan(project)
    if version is None:
        return NO_PLAN
    return plan_markdown(version.data, version.number)


def variables(project: Project, values: dict[str, Any]) -> str:
    """All of them in a line each, or one as a whole."""
    from director_ctx.memory.variables.display import listing
    from director_ctx.memory.variables.variables import value_of, variables, version_now

    # Asked for first: whoever changes one afterwards makes it too old, and never too new.
    version = version_now(project)
    if values["name"]:
        value = value_of(project, values["name"])
        return f"{as_text(value)}\n\nVersion {version} of the variables.\n"
    known = listing(variables(project)) or "No variable is set."
    return f"{known}\n\nVersion {version} of the variables.\n"


def as_text(value: object) -> str:
    """A text as it is, and anything else as JSON that can be read."""
    if isinstance(value, str):
        return value
    import json

    return json.dumps(value, indent=2, ensure_ascii=False)


def update(project: Project, values: dict[str, Any]) -> str:
    from director_ctx.memory.plans.plan import update_plan

    plan = needed(values, "plan")
    seen = version_seen(values)
    return changed_plan(lambda: update_plan(project, plan, reason(values), seen))


def set_status(project: Project, values: dict[str, Any]) -> str:
    from director_ctx.memory.plans.plan import TaskChange, change_task

    task = needed(values, "name")
    status = needed(values, "status")
    change = TaskChange(task, status, reason=reason(values))
    seen = version_seen(values)
    return changed_plan(lambda: change_task(project, change, seen))


def changed_plan(change: Callable[[], PlanUpdate]) -> str:
    """What is different now; or what somebody else changed meanwhile, and nothing was written."""
    from director_ctx.memory.plans.plan import PlanConflict
    from director_ctx.memory.plans.text import lines

    try:
        result = change()
    except PlanConflict as conflict:
        raise DctxError(*_conflict(conflict)) from conflict
    if not result.new:
        return f"Nothing is different; the plan is at version {result.version.number}.\n"
    shown = [f"The plan is at version {result.version.number} now."]
    shown += [f"  {sign} {text}" for sign, text in lines(result.changes)]
    return "\n".join(shown) + "\n"


def _conflict(conflict: PlanConflict) -> tuple[str, str]:
    from director_ctx.memory.plans.text import lines

    since = [f"  {sign} {text}" for sign, text in lines(conflict.changes)]
    between = ""
    if since:
        between = f" Since version {conflict.expected}:\n" + "\n".join(since)
    hint = 'Look at it as it is now (plan {"action":"show"}), then change that.'
    return conflict.message + between, hint


def set_variable(project: Project, values: dict[str, Any]) -> str:
    from director_ctx.memory.variables.display import shown
    from director_ctx.memory.variables.variables import change_variable

    name = needed(values, "name")
    if values["value"] is None:
        raise UsageProblem("What is it to be? value is missing.", "clear_variable takes it away.")
    setting = (name, values["value"], reason(values))
    change = change_variable(project, setting, expected=version_seen(values))
    line = shown(change.name, change.sealed or "")
    return f"- {change.name} = {line}\n\nVersion {change.number} of the variables.\n"


def clear_variable(project: Project, values: dict[str, Any]) -> str:
    from director_ctx.memory.variables.variables import clear_variable, version_now

    name = needed(values, "name")
    clear_variable(project, name, reason(values), version_seen(values))
    return f"Cleared {name}.\n\nVersion {version_now(project)} of the variables.\n"


def claim(project: Project, values: dict[str, Any]) -> str:
    """Takes a task, so that no other agent does it at the same time."""
    from director_ctx.memory.claims import claim
    from director_ctx.project.tasks.names import find_task
    from director_ctx.upkeep.tasks import task_version

    place = find_task(project, needed(values, "name"))
    taken = claim(project, place.ref, needed(values, "agent"))
    title = project.title(place.task) if place.task else ""
    version = task_version(project, place)
    return f"{taken.task} {title} is {taken.agent}'s until {taken.until[:16]} UTC. Version {version}.\n"


def release(project: Project, values: dict[str, Any]) -> str:
    from director_ctx.memory.claims import release
    from director_ctx.project.tasks.names import find_task

    place = find_task(project, needed(values, "name"))
    release(project, place.ref, needed(values, "agent"))
    return f"{place.ref} is free again.\n"


def done(project: Project, values: dict[str, Any]) -> str:
    """Marks a task done that nobody else has taken, if it still says what the agent read."""
    from director_ctx.memory.claims import expect_free, release
    from director_ctx.project.tasks.names import find_task
    from director_ctx.upkeep.tasks import finish

    place = find_task(project, needed(values, "name"))
    agent = needed(values, "agent")
    expect_free(project, place.ref, agent)
    finished = finish(project.root, place.ref, _now(), needed(values, "version"))
    release(project, place.ref, agent)
    said = [f"{place.ref} is done."]
    said += [f"  {warning}" for warning in finished.warnings]
    upcoming = _upcoming(finished.project)
    return "\n".join([*said, upcoming]) + "\n"


def _now() -> str:
    """As the command line writes it into the records."""
    import time

    return time.strftime("%Y-%m-%d %H:%M")


def _upcoming(project: Project) -> str:
    from director_ctx.project.tasks.next import next_task

    candidate = next_task(project).task
    if candidate is None or candidate.place.task is None:
        return "Nothing is ready now; `status` says why."
    return f"Next: {candidate.place.ref}  {project.title(candidate.place.task)}"


def needed(values: dict[str, Any], name: str) -> Any:
    value = values[name]
    if value in (None, ""):
        raise UsageProblem(f"{values['action']} needs the argument {name}.")
    return value


def reason(values: dict[str, Any]) -> str:
    said: str = values["reason"] or ""
    if not said.strip():
        raise UsageProblem("Say why: reason.", "It is kept with the change.")
    return said


def version_seen(values: dict[str, Any]) -> int:
    """The version that this change is made from, so that it cannot undo what somebody else did.

    Whoever names none saw nothing yet: that is version 0.
    """
    said = str(values["version"] or 0)
    if not (said.isascii() and said.isdigit() and len(said) < 10):
        raise UsageProblem(
            "That is not a version.", "It is the number shown with the plan, or with the variables."
        )
    return int(said)


ACTIONS: dict[str, Action] = {
    "show": show,
    "variables": variables,
    "update": update,
    "set_status": set_status,
    "set_variable": set_variable,
    "clear_variable": clear_variable,
    "claim": claim,
    "release": release,
    "done": done,
}
