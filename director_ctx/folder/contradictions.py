"""What the files say instead, where a record names another status, goal, step, task or position.

Each answer is empty where the record agrees, or says nothing that could be wrong.
"""

from __future__ import annotations

from director_ctx.folder.fields import FINISHED, bare_name, finished, named_numbers
from director_ctx.folder.needs import tokenize
from director_ctx.folder.standing import COMPLETE, NOT_STARTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from director_ctx.folder.model import Place
    from director_ctx.folder.standing import Standing, Unit

EVERYTHING = "everything is done"


def other_status(says: str, truth: Standing) -> str:
    said = says.casefold()
    if said.startswith("complete") and truth.status != COMPLETE:
        return f"{_where(truth)} is pending" if truth.task else _to_plan(truth) or "nothing is done yet"
    if said.startswith("not started") and truth.status != NOT_STARTED:
        return "tasks are done"
    return "every task is done" if said.startswith(("in progress", "building")) and truth.status == COMPLETE else ""


def other_unit(says: str, label: str, truth: Standing, known: Collection[str]) -> str:
    """For a goal or step; `known` are the bare names of all of them, so that any other text means nothing."""
    if finished(says):
        return ""
    number = named_numbers(says).get(label)
    actual = truth.goal if label == "goal" else truth.step
    if actual is None:
        return "" if number is None else _to_plan(truth) or EVERYTHING
    if number == actual.number or bare_name(says) == bare_name(actual.name):
        return ""
    return f"{label} {actual.number} ({actual.name}) is current" if number is not None or _is_one(says, known) else ""


def _is_one(says: str, known: Collection[str]) -> bool:
    return bare_name(says) in known


def other_task(says: str, truth: Standing, done: Collection[str]) -> str:
    """A current task that is finished already, unless the text says so itself."""
    name = bare_name(says)
    if not name or finished(says) or name not in done or (truth.task and name == bare_name(truth.task.name)):
        return ""
    now = f"{_where(truth)} ({truth.task.name}) is current" if truth.task else _to_plan(truth) or EVERYTHING
    return f"that task is done; {now}"


def other_position(says: str, truth: Standing) -> str:
    """A position that is not the current one, or calls something complete that is not the last thing done."""
    tokens = tokenize(says)
    end = next((place for place, word in enumerate(tokens) if word in FINISHED), None)
    numbers = named_numbers(" ".join(tokens[:end]))
    if "goal" not in numbers:
        return ""
    actual = f"the position is {_where(truth)}" if truth.goal else EVERYTHING
    current = truth.numbers
    if end is None:
        return "" if current and _agrees(numbers, current) else actual
    before = [place for place in truth.done if truth.current is None or _order(place) < _order(truth.current)]
    complete = bool(before) and _agrees(numbers, _numbers(before[-1])) and not (current and _agrees(numbers, current))
    return "" if complete else actual


def _where(truth: Standing) -> str:
    return "/".join(str(number) for number in truth.numbers.values())


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
