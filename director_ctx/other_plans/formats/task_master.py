"""Task Master: a tag is a goal, a task a step, a subtask a task; a task without subtasks is a step with one."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import (
    blocked_note,
    is_begun,
    is_number,
    joined,
    section_of,
    string,
    strings,
)
from director_ctx.other_plans.formats.points import points
from director_ctx.other_plans.model import (
    DOUBT,
    DROPPED,
    UNRESOLVED,
    Criterion,
    OtherDocument,
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

TOP = ".taskmaster"
TASKS = f"{TOP}/tasks/tasks.json"
OLD = "tasks/tasks.json"
MARKERS = (TASKS, OLD)
DONE = ("done", "completed")
_CANCELLED = ("cancelled", "canceled")
_KNOWN = ("pending", "in-progress", "review", "blocked", "deferred", "", *DONE, *_CANCELLED)
_PRIORITIES = ("critical", "high", "medium", "low")
_TAG_LINE = re.compile(r"^[ \t]{0,8}</?(?:context|prd)>[ \t]{0,8}$", re.IGNORECASE | re.MULTILINE)
_PRDS = (f"{TOP}/docs/prd.md", f"{TOP}/docs/prd.txt", "scripts/prd.txt")


class ReadTag(Record):
    """A tag while it is read."""

    source: PlanSource
    path: str
    name: str
    by_number: dict[str, Row]
    ideas: list[OtherIdea]


def read(source: PlanSource) -> OtherPlan:
    path = tasks_path(source)
    ideas: list[OtherIdea] = []
    goals: list[OtherGoal] = []
    for tag, tasks in tags_of(source.json(path)):
        goals.append(_goal(source, path, tag, tasks, ideas))
    prd = next((place for place in _PRDS if source.text(place).strip()), "")
    return OtherPlan(
        "task-master",
        _vision(source.text(prd)) if prd else OtherVision(),
        goals=tuple(goals),
        ideas=tuple(ideas),
        documents=tuple(_documents(source, prd)),
        remarks=tuple(source.remarks),
    )


def tasks_path(source: PlanSource) -> str:
    if source.kind(TASKS) or not source.kind(OLD):
        return TASKS
    return OLD


def tags_of(data: Any) -> Iterator[tuple[str, list[Row]]]:
    """Each tag with its tasks. A very old file has no tags."""
    if not isinstance(data, dict):
        return
    if isinstance(data.get("tasks"), list):
        yield "master", rows(data["tasks"])
        return
    for tag, inner in data.items():
        if isinstance(inner, dict) and isinstance(inner.get("tasks"), list):
            yield str(tag), rows(inner["tasks"])


def rows(value: Any) -> list[Row]:
    if not isinstance(value, list):
        return []
    return [row for row in value if isinstance(row, dict)]


def number(row: Row) -> str:
    """The tool makes text of its numbers whenever it writes, so they are compared as text."""
    return string(row.get("id"))


def is_done(row: Row) -> bool:
    return string(row.get("status")).casefold() in DONE


def _goal(
    source: PlanSource, path: str, tag: str, tasks: Sequence[Row], ideas: list[OtherIdea]
) -> OtherGoal:
    by_number: dict[str, Row] = {}
    for task in _told_apart(source, path, tasks, tag):
        by_number[number(task)] = task

    reading = ReadTag(source, path, tag, by_number, ideas)
    steps: list[OtherStep] = []
    for task in _in_order(by_number):
        step = _step(reading, task)
        if step:
            steps.append(step)

    name = "Master plan"
    if tag != "master":
        name = tag.replace("-", " ").capitalize()
    return OtherGoal(f"tag:{tag}", title(name), path, 0, "", tuple(steps), heap=True)


def _told_apart(source: PlanSource, path: str, tasks: Sequence[Row], tag: str) -> Iterator[Row]:
    """Those with an id of their own; the others are told of and left out."""
    met: set[str] = set()
    for count, task in enumerate(tasks, 1):
        id = number(task)
        fault = ""
        if not id:
            fault = "has no id"
        elif id in met:
            fault = f"has the id {item(id, most=40)} of an entry before it"
        met.add(id)
        if not fault:
            yield task
            continue
        says = (
            f"entry {count} of {tag} ({title(string(task.get('title')))}) {fault}; it was not read"
        )
        source.remark(UNRESOLVED, says, path)


def _in_order(by_number: dict[str, Row]) -> list[Row]:
    """By what needs what, then by priority and number; what waits in a circle comes last."""
    import heapq

    waits_for: dict[str, set[str]] = {}
    for id, task in by_number.items():
        needs = strings(task.get("dependencies"))
        waits_for[id] = {need for need in needs if need in by_number}

    behind = _behind(waits_for)
    ranks = {id: (*_rank(task), id) for id, task in by_number.items()}
    free = [ranks[id] for id, needs in waits_for.items() if not needs]
    heapq.heapify(free)
    placed: list[str] = []
    while free:
        *_, id = heapq.heappop(free)
        placed.append(id)
        for other in behind.get(id, ()):
            waits_for[other].discard(id)
            if not waits_for[other]:
                heapq.heappush(free, ranks[other])

    knotted = [id for id, needs in waits_for.items() if needs]
    knotted.sort(key=lambda id: ranks[id])
    return [by_number[id] for id in (*placed, *knotted)]


def _behind(waits_for: dict[str, set[str]]) -> dict[str, list[str]]:
    """For each task those that wait for it."""
    behind: dict[str, list[str]] = {}
    for id, needs in waits_for.items():
        for need in needs:
            waiting = behind.setdefault(need, [])
            waiting.append(id)
    return behind


def _rank(task: Row) -> tuple[int, tuple[int, ...]]:
    rank = _PRIORITIES.index("medium")
    priority = string(task.get("priority")).casefold()
    if priority in _PRIORITIES:
        rank = _PRIORITIES.index(priority)
    return rank, _digits(number(task))


def _digits(text: str) -> tuple[int, ...]:
    return tuple(int(piece) for piece in text.split(".") if is_number(piece))


def _step(reading: ReadTag, task: Row) -> OtherStep | None:
    source = reading.source
    path = reading.path
    tag = reading.name
    id = number(task)
    name = title(string(task.get("title")) or f"Task {id}")
    status = string(task.get("status")).casefold()
    if status not in _KNOWN:
        source.remark(UNRESOLVED, f"task {id} has the status {status!r}; it counts as open", path)
    _remark_blocked(reading, f"task {id} ({name})", status)
    if status in _CANCELLED:
        source.remark(DROPPED, f"task {id} ({name}) is cancelled", path)
        return None
    if status == "deferred":
        says = f"{name} (a deferred task of Task Master): {item(string(task.get('description')))}"
        reading.ideas.append(OtherIdea(f"{tag}/{id}", says, path))
        return None
    needs = tuple(_need(tag, each, reading.by_number) for each in strings(task.get("dependencies")))
    tasks = [*_subtasks(reading, task, needs)]
    if is_done(task) and any(not inner.done for inner in tasks):
        says = f"task {id} is done, and subtasks of it are open; the tool counts the task, so they are left out"
        source.remark(DOUBT, says, path)
        tasks = [inner.replace(done=True) for inner in tasks]
    if not tasks:
        tasks = [_task(path, f"{tag}/{id}", task, task, needs)]
    about = string(task.get("description"))
    if rows(task.get("subtasks")):
        about = joined(about, string(task.get("details")), _own_strategy(task))
    return OtherStep(f"task:{tag}/{id}", name, path, 0, about, tuple(tasks), needs)


def _remark_blocked(reading: ReadTag, called: str, status: str) -> None:
    if status == "blocked":
        says = f"{called} is blocked, and nothing says by what; it waits for what it needs, and for nothing else"
        reading.source.remark(DOUBT, says, reading.path)


def _subtasks(reading: ReadTag, task: Row, needs: tuple[str, ...]) -> Iterator[OtherTask]:
    source = reading.source
    path = reading.path
    tag = reading.name
    id = number(task)
    siblings = {number(row) for row in rows(task.get("subtasks"))}
    for row in rows(task.get("subtasks")):
        status = string(row.get("status")).casefold()
        own = f"{id}.{number(row)}"
        name = title(string(row.get("title")) or f"Subtask {own}")
        _remark_blocked(reading, f"subtask {own} ({name})", status)
        if status in _CANCELLED:
            source.remark(DROPPED, f"subtask {own} ({name}) is cancelled", path)
            continue
        if status == "deferred":
            says = f"{name} (a deferred subtask of Task Master)"
            reading.ideas.append(OtherIdea(f"{tag}/{own}", says, path))
            continue
        inner: list[str] = []
        for need in strings(row.get("dependencies")):
            # A plain number is a sibling; `3.1` says whose.
            full = f"{id}.{need}" if need in siblings else need
            inner.append(f"{tag}/{full}" if "." in full else f"task:{tag}/{full}")
        yield _task(path, f"{tag}/{own}", row, task, (*inner, *needs))


def _own_strategy(task: Row) -> str:
    """How the whole is tested, where no subtask is tested by it."""
    says = string(task.get("testStrategy"))
    is_told = any(not string(row.get("testStrategy")) for row in rows(task.get("subtasks")))
    return f"**How it is tested**\n\n{says}" if says and not is_told else ""


def _need(tag: str, id: str, by_number: dict[str, Row]) -> str:
    """Another task is a step here; `3.1` is a subtask."""
    if "." in id and id not in by_number:
        return f"{tag}/{id}"
    return f"task:{tag}/{id}"


def _task(path: str, key: str, row: Row, parent: Row, needs: tuple[str, ...]) -> OtherTask:
    name = string(row.get("title")) or key
    description = string(row.get("description"))
    details = string(row.get("details"))
    blocked = ""
    if string(row.get("status")).casefold() == "blocked":
        blocked = blocked_note("Task Master")
    why = ""
    if row is not parent:
        why = string(parent.get("description"))
    return OtherTask(
        key=key,
        name=title(name),
        path=path,
        line=0,
        text=joined(blocked, description, details),
        why=why,
        size=_size(row),
        criteria=tuple(_criteria(row, parent)),
        needs=needs,
        done=is_done(row),
        begun=is_begun(string(row.get("status"))),
        id=key.partition("/")[2],
    )


def _criteria(row: Row, parent: Row) -> Iterator[Criterion]:
    tests = string(row.get("testStrategy")) or string(parent.get("testStrategy"))
    for text in (string(row.get("acceptanceCriteria")), tests):
        for point in points(text):
            yield Criterion(point)


def _size(row: Row) -> str:
    """Its complexity is a number from 1 to 10."""
    score = row.get("complexity")
    if isinstance(score, bool) or not isinstance(score, int | float):
        return ""
    if score <= 3:
        return "small"
    return "medium" if score <= 6 else "large"


def _documents(source: PlanSource, prd: str) -> Iterator[OtherDocument]:
    if prd:
        ending = prd.rpartition(".")[2]
        yield OtherDocument(f"reference/prd.{ending}", source.text(prd), prd)
    folder = f"{TOP}/docs/research"
    for name in source.files(folder):
        yield OtherDocument(f"research/{name}", source.text(f"{folder}/{name}"), f"{folder}/{name}")


def _vision(prd: str) -> OtherVision:
    """The tool's own pattern has two parts between tags that are no part of what they say."""
    prd = _TAG_LINE.sub("", prd)
    sections = (
        ("What It Does", section_of(prd, "overview", "product overview", "summary")),
        ("Key Features", section_of(prd, "core features", "features", "key features")),
        ("Tech Stack", section_of(prd, "technical architecture", "tech stack")),
    )
    return OtherVision("", sections)
