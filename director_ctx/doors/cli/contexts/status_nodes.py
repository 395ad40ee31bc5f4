"""`dctx status --nodes`: the plan's files as nodes, what came of one, or what changed since a run."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table, put_unstyled
from director_ctx.memory.plans.snapshot import nodes_in, nodes_then, snapshot, snapshot_text
from director_ctx.memory.runs.choose import find_run
from director_ctx.memory.store.open import open_store
from director_ctx.project.project import load_project
from director_ctx.project.tasks.nodes import changed_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.project import Project

_MARKS = {
    "completed": "x",
    "in_progress": "~",
    "ready": " ",
    "waiting": ".",
    "pending": " ",
    "unplanned": "?",
}


def run(values: dict[str, Any]) -> int:
    if values["results"] and values["since"]:
        raise UsageProblem("--results and --since exclude each other.", "Ask for one of them.")
    if values["goal"]:
        raise UsageProblem("--goal and --nodes exclude each other.", "Ask for one of them.")

    project = load_project(root=values["root"])
    if values["results"]:
        return _results(project, values)
    now = snapshot(project)
    if values["since"]:
        return _since(project, now, values)
    if values["json"]:
        put(f"{snapshot_text(now)}\n")
        return OK
    put_lines([(now["workflow"]["name"], "bold")])
    put_table(["Id", "", "Status", "What it is", "Needs"], [_row(node) for node in now["nodes"]])
    return OK


def _row(node: dict[str, Any]) -> list[str]:
    mark = _MARKS.get(node["status"], " ")
    indent = "  " * node["id"].count("/")
    why = node.get("why")
    if not why:
        why = ", ".join(node["relationships"].get("needs", ()))
    return [
        node["id"],
        f"[{mark}]",
        node["status"],
        f"{indent}{node['description']}",
        why,
    ]


def _results(project: Project, values: dict[str, Any]) -> int:
    # What came of a node is asked of git, the store and the record; the plan alone needs none.
    from director_ctx.memory.plans.results import results

    with open_store(project) as store:
        node = results(project, store, values["results"])
    if values["json"]:
        put_json(node)
    else:
        put_lines(list(_node_lines(node)))
    return OK


def _node_lines(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield f"{node['id']}  {node['description']}", "bold"
    state = f"{node['type']}, {node['status']}"
    if node.get("why"):
        state += f": {node['why']}"
    yield state, ""
    yield node["config"]["path"], "dim"

    for task in node["plan"]:
        line = f"In the plan: {task.get('task_id')}, {task.get('status')}"
        if task.get("notes"):
            line += f": {task['notes']}"
        yield line, ""

    runs = [f"{run['run']}  {run['time']}  {run['agent']}" for run in node["contexts"]]
    yield from _titled_lines("Contexts", runs)
    commits = []
    for commit in node["commits"]:
        commits.append(f"{commit['commit'][:9]}  {commit['time']}  {commit['subject']}")
    yield from _titled_lines("Commits", commits)
    variables = [f"{name} = {value}" for name, value in node["variables"].items()]
    yield from _titled_lines("Variables", variables)


def _titled_lines(title: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    yield "", ""
    yield f"{title}: {len(lines) or 'none'}", "bold"
    for line in lines:
        yield f"  {line}", ""


def _since(project: Project, now: dict[str, Any], values: dict[str, Any]) -> int:
    before, when = _before(project, values["since"])
    changes = changed_nodes(before, now["nodes"])
    if values["json"]:
        put_json({"since": when, "changes": changes})
        return OK

    say(f"Compared with {when}.")
    lines = [_change(change) for change in changes]
    if not lines:
        lines = ["Nothing changed."]
    put_unstyled(lines)
    return OK


def _before(project: Project, name: str) -> tuple[list[dict[str, Any]], str]:
    """The nodes of a run, or of a commit where no run has that name."""
    from director_ctx.memory.runs.storage import read_runs

    try:
        run = find_run(read_runs(project.root), name)
    except DctxError as unknown:
        try:
            return nodes_in(project, name)
        except DctxError:
            raise DctxError(unknown.message, f"{unknown.hint} A commit will do as well.") from None
    return nodes_then(project, run)


def _change(change: dict[str, Any]) -> str:
    node = change["id"]
    if change["change"] != "changed":
        line = f"{node}  {change['change']}: {change['description']}"
        if change.get("status"):
            line += f" ({change['status']})"
        return line

    fields = []
    for key, old, new in _differences(change["fields"]):
        fields.append(f"{key}: {_value_in_words(old)} -> {_value_in_words(new)}")
    return f"{node}  {change['description']}: {'; '.join(fields)}"


def _differences(fields: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Each value that changed; that a finished task's file has another ending is no news."""
    for key, (old, new) in fields.items():
        if not isinstance(old, dict) or not isinstance(new, dict):
            yield key, old, new
            continue
        for name in dict.fromkeys([*old, *new]):
            before = old.get(name)
            after = new.get(name)
            if before == after:
                continue
            if name == "path" and _same_task(before, after):
                continue
            yield name, before, after


def _same_task(before: object, after: object) -> bool:
    # Finishing a task renames its file, and its status tells of that.
    path_before = str(before).replace(".done.md", ".md")
    path_after = str(after).replace(".done.md", ".md")
    return path_before == path_after


def _value_in_words(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "nothing"
    return str(value)
