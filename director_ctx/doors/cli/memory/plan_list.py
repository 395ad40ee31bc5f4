"""The plan as a to-do list: phases with bars, tasks with marks, and what comes next."""

from __future__ import annotations

from director_ctx.doors.cli.shared.output import shown_bar
from director_ctx.doors.cli.shared.times import local_time
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

    everything: list[dict[str, Any]] = []
    for phase in phases:
        everything += tasks_of(phase)
    done, total = counted(everything)
    share = 0.0
    if total:
        share = done / total
    bar = shown_bar(share)
    yield f"{bar} {done}/{total} tasks, {_counts(everything)}", ""

    for phase in phases:
        is_current = phase.get("phase_name") == plan.get("current_phase")
        yield "", ""
        yield from _phase(phase, is_current)
    yield from _texts("Next", plan.get("next_actions"), "")
    yield from _texts("Blocked", plan.get("blockers"), "red")
    yield from _texts("Notes", plan.get("notes"), "")


def _counts(tasks: list[dict[str, Any]]) -> str:
    """`1 in progress, 2 pending`, of what is not completed."""
    statuses = [str(task.get("status")) for task in tasks]
    counts = []
    # Backwards, so that what failed comes first.
    for status in STATUSES[::-1]:
        count = statuses.count(status)
        if count and status != COMPLETED:
            counts.append(f"{count} {status.replace('_', ' ')}")
    return ", ".join(counts) or "nothing open"


def _phase(phase: dict[str, Any], is_current: bool) -> Lines:
    tasks = tasks_of(phase)
    status = str(phase.get("status"))
    done, total = counted(tasks)
    # A phase without tasks is as far as it says itself.
    share = float(status == COMPLETED)
    if total:
        share = done / total
    bar = shown_bar(share, 10)

    mark = MARKS.get(status, "[?]")
    name = f"{mark} {_word(phase.get('phase_name'))}"
    if is_current:
        yield f"> {name}  {bar} {done}/{total}", "bold"
    else:
        style = "dim" if status == COMPLETED else ""
        yield f"  {name}  {bar} {done}/{total}", style
    for task in tasks:
        yield from _task(task)


def _task(task: dict[str, Any]) -> Lines:
    status = str(task.get("status"))
    name = task.get("task_id")
    mark = MARKS.get(status, "[?]")
    line = f"      {mark} {name}  {_word(task.get('description'))}"
    others = _other_nodes(task)
    if others:
        line += f"  ({', '.join(others)})"
    yield line, _STYLES.get(status, "")
    for note in _word(task.get("notes"), keep=True).splitlines():
        yield f"            {note}", "dim"


def _other_nodes(task: dict[str, Any]) -> list[str]:
    """The nodes that it belongs to, but for the one that is named as the task is."""
    nodes = task.get("node_ids")
    if not isinstance(nodes, list):
        return []
    others = []
    for node in nodes:
        if str(node) != str(task.get("task_id")):
            others.append(str(node))
    return others


def _texts(title: str, value: Any, style: str) -> Lines:
    """One text, or a list of them."""
    # Agents write either, and a plan keeps what they wrote.
    texts = [value]
    if isinstance(value, list):
        texts = value
    lines: list[str] = []
    for text in texts:
        word = _word(text, keep=True)
        if word.strip():
            lines += word.splitlines()
    if not lines:
        return

    yield "", ""
    yield f"{title}:", "bold"
    for line in lines:
        yield f"  {line}", style


def _word(value: Any, keep: bool = False) -> str:
    """A text of the plan; on one line where it stands in one."""
    if value is None:
        return ""
    text = str(value)
    if keep:
        return text
    return " ".join(text.split())


def version_line(version: Version) -> str:
    if not version.number:
        return "What the folder says; nothing else was written into the plan yet."
    line = f"Version {version.number}, {local_time(version.created_at)}"
    if version.reason:
        line += f": {version.reason}"
    if version.followed:
        line += " (and what the folder says since)"
    return line
