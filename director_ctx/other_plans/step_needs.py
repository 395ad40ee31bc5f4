"""What a whole step needs first, where its source says that only of the tasks in it."""

from __future__ import annotations

from director_ctx.other_plans.model import EARLIER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.other_plans.model import OtherStep


def needs_of_step(step: OtherStep) -> tuple[str, ...]:
    """It can begin when one of those tasks can that wait for no other task in it."""
    if step.needs:
        return step.needs
    own = {task.key for task in step.tasks}
    needs_of_first: list[tuple[str, ...]] = []
    for index, task in enumerate(step.tasks):
        waits_inside = any(need in own or (need == EARLIER and index) for need in task.needs)
        if waits_inside:
            continue
        needs = tuple(need for need in task.needs if need != EARLIER)
        if not needs:
            return ()
        needs_of_first.append(needs)

    every: dict[str, None] = {}
    for needs in needs_of_first:
        every.update(dict.fromkeys(needs))
    common = [need for need in every if all(need in needs for needs in needs_of_first)]
    return tuple(common or every)
