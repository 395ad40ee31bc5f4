"""`dctx snapshot`: the plan's files as nodes, what came of one, or what changed since a run."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.memory.plans.snapshot import snapshot, snapshot_text
from director_ctx.memory.store.open import open_store
from director_ctx.project.project import load_project

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
    project = load_project(root=values["root"])
    if values["results"]:
        return _results(project, values)
    found = snapshot(project)
    if values["since"]:
        return _since(project, found, values)
    if values["json"]:
        put(f"{snapshot_text(found)}\n")
        return OK
    put_lines([(found["workflow"]["name"], "bold")])
    put_table(["Id", "", "Status", "What it is", "Needs"], [_row(node) for node in found["nodes"]])
    return OK


def _row(node: dict[str, Any]) -> list[str]:
    depth = node["id"].count("/")
    needs = node.get("why") or ", ".join(node["relationships"].get("needs", ()))
    return [
        node["id"],
        f"[{_MARKS.get(node['status'], ' ')}]",
        node["status"],
        f"{'  ' * depth}{node['description']}",
        needs,
    ]


def _results(project: Project, values: dict[str, Any]) -> int:
    from director_ctx.memory.plans.results import results

    with open_store(project) as store:
        found = results(project, store, values["results"])
    if values["json"]:
        put_json(found)
    else:
        put_lines(list(_told(found)))
    return OK


def _told(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield f"{found['id']}  {found['description']}", "bold"
    yield (
        f"{found['type']}, {found['status']}" + (f": {found['why']}" if found.get("why") else ""),
        "",
    )
    yield found["config"]["path"], "dim"
    for task in found["plan"]:
        notes = f": {task['notes']}" if task.get("notes") else ""
        yield f"In the plan: {task.get('task_id')}, {task.get('status')}{notes}", ""
    yield from _listed(
        "Contexts", [f"{one['run']}  {one['time']}  {one['agent']}" for one in found["contexts"]]
    )
    yield from _listed(
        "Commits",
        [f"{one['commit'][:9]}  {one['time']}  {one['subject']}" for one in found["commits"]],
    )
    yield from _listed(
        "Variables", [f"{name} = {value}" for name, value in found["variables"].items()]
    )


def _listed(title: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    yield "", ""
    yield f"{title}: {len(lines) or 'none'}", "bold"
    yield from ((f"  {line}", "") for line in lines)


def _since(project: Project, now: dict[str, Any], values: dict[str, Any]) -> int:
    from director_ctx.project.tasks.nodes import changed

    before, when = _before(project, values["since"])
    found = changed(before, now["nodes"])
    if values["json"]:
        put_json({"since": when, "changes": found})
        return OK
    say(f"Compared with {when}.")
    put_lines([(line, "") for line in map(_change, found)] or [("Nothing changed.", "")])
    return OK


def _before(project: Project, name: str) -> tuple[list[dict[str, Any]], str]:
    """The nodes of a run, or of a commit where no run has that name."""
    from director_ctx.doors.cli.accounts.diff import find
    from director_ctx.memory.plans.snapshot import nodes_in, nodes_then
    from director_ctx.memory.runs.storage import read_runs

    try:
        run = find(read_runs(project.root), name)
    except DctxError as unknown:
        try:
            return nodes_in(project, name)
        except DctxError:
            raise DctxError(unknown.message, f"{unknown.hint} A commit will do as well.") from None
    return nodes_then(project, run)


def _change(one: dict[str, Any]) -> str:
    if one["change"] != "changed":
        status = f" ({one['status']})" if one.get("status") else ""
        return f"{one['id']}  {one['change']}: {one['description']}{status}"
    told = [
        f"{key}: {_shown(old)} -> {_shown(new)}" for key, old, new in _differences(one["fields"])
    ]
    return f"{one['id']}  {one['description']}: {'; '.join(told)}"


def _differences(fields: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Each value that changed; that a finished task's file has another ending is no news."""
    for key, (old, new) in fields.items():
        if not isinstance(old, dict) or not isinstance(new, dict):
            yield key, old, new
            continue
        for name in dict.fromkeys([*old, *new]):
            before, after = old.get(name), new.get(name)
            if before != after and not (name == "path" and _same_task(before, after)):
                yield name, before, after


def _same_task(before: object, after: object) -> bool:
    return str(before).replace(".done.md", ".md") == str(after).replace(".done.md", ".md")


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "nothing"
    return "nothing" if value is None else str(value)
