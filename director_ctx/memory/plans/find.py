"""Which task of a plan somebody means."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.text import has_words
from director_ctx.memory.plans.tasks import every_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.plans.tasks import PhaseTask

    Plan = dict[str, Any]

MOST_LISTED = 8
"""Tasks that a hint names."""


def find_plan_task(plan: Plan, name: str) -> PhaseTask:
    """The task of that id, or of that number in the current step; else the one whose description
    has these words, as whole ones.
    """
    tasks = list(every_task(plan))
    words = " ".join(name.split()).casefold()

    # The narrowest meaning first: an id may be a number, and a number stand in a description.
    bare = name.strip()
    matches = [task for task in tasks if task.name == bare]
    if not matches and words.isdigit():
        current = plan.get("current_phase")
        matches = _numbered(tasks, current, words)
    if not matches and words:
        matches = _described(tasks, words)

    if not matches:
        hint = _suggestion(tasks, words)
        raise DctxError(f"There is no task {name!r} in the plan.", hint)
    if len(matches) > 1:
        raise DctxError(
            f"{name!r} matches {len(matches)} tasks of the plan.",
            f"Say which: {_listed(matches)}",
        )
    return matches[0]


def _numbered(tasks: list[PhaseTask], phase: object, number: str) -> list[PhaseTask]:
    """The tasks of a phase that end with a number, as 1/2/3 ends with 3."""
    numbered: list[PhaseTask] = []
    for task in tasks:
        is_here = task.phase.get("phase_name") == phase
        if is_here and task.name.endswith(f"/{number}"):
            numbered.append(task)
    return numbered


def _described(tasks: list[PhaseTask], words: str) -> list[PhaseTask]:
    described: list[PhaseTask] = []
    for task in tasks:
        if has_words(task.description, words):
            described.append(task)
    return described


def _suggestion(tasks: list[PhaseTask], words: str) -> str:
    # Only a mistake waits 5 ms for it.
    from difflib import get_close_matches

    by_words: dict[str, PhaseTask] = {}
    for task in tasks:
        by_words[task.name.casefold()] = task
    for task in tasks:
        by_words[task.description.casefold()] = task

    near: list[PhaseTask] = []
    for word in get_close_matches(words, by_words, 3, 0.5):
        task = by_words[word]
        # A task may be near by its name and by its description; it is named once.
        if not any(task is other for other in near):
            near.append(task)

    if near:
        return f"Did you mean {_listed(near)}?"
    if tasks:
        return f"There are: {_listed(tasks)}"
    return "The plan has no tasks."


def _listed(tasks: list[PhaseTask]) -> str:
    names: list[str] = []
    for task in tasks[:MOST_LISTED]:
        names.append(f"{task.name} {task.description}".strip())
    more = len(tasks) - MOST_LISTED
    if more > 0:
        names.append(f"and {more} more")
    return "; ".join(names)
