"""beads: an epic is a goal, an epic inside it a step, an issue a task; orphans have a goal of their own."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.entries import EntryIds
from director_ctx.other_plans.formats.parts import boxes, listed, string
from director_ctx.other_plans.formats.task_master import rows
from director_ctx.other_plans.model import (
    UNRESOLVED,
    Criterion,
    OtherGoal,
    OtherIdea,
    OtherPlan,
    OtherStep,
    OtherTask,
    OtherVision,
)
from director_ctx.other_plans.wording import item, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.other_plans.source import PlanSource

    Row = dict[str, Any]

PATH = ".beads/issues.jsonl"
MARKERS = (PATH, ".beads/beads.jsonl", ".beads/metadata.json")
_INTERNAL = ("event", "message", "gate", "molecule", "agent", "role", "convoy")
_BLOCKING = ("blocks", "depends-on", "waits-for", "conditional-blocks")
_EPICS = ("epic", "milestone")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")


def read(source: PlanSource) -> OtherPlan:
    path = source.file or next((place for place in MARKERS[:2] if source.kind(place)), PATH)
    issues = {string(row["id"]): row for row in _rows(source, path)}
    if not issues:
        source.remark(
            UNRESOLVED, "has no issues; `bd export -o .beads/issues.jsonl` writes them", path
        )
    ideas: list[OtherIdea] = []
    decided: list[tuple[str, str]] = []
    work: dict[str, Row] = {}
    for id, row in issues.items():
        kind = string(row.get("issue_type"))
        if kind == "decision":
            decided.append((title(string(row.get("title"))), _clean(row, "description")))
        elif string(row.get("status")) == "deferred":
            says = f"{title(string(row.get('title')))} (deferred in beads)"
            ideas.append(OtherIdea(id, says, path))
        else:
            work[id] = row
    return OtherPlan(
        "beads",
        OtherVision(decisions=tuple(decided)),
        goals=tuple(_goals(path, work)),
        ideas=tuple(ideas),
        remarks=tuple(source.remarks),
    )


def _rows(source: PlanSource, path: str) -> Iterator[Row]:
    """A line is an issue; deleted ones and the tool's own are passed over."""
    ids = EntryIds(source, path, "id")
    for number, line in enumerate(source.text(path).split("\n"), 1):
        if not line.strip():
            continue
        row = source.json_text(line, path, number)
        if not isinstance(row, dict):
            source.remark(UNRESOLVED, "is no issue; it was not read", path, number)
            continue
        is_internal = string(row.get("issue_type")) in _INTERNAL
        is_deleted = string(row.get("status")) == "tombstone"
        if not is_internal and not is_deleted and ids.is_new(row, "an issue", number):
            yield row


def _clean(row: Row, name: str) -> str:
    return _MAIL.sub("(address)", string(row.get(name)))


def _parent(row: Row, work: dict[str, Row]) -> str:
    """By its link, else by its id: `a1b.2` is a child of `a1b`."""
    for link in rows(row.get("dependencies")):
        parent = string(link.get("depends_on_id"))
        if string(link.get("type")) == "parent-child" and parent in work:
            return parent
    above = string(row.get("id")).rpartition(".")[0]
    return above if above in work else ""


class IssueTree(Record):
    """Which epic each issue belongs to, and which epic inside that."""

    work: dict[str, Row]
    containers: frozenset[str]
    places: dict[str, tuple[str, str]]
    blocked: dict[str, list[str]]


def _goals(path: str, work: dict[str, Row]) -> Iterator[OtherGoal]:
    tree = _tree(work)
    own: dict[str, list[str]] = {}
    for id in sorted(work, key=lambda id: _order(work[id])):
        goal, _ = tree.places[id]
        of_goal = own.setdefault(goal, [])
        if id not in tree.containers:
            of_goal.append(id)
    orphans = own.pop("", [])
    for goal, ids in own.items():
        row = work[goal]
        name = title(string(row.get("title")))
        steps = tuple(_steps(path, tree, goal, ids))
        yield OtherGoal(goal, name, path, 0, _clean(row, "description"), steps)
    if orphans:
        steps = tuple(_steps(path, tree, "", orphans))
        yield OtherGoal("orphans", "Other issues", path, 0, "", steps, heap=True)


def _tree(work: dict[str, Row]) -> IssueTree:
    parents: dict[str, str] = {}
    epics: set[str] = set()
    for id, row in work.items():
        parents[id] = _parent(row, work)
        if string(row.get("issue_type")) in _EPICS:
            epics.add(id)
    containers = frozenset(epics)
    places = {id: _places(id, parents, containers) for id in work}
    blocked = {id: _blocked_by(id, parents, work) for id in work}
    return IssueTree(work, containers, places, blocked)


def _steps(path: str, tree: IssueTree, goal: str, ids: Sequence[str]) -> Iterator[OtherStep]:
    groups: dict[str, list[OtherTask]] = {}
    for id in ids:
        _, step = tree.places[id]
        of_step = groups.setdefault(step, [])
        of_step.append(_task(path, id, tree))
    for step, tasks in groups.items():
        row = tree.work.get(step, {})
        name = title(string(row.get("title"))) if row else "Issues"
        about = _clean(row, "description")
        yield OtherStep(f"step:{goal}/{step}", name, path, 0, about, tuple(tasks))


def _places(id: str, parents: dict[str, str], containers: frozenset[str]) -> tuple[str, str]:
    """The highest epic above an issue, and the one right below that."""
    way = [id]
    while parents.get(way[-1]) and parents[way[-1]] not in way:
        way.append(parents[way[-1]])
    epics = [one for one in way if one in containers]
    if not epics:
        return "", ""
    return epics[-1], epics[-2] if len(epics) > 1 else ""


def _blocked_by(id: str, parents: dict[str, str], work: dict[str, Row]) -> list[str]:
    """What blocks an issue blocks its children as well."""
    needs: list[str] = []
    told: set[str] = set()
    here = id
    while here and here not in told:
        told.add(here)
        for link in rows(work[here].get("dependencies")):
            if string(link.get("type")) in _BLOCKING:
                needs.append(string(link.get("depends_on_id")))
        here = parents.get(here, "")
    return needs


def _order(row: Row) -> tuple[int, str, str]:
    priority = row.get("priority")
    rank = priority if isinstance(priority, int) and not isinstance(priority, bool) else 2
    return rank, string(row.get("created_at")), string(row.get("id"))


def _task(path: str, id: str, tree: IssueTree) -> OtherTask:
    row = tree.work[id]
    pieces = [_clean(row, "description")]
    for name, label in (("design", "Design"), ("notes", "Notes")):
        if _clean(row, name):
            pieces.append(f"**{label}**\n\n{_clean(row, name)}")
    said = _clean(row, "acceptance_criteria")
    criteria = [Criterion(box.text, box.ticked) for box in boxes(said)]
    if not criteria:
        lines = listed(said) or ([item(said, most=2000)] if said else [])
        criteria = [Criterion(line) for line in lines]
    return OtherTask(
        key=id,
        name=title(string(row.get("title")) or id),
        path=path,
        line=0,
        text="\n\n".join(filter(None, pieces)) or string(row.get("title")),
        criteria=tuple(criteria),
        needs=tuple(dict.fromkeys(need for need in tree.blocked[id] if need in tree.work)),
        done=string(row.get("status")) == "closed",
    )
