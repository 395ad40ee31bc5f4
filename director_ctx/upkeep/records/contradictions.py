"""What the files say instead, where a record names another status, goal, step, task or position.

Each answer is empty where the record agrees, or says nothing that could be wrong.
"""

from __future__ import annotations

from director_ctx.project.tasks.fields import FINISHED, besides, finished, named_numbers, same_name, unnamed
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
        return f"{_where(truth)} is pending" if truth.task else _to_plan(truth) or "nothing is done yet"
    if said.startswith("not started") and truth.status != NOT_STARTED:
        return "tasks are done"
    return "every task is done" if said.startswith(("in progress", "building")) and truth.status == COMPLETE else ""


def other_unit(says: str, label: str, truth: Standing, known: Collection[str]) -> str:
    """For a goal or step; `known` are the names of all of them, so that any other text means nothing."""
    actual = truth.goal if label == "goal" else truth.step
    if actual and same_name(says, actual.name):
        return f"{label} {actual.number} is not complete" if finished(besides(says, actual.name)) else ""
    if finished(says):
        return ""
    number = named_numbers(says).get(label)
    if actual is None:
        return "" if number is None else _otherwise(truth)
    if number == actual.number or (number is None and not any(same_name(says, name) for name in known)):
        return ""
    return f"{label} {actual.number} ({actual.name}) is current"


def other_task(says: str, truth: Standing, done: Collection[str]) -> str:
    """A current task that is finished already, or is called finished and is not."""
    if not says:
        return ""
    if truth.task and same_name(says, truth.task.name):
        return "that task is not done" if finished(besides(says, truth.task.name)) else ""
    name = next((name for name in done if same_name(says, name)), "")
    if not name or finished(besides(says, name)):
        return ""
    now = f"{_where(truth)} ({truth.task.name}) is current" if truth.task else _otherwise(truth)
    return f"that task is done; {now}"


def other_position(says: str, truth: Standing) -> str:
    """A position that is not the current one, or calls something complete that is not the last thing done."""
    for unit in (truth.goal, truth.step, truth.task):
        says = unnamed(says, unit.name) if unit else says
    tokens = tokenize(says)
    end = next((place for place, word in enumerate(tokens) if word in FINISHED), None)
    numbers = named_numbers(" ".join(tokens[:end]))
    if "goal" not in numbers:
        return ""
    actual = f"the position is {_where(truth)}" if truth.goal else _otherwise(truth)
    current = truth.numbers
    if end is None:
        return "" if current and _agrees(numbers, current) else actual
    before = [place for place in truth.done if truth.current is None or _order(place) < _order(truth.current)]
    complete = bool(before) and _agrees(numbers, _numbers(before[-1])) and not (current and _agrees(numbers, current))
    return "" if complete else actual


def _where(truth: Standing) -> str:
    return "/".join(str(number) for number in truth.numbers.values())


def _otherwise(truth: Standing) -> str:
    """Where no task is current."""
    return _to_plan(truth) or (EVERYTHING if truth.status == COMPLETE else "no task is planned")


def _to_plan(truth: Standing) -> str:
    unit: Unit | None = truth.step or truth.goal
    label = "step" if truth.step else "goal"
    return f"{label} {unit.number} ({unit.name}) is to be planned" if unit else ""


def _numbers(place: Place) -> dict[str, int]:
    units = (("goal", place.goal), ("step", place.step), ("task", place.task))
    return {name: unit.number for name, unit in units if unit}


def _order(place: Place) -> tuple[int, ...]:
    return tuple(_numbers(place).values())


def _agrees(numbers: dict[str, int], actual: dict[str, int]) -> bool:
    """Whatever both name is the same; what only one names is left open, but not a task that is not planned."""
    return all(actual.get(name) == number for name, number in numbers.items() if name in ("goal", "step", "task"))
