"""beads: an epic is a goal, an epic inside it a step, an issue a task; orphans have a goal of their own."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.entries import EntryIds
from director_ctx.other_plans.formats.parts import blocked_note, boxes, is_begun, joined, string
from director_ctx.other_plans.formats.points import points
from director_ctx.other_plans.formats.task_master import rows
from director_ctx.other_plans.model import (
    DOUBT,
    UNRESOLVED,
    Criterion,
    OtherGoal,
    OtherIdea,
    OtherPlan,
    OtherStep,
    OtherTask,
    OtherVision,
)
from director_ctx.other_plans.wording import title

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
            if string(row.get("status")) == "blocked" and not _is_linked(row):
                says = f"{id} is blocked, and no link says by what; it can start"
                source.remark(DOUBT, says, path)
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


def _is_linked(row: Row) -> bool:
    """Whether a link says what it waits for."""
    return any(string(link.get("type")) in _BLOCKING for link in rows(row.get("dependencies")))


def _clean(row: Row, name: str) -> str:
    return _MAIL.sub("(address)", string(row.get(name)))


def _parent(row: Row, work: dict[str, Row]) -> str:
    """By its link, else by its id: `a1b.2` is a child of `a1b`."""
    for link in rows(row.get("dependencies")):
        kind = string(link.get("type"))
        parent = string(link.get("depends_on_id"))
        if kind == "parent-child" and parent in work:
            return parent

    above, _, _ = string(row.get("id")).rpartition(".")
    return above if above in work else ""


class IssueTree(Record):
    """Which epic each issue belongs to, and which epic inside that."""

    work: dict[str, Row]
    containers: frozenset[str]
    places: dict[str, tuple[str, str]]
    blocked: dict[str, list[str]]


def _goals(path: str, work: dict[str, Row]) -> Iterator[OtherGoal]:
    tree = _tree(work)
    by_goal: dict[str, list[str]] = {}
    for id in sorted(work, key=lambda id: _order(work[id])):
        goal, _ = tree.places[id]
        issues = by_goal.setdefault(goal, [])
        if id not in tree.containers:
            issues.append(id)

    orphans = by_goal.pop("", [])
    for goal, issues in by_goal.items():
        epic = work[goal]
        name = title(string(epic.get("title")))
        about = _clean(epic, "description")
        steps = _steps(path, tree, goal, issues)
        yield OtherGoal(goal, name, path, 0, about, tuple(steps))

    if orphans:
        steps = _steps(path, tree, "", orphans)
        yield OtherGoal("orphans", "Other issues", path, 0, "", tuple(steps), heap=True)


def _tree(work: dict[str, Row]) -> IssueTree:
    parents: dict[str, str] = {}
    epics: set[str] = set()
    for id, row in work.items():
        parents[id] = _parent(row, work)
        kind = string(row.get("issue_type"))
        if kind in _EPICS:
            epics.add(id)

    containers = frozenset(epics)
    places: dict[str, tuple[str, str]] = {}
    blocked: dict[str, list[str]] = {}
    for id in work:
        places[id] = _places(id, parents, containers)
        blocked[id] = _blocked_by(id, parents, work)
    return IssueTree(work, containers, places, blocked)


def _steps(path: str, tree: IssueTree, goal: str, ids: Sequence[str]) -> Iterator[OtherStep]:
    by_step: dict[str, list[OtherTask]] = {}
    for id in ids:
        _, step = tree.places[id]
        tasks = by_step.setdefault(step, [])
        tasks.append(_task(path, id, tree))

    for step, tasks in by_step.items():
        name = "Issues"
        about = ""
        epic = tree.work.get(step)
        if epic:
            name = title(string(epic.get("title")))
            about = _clean(epic, "description")
        yield OtherStep(f"step:{goal}/{step}", name, path, 0, about, tuple(tasks))


def _places(id: str, parents: dict[str, str], containers: frozenset[str]) -> tuple[str, str]:
    """The highest epic above an issue, and the one right below that."""
    way = [id]
    above = parents.get(id)
    while above and above not in way:
        way.append(above)
        above = parents.get(above)

    epics = [issue for issue in way if issue in containers]
    goal = epics[-1] if epics else ""
    step = epics[-2] if len(epics) > 1 else ""
    return goal, step


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
    rank = 2
    priority = row.get("priority")
    # In Python a bool is an int as well.
    if isinstance(priority, int) and not isinstance(priority, bool):
        rank = priority
    created = string(row.get("created_at"))
    return rank, created, string(row.get("id"))


def _task(path: str, id: str, tree: IssueTree) -> OtherTask:
    row = tree.work[id]
    name = string(row.get("title"))
    pieces = [_clean(row, "description")]
    if string(row.get("status")) == "blocked" and not _is_linked(row):
        pieces.insert(0, blocked_note("beads"))
    for field, label in (("design", "Design"), ("notes", "Notes")):
        says = _clean(row, field)
        if says:
            pieces.append(f"**{label}**\n\n{says}")

    needs = [need for need in tree.blocked[id] if need in tree.work]
    return OtherTask(
        key=id,
        name=title(name or id),
        path=path,
        line=0,
        text=joined(*pieces) or name,
        criteria=tuple(_criteria(row)),
        needs=tuple(dict.fromkeys(needs)),
        done=string(row.get("status")) == "closed",
        begun=is_begun(string(row.get("status"))),
        id=id,
    )


def _criteria(row: Row) -> list[Criterion]:
    """Its boxes; without any what it says in words."""
    said = _clean(row, "acceptance_criteria")
    ticked = [Criterion(box.text, box.ticked) for box in boxes(said)]
    return ticked or [Criterion(point) for point in points(said)]
