"""How much of a model's window each section should take at most: advice, not limits."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.settings.tags import (
    GROUPS,
    INSTRUCTIONS,
    RECENT,
    REFERENCE,
    STEP,
    SYSTEM,
    TASK,
    VISION,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Target(Record):
    """Percent of the window. Less is fine: a short vision is no worse than a long one."""

    tags: tuple[str, ...]
    usual: int
    most: int


TARGETS = (
    Target((VISION,), 5, 10),
    Target((STEP,), 3, 5),
    Target((TASK,), 2, 5),
    Target((RECENT,), 3, 5),
    Target((INSTRUCTIONS,), 1, 2),
    Target((REFERENCE,), 5, 10),
    # What is known about the field and the code, all of it together.
    Target((*GROUPS["research"], *GROUPS["codebase"]), 3, 8),
)
"""Their maxima add up to more than the 30 % rule allows."""
WHOLE = Target((), 20, 30)


def target_of(tag: str) -> Target | None:
    for target in TARGETS:
        if tag in target.tags:
            return target
    return None


def target_of_whole(tokens: Mapping[str, int]) -> Target | None:
    """A context in parts has a target for each part, and none for the whole."""
    if SYSTEM in tokens:
        return None
    return WHOLE


def above_target(tokens: Mapping[str, int], window: int) -> list[str]:
    """Those of the sections that take more of the window than they should, by their tokens."""
    above: set[str] = set()
    for target in TARGETS:
        present = [tag for tag in target.tags if tag in tokens]
        together = sum(tokens[tag] for tag in present)
        if together * 100 > target.most * window:
            above.update(present)
    return [tag for tag in tokens if tag in above]
