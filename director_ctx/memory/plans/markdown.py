"""The plan as Markdown: a to-do list with boxes, for people."""

from __future__ import annotations

from director_ctx.base.text import cleaned, plain
from director_ctx.memory.plans.rules import COMPLETED, PENDING
from director_ctx.memory.plans.tasks import counted, phases_of, tasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def plan_markdown(plan: dict[str, Any], version: int) -> str:
    return "\n".join(_lines(plan, version)) + "\n"


def _lines(plan: dict[str, Any], version: int) -> Iterator[str]:
    yield f"# {_line(plan.get('overall_goal'))}"
    yield f"\nVersion {version} of the plan, {_line(plan.get('updated_at'))[:10]}."
    for phase in phases_of(plan):
        done, total = counted(tasks_of(phase))
        here = ", current" if phase.get("phase_name") == plan.get("current_phase") else ""
        yield f"\n## {_line(phase.get('phase_name'))} ({_words(phase)}, {done}/{total}{here})\n"
        for task in tasks_of(phase):
            yield from _task(task)
    yield from _section("Next", plan.get("next_actions"))
    yield from _section("Blockers", plan.get("blockers"))
    if notes := plan.get("notes"):
        yield f"\n## Notes\n\n{cleaned(str(notes))}"


def _task(task: dict[str, Any]) -> Iterator[str]:
    box = "x" if task.get("status") == COMPLETED else " "
    state = "" if task.get("status") in (COMPLETED, PENDING) else f" ({_words(task)})"
    yield f"- [{box}] {_line(str(task.get('task_id')))} {_line(task.get('description'))}{state}"
    for line in cleaned(str(task.get("notes") or "")).splitlines():
        yield f"  {line}".rstrip()


def _words(thing: dict[str, Any]) -> str:
    return _line(thing.get("status")).replace("_", " ")


def _section(title: str, entries: Any) -> Iterator[str]:
    if isinstance(entries, list) and entries:
        yield f"\n## {title}\n"
        yield from (f"- {_line(entry)}" for entry in entries)


def _line(value: Any) -> str:
    return plain(" ".join(str(value or "").split()))
