"""`dctx status --nodes`: the plan's files as nodes, what came of one, or what changed since a run."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table, put_unstyled
from director_ctx.memory.plans.snapshot import nodes_in, nodes_then, snapshot, snapshot_text
from director_ctx.memory.runs.choose import find_run
from director_ctx.memory.store.open import open_store
from director_ctx.project.project import Project, load_project
from director_ctx.project.tasks.nodes import changed_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_MARKS = {"completed": "x", "in_progress": "~", "waiting": ".", "unplanned": "?"}


def run(values: dict[str, Any]) -> int:
    if values["results"] and values["since"]:
        raise UsageProblem("--results and --since exclude each other.", "Ask for one of them.")
    if values["goal"]:
        raise UsageProblem("--goal and --nodes exclude each other.", "Ask for one of them.")

    project = load_project(root=values["root"])
    as_json = values["json"]
    if values["results"]:
        # What came of a node is asked of git, the store and the record; the plan alone needs none.
        from director_ctx.memory.plans.results import results

        with open_store(project) as store:
            node = results(project, store, values["results"])
        if as_json:
            put_json(node)
        else:
            put_lines(list(_node_lines(node)))
        return OK

    now = snapshot(project)
    if values["since"]:
        before, when = _before(project, values["since"])
        changes = changed_nodes(before, now["nodes"])
        if as_json:
            put_json({"since": when, "changes": changes})
        else:
            say(f"Compared with {when}.")
            put_unstyled([_change(change) for change in changes] or ["Nothing changed."])
    elif as_json:
        put(f"{snapshot_text(now)}\n")
    else:
        put_lines([(now["workflow"]["name"], "bold")])
        rows = []
        for node in now["nodes"]:
            indent = "  " * node["id"].count("/")
            why = node.get("why") or ", ".join(node["relationships"].get("needs", ()))
            mark = f"[{_MARKS.get(node['status'], ' ')}]"
            rows.append([node["id"], mark, node["status"], indent + node["description"], why])
        put_table(["Id", "", "Status", "What it is", "Needs"], rows)
    return OK


def _node_lines(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield f"{node['id']}  {node['description']}", "bold"
    why = f": {node['why']}" if node.get("why") else ""
    yield f"{node['type']}, {node['status']}{why}", ""
    yield node["config"]["path"], "dim"
    for task in node["plan"]:
        notes = f": {task['notes']}" if task.get("notes") else ""
        yield f"In the plan: {task.get('task_id')}, {task.get('status')}{notes}", ""

    runs = [f"{run['run']}  {run['time']}  {run['agent']}" for run in node["contexts"]]
    commits = [f"{one['commit'][:9]}  {one['time']}  {one['subject']}" for one in node["commits"]]
    variables = [f"{name} = {value}" for name, value in node["variables"].items()]
    for title, lines in (("Contexts", runs), ("Commits", commits), ("Variables", variables)):
        yield "", ""
        yield f"{title}: {len(lines) or 'none'}", "bold"
        for line in lines:
            yield f"  {line}", ""


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
        status = f" ({change['status']})" if change.get("status") else ""
        return f"{node}  {change['change']}: {change['description']}{status}"
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
            before, after = old.get(name), new.get(name)
            bare = [str(path).replace(".done.md", ".md") for path in (before, after)]
            if before != after and not (name == "path" and bare[0] == bare[1]):
                yield name, before, after


def _value_in_words(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "nothing"
    return "nothing" if value is None else str(value)
