"""What taking a plan over does, or would do, as JSON; the same for every door."""

from __future__ import annotations

from director_ctx.base.record import as_dict
from director_ctx.other_plans.documents import DONE, NO_CRITERIA
from director_ctx.other_plans.model import OtherTask
from director_ctx.other_plans.place import REMOVED
from director_ctx.project.taken import TITLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.other_plans.take_over import TakenOver, Taking

    Json = dict[str, Any]


def taking_json(taking: Taking, written: bool) -> Json:
    return {
        "from": taking.format.name,
        "tool": taking.format.title,
        "path": taking.path,
        "written": written,
        "counts": counts(taking),
        "units": [_unit(unit) for unit in taking.units],
        "ideas": [as_dict(idea) for idea in taking.ideas],
        "begun": [idea.name for idea in taking.begun],
        "documents": [
            {"path": f".director/{document.at}", "from": document.origin, "state": document.state}
            for document in taking.documents
        ],
        "finished": [as_dict(unit) for unit in taking.finished],
        "gone": list(taking.gone),
        "remarks": [as_dict(remark) for remark in taking.remarks],
    }


def counts(taking: Taking) -> Json:
    """How many of each the source has, apart from what was left out, and how much of it is done."""
    found: Json = {"goals": 0, "steps": 0, "tasks": 0, "done": 0, "without_criteria": 0}
    for unit in taking.units:
        if unit.placed.state == REMOVED:
            continue
        found[f"{unit.placed.kind}s"] += 1
        if isinstance(unit.placed.other, OtherTask):
            found["done"] += unit.placed.other.done
            found["without_criteria"] += lacks_criteria(taking, unit)
    found["ideas"] = len(taking.ideas)
    return found


def lacks_criteria(taking: Taking, unit: TakenOver) -> bool:
    says = unit.text.sections.get(DONE, "") if unit.text else ""
    return says == NO_CRITERIA.format(tool=TITLES[taking.format.name])


def ref(unit: TakenOver) -> str:
    numbers = unit.placed.numbers
    pieces: list[str] = []
    for number in (numbers.goal, numbers.step, numbers.task):
        if number:
            pieces.append(str(number))
    return "/".join(pieces)


def _unit(unit: TakenOver) -> Json:
    placed = unit.placed
    other = placed.other
    return {
        "kind": placed.kind,
        "id": placed.key,
        "name": unit.text.name if unit.text else other.name,
        "ref": ref(unit),
        "state": placed.state,
        "done": isinstance(other, OtherTask) and other.done,
        "from": {"path": other.path, "line": other.line},
        "changed": [update.section for update in unit.updates],
        "kept": list(unit.kept),
        "finish": unit.finish,
        "begin": unit.begin,
        "open_there": unit.open_there,
        "moved": unit.moved,
    }
