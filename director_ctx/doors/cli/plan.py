"""`dctx plan show`, `update` and `set`: the plan as a to-do list, replaced as a whole, or one task of it changed."""

from __future__ import annotations

from director_ctx.doors.cli.output import put_json, shown_bar
from director_ctx.doors.cli.speak import say
from director_ctx.doors.cli.table import put_lines
from director_ctx.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.memory.plan_marks import MARKS, counted, every_task, phases_of, tasks_of
from director_ctx.memory.plan_rules import COMPLETED, IN_PROGRESS, STATUSES, meant_status
from director_ctx.memory.plan_rules import FAILED as HAS_FAILED
from director_ctx.wiring.memory import project_here
from director_ctx.wiring.plan import plan_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.memory.plan_diff import Change
    from director_ctx.memory.plans import Version
    from director_ctx.wiring.plan import Made, PlanConflict

    Lines = Iterator[tuple[str, str]]

_STYLES = {COMPLETED: "green", IN_PROGRESS: "bold yellow", HAS_FAILED: "bold red"}
SIGN_STYLES = {"+": "green", "-": "red", "~": ""}


def show(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    found = plan_version(project, whole(values["version"], "--version"))
    if values["json"]:
        put_json(found.data)
    else:
        put_lines([*to_do_list(found.data), ("", ""), (_made(found), "dim")])
    return OK


def whole(text: str | None, option: str) -> int | None:
    """The number that was given with an option."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageProblem(
            f"{option} {text}: that is not a version.", "Give its number, as `dctx plan history` shows it."
        )
    return int(text)


def to_do_list(plan: dict[str, Any]) -> Lines:
    phases = phases_of(plan)
    yield _word(plan.get("overall_goal")) or "(no goal)", "bold"
    everything = [task for phase in phases for task in tasks_of(phase)]
    done, total = counted(everything)
    yield f"{shown_bar(done / total if total else 0)} {done}/{total} tasks, {_counts(everything)}", ""
    for phase in phases:
        yield "", ""
        yield from _phase(phase, phase.get("phase_name") == plan.get("current_phase"))
    yield from _texts("Next", plan.get("next_actions"), "")
    yield from _texts("Blocked", plan.get("blockers"), "red")
    yield from _texts("Notes", plan.get("notes"), "")


def _made(version: Version) -> str:
    from director_ctx.doors.cli.history import local

    return f"Version {version.number}, {local(version.created_at)}" + (f": {version.reason}" if version.reason else "")


def _counts(tasks: list[dict[str, Any]]) -> str:
    """`1 in progress, 2 pending`, of what is not completed."""
    found = [str(task.get("status")) for task in tasks]
    open_ones = [(status, found.count(status)) for status in STATUSES[::-1] if status != COMPLETED]
    return ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in open_ones if count) or "nothing open"


def _phase(phase: dict[str, Any], is_current: bool) -> Lines:
    tasks, status = tasks_of(phase), str(phase.get("status"))
    done, total = counted(tasks)
    name = f"{'> ' if is_current else '  '}{MARKS.get(status, '[?]')} {_word(phase.get('phase_name'))}"
    bar = shown_bar(done / total if total else status == COMPLETED, 10)
    yield f"{name}  {bar} {done}/{total}", "bold" if is_current else "dim" if status == COMPLETED else ""
    for task in tasks:
        yield from _task(task)


def _task(task: dict[str, Any]) -> Lines:
    status = str(task.get("status"))
    nodes = task.get("node_ids")
    others = [str(one) for one in nodes if str(one) != str(task.get("task_id"))] if isinstance(nodes, list) else []
    end = f"  ({', '.join(others)})" if others else ""
    yield (
        f"      {MARKS.get(status, '[?]')} {task.get('task_id')}  {_word(task.get('description'))}{end}",
        _STYLES.get(status, ""),
    )
    for line in _word(task.get("notes"), keep=True).splitlines():
        yield f"            {line}", "dim"


def _texts(title: str, found: Any, style: str) -> Lines:
    texts = [_word(one, keep=True) for one in found] if isinstance(found, list) else [_word(found, keep=True)]
    texts = [line for text in texts if text.strip() for line in text.splitlines()]
    if texts:
        yield "", ""
        yield f"{title}:", "bold"
        yield from ((f"  {text}", style) for text in texts)


def _word(value: Any, keep: bool = False) -> str:
    """A text of the plan; on one line where it stands in one."""
    text = "" if value is None else str(value)
    return text if keep else " ".join(text.split())


def update(values: dict[str, Any]) -> int:
    from director_ctx.wiring.plan import PlanConflict, update_plan

    reason = needed_reason(values)
    expected = whole(values["expect"], "--expect-version")
    project = project_here(values["root"])
    plan = _read(values["file"])
    try:
        made = update_plan(project, plan, reason, expected)
    except PlanConflict as conflict:
        return _conflict(conflict, values["json"])
    _warn(plan, made, expected)
    put_made(made, values["json"])
    return OK


def needed_reason(values: dict[str, Any]) -> str:
    reason = " ".join((values["reason"] or "").split())
    if not reason:
        raise UsageProblem("Say why: --reason TEXT.", "It is kept in the plan's history.")
    return reason


def _read(path: str) -> dict[str, Any]:
    """The plan that the user named, as JSON; every mistake in it at once."""
    import json

    from director_ctx.memory.plan_rules import mistakes
    from director_ctx.memory.plan_values import LARGEST, read_plan
    from director_ctx.wiring.plan import BadPlan

    data = _bytes(path, LARGEST * 4 + 4)
    try:
        text = data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as error:
        raise DctxError(f"{path} is not a text that JSON may be written in.", "Save it as UTF-8.") from error
    plan, found = read_plan(text.removeprefix("\ufeff"))
    if plan is not None or not found:
        found += mistakes(plan)
    if found:
        raise BadPlan(found)
    return dict(plan)


def _bytes(path: str, most: int) -> bytes:
    import sys

    from director_ctx.folder.locate import absolute

    try:
        if path == "-":
            return sys.stdin.buffer.read(most) if sys.stdin else b""
        with open(absolute(path), "rb") as file:
            return file.read(most)
    except OSError as error:
        raise DctxError(f"{path}: {error.strerror or error}.", "Name a file, or - for standard input.") from error


def _conflict(conflict: PlanConflict, as_json: bool) -> int:
    """Somebody was faster: what happened meanwhile is what the user needs to see."""
    from director_ctx.memory.plan_diff import change_json

    number = conflict.current.number if conflict.current else 0
    if as_json:
        since = [change_json(one) for one in conflict.changes]
        put_json({"conflict": {"expected": conflict.expected, "current": number}, "changes": since})
    elif conflict.changes:
        put_lines([(f"From version {conflict.expected} to {number}:", "bold"), *change_lines(conflict.changes)])
    say(conflict.message, conflict.hint)
    return FAILED


def _warn(plan: dict[str, Any], made: Made, expected: int | None) -> None:
    """What the store wrote itself although the file says something else."""
    told, workflow = plan.get("plan_version"), plan.get("workflow_id")
    if expected is None and isinstance(told, (int, float)) and 0 < told < made.previous:
        say(
            f"warning: the file is of version {told}, and the plan was at {made.previous}; it was replaced.",
            f"`dctx plan diff {told} {made.previous}` shows what was in between; --expect-version {told} refuses.",
        )
    if workflow and workflow != made.version.data.get("workflow_id"):
        say("warning: the file's workflow_id is another one; the plan has this project's now.")


def put_made(made: Made, as_json: bool, title: str = "") -> None:
    """The new version, and what is different in it."""
    from director_ctx.memory.plan_diff import change_json

    if as_json:
        found = [change_json(one) for one in made.changes]
        put_json({"version": made.version.number, "previous": made.previous or None, "changes": found})
        return
    head = title or f"Plan: version {made.version.number}" + (f" (was {made.previous})" if made.previous else "")
    rows = change_lines(made.changes) if made.previous else _first(made)
    put_lines([(head, "bold"), *(rows or [("  Nothing is different.", "dim")])])


def _first(made: Made) -> list[tuple[str, str]]:
    phases = phases_of(made.version.data)
    tasks = sum(1 for _ in every_task(made.version.data))
    return [(f"  The first one: {len(phases)} phases, {tasks} tasks", "")]


def change_lines(changes: Sequence[Change]) -> list[tuple[str, str]]:
    from director_ctx.memory.plan_words import lines

    return [(f"  {sign} {text}", SIGN_STYLES[sign]) for sign, text in lines(changes)]


def set_status(values: dict[str, Any]) -> int:
    from director_ctx.wiring.plan import set_task

    status = values["status"]
    if status not in STATUSES:
        meant = meant_status(status)
        hint = f"Did you mean {meant}?" if meant else "A status is one of " + ", ".join(STATUSES) + "."
        raise UsageProblem(f"{status!r} is not a status.", hint)
    project = project_here(values["root"])
    made = set_task(project, values["task"], status, values["note"], " ".join((values["reason"] or "").split()))
    if not made.new:
        say(f"Task {values['task']} is {status} already; nothing was written.")
    followed = [one for one in made.changes if one.what != "task"]
    for one in followed:
        say(_followed(one))
    put_made(made, values["json"])
    return OK


def _followed(change: Change) -> str:
    from director_ctx.memory.plan_words import brief

    if change.what == "phase":
        return f"Phase {brief(change.name)} is {change.after} now."
    return f"The current phase is {brief(str(change.after))} now."
