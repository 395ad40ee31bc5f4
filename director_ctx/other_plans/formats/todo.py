"""A list such as TODO.md or ROADMAP.md: a heading is a step, an item a task, a box inside it a criterion."""

from __future__ import annotations

import re

from director_ctx.other_plans.formats.parts import (
    TickBox,
    boxes,
    dedented,
    items,
    joined,
    lines_of_lists,
    parts,
)
from director_ctx.other_plans.model import (
    DROPPED,
    UNRESOLVED,
    Criterion,
    OtherDecision,
    OtherGoal,
    OtherIdea,
    OtherPlan,
    OtherStep,
    OtherTask,
)
from director_ctx.other_plans.wording import item, title
from director_ctx.project.tasks.decisions import DEFERRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.formats.parts import MarkdownPart
    from director_ctx.other_plans.source import PlanSource

MARKERS = ("TODO.md", "ROADMAP.md", "todo.md", "roadmap.md")
_FILE = "file:"
_LATER = ("later", "someday", "ideas", "backlog", "future", "maybe", "nice to have", "icebox")
_NEVER = ("not ", "non-goals", "out of scope", "won't")
_DONE = ("done", "completed", "finished", "shipped")
_NO_TASKS = ("guiding principles", "principles", "about", "legend", "overview", "introduction")


def read(source: PlanSource) -> OtherPlan:
    goals: list[OtherGoal] = []
    ideas: list[OtherIdea] = []
    told: set[str] = set()
    for path in _paths(source):
        text = source.text(path)
        # On some disks `TODO.md` and `todo.md` are one file.
        same_file = path.casefold()
        if text.strip() and same_file not in told:
            told.add(same_file)
            goals.append(_goal(source, path, text, ideas))
    return OtherPlan("todo", goals=tuple(goals), ideas=tuple(ideas), remarks=tuple(source.remarks))


def _paths(source: PlanSource) -> list[str]:
    """The file that was named, and those that were taken over before it."""
    if not source.file:
        named = list(MARKERS)
    else:
        named = [source.file]
    before = [key.removeprefix(_FILE) for key in source.followed if key.startswith(_FILE)]
    return [*named, *sorted(before)]


def _goal(source: PlanSource, path: str, text: str, ideas: list[OtherIdea]) -> OtherGoal:
    name = path.removesuffix(".md").rpartition("/")[2]
    steps: list[OtherStep] = []
    never: list[OtherDecision] = []
    lines = text.split("\n")
    for part in parts(text):
        if part.level == 1 and not steps:
            name = part.title
        heading = part.title.casefold().strip("*_ ")
        if heading.startswith(_NO_TASKS):
            continue
        body = "\n".join(lines[part.line : part.last])
        found = [*_tasks(source, part.replace(body=body), path, heading)]
        if heading.startswith(_NEVER):
            never += [OtherDecision(DEFERRED, task.name) for task in found]
        elif heading.startswith(_LATER):
            ideas += [
                OtherIdea(f"{task.key}", f"{task.name} ({part.title})", path, task.line)
                for task in found
            ]
        elif found:
            key = f"step:{path}#{part.title or 'top'}"
            steps.append(
                OtherStep(key, title(part.title or name), path, part.line, "", tuple(found))
            )
    if not steps:
        source.remark(UNRESOLVED, "has no list of things to do", path)
    decided = [step.replace(decisions=tuple(never)) for step in steps]
    return OtherGoal(f"{_FILE}{path}", title(name), path, 1, "", tuple(decided))


def _tasks(source: PlanSource, part: MarkdownPart, path: str, heading: str) -> Iterator[OtherTask]:
    is_done = heading.startswith(_DONE)
    for box, inner in _outer(source, part, path):
        if box.text.startswith("~~"):
            continue
        words = re.sub(r"[^\w]+", "-", box.text.casefold()).strip("-")[:80]
        below = [_below(each, box.indent) for each in (box, *inner)]
        yield OtherTask(
            f"{path}#{part.title or 'top'}/{words}",
            title(box.text),
            path,
            box.line + part.line,
            joined(box.text, *below),
            criteria=tuple(Criterion(each.text, each.ticked) for each in inner),
            done=box.ticked or is_done,
        )


def _below(box: TickBox, indent: int) -> str:
    """What is indented more than the outer box; what is not belongs to another item."""
    own: list[str] = []
    for line in box.below:
        blanks = line[: len(line) - len(line.lstrip())]
        if line.strip() and len(blanks.expandtabs(4)) <= indent:
            break
        own.append(line)
    return dedented(own)


def _outer(
    source: PlanSource, part: MarkdownPart, path: str
) -> list[tuple[TickBox, list[TickBox]]]:
    """Boxes with those inside them; where there are none, the items of the list."""
    found = boxes(part.body)
    if found:
        return _with_inner(source, part, path, found)
    outer: list[tuple[TickBox, list[TickBox]]] = []
    for number, text in items(part.body):
        outer.append((TickBox(number, 0, "", item(text, most=2000)), []))
    return outer


def _with_inner(
    source: PlanSource, part: MarkdownPart, path: str, found: Sequence[TickBox]
) -> list[tuple[TickBox, list[TickBox]]]:
    """The outer boxes with those inside them; an item without a box is no task, and what is inside it is its own."""
    outer: list[tuple[TickBox, list[TickBox]]] = []
    boxed = {box.line: box for box in found}
    above: list[tuple[int, list[TickBox] | None]] = []
    for line, indent, text in _every_item(part, found):
        while above and above[-1][0] >= indent:
            above.pop()
        inside = above[-1][1] if above else None

        box = boxed.get(line)
        if box and inside is not None:
            inside.append(box)
        elif box:
            inside = []
            outer.append((box, inside))
        elif inside is None and _is_left_out(text):
            says = f"{item(text, most=80)} has no box, and others beside it have one"
            source.remark(DROPPED, says, path, line + part.line)
        above.append((indent, inside))
    return outer


def _every_item(part: MarkdownPart, found: Sequence[TickBox]) -> list[tuple[int, int, str]]:
    """Line, indent and words of each item, with a box or without."""
    by_line = {box.line: (box.line, box.indent, box.text) for box in found}
    for line, indent, text in lines_of_lists(part.body):
        by_line.setdefault(line, (line, indent, text))
    return [by_line[line] for line in sorted(by_line)]


def _is_left_out(text: str) -> bool:
    """Not what is struck out, and not a line across the page."""
    return not text.startswith("~~") and any(map(str.isalnum, text))
