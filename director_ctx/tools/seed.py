"""What the seed's tools about the workflow answer, with the fields of the seed's examples."""

from __future__ import annotations

from director_ctx.base.answer_pages import page_of
from director_ctx.base.errors import UsageProblem
from director_ctx.base.strict_json import strict_json
from director_ctx.memory.plans.plan import update_plan
from director_ctx.memory.plans.snapshot import make_snapshot, snapshot_text
from director_ctx.memory.plans.versions import current
from director_ctx.memory.runs.storage import read_runs
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.store import beginning_of_workflow
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.next import DONE, next_task
from director_ctx.tools import variables
from director_ctx.tools.needed import expect_version, version_seen
from director_ctx.tools.plan import changed_plan, expect_plan_version, plan_now
from director_ctx.tools.remembered import remembered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.tools.service import ToolCall

    Object = dict[str, Any]

RECENT = 10
"""Nodes that the seed calls recent."""
NO_PLAN = "No plan created\n"
NARROWER = ' For less, give a range, such as "1-10".'
WHOLE: variables.Whole = ("get_workflow_variable", {}, "variableName")
"""The call that shows a variable as a whole."""
DOCUMENTS = ("VISION.md", "GAMEPLAN.md")
"""What a workflow is to do, and by which rules."""


def as_json(value: object) -> str:
    return strict_json(value, indent=2) + "\n"


def summary(call: ToolCall, __: Object) -> str:
    project = call.project()
    shot = _snapshot_now(project)
    version = plan_now(project)
    plan = version.data if version else {}
    runs = read_runs(project.root, 1)
    state = remembered(project, "state", lambda: next_task(project).state)
    return as_json(
        {
            "workflowId": shot["workflow"]["id"],
            "name": shot["workflow"]["name"],
            "description": plan.get("overall_goal"),
            "nodeCount": len(shot["nodes"]),
            "currentPhase": plan.get("current_phase") or "No plan",
            "lastExecuted": runs[-1].time if runs else None,
            "status": "completed" if state == DONE else "building",
        }
    )


def _snapshot_now(project: Project) -> Object:
    """It follows the folder, the kept plan, and what the store says of the workflow."""
    with open_store(project) as store:
        kept = current(store)
        began = beginning_of_workflow(store.engine, store.workflow)
        name = f"snapshot {store.workflow} {began}"
        if kept:
            name += f" {kept.id} {kept.number}"
        return remembered(project, name, lambda: make_snapshot(project, store))


def workflow_nodes(call: ToolCall, values: Object) -> str:
    """Each with its number among all of them, by which a range counts."""
    shot = _snapshot_now(call.project())
    first, last = _range(values["range"] or "all", len(shot["nodes"]))
    nodes = [
        {"number": number, **node}
        for number, node in enumerate(shot["nodes"], 1)
        if first <= number <= last and values["type"] in (None, node["type"])
    ]
    text = snapshot_text({**shot, "nodes": nodes})
    return page_of(f"{text}\n", "get_workflow_nodes", values, NARROWER)


def _range(words: str, count: int) -> tuple[int, int]:
    """The first and the last number that is meant."""
    if words == "all":
        return 1, count
    if words == "recent":
        return count - RECENT + 1, count
    first, dash, last = words.partition("-")
    is_plain = first.strip().isdecimal() and last.strip().isdecimal() and len(words) < 20
    if not dash or not is_plain:
        raise UsageProblem(f"{words[:40]!r} is no range.", 'One of "1-10", "all", "recent".')
    if int(first) > int(last):
        raise UsageProblem(
            f"{words!r} ends before it begins.", f'Such as "{int(last)}-{int(first)}".'
        )
    return int(first), int(last)


def workflow_variables(call: ToolCall, values: Object) -> str:
    name = None if values["key"] == "all" else values["key"]
    text = variables.variables(call.project(), {"name": name, "whole": WHOLE})
    return page_of(text, "get_workflow_variables", values)


def workflow_variable(call: ToolCall, values: Object) -> str:
    """The whole value of one, or those of a node, or all of them."""
    from director_ctx.memory.variables.variables import value_of, values_of

    project = call.project()
    name, node = values["variableName"], values["nodeId"]
    if node is not None:
        text = as_json(values_of(project, str(node)))
    elif name in (None, "all"):
        text = as_json(values_of(project))
    else:
        text = f"{variables.as_text(value_of(project, name))}\n"
    return page_of(text, "get_workflow_variable", values)


def whole_plan(call: ToolCall, values: Object) -> str:
    version = plan_now(call.project())
    if version is None:
        return NO_PLAN
    return page_of(as_json(version.data), "get_current_plan", values)


def replace_plan(call: ToolCall, values: Object) -> str:
    """The version that the plan was made from is in the plan itself."""
    plan = values["plan"]
    seen = plan.get("plan_version") or 0
    if not isinstance(seen, int):
        raise UsageProblem("plan_version is not a number.", "get_current_plan shows it.")
    project = call.project()
    expect_plan_version(project, {"action": "update_plan", "version": plan.get("plan_version")})
    done = changed_plan(lambda: update_plan(project, plan, values["reason"], seen))
    return f"Plan updated successfully\n{done}"


def description(call: ToolCall, values: Object) -> str:
    project = call.project()
    texts = [project.text(f"{FOLDER}/{name}").strip() for name in DOCUMENTS]
    whole = "\n\n".join(filter(None, texts)) or "No description created"
    return page_of(f"{whole}\n", "get_workflow_description", values)


def put_variable(call: ToolCall, values: Object) -> str:
    return variables.set_variable(call.project(), _named(values, "set_variable"))


def take_variable(call: ToolCall, values: Object) -> str:
    return variables.clear_variable(call.project(), _named(values, "clear_variable"))


def _named(values: Object, action: str) -> Object:
    """The same under the names that this project's own tool has."""
    return {**values, "name": values["variableName"], "action": action}


def take_all_variables(call: ToolCall, values: Object) -> str:
    from director_ctx.memory.variables.variables import clear_variables, version_now

    project = call.project()
    expect_version(values, "the variables are", lambda: version_now(project))
    seen = version_seen(values)
    count = clear_variables(project, values["reason"], seen)
    return f"Cleared: {count}\n"
