"""The plan as a to-do list: phases with bars, tasks with marks, and what comes next."""

from __future__ import annotations

from director_ctx.doors.cli.shared.output import shown_bar
from director_ctx.memory.plans.rules import COMPLETED, FAILED, IN_PROGRESS, STATUSES
from director_ctx.memory.plans.tasks import MARKS, counted, phases_of, tasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.memory.plans.versions import Version

    Lines = Iterator[tuple[str, str]]

_STYLES = {COMPLETED: "green", IN_PROGRESS: "bold yellow", FAILED: "bold red"}


def to_do_list(plan: dict[str, Any]) -> Lines:
    phases = phases_of(plan)
    yield _word(plan.get("overall_goal")) or "(no goal)", "bold"
    everything = [task for phase in phases for task in tasks_of(phase)]
    done, total = counted(everything)
    yield (
        f"{shown_bar(done / total if total else 0)} {done}/{total} tasks, {_counts(everything)}",
        "",
    )
    for phase in phases:
        yield "", ""
        yield from _phase(phase, phase.get("phase_name") == plan.get("current_phase"))
    yield from _texts("Next", plan.get("next_actions"), "")
    yield from _texts("Blocked", plan.get("blockers"), "red")
    yield from _texts("Notes", plan.get("notes"), "")


def _counts(tasks: list[dict[str, Any]]) -> str:
    """`1 in progress, 2 pending`, of what is not completed."""
    found = [str(task.get("status")) for task in tasks]
    open_ones = [(status, found.count(status)) for status in STATUSES[::-1] if status != COMPLETED]
    return (
        ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in open_ones if count)
        or "nothing open"
    )


def _phase(phase: dict[str, Any], is_current: bool) -> Lines:
    tasks, status = tasks_of(phase), str(phase.get("status"))
    done, total = counted(tasks)
    name = (
        f"{'> ' if is_current else '  '}{MARKS.get(status, '[?]')} {_word(phase.get('phase_name'))}"
    )
    bar = shown_bar(done / total if total else status == COMPLETED, 10)
    yield (
        f"{name}  {bar} {done}/{total}",
        "bold" if is_current else "dim" if status == COMPLETED else "",
    )
    for task in tasks:
        yield from _task(task)


def _task(task: dict[str, Any]) -> Lines:
    status = str(task.get("status"))
    nodes = task.get("node_ids")
    others = (
        [str(one) for one in nodes if str(one) != str(task.get("task_id"))]
        if isinstance(nodes, list)
        else []
    )
    end = f"  ({', '.join(others)})" if others else ""
    yield (
        f"      {MARKS.get(status, '[?]')} {task.get('task_id')}  {_word(task.get('description'))}{end}",
        _STYLES.get(status, ""),
    )
    for line in _word(task.get("notes"), keep=True).splitlines():
        yield f"            {line}", "dim"


def _texts(title: str, found: Any, style: str) -> Lines:
    texts = (
        [_word(one, keep=True) for one in found]
        if isinstance(found, list)
        else [_word(found, keep=True)]
    )
    texts = [line for text in texts if text.strip() for line in text.splitlines()]
    if texts:
        yield "", ""
        yield f"{title}:", "bold"
        yield from ((f"  {text}", style) for text in texts)


def _word(value: Any, keep: bool = False) -> str:
    """A text of the plan; on one line where it stands in one."""
    text = "" if value is None else str(value)
    return text if keep else " ".join(text.split())


def version_line(version: Version) -> str:
    from director_ctx.doors.cli.contexts.budget_history import local

    return f"Version {version.number}, {local(version.created_at)}" + (
        f": {version.reason}" if version.reason else ""
    )
