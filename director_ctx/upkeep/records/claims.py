"""What GAMEPLAN and STATE claim about where the project stands, against the file names: each
function says what the files say instead, and nothing where they agree.
"""

from __future__ import annotations

from director_ctx.project.tasks.fields import (
    FINISHED,
    besides,
    finished,
    named_numbers,
    same_name,
    unnamed,
)
from director_ctx.project.tasks.needs import tokenize
from director_ctx.project.tasks.standing import COMPLETE, NOT_STARTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from director_ctx.project.reading.model import Place
    from director_ctx.project.tasks.standing import Standing, Unit

EVERYTHING = "everything is done"


def other_status(says: str, truth: Standing) -> str:
    said = says.casefold()
    if said.startswith("complete") and truth.status != COMPLETE:
        if truth.task:
            return f"{_where(truth)} is pending"
        return _to_plan(truth) or "nothing is done yet"
    if said.startswith("not started") and truth.status != NOT_STARTED:
        return "tasks are done"
    if said.startswith(("in progress", "building")) and truth.status == COMPLETE:
        return "every task is done"
    return ""


def other_unit(
    says: str,
    label: str,
    truth: Standing,
    known: Collection[str],
) -> str:
    """For a goal or step; `known` are the names of all of them, so that any other text means
    nothing.
    """
    actual = truth.step
    if label == "goal":
        actual = truth.goal

    if actual and same_name(says, actual.name):
        remarks = besides(says, actual.name)
        if finished(remarks):
            return f"{label} {actual.number} is not complete"
        return ""
    if finished(says):
        return ""

    number = named_numbers(says).get(label)
    if actual is None:
        if number is None:
            return ""
        return _without_a_task(truth)
    if number == actual.number:
        return ""
    if number is None and not _is_any_of(says, known):
        return ""
    return f"{label} {actual.number} ({actual.name}) is current"


def _is_any_of(says: str, names: Collection[str]) -> bool:
    return any(same_name(says, name) for name in names)


def other_task(says: str, truth: Standing, done: Collection[str]) -> str:
    """A current task that is finished already, or is called finished and is not."""
    if not says:
        return ""

    current = truth.task
    if current and same_name(says, current.name):
        remarks = besides(says, current.name)
        if finished(remarks):
            return "that task is not done"
        return ""

    done_task = _first_of(says, done)
    if not done_task:
        return ""
    remarks = besides(says, done_task)
    if finished(remarks):
        return ""

    if current:
        return f"that task is done; {_where(truth)} ({current.name}) is current"
    return f"that task is done; {_without_a_task(truth)}"


def _first_of(says: str, names: Collection[str]) -> str:
    for name in names:
        if same_name(says, name):
            return name
    return ""


def other_position(says: str, truth: Standing) -> str:
    """A position that is not the current one, or calls something complete that is not the last
    thing done.
    """
    # A name may hold numbers and words such as `done` of its own.
    for unit in (truth.goal, truth.step, truth.task):
        if unit:
            says = unnamed(says, unit.name)

    words = tokenize(says)
    before_finished = _before_finished(words)
    claimed = named_numbers(" ".join(before_finished))
    if "goal" not in claimed:
        return ""

    is_current = bool(truth.numbers) and _agrees(claimed, truth.numbers)
    is_called_finished = len(before_finished) < len(words)
    if is_current and not is_called_finished:
        return ""

    # Whoever calls the last thing done complete is right, though it is current no longer.
    last = _last_done(truth)
    is_last_done = last is not None and _agrees(claimed, _numbers(last))
    if is_called_finished and is_last_done and not is_current:
        return ""

    if truth.goal:
        return f"the position is {_where(truth)}"
    return _without_a_task(truth)


def _before_finished(words: list[str]) -> list[str]:
    """The words up to the one that calls them finished, all of them where none does."""
    for index, word in enumerate(words):
        if word in FINISHED:
            return words[:index]
    return words


def _last_done(truth: Standing) -> Place | None:
    """The last task that is done before the current one."""
    last = None
    for place in truth.done:
        if truth.current is None or _order(place) < _order(truth.current):
            last = place
    return last


def _where(truth: Standing) -> str:
    return "/".join(map(str, truth.numbers.values()))


def _without_a_task(truth: Standing) -> str:
    """Where things are when no task is current."""
    to_plan = _to_plan(truth)
    if to_plan:
        return to_plan
    if truth.status == COMPLETE:
        return EVERYTHING
    return "no task is planned"


def _to_plan(truth: Standing) -> str:
    unit: Unit | None = truth.goal
    label = "goal"
    if truth.step:
        unit = truth.step
        label = "step"
    if not unit:
        return ""
    return f"{label} {unit.number} ({unit.name}) is to be planned"


def _numbers(place: Place) -> dict[str, int]:
    numbers = {"goal": place.goal.number}
    if place.step:
        numbers["step"] = place.step.number
    if place.task:
        numbers["task"] = place.task.number
    return numbers


def _order(place: Place) -> tuple[int, ...]:
    return tuple(_numbers(place).values())


def _agrees(claimed: dict[str, int], actual: dict[str, int]) -> bool:
    """Whatever both name is the same; what only one names is left open, but not a task that is not
    planned.
    """
    labels = claimed.keys() & {"goal", "step", "task"}
    return all(actual.get(label) == claimed[label] for label in labels)
