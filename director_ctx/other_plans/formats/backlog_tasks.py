"""Backlog.md's tasks: the files of `tasks/` and `completed/`."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.backlog_body import criteria, sections_of, told
from director_ctx.other_plans.formats.parts import (
    blocked_note,
    front_matter,
    joined,
    string,
    strings,
)
from director_ctx.other_plans.model import DOUBT, DROPPED, UNRESOLVED, Criterion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.source import PlanSource

_ID = re.compile(r"(?:(?P<prefix>[A-Za-z]\w{0,40})-)?(?P<number>\d{1,6}(?:\.\d{1,6}){0,5})")
_POINTERS = (
    ("references", "See"),
    ("documentation", "Documents"),
    ("modified_files", "Files"),
)
_BLOCKED = "blocked"
_WITHOUT = ("skipped", "won't do", "wont do", "cancelled", "canceled", "archived")


class BacklogTask(Record):
    """A file of `tasks/`."""

    number: str
    prefix: str
    path: str
    title: str
    status: str
    parent: str
    milestone: str
    needs: tuple[str, ...]
    ordinal: float
    text: str
    criteria: tuple[Criterion, ...]
    final: bool
    pointers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What it names outside of its text: a label, and files, documents or addresses."""


def number_of(id: str) -> str:
    """Prefixes change and old ones stay in dependencies, so only numbers are compared."""
    match = _ID.fullmatch(id.strip())
    return match["number"] if match else ""


def prefix_of(id: str) -> str:
    match = _ID.fullmatch(id.strip())
    return (match["prefix"] or "").casefold() if match else ""


def number_in_name(name: str) -> str:
    return number_of(name.partition(" ")[0].removesuffix(".md"))


def tasks_in(source: PlanSource, folder: str, statuses: Sequence[str]) -> Iterator[BacklogTask]:
    for name in source.files(folder):
        task = read_task(source, f"{folder}/{name}", statuses)
        if task is None:
            continue
        _say_status(source, task, statuses)
        yield task


def read_task(source: PlanSource, path: str, statuses: Sequence[str]) -> BacklogTask | None:
    """The task in a file; none where it has no id, or nobody will do it, which is told."""
    head, body = front_matter(source, path)
    number = number_of(string(head.get("id")))
    if not number:
        source.remark(UNRESOLVED, "has no id that can be read; it was not taken", path)
        return None
    status = string(head.get("status"))
    if status.casefold() in _WITHOUT:
        source.remark(DROPPED, f"has the status {status!r}", path)
        return None

    name = path.rpartition("/")[2].removesuffix(".md")
    called = string(head.get("title")) or name
    sections = sections_of(body, called)
    blocked = blocked_note("Backlog.md") if status.casefold() == _BLOCKED else ""
    ordinal = head.get("ordinal")
    return BacklogTask(
        number=number,
        prefix=prefix_of(string(head.get("id"))),
        path=path,
        title=called,
        status=status,
        parent=number_of(string(head.get("parent_task_id"))),
        milestone=string(head.get("milestone")),
        needs=tuple(strings(head.get("dependencies"))),
        ordinal=float(ordinal) if isinstance(ordinal, int | float) else 1e12,
        text=joined(blocked, told(sections)),
        criteria=tuple(criteria(sections)),
        final=status.casefold() in (statuses[-1].casefold(), "done", "completed"),
        pointers=tuple(_pointers(head)),
    )


def _say_status(source: PlanSource, task: BacklogTask, statuses: Sequence[str]) -> None:
    known = {status.casefold() for status in statuses}
    status = task.status.casefold()
    if status not in known and not task.final:
        says = f"has the status {task.status!r}, which the configuration does not know; it counts as open"
        source.remark(UNRESOLVED, says, task.path)
    if status == _BLOCKED:
        says = "is blocked, and waits for what it depends on and for nothing else"
        source.remark(DOUBT, says, task.path)


def _pointers(head: dict[str, object]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for field, label in _POINTERS:
        named = strings(head.get(field))
        if named:
            yield label, tuple(named)
