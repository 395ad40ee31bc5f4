"""A list such as TODO.md or ROADMAP.md: a heading is a step, an item a task, a box inside it a criterion."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
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
    DOUBT,
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
from director_ctx.other_plans.wording import item, on_one_line, title
from director_ctx.project.reading.markdown import without_comments
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
_NO_TASKS = (
    "guiding principles",
    "principles",
    "about",
    "legend",
    "status legend",
    "overview",
    "introduction",
)
_BEGUN = ("in progress", "doing")
_KINDS = (_NO_TASKS, _NEVER, _LATER, _DONE, _BEGUN)
_CANCELLED = "-"


class ListSection(Record):
    """What stands below one heading."""

    part: MarkdownPart
    body: str
    name: str
    """Its heading behind the one above, which may be a version or a month."""
    kind: tuple[str, ...]
    """Which of the words above it begins with, or else the heading above it."""
    prose: str
    """What is in no list."""


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
    about = ""
    steps: list[OtherStep] = []
    never: list[OtherDecision] = []
    for whole in _sections(text):
        part = whole.part
        section = whole
        if part.level <= 1 and not steps:
            name = part.title or name
            about = joined(about, whole.prose)
            section = whole.replace(prose="")
        if section.kind is _NO_TASKS:
            _say_left_out(source, path, section, f"{item(part.title)} is no list of things to do")
            continue

        tasks = tuple(_tasks(source, section, path))
        if section.kind is _NEVER:
            never += [OtherDecision(DEFERRED, task.name) for task in tasks]
        elif section.kind is _LATER:
            ideas += _ideas(section, tasks)
        elif tasks:
            steps.append(_step(path, section, name, tasks))
            continue
        if section.prose:
            says = f"{on_one_line(section.prose, 80)} is no item of a list"
            _say_left_out(source, path, section, says)
    if not steps:
        source.remark(UNRESOLVED, "has no list of things to do", path)
    decided = [step.replace(decisions=tuple(never)) for step in steps]
    return OtherGoal(f"{_FILE}{path}", title(name), path, 1, about, tuple(decided))


def _say_left_out(source: PlanSource, path: str, section: ListSection, says: str) -> None:
    if section.body.strip():
        source.remark(DROPPED, says, path, section.part.line)


def _ideas(section: ListSection, tasks: Sequence[OtherTask]) -> Iterator[OtherIdea]:
    for task in tasks:
        says = f"{task.name} ({section.part.title})"
        yield OtherIdea(task.key, says, task.path, task.line)


def _step(
    path: str, section: ListSection, file_name: str, tasks: tuple[OtherTask, ...]
) -> OtherStep:
    part = section.part
    key = f"step:{path}#{part.title or 'top'}"
    name = title(section.name or file_name)
    return OtherStep(key, name, path, part.line, section.prose, tasks)


def _sections(text: str) -> Iterator[ListSection]:
    lines = text.split("\n")
    above: list[MarkdownPart] = []
    for part in parts(text):
        while above and above[-1].level >= part.level:
            above.pop()
        kind: tuple[str, ...] = ()
        for outer in (*above, part):
            kind = _kind_of(outer.title) or kind
        name = part.title
        if above and name:
            name = f"{above[-1].title}: {name}"
        # The heading of the whole file stands above all of them.
        if part.level > 1:
            above.append(part)
        body = "\n".join(lines[part.line : part.last])
        yield ListSection(part, body, name, kind, _prose(body))


def _kind_of(heading: str) -> tuple[str, ...]:
    bare = heading.casefold().strip("*_ ")
    for words in _KINDS:
        if bare.startswith(words):
            return words
    return ()


def _prose(text: str) -> str:
    """The lines that are in no list."""
    starts = {line for line, _, _ in lines_of_lists(text)}
    starts.update(box.line for box in boxes(text))
    kept: list[str] = []
    is_in_list = False
    for number, line in enumerate(text.split("\n"), 1):
        if number in starts:
            is_in_list = True
        elif line.strip() and not line.startswith((" ", "\t")):
            is_in_list = False
        if not is_in_list:
            kept.append(line)
    prose = without_comments("\n".join(kept)).strip()
    return prose if any(map(str.isalnum, prose)) else ""


def _tasks(source: PlanSource, section: ListSection, path: str) -> Iterator[OtherTask]:
    part = section.part
    for box, inner in _outer(source, section, path):
        words = re.sub(r"[^\w]+", "-", box.text.casefold()).strip("-")[:80]
        below = [_below(each, box.indent) for each in (box, *inner)]
        yield OtherTask(
            f"{path}#{part.title or 'top'}/{words}",
            title(box.text),
            path,
            box.line + part.line,
            joined(box.text, *below),
            criteria=tuple(Criterion(each.text, each.ticked) for each in inner),
            done=box.ticked,
            begun=box.begun or section.kind is _BEGUN,
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
    source: PlanSource, section: ListSection, path: str
) -> list[tuple[TickBox, list[TickBox]]]:
    """Boxes with those inside them; where there are none, the items of the list."""
    found = boxes(section.body)
    if found:
        return _with_inner(source, section, path, found)
    outer: list[tuple[TickBox, list[TickBox]]] = []
    mark = "x" if section.kind is _DONE else ""
    for number, text in items(section.body):
        box = TickBox(number, 0, mark, item(text, most=2000))
        if not _is_given_up(source, box, path, section.part.line):
            outer.append((box, []))
    return outer


def _with_inner(
    source: PlanSource, section: ListSection, path: str, found: Sequence[TickBox]
) -> list[tuple[TickBox, list[TickBox]]]:
    """The outer boxes with those inside them; an item without a box is no task, and what is inside it is its own."""
    outer: list[tuple[TickBox, list[TickBox]]] = []
    boxed = {box.line: box for box in found}
    before = section.part.line
    above: list[tuple[int, list[TickBox] | None]] = []
    for line, indent, text in _every_item(section.body, found):
        while above and above[-1][0] >= indent:
            above.pop()
        inside = above[-1][1] if above else None

        box = boxed.get(line)
        entry = box or TickBox(line, indent, "", text)
        is_detail = box is None and inside is not None
        if not is_detail and _is_given_up(source, entry, path, before):
            # What is inside it goes with it.
            inside = []
        elif box and inside is not None:
            inside.append(box)
        elif box:
            inside = []
            outer.append((box, inside))
            if section.kind is _DONE:
                _say_open(source, box, section, path)
        elif inside is None and any(map(str.isalnum, text)):
            says = f"{item(text, most=80)} has no box, and others beside it have one"
            source.remark(DROPPED, says, path, line + before)
        above.append((indent, inside))
    return outer


def _say_open(source: PlanSource, box: TickBox, section: ListSection, path: str) -> None:
    if box.ticked:
        return
    name = item(box.text, most=80)
    says = f"{name} stands below {section.name!r} and is not ticked; it counts as open"
    source.remark(DOUBT, says, path, box.line + section.part.line)


def _is_given_up(source: PlanSource, box: TickBox, path: str, before: int) -> bool:
    """What is struck out or has the mark for that is told of. `before` is the line of the heading above it."""
    is_struck = box.text.startswith("~~")
    is_given_up = is_struck or box.mark == _CANCELLED
    if is_given_up:
        how = "is struck out" if is_struck else f"has the mark [{box.mark}]"
        says = f"{item(box.text, most=80).strip('~')} {how}"
        source.remark(DROPPED, says, path, box.line + before)
    return is_given_up


def _every_item(text: str, found: Sequence[TickBox]) -> list[tuple[int, int, str]]:
    """Line, indent and words of each item, with a box or without."""
    by_line = {box.line: (box.line, box.indent, box.text) for box in found}
    for line, indent, words in lines_of_lists(text):
        by_line.setdefault(line, (line, indent, words))
    return [by_line[line] for line in sorted(by_line)]
