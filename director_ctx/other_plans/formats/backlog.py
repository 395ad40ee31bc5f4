"""Backlog.md: a milestone is a goal, a parent task a step, a task a task."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from director_ctx.base.errors import DctxError
from director_ctx.other_plans.formats.markdown import (
    blocked_note,
    boxes,
    is_begun,
    is_titled,
    joined,
    paragraphs,
    parts,
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
from director_ctx.project.reading.markdown import headings, without_comments
from director_ctx.upkeep.records.source import Edit, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.other_plans.source import PlanSource

CONFIG = "backlog.config.yml"
MARKERS = ("backlog/config.yml", ".backlog/config.yml", CONFIG)
_ID = re.compile(r"(?:(?P<prefix>[A-Za-z]\w{0,40})-)?(?P<number>\d{1,6}(?:\.\d{1,6}){0,5})")
_POINTERS = {"references": "See", "documentation": "Documents", "modified_files": "Files"}
_WITHOUT = ("skipped", "won't do", "wont do", "cancelled", "canceled", "archived")
_MARK = re.compile(r"<!--\s{0,4}(?P<name>[A-Z][A-Z_:]{0,60}):(?P<end>BEGIN|END)\s{0,4}-->")
_LABELS = {
    "description": "",
    "implementation plan": "Plan",
    "implementation notes": "Notes",
    "comments": "Comments",
    "final summary": "Summary",
}
_CRITERIA = ("acceptance criteria", "definition of done")


@dataclass
class Ticket:
    """A file of `tasks/` or `completed/`."""

    task: OtherTask
    prefix: str
    status: str
    parent: str
    milestone: str
    order: tuple[float, list[int]]

    @property
    def number(self) -> str:
        return self.task.key


def read(source: PlanSource) -> OtherPlan:
    top, config = _folder_and_config(source)
    statuses = strings(config.get("statuses")) or ["To Do", "In Progress", "Done"]
    ideas = list(_drafts(source, top))
    tickets: dict[str, Ticket] = {}
    for ticket in [*_active(source, top, statuses), *_put_away(source, top, statuses)]:
        first = tickets.setdefault(ticket.number, ticket)
        if first is not ticket:
            says = f"has the id {ticket.number} of {first.task.path}; it was not read"
            source.remark(UNRESOLVED, says, ticket.task.path)
    prefixes = {"", "task", string(config.get("task_prefix")).casefold()}
    prefixes.update(ticket.prefix.casefold() for ticket in tickets.values())
    for ticket in tickets.values():
        # `epic-11.2` is no task, whatever number it has.
        needs = [(need, *_id(need)) for need in ticket.task.needs]
        ticket.task.needs = [
            number if prefix.casefold() in prefixes else need for need, prefix, number in needs
        ]
    goals = [*_goals(source, top, tickets), *_completed(source, top, tickets)]
    if not any(ticket.milestone for ticket in tickets.values()) and len(tickets) > 20:
        says = "has no milestones, so all of it is one goal"
        source.remark(UNRESOLVED, says, f"{top}/tasks")
    name = string(config.get("project_name"))
    vision = OtherVision(name, decisions=list(_decisions(source, top)))
    return OtherPlan(goals, vision, ideas, list(_documents(source, top)))


def tick(source: PlanSource, task: OtherTask, text: Source, now: str) -> list[Edit]:
    """The two lines that its own program changes."""
    _, config = _folder_and_config(source)
    final = [*(strings(config.get("statuses")) or ["Done"])][-1]
    value = final if re.fullmatch(r"[\w ]+", final) else json.dumps(final)
    updated = f"updated_date: '{now}'"
    lines: dict[str, int] = {}
    for number in range(2, len(text.lines) + 1):
        field, _, _ = text.line(number).partition(":")
        if field.startswith("---"):
            break
        lines[field] = number
    if "status" not in lines:
        raise DctxError("Its file has no status that can be changed.", "Change it by hand.")
    edits = [Edit(lines["status"], text.line(lines["status"]), f"status: {value}")]
    if "updated_date" in lines:
        edits.append(Edit(lines["updated_date"], text.line(lines["updated_date"]), updated))
    elif "created_date" in lines:
        edits.append(Edit(lines["created_date"], None, updated))
    return edits


def _folder_and_config(source: PlanSource) -> tuple[str, dict[str, Any]]:
    config = source.yaml(CONFIG)
    named = string(config.get("backlog_directory")).strip("/")
    for top in (named, "backlog", ".backlog"):
        if top and source.kind(top) and source.kind(f"{top}/tasks"):
            break
    else:
        top = "backlog"
    return top, config or source.yaml(f"{top}/config.yml")


# --- Tasks ---


def _active(source: PlanSource, top: str, statuses: Sequence[str]) -> Iterator[Ticket]:
    known = {status.casefold() for status in statuses}
    for name in source.files(f"{top}/tasks"):
        path = f"{top}/tasks/{name}"
        ticket = _ticket(source, top, path, statuses)
        if ticket is None:
            continue
        status = ticket.status.casefold()
        if status not in known and not ticket.task.done:
            says = f"has the status {ticket.status!r}, which the configuration does not know; it counts as open"
            source.remark(UNRESOLVED, says, path)
        if status == "blocked":
            says = "is blocked, and waits for what it depends on and for nothing else"
            source.remark(DOUBT, says, path)
        yield ticket


def _put_away(source: PlanSource, top: str, statuses: Sequence[str]) -> Iterator[Ticket]:
    """What the tool has moved to `completed/`: that is done, and wanted where it was taken over before."""
    for name in source.files(f"{top}/completed"):
        if source.with_done or _number_in_name(name) in source.followed:
            ticket = _ticket(source, top, f"{top}/completed/{name}", statuses)
            if ticket:
                ticket.task.done = True
                yield ticket


def _ticket(source: PlanSource, top: str, path: str, statuses: Sequence[str]) -> Ticket | None:
    """The task in a file; none where it has no id, or nobody will do it, which is told."""
    head, body = source.front_matter(path)
    prefix, number = _id(string(head.get("id")))
    if not number:
        source.remark(UNRESOLVED, "has no id that can be read; it was not taken", path)
        return None
    said = string(head.get("status"))
    status = said.casefold()
    if status in _WITHOUT:
        source.remark(DROPPED, f"has the status {said!r}", path)
        return None
    name = string(head.get("title")) or path.rpartition("/")[2].removesuffix(".md")
    sections = _sections(body, name)
    blocked = blocked_note("Backlog.md") if status == "blocked" else ""
    documents = {name.partition(" ")[0]: _place(name) for name in source.files(f"{top}/docs")}
    pointers: list[str] = []
    for field, label in _POINTERS.items():
        named = [f"`{documents.get(each, each)}`" for each in strings(head.get(field))]
        if named:
            pointers.append(f"{label}: {', '.join(named)}")
    task = OtherTask(
        key=number,
        name=title(name),
        path=path,
        line=1,
        text=joined(joined(blocked, _told(sections)) or name, *pointers),
        criteria=list(_criteria(sections)),
        needs=strings(head.get("dependencies")),
        done=status in (statuses[-1].casefold(), "done", "completed"),
        begun=is_begun(status),
        id=f"{prefix.upper() or 'TASK'}-{number}",
    )
    ordinal = head.get("ordinal")
    order = float(ordinal) if isinstance(ordinal, int | float) else 1e12
    _, parent = _id(string(head.get("parent_task_id")))
    pieces = [int(piece) for piece in number.split(".")]
    milestone = string(head.get("milestone"))
    return Ticket(task, prefix, said, parent, milestone, (order, pieces))


def _id(text: str) -> tuple[str, str]:
    """The prefix and the number. Prefixes change and old ones stay in dependencies, so only numbers are compared."""
    match = _ID.fullmatch(text.strip())
    return (match["prefix"] or "", match["number"]) if match else ("", "")


def _number_in_name(name: str) -> str:
    return _id(name.partition(" ")[0].removesuffix(".md"))[1]


def _sections(body: str, name: str) -> list[tuple[str, str]]:
    """The headings of the file itself, each with all that stands below it; first what stands before every heading.
    A heading between the marks that the tool writes is part of a text. `name` is what the task is called.
    """
    marked: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for mark in _MARK.finditer(body):
        if mark["end"] == "BEGIN":
            opened = opened or mark
        elif opened and mark["name"] == opened["name"]:
            marked.append((opened.start(), mark.end()))
            opened = None

    heads = [
        heading
        for heading in headings(body)
        if heading.level <= 2 and not any(start < heading.start < end for start, end in marked)
    ]
    found = [("", 0)]
    for heading in heads:
        # Older files have their own name above everything.
        is_name = heading.level == 1 and title(name) in title(heading.title)
        found.append(("" if is_name else heading.title, heading.body))
    ends = [*(heading.start for heading in heads), len(body)]
    texts = [
        (called, without_comments(body[start:end]).strip())
        for (called, start), end in zip(found, ends, strict=True)
    ]
    return [(called, text) for called, text in texts if text]


def _told(sections: Sequence[tuple[str, str]]) -> str:
    """What is to be done: the sections that the tool knows in their order, and then the others."""
    pieces = [("", text) for called, text in sections if not called]
    for known, label in _LABELS.items():
        for called, text in sections:
            if is_titled(called, known):
                pieces.append((label if called.casefold() == known else called, text))
    for called, text in sections:
        if called and not is_titled(called, *_CRITERIA, *_LABELS):
            pieces.append((called, text))
    bare = ((label.strip("*_ "), text) for label, text in pieces)
    return "\n\n".join(f"**{label}**\n\n{text}" if label else text for label, text in bare)


def _criteria(sections: Sequence[tuple[str, str]]) -> Iterator[Criterion]:
    """Its boxes with the lines that go on with them; without any what it says in words."""
    for known in _CRITERIA:
        for called, text in sections:
            if not is_titled(called, known):
                continue
            found = boxes(text)
            for box in found:
                words = [re.sub(r"^#\d{1,4}\s+", "", box.text), *map(str.strip, box.below)]
                yield Criterion(" ".join(filter(None, words)), box.ticked)
            if not found:
                yield from map(Criterion, points(text))


# --- Goals and steps ---


def _goals(source: PlanSource, top: str, tickets: dict[str, Ticket]) -> Iterator[OtherGoal]:
    milestones: dict[str, tuple[str, str]] = {}
    for name in source.files(f"{top}/milestones"):
        head, body = source.front_matter(f"{top}/milestones/{name}")
        key = string(head.get("id")) or name.partition(" ")[0]
        milestones[key] = string(head.get("title")) or key, section_of(body, "description")

    # A parent with its subtasks stands where the parent does.
    by_milestone: dict[str, dict[str, list[Ticket]]] = {key: {} for key in milestones}
    for ticket in sorted(tickets.values(), key=lambda ticket: ticket.order):
        parent = _top_of(ticket, tickets)
        named = parent.milestone
        for key, (called, _) in milestones.items():
            if named.casefold() in (key.casefold(), called.casefold()):
                named = key
                break
        families = by_milestone.setdefault(named, {})
        family = families.setdefault(parent.number, [])
        family.append(ticket)
    for key, families in by_milestone.items():
        if families:
            called, about = milestones.get(key, (key or "Backlog", ""))
            steps = list(_steps(source, tickets, families, key))
            yield OtherGoal(
                f"milestone:{key}", title(called), f"{top}/tasks", 0, about, steps, heap=True
            )


def _top_of(ticket: Ticket, tickets: dict[str, Ticket]) -> Ticket:
    """What it is a subtask of, however deep; tasks that name each other as parents stand alone."""
    top = ticket
    met: set[str] = set()
    while top.parent in tickets and top.parent != top.number:
        if top.number in met:
            return ticket
        met.add(top.number)
        top = tickets[top.parent]
    return top


def _steps(
    source: PlanSource,
    tickets: dict[str, Ticket],
    families: dict[str, list[Ticket]],
    milestone: str,
) -> Iterator[OtherStep]:
    """A parent with its subtasks is a step; the others are in one of their own, and those of them that were done
    before in another, which is finished, and left out as such.
    """
    alone = [family[0] for family in families.values() if len(family) == 1]
    old = [each.task for each in alone if each.task.done and each.number not in source.followed]
    others = [each.task for each in alone if each.task not in old]
    for name, word, tasks in (("Done", "done", old), ("Tasks", "step", others)):
        if tasks:
            path = alone[0].task.path.rpartition("/")[0]
            yield OtherStep(f"{word}:{milestone}", name, path, 0, "", tasks)
    for number, family in families.items():
        if len(family) > 1:
            # The parent comes last, and waits for no subtask: the tool does not make it wait either.
            parent = tickets[number].task
            tasks = [*(each.task for each in family if each.task is not parent), parent]
            yield OtherStep(f"step:{parent.key}", parent.name, parent.path, 1, parent.text, tasks)


def _completed(source: PlanSource, top: str, tickets: dict[str, Ticket]) -> Iterator[OtherGoal]:
    """The rest of that folder by the names of its files: it is finished, and what needs it does not wait."""
    folder = f"{top}/completed"
    rest: dict[str, OtherTask] = {}
    for name in source.files(folder):
        number = _number_in_name(name)
        if number and number not in tickets:
            called = title(name.removesuffix(".md"))
            rest[number] = OtherTask(number, called, f"{folder}/{name}", 1, done=True)
    if rest:
        step = OtherStep("step:completed", "Completed", folder, 0, "", list(rest.values()))
        yield OtherGoal("completed", "Completed", folder, 0, "", [step], heap=True)


# --- Drafts, decisions and documents ---


def _drafts(source: PlanSource, top: str) -> Iterator[OtherIdea]:
    for name in source.files(f"{top}/drafts"):
        path = f"{top}/drafts/{name}"
        head, body = source.front_matter(path)
        says = f"{string(head.get('title')) or name} (a draft of Backlog.md)"
        about = section_of(body, "description")
        if about:
            says += f": {item(about)}"
        yield OtherIdea(string(head.get("id")) or name, says, path, 1)


def _decisions(source: PlanSource, top: str) -> Iterator[tuple[str, str]]:
    for name in source.files(f"{top}/decisions"):
        head, body = source.front_matter(f"{top}/decisions/{name}")
        if string(head.get("status")).casefold() == "accepted":
            decided = string(head.get("title")) or name
            what, why = (
                [*paragraphs(section_of(body, heading)), ""][0]
                for heading in ("decision", "context")
            )
            yield (f"{decided}: {what}" if what else decided), why


def _documents(source: PlanSource, top: str) -> Iterator[OtherDocument]:
    for name in source.files(f"{top}/docs"):
        path = f"{top}/docs/{name}"
        _, body = source.front_matter(path)
        if body.strip():
            yield OtherDocument(_place(name), body, path)
    for name in source.files(f"{top}/decisions"):
        path = f"{top}/decisions/{name}"
        head, body = source.front_matter(path)
        if any(part.body.strip() for part in parts(body)):
            called = string(head.get("title")) or name.removesuffix(".md")
            status = string(head.get("status")) or "unknown"
            text = f"# {called}\n\n**Status:** {status}\n\n{body.strip()}"
            yield OtherDocument(_place(name), text, path)


def _place(name: str) -> str:
    """Where a document of that name goes."""
    words = re.sub(r"[^\w.]+", "-", name)
    return f"reference/{words}"
