"""Task Master: a tag is a goal, a task a step, a subtask a task; a task without subtasks is a step with one."""

from __future__ import annotations

import heapq
import json
import re
from typing import Any

from director_ctx.base.errors import DctxError
from director_ctx.other_plans.formats.markdown import (
    blocked_note,
    is_begun,
    joined,
    points,
    section_of,
    string,
    strings,
)
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
from director_ctx.upkeep.records.source import Edit, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.source import PlanSource

Row = dict[str, Any]

MARKERS = TASKS, OLD = ".taskmaster/tasks/tasks.json", "tasks/tasks.json"
_DOCS = ".taskmaster/docs"
_PRDS = (f"{_DOCS}/prd.md", f"{_DOCS}/prd.txt", "scripts/prd.txt")
_DONE = ("done", "completed")
_CANCELLED = ("cancelled", "canceled")
_KNOWN = ("pending", "in-progress", "review", "blocked", "deferred", "", *_DONE, *_CANCELLED)
_PRIORITIES = ("critical", "high", "medium", "low")
_TAG_LINE = re.compile(r"^[ \t]{0,8}</?(?:context|prd)>[ \t]{0,8}$", re.IGNORECASE | re.MULTILINE)
_STATUS = re.compile(r'(?<!\\)"status"\s*:\s*(?P<word>"(?:[^"\\]|\\.)*")')
"""In a string its quotes would have a backslash before them."""
_VISION = {
    "What It Does": ("overview", "product overview", "summary"),
    "Key Features": ("core features", "features", "key features"),
    "Tech Stack": ("technical architecture", "tech stack"),
}


def read(source: PlanSource) -> OtherPlan:
    path = TASKS if source.kind(TASKS) or not source.kind(OLD) else OLD
    plan = OtherPlan([])
    for tag, tasks in _tags(source.json(path)).items():
        plan.goals.append(_TagReader(source, path, tag, plan.ideas).goal(_rows(tasks)))
    for prd in _PRDS:
        text = source.text(prd)
        if text.strip():
            place = f"reference/prd.{prd.rpartition('.')[2]}"
            plan.documents.append(OtherDocument(place, text, prd))
            # The tool's own pattern has two parts between tags that are no part of what they say.
            bare = _TAG_LINE.sub("", text)
            sections = {name: section_of(bare, *titles) for name, titles in _VISION.items()}
            plan.vision = OtherVision("", sections)
            break
    for name in source.files(f"{_DOCS}/research"):
        origin = f"{_DOCS}/research/{name}"
        plan.documents.append(OtherDocument(f"research/{name}", source.text(origin), origin))
    return plan


def tick(source: PlanSource, task: OtherTask, text: Source, now: str) -> list[Edit]:
    """The one word of its status; the parent's, too, when it was the last subtask."""
    # Line ends stay as they are: each line is one of the file.
    whole = "\n".join(text.line(number) for number in range(1, len(text.lines) + 1))
    data = json.loads(whole)
    words = list(_STATUS.finditer(whole))
    holders = list(_with_status(data))
    edits: dict[int, Edit] = {}
    wanted = _rows_to_finish(data, task.key)
    for row in wanted:
        indexes = [index for index, holder in enumerate(holders) if holder is row]
        if not indexes or len(words) != len(holders):
            raise DctxError("It has no status in its file.", "Change it with the tool itself.")
        word = words[indexes[0]]
        number = whole.count("\n", 0, word.start()) + 1
        begin = whole.rfind("\n", 0, word.start("word")) + 1
        line = text.line(number)
        new = f'{line[: word.start("word") - begin]}"done"{line[word.end() - begin :]}'
        edits[number] = Edit(number, line, new)
    if len(edits) < len(wanted):
        raise DctxError("Its file is all on one line.", "Change it with the tool itself.")
    return list(edits.values())


def _with_status(value: Any) -> Iterator[Row]:
    """All that have a status in words, in the order in which these stand in the text."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "status" and isinstance(inner, str):
                yield value
            yield from _with_status(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _with_status(inner)


def _rows_to_finish(data: Any, key: str) -> list[Row]:
    tag, _, id = key.rpartition("/")
    for task in _rows(_tags(data).get(tag)):
        if _number(task) == id:
            return [task]
        rows = _rows(task.get("subtasks"))
        for row in rows:
            if f"{_number(task)}.{_number(row)}" == id:
                others_are_done = all(_status(each) in _DONE for each in rows if each is not row)
                ends = others_are_done and _status(task) not in _DONE
                return [row, task] if ends else [row]
    raise DctxError("It is not in the file any more.", "Look at it with the tool itself.")


def _tags(data: Any) -> dict[str, Any]:
    """The tasks of each tag. A very old file has no tags."""
    if not isinstance(data, dict):
        return {}
    if isinstance(data.get("tasks"), list):
        return {"master": data["tasks"]}
    inner = {str(tag): value.get("tasks") for tag, value in data.items() if isinstance(value, dict)}
    return {tag: tasks for tag, tasks in inner.items() if isinstance(tasks, list)}


def _rows(value: Any) -> list[Row]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _number(row: Row) -> str:
    """The tool makes text of its numbers whenever it writes, so they are compared as text."""
    return string(row.get("id"))


def _status(row: Row) -> str:
    return string(row.get("status")).casefold()


class _TagReader:
    def __init__(self, source: PlanSource, path: str, tag: str, ideas: list[OtherIdea]) -> None:
        self.source = source
        self.path = path
        self.tag = tag
        self.ideas = ideas
        self.by_number: dict[str, Row] = {}

    def goal(self, tasks: Sequence[Row]) -> OtherGoal:
        for count, task in enumerate(tasks, 1):
            id = _number(task)
            if id and id not in self.by_number:
                self.by_number[id] = task
                continue
            fault = f"has the id {item(id, most=40)} of an entry before it" if id else "has no id"
            name = title(string(task.get("title")))
            says = f"entry {count} of {self.tag} ({name}) {fault}; it was not read"
            self.source.remark(UNRESOLVED, says, self.path)
        name = self.tag.replace("-", " ").capitalize()
        return OtherGoal(
            key=f"tag:{self.tag}",
            name="Master plan" if self.tag == "master" else title(name),
            path=self.path,
            line=0,
            steps=[step for task in self._in_order() for step in self._step(task)],
            heap=True,
        )

    def _in_order(self) -> list[Row]:
        """By what needs what, then by priority and number; what waits in a circle comes last."""
        ranks: dict[str, tuple[int, list[int], str]] = {}
        waits_for: dict[str, set[str]] = {}
        behind: dict[str, list[str]] = {}
        for id, task in self.by_number.items():
            priority = string(task.get("priority")).casefold()
            if priority not in _PRIORITIES:
                priority = "medium"
            # Digits of other scripts are none here, and no number is that long.
            pieces = [int(piece) for piece in id.split(".") if re.fullmatch(r"[0-9]{1,9}", piece)]
            ranks[id] = (_PRIORITIES.index(priority), pieces, id)
            needs = strings(task.get("dependencies"))
            waits_for[id] = {need for need in needs if need in self.by_number}
            for need in waits_for[id]:
                behind.setdefault(need, []).append(id)

        free = [ranks[id] for id, waited in waits_for.items() if not waited]
        heapq.heapify(free)
        placed: list[str] = []
        while free:
            *_, id = heapq.heappop(free)
            placed.append(id)
            for other in behind.get(id, ()):
                waits_for[other].discard(id)
                if not waits_for[other]:
                    heapq.heappush(free, ranks[other])
        knotted = [id for id, waited in waits_for.items() if waited]
        return [self.by_number[id] for id in (*placed, *sorted(knotted, key=ranks.__getitem__))]

    def _step(self, task: Row) -> Iterator[OtherStep]:
        id = _number(task)
        name = title(string(task.get("title")) or f"Task {id}")
        about = string(task.get("description"))
        if _status(task) not in _KNOWN:
            says = f"task {id} has the status {_status(task)!r}; it counts as open"
            self.source.remark(UNRESOLVED, says, self.path)
        if not self._is_work(task, "task", id, name):
            return
        needs: list[str] = []
        for need in strings(task.get("dependencies")):
            # Another task is a step here; `3.1` is a subtask.
            is_subtask = "." in need and need not in self.by_number
            needs.append(f"{self.tag}/{need}" if is_subtask else f"task:{self.tag}/{need}")
        tasks = list(self._subtasks(task, needs))
        if _status(task) in _DONE and not all(inner.done for inner in tasks):
            says = f"task {id} is done, and subtasks of it are open; the tool counts the task, so they are left out"
            self.source.remark(DOUBT, says, self.path)
            for inner in tasks:
                inner.done = True
        rows = _rows(task.get("subtasks"))
        if rows:
            tests = string(task.get("testStrategy"))
            # What no subtask is tested by is told with the step.
            if tests and all(string(row.get("testStrategy")) for row in rows):
                tests = f"**How it is tested**\n\n{tests}"
            else:
                tests = ""
            about = joined(about, string(task.get("details")), tests)
        if not tasks:
            tasks = [self._task(task, task, id, needs)]
        yield OtherStep(f"task:{self.tag}/{id}", name, self.path, 0, about, tasks, needs)

    def _subtasks(self, task: Row, needs: Sequence[str]) -> Iterator[OtherTask]:
        id = _number(task)
        rows = _rows(task.get("subtasks"))
        siblings = {_number(row) for row in rows}
        for row in rows:
            own = f"{id}.{_number(row)}"
            name = title(string(row.get("title")) or f"Subtask {own}")
            if not self._is_work(row, "subtask", own, name):
                continue
            inner: list[str] = []
            for need in strings(row.get("dependencies")):
                # A plain number is a sibling; `3.1` says whose.
                full = f"{id}.{need}" if need in siblings else need
                inner.append(f"{self.tag}/{full}" if "." in full else f"task:{self.tag}/{full}")
            yield self._task(row, task, own, [*inner, *needs])

    def _is_work(self, row: Row, kind: str, id: str, name: str) -> bool:
        """Not if it is cancelled or deferred, which is told."""
        status = _status(row)
        if status == "blocked":
            says = "is blocked, and nothing says by what; it waits for what it needs, and for nothing else"
            self.source.remark(DOUBT, f"{kind} {id} ({name}) {says}", self.path)
        if status in _CANCELLED:
            self.source.remark(DROPPED, f"{kind} {id} ({name}) is cancelled", self.path)
        if status == "deferred":
            says = f"{name} (a deferred {kind} of Task Master)"
            if kind == "task":
                says += f": {item(string(row.get('description')))}"
            self.ideas.append(OtherIdea(f"{self.tag}/{id}", says, self.path))
        return status not in (*_CANCELLED, "deferred")

    def _task(self, row: Row, parent: Row, id: str, needs: Sequence[str]) -> OtherTask:
        key = f"{self.tag}/{id}"
        blocked = blocked_note("Task Master") if _status(row) == "blocked" else ""
        tests = string(row.get("testStrategy")) or string(parent.get("testStrategy"))
        checks = [*points(string(row.get("acceptanceCriteria"))), *points(tests)]
        # Its complexity is a number from 1 to 10.
        score = row.get("complexity")
        size = ""
        if isinstance(score, int | float) and not isinstance(score, bool):
            size = "small" if score <= 3 else "medium" if score <= 6 else "large"
        return OtherTask(
            key=key,
            name=title(string(row.get("title")) or key),
            path=self.path,
            line=0,
            text=joined(blocked, string(row.get("description")), string(row.get("details"))),
            why="" if row is parent else string(parent.get("description")),
            size=size,
            criteria=list(map(Criterion, checks)),
            needs=needs,
            done=_status(row) in _DONE,
            begun=is_begun(_status(row)),
            id=id,
        )
