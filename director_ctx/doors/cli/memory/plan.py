"""`dctx plan`: the plan as a to-do list, its versions, and what changed; replaced as a whole, or one
task of it changed.
"""

from __future__ import annotations

import json
import sys

from director_ctx.base.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.base.resources import read_shipped
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.output import put, put_json, shown_bar
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import most_rows, put_lines, put_table, rows_wanted
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.doors.cli.shared.upkeep_troubles import complaints
from director_ctx.memory.plans.diff import change_json, changes
from director_ctx.memory.plans.following import open_in_folder
from director_ctx.memory.plans.plan import (
    NONE_YET,
    BadPlan,
    PlanConflict,
    plan_history,
    plan_version,
    restore_plan,
    secret_places,
    update_plan,
)
from director_ctx.memory.plans.rules import (
    COMPLETED,
    IN_PROGRESS,
    LARGEST,
    STATUSES,
    meant_status,
    mistakes,
    read_plan,
)
from director_ctx.memory.plans.rules import (
    FAILED as TASK_FAILED,
)
from director_ctx.memory.plans.set_task import set_task
from director_ctx.memory.plans.tasks import MARKS, counted, every_task, phases_of, tasks_of
from director_ctx.memory.plans.text import in_short, plan_markdown
from director_ctx.memory.plans.text import lines as lines_of
from director_ctx.memory.store.open import project_here
from director_ctx.project.reading.locate import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.memory.plans.diff import PlanChange
    from director_ctx.memory.plans.plan import PlanUpdate
    from director_ctx.memory.plans.versions import Version

    Values = dict[str, Any]
    Lines = Iterator[tuple[str, str]]

SIGN_STYLES = {"+": "green", "-": "red", "~": ""}
STATUS_STYLES = {COMPLETED: "green", IN_PROGRESS: "bold yellow", TASK_FAILED: "bold red"}


def show(values: Values) -> int:
    ways = [name for name in ("versions", "diff", "markdown", "schema") if values[name]]
    if len(ways) > 1:
        raise UsageProblem(f"--{ways[0]} and --{ways[1]} exclude each other.", "Give one of them.")
    if values["schema"]:
        put(read_shipped("templates", "plan.schema.json"))
        return OK
    project = project_here(values["root"])
    last = rows_wanted(values["last"])
    if values["versions"]:
        return _list_versions(plan_history(project, _asked(last, values)), last, values["json"])

    old, is_two, new = (values["version"] or "").partition("..")
    if is_two and not values["diff"]:
        raise UsageProblem("Two versions are shown by --diff.", f"Say {old}..{new} --diff.")
    version = plan_version(project, _number(new if is_two else old))
    if values["diff"]:
        # The first one is compared with itself: nothing came before it.
        before = _number(old) if is_two else None
        return _put_diff(
            plan_version(project, before or max(1, version.number - 1)), version, values["json"]
        )
    if values["json"]:
        put_json(version.data)
    elif values["markdown"]:
        put(plan_markdown(version.data, version.number))
    else:
        put_lines([*_to_do_list(version.data), ("", ""), (_version_line(version), "dim")])
    return OK


def _number(text: str | None, option: str = "VERSION") -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageProblem(
            f"{option} {text}: that is not a version of the plan.",
            "Give its number, as `dctx plan show --versions` lists it.",
        )
    return int(text)


def _asked(last: int, values: Values) -> int:
    """One version more than is shown: what a version changed is told by the one before it."""
    most = most_rows(last, values["json"])
    return most + 1 if most else 0


def _list_versions(versions: Sequence[Version], last: int, as_json: bool) -> int:
    if not versions:
        raise DctxError(*NONE_YET)
    rows = []
    before: Version | None = None
    for version in versions:
        rows.append((version, _since(before, version)))
        before = version
    most = most_rows(last, as_json)
    rows = rows[-most:]
    if as_json:
        put_json(
            [
                {
                    "version": version.number,
                    "created_at": version.created_at,
                    "reason": version.reason,
                    "changes": None if since is None else list(map(change_json, since)),
                }
                for version, since in rows
            ]
        )
        return OK

    table = []
    for version, since in rows:
        short = "the first one" if version.number == 1 else "?"
        if since is not None:
            short = in_short(since)
        time = local_time(version.created_at)
        table.append([str(version.number), time, version.reason or "", short])
    put_table([">Version", "Time", "Why", "What changed"], table)
    if not last and versions[0].number > 1 and len(versions) > most:
        newest = versions[-1].number
        put_lines([(f"The last {most} of {newest}; --last N or --json shows more.", "dim")])
    return OK


def _since(before: Version | None, version: Version) -> list[PlanChange] | None:
    """What a version changed; None for the first one, and where a version cannot be read."""
    try:
        return changes(before.data, version.data) if before else None
    except DctxError:
        return None


def _put_diff(old: Version, new: Version, as_json: bool) -> int:
    changed = changes(old.data, new.data)
    if as_json:
        documents = list(map(change_json, changed))
        put_json({"from": old.number, "to": new.number, "changes": documents})
    else:
        put_lines(
            [(f"From version {old.number} to {new.number}:", "bold"), *_change_lines(changed)]
        )
    return OK


def _change_lines(changed: Sequence[PlanChange]) -> list[tuple[str, str]]:
    lines = [(f"  {sign} {text}", SIGN_STYLES[sign]) for sign, text in lines_of(changed)]
    return lines or [("  Nothing is different.", "dim")]


def update(values: Values) -> int:
    reason = _required_reason(values)
    expected = _number(values["expect"], "--expect-version")
    project = project_here(values["root"])
    plan = _read_plan_file(values["file"])
    try:
        result = update_plan(project, plan, reason, expected)
    except PlanConflict as conflict:
        return _put_conflict(conflict, values["json"])

    version = plan.get("plan_version")
    # With --expect-version the same was refused before anything was written.
    if isinstance(version, (int, float)) and 0 < version < result.previous and expected is None:
        number = int(version)
        say(
            f"warning: the file was made from version {number}, and version {result.previous} of the plan was "
            "replaced by it.",
            f"`dctx plan show {number}..{result.previous} --diff` shows the changes in between; "
            f"--expect-version {number} would have refused.",
        )
    workflow = plan.get("workflow_id")
    if workflow and workflow != result.version.data.get("workflow_id"):
        say(
            "warning: the file has the workflow_id of another project; the plan was saved with this project's."
        )
    _warn_of_secrets(plan)
    for ref in open_in_folder(project.root, plan) if project else ():
        say(
            f"warning: {ref} is completed there and open in the folder, so it stays open.",
            f"`dctx task done {ref}` finishes it.",
        )
    _put_new_version(result, values["json"])
    return OK


def _required_reason(values: Values) -> str:
    reason = _optional_reason(values)
    if not reason:
        raise UsageProblem(
            "No reason is given.",
            "Say why with --reason TEXT; the reason is kept with the version.",
        )
    return reason


def _optional_reason(values: Values) -> str:
    """The reason in one line, with a warning where it gives something away."""
    reason = " ".join((values["reason"] or "").split())
    _warn_of_secrets(reason, "the reason")
    return reason


def _warn_of_secrets(said: Any, where: str = "the plan") -> None:
    places = secret_places(said)
    if not places:
        return
    # A reason or a note is one line, in which there are no places to name.
    listed = f" ({', '.join(places[:5])})" if isinstance(said, dict) else ""
    say(
        f"warning: there seems to be a password or a key in {where}{listed}.",
        "A plan is shown to every agent; `dctx vars set NAME --secret` keeps a secret hidden.",
    )


def _read_plan_file(path: str) -> dict[str, Any]:
    """A plan out of a file or standard input, with every mistake in it at once."""
    # So many bytes are too much in any encoding, whose characters take four at most.
    most = LARGEST * 4 + 4
    try:
        if path == "-":
            data = sys.stdin.buffer.read(most) if sys.stdin else b""
        else:
            with open(absolute(path), "rb") as file:
                data = file.read(most)
    except OSError as error:
        raise DctxError(
            f"{path}: {error.strerror or error}.", "Name a file, or - for standard input."
        ) from error
    try:
        text = data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as error:
        raise DctxError(f"{path} is not text in UTF-8.", "Save the file as UTF-8.") from error

    # Editors on Windows put a mark before the first brace.
    plan, troubles = read_plan(text.removeprefix("\ufeff"))
    if plan is not None or not troubles:
        troubles += mistakes(plan)
    if troubles:
        raise BadPlan(troubles)
    return dict(plan)


def _put_conflict(conflict: PlanConflict, as_json: bool) -> int:
    """Somebody was faster: what happened meanwhile is what the user needs to see."""
    number = conflict.current.number if conflict.current else 0
    if as_json:
        put_json(
            {
                "conflict": {"expected": conflict.expected, "current": number},
                "changes": list(map(change_json, conflict.changes)),
            }
        )
    elif conflict.changes:
        heading = f"From version {conflict.expected} to {number}:"
        put_lines([(heading, "bold"), *_change_lines(conflict.changes)])
    say(conflict.message, conflict.hint)
    return FAILED


def _put_new_version(result: PlanUpdate, as_json: bool, title: str = "") -> None:
    number, previous = result.version.number, result.previous
    if as_json:
        documents = list(map(change_json, result.changes))
        put_json({"version": number, "previous": previous or None, "changes": documents})
        return
    if previous:
        title = title or f"Plan: version {number} (was {previous})"
        put_lines([(title, "bold"), *_change_lines(result.changes)])
        return
    # Every task of the first one is new; a list of them would be the plan itself.
    phases, tasks = phases_of(result.version.data), list(every_task(result.version.data))
    line = f"  The first one: {len(phases)} phases, {len(tasks)} tasks"
    put_lines([(title or f"Plan: version {number}", "bold"), (line, "")])


def set_status(values: Values) -> int:
    status = COMPLETED if values["status"] == "done" else values["status"]
    if status not in STATUSES:
        meant = meant_status(status)
        hint = f"Did you mean {meant}?" if meant else f"A status is one of {', '.join(STATUSES)}."
        raise UsageProblem(f"{status!r} is not a status.", hint)

    project = project_here(values["root"])
    result = set_task(project, values["task"], status, values["note"], _optional_reason(values))
    _warn_of_secrets(values["note"] or "", "the note")
    if not result.new:
        say(f"Task {values['task']} is {status} already; nothing was written.")
    _put_new_version(result, values["json"])
    if not result.folder:
        return OK
    if result.folder.renamed and not values["json"]:
        put_lines([(f"  {plain(result.folder.renamed[1])}", "")])
    return complaints(result.folder)


def restore(values: Values) -> int:
    reason = _required_reason(values)
    number = _number(values["version"])
    result = restore_plan(project_here(values["root"]), number or 0, reason)
    title = f"Plan: version {result.version.number}, a copy of {number} (before: {result.previous})"
    _put_new_version(result, values["json"], title)
    return OK


def _to_do_list(plan: dict[str, Any]) -> Lines:
    """Phases with bars, tasks with marks, and what comes next."""
    phases = phases_of(plan)
    yield _on_one_line(plan.get("overall_goal")) or "(no goal)", "bold"

    everything = [task for phase in phases for task in tasks_of(phase)]
    done, total = counted(everything)
    statuses = [str(task.get("status")) for task in everything]
    # Backwards, so that what failed comes first.
    counts = [
        f"{statuses.count(status)} {status.replace('_', ' ')}"
        for status in STATUSES[::-1]
        if status in statuses and status != COMPLETED
    ]
    bar = shown_bar(done / total if total else 0.0)
    yield f"{bar} {done}/{total} tasks, {', '.join(counts) or 'nothing open'}", ""

    for phase in phases:
        yield "", ""
        yield from _phase(phase, phase.get("phase_name") == plan.get("current_phase"))
    yield from _texts("Next", plan.get("next_actions"), "")
    yield from _texts("Blocked", plan.get("blockers"), "red")
    yield from _texts("Notes", plan.get("notes"), "")


def _phase(phase: dict[str, Any], is_current: bool) -> Lines:
    tasks = tasks_of(phase)
    status = str(phase.get("status"))
    done, total = counted(tasks)
    # A phase without tasks is as far as it says itself.
    bar = shown_bar(done / total if total else float(status == COMPLETED), 10)
    style = "dim" if status == COMPLETED else ""
    name = f"{MARKS.get(status, '[?]')} {_on_one_line(phase.get('phase_name'))}"
    mark = ">" if is_current else " "
    yield f"{mark} {name}  {bar} {done}/{total}", "bold" if is_current else style
    for task in tasks:
        yield from _task(task)


def _task(task: dict[str, Any]) -> Lines:
    status, name = str(task.get("status")), str(task.get("task_id"))
    line = f"      {MARKS.get(status, '[?]')} {name}  {_on_one_line(task.get('description'))}"
    nodes = task.get("node_ids")
    # A node that is named as the task is says nothing new.
    others = [str(node) for node in nodes if str(node) != name] if isinstance(nodes, list) else []
    if others:
        line += f"  ({', '.join(others)})"
    yield line, STATUS_STYLES.get(status, "")
    notes = task.get("notes")
    for note in [] if notes is None else str(notes).splitlines():
        yield f"            {note}", "dim"


def _texts(title: str, value: Any, style: str) -> Lines:
    # Agents write one text or a list, and a plan keeps what they wrote.
    texts = [
        str(text) for text in (value if isinstance(value, list) else [value]) if text is not None
    ]
    lines = [line for text in texts if text.strip() for line in text.splitlines()]
    if lines:
        yield "", ""
        yield f"{title}:", "bold"
    for line in lines:
        yield f"  {line}", style


def _on_one_line(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())


def _version_line(version: Version) -> str:
    if not version.number:
        return "What the folder says; nothing else was written into the plan yet."
    line = f"Version {version.number}, {local_time(version.created_at)}"
    if version.reason:
        line += f": {version.reason}"
    if version.followed:
        line += " (and what the folder says since)"
    return line
