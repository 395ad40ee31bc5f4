"""Issues of GitHub, as `gh issue list --json` writes them into a file: a milestone is a goal, a parent a step, an issue
a task.
"""

from __future__ import annotations

import re

from director_ctx.other_plans.formats.entries import told_apart
from director_ctx.other_plans.formats.parts import boxes, is_number, section_of, string
from director_ctx.other_plans.formats.task_master import rows
from director_ctx.other_plans.model import (
    DROPPED,
    UNRESOLVED,
    Criterion,
    OtherGoal,
    OtherPlan,
    OtherStep,
    OtherTask,
)
from director_ctx.other_plans.wording import item, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.other_plans.source import PlanSource

    Row = dict[str, Any]

MARKERS = ("issues.json",)
_NEEDS = re.compile(
    r"\b(?:depends on|blocked by|requires|needs):?((?:[\s,]{0,4}(?:and )?#\d{1,9}){1,30})",
    re.IGNORECASE,
)
_OPTIONS = "--state all --limit 1000 --json number,title,body,state,stateReason,milestone"
_PART_OF = re.compile(r"\b(?:part of|parent:?)\s{1,4}#(\d{1,9})", re.IGNORECASE)
_ISSUE = re.compile(r"#(\d{1,9})")
_ONLY_ISSUE = re.compile(r"#(\d{1,9})\s*(?:\(.*\))?")


def read(source: PlanSource) -> OtherPlan:
    path = source.file or MARKERS[0]
    data = source.json(path)
    issues: dict[str, Row] = {}
    for row in told_apart(source, path, rows(data), "number"):
        number = string(row.get("number"))
        if is_number(number):
            issues[number] = row
        else:
            source.remark(UNRESOLVED, f"{item(number, most=40)} is no number of an issue", path)
    if not issues:
        says = f"has no issues; write it with `gh issue list {_OPTIONS}`"
        source.remark(UNRESOLVED, says, path)
    if len(issues) == 30:
        source.remark(
            UNRESOLVED, "has 30 issues, as many as `gh` gives unless --limit says more", path
        )
    parents = _parents(issues)
    goals: list[OtherGoal] = []
    for milestone in dict.fromkeys(_milestone(row) for row in _in_order(issues)):
        own = [number for number, row in issues.items() if _milestone(row) == milestone]
        steps = [*_steps(source, path, issues, parents, sorted(own, key=int), milestone)]
        name = milestone or "Issues"
        goals.append(
            OtherGoal(f"milestone:{milestone}", title(name), path, 0, "", tuple(steps), heap=True)
        )
    return OtherPlan("github", goals=tuple(goals), remarks=tuple(source.remarks))


def _in_order(issues: dict[str, Row]) -> list[Row]:
    return [issues[number] for number in sorted(issues, key=int)]


def _milestone(row: Row) -> str:
    milestone = row.get("milestone")
    return string(milestone.get("title")) if isinstance(milestone, dict) else ""


def _body(row: Row) -> str:
    return string(row.get("body")).replace("\r\n", "\n")


def _parents(issues: dict[str, Row]) -> dict[str, str]:
    """By GitHub's own field, by a list of boxes with nothing but numbers, or by `Part of #5`."""
    parents: dict[str, str] = {}
    for number, row in issues.items():
        for child, parent in _links(number, row):
            are_issues = child in issues and parent in issues
            if are_issues and child != parent:
                parents.setdefault(child, parent)

    # Of a parent that has one itself only the highest is a step.
    return {number: _highest(number, parents) for number in parents}


def _links(number: str, row: Row) -> Iterator[tuple[str, str]]:
    parent = row.get("parent")
    if isinstance(parent, dict):
        yield number, string(parent.get("number"))
    for box in boxes(_body(row)):
        match = _ONLY_ISSUE.fullmatch(box.text)
        if match:
            yield match[1], number
    said = _PART_OF.search(_body(row))
    if said:
        yield number, said[1]


def _highest(number: str, parents: dict[str, str]) -> str:
    told = {number}
    while number in parents and parents[number] not in told:
        number = parents[number]
        told.add(number)
    return number


def _steps(  # noqa: PLR0913, PLR0917
    source: PlanSource,
    path: str,
    issues: dict[str, Row],
    parents: dict[str, str],
    own: Sequence[str],
    milestone: str,
) -> Iterator[OtherStep]:
    heads = set(parents.values())
    groups: dict[str, list[OtherTask]] = {}
    for number in own:
        row = issues[number]
        if string(row.get("stateReason")).casefold() in ("not_planned", "duplicate"):
            source.remark(
                DROPPED,
                f"#{number} ({title(string(row.get('title')))}) is closed as not planned",
                path,
            )
            continue
        head = parents.get(number, "")
        if number in heads:
            continue
        groups.setdefault(head, []).append(_task(path, number, row, issues, heads))
    for head, tasks in groups.items():
        if not head:
            yield OtherStep(f"step:{milestone}", "Issues", path, 0, "", tuple(tasks))
            continue
        row = issues[head]
        yield OtherStep(
            f"step:#{head}", title(string(row.get("title"))), path, 0, _body(row), tuple(tasks)
        )


def _task(path: str, number: str, row: Row, issues: dict[str, Row], heads: set[str]) -> OtherTask:
    body = _body(row)
    needs: list[str] = []
    for said in _NEEDS.finditer(body):
        needs += _ISSUE.findall(said[1])
    for blocked in rows(row.get("blockedBy")):
        needs.append(string(blocked.get("number")))
    criteria: list[Criterion] = []
    for box in boxes(
        section_of(body, "acceptance criteria", "definition of done", "done when") or body
    ):
        criteria.append(Criterion(box.text, box.ticked))
    keys = tuple(f"step:#{need}" if need in heads else f"#{need}" for need in needs)
    # What is closed and not in the file cannot be told from what never was.
    return OtherTask(
        key=f"#{number}",
        name=title(string(row.get("title")) or f"Issue {number}"),
        path=path,
        line=0,
        text=body or string(row.get("title")),
        criteria=tuple(criteria),
        needs=keys,
        done=string(row.get("state")).casefold() == "closed",
        id=f"#{number}",
    )
