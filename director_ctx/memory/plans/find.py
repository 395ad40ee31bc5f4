"""Which task of a plan somebody means."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.text import has_words
from director_ctx.memory.plans.tasks import PhaseTask, every_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_LISTED = 8
"""Tasks that a hint names."""


def find_plan_task(plan: dict[str, Any], name: str) -> PhaseTask:
    """The task of that id, or of that number in the current step; else the one whose description
    has these words, as whole ones.
    """
    tasks = list(every_task(plan))
    words = " ".join(name.split()).casefold()

    # The narrowest meaning first: an id may be a number, and a number stand in a description.
    matches = [task for task in tasks if task.name == name.strip()]
    if not matches and words.isdigit():
        # As 1/2/3 ends with 3.
        here = [task for task in tasks if task.phase.get("phase_name") == plan.get("current_phase")]
        matches = [task for task in here if task.name.endswith(f"/{words}")]
    if not matches and words:
        matches = [task for task in tasks if has_words(task.description, words)]

    if not matches:
        raise DctxError(f"There is no task {name!r} in the plan.", _suggestion(tasks, words))
    if len(matches) > 1:
        raise DctxError(
            f"{name!r} matches {len(matches)} tasks of the plan.",
            f"Say which: {_listed(matches)}",
        )
    return matches[0]


def _suggestion(tasks: list[PhaseTask], words: str) -> str:
    # Only a mistake waits 5 ms for it.
    from difflib import get_close_matches

    by_words = {task.name.casefold(): task for task in tasks}
    by_words |= {task.description.casefold(): task for task in tasks}
    # A task may be near by its name and by its description; it is named once.
    near = {
        id(by_words[word]): by_words[word] for word in get_close_matches(words, by_words, 3, 0.5)
    }
    if near:
        return f"Did you mean {_listed(list(near.values()))}?"
    return f"There are: {_listed(tasks)}" if tasks else "The plan has no tasks."


def _listed(tasks: list[PhaseTask]) -> str:
    names = [f"{task.name} {task.description}".strip() for task in tasks[:MOST_LISTED]]
    if len(tasks) > MOST_LISTED:
        names.append(f"and {len(tasks) - MOST_LISTED} more")
    return "; ".join(names)
