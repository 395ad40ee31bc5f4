"""A list such as TODO.md or ROADMAP.md: a heading is a step, an item a task, a box inside it a criterion."""

from __future__ import annotations

import re
from dataclasses import dataclass

from director_ctx.other_plans.formats.markdown import (
    MarkdownPart,
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
    from collections.abc import Iterator

    from director_ctx.other_plans.source import PlanSource

    Nested = list[tuple[TickBox, list[TickBox]]]

MARKERS = ("TODO.md", "ROADMAP.md", "todo.md", "roadmap.md")
_FILE = "file:"
_NO_TASKS, _NEVER, _LATER, _DONE, _BEGUN = _KINDS = (
    (
        "guiding principles",
        "principles",
        "about",
        "legend",
        "status legend",
        "overview",
        "introduction",
    ),
    ("not ", "non-goals", "out of scope", "won't"),
    ("later", "someday", "ideas", "backlog", "future", "maybe", "nice to have", "icebox"),
    ("done", "completed", "finished", "shipped"),
    ("in progress", "doing"),
)


def read(source: PlanSource) -> OtherPlan:
    """The file that was named, and those that were taken over before it."""
    plan = OtherPlan([])
    before = [key.removeprefix(_FILE) for key in source.followed if key.startswith(_FILE)]
    told: set[str] = set()
    for path in (*([source.file] if source.file else MARKERS), *sorted(before)):
        text = source.text(path)
        # On some disks `TODO.md` and `todo.md` are one file.
        if text.strip() and path.casefold() not in told:
            told.add(path.casefold())
            plan.goals.append(_goal(source, path, text, plan.ideas))
    return plan


@dataclass
class ListSection:
    """What stands below one heading."""

    source: PlanSource
    path: str
    part: MarkdownPart
    body: str
    name: str
    """Its heading behind the one above, which may be a version or a month."""
    kind: tuple[str, ...]
    """Which of the words above it begins with, or else the heading above it."""

    @property
    def key(self) -> str:
        return f"{self.path}#{self.part.title or 'top'}"

    def remark(self, kind: str, says: str, line: int = 0) -> None:
        """`line` is that in the body."""
        self.source.remark(kind, says, self.path, self.part.line + line)

    def prose(self) -> str:
        """The lines that are in no list."""
        starts = {line for line, _, _ in lines_of_lists(self.body)}
        starts.update(box.line for box in boxes(self.body))
        kept: list[str] = []
        is_in_list = False
        for number, line in enumerate(self.body.split("\n"), 1):
            if number in starts:
                is_in_list = True
            elif line.strip() and not line.startswith((" ", "\t")):
                is_in_list = False
            if not is_in_list:
                kept.append(line)
        prose = without_comments("\n".join(kept)).strip()
        return prose if any(map(str.isalnum, prose)) else ""


def _goal(source: PlanSource, path: str, text: str, ideas: list[OtherIdea]) -> OtherGoal:
    goal = OtherGoal(f"{_FILE}{path}", path.removesuffix(".md").rpartition("/")[2], path, 1)
    never: list[OtherDecision] = []
    for section in _sections(source, path, text):
        part = section.part
        prose = section.prose()
        if part.level <= 1 and not goal.steps:
            goal.name = part.title or goal.name
            goal.text = joined(goal.text, prose)
            prose = ""
        if section.kind is _NO_TASKS:
            if section.body.strip():
                section.remark(DROPPED, f"{item(part.title)} is no list of things to do")
            continue

        tasks = list(_tasks(section))
        if section.kind is _NEVER:
            never += [OtherDecision(DEFERRED, task.name) for task in tasks]
        elif section.kind is _LATER:
            for task in tasks:
                says = f"{task.name} ({part.title})"
                ideas.append(OtherIdea(task.key, says, path, task.line))
        elif tasks:
            name = title(section.name or goal.name)
            step = OtherStep(f"step:{section.key}", name, path, part.line, prose, tasks)
            step.decisions = never
            goal.steps.append(step)
            continue
        if prose:
            section.remark(DROPPED, f"{on_one_line(prose, 80)} is no item of a list")
    if not goal.steps:
        source.remark(UNRESOLVED, "has no list of things to do", path)
    goal.name = title(goal.name)
    return goal


def _sections(source: PlanSource, path: str, text: str) -> Iterator[ListSection]:
    lines = text.split("\n")
    above: list[MarkdownPart] = []
    for part in parts(text):
        while above and above[-1].level >= part.level:
            above.pop()
        kind: tuple[str, ...] = ()
        for outer in (*above, part):
            heading = outer.title.casefold().strip("*_ ")
            for words in _KINDS:
                if heading.startswith(words):
                    kind = words
                    break
        name = f"{above[-1].title}: {part.title}" if above and part.title else part.title
        # The heading of the whole file stands above all of them.
        if part.level > 1:
            above.append(part)
        body = "\n".join(lines[part.line : part.last])
        yield ListSection(source, path, part, body, name, kind)


def _tasks(section: ListSection) -> Iterator[OtherTask]:
    """Boxes with those inside them; where there are none, the items of the list."""
    found = boxes(section.body)
    outer = _with_inner(section, found) if found else _without_boxes(section)
    for box, inner in outer:
        words = re.sub(r"[^\w]+", "-", box.text.casefold()).strip("-")[:80]
        below = [_below(each, box.indent) for each in (box, *inner)]
        yield OtherTask(
            key=f"{section.key}/{words}",
            name=title(box.text),
            path=section.path,
            line=box.line + section.part.line,
            text=joined(box.text, *below),
            criteria=[Criterion(each.text, each.ticked) for each in inner],
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


def _without_boxes(section: ListSection) -> Nested:
    mark = "x" if section.kind is _DONE else ""
    found = [TickBox(line, 0, mark, item(text, most=2000)) for line, text in items(section.body)]
    return [(box, []) for box in found if not _is_given_up(section, box)]


def _with_inner(section: ListSection, found: list[TickBox]) -> Nested:
    """The outer boxes with those inside them; an item without a box is no task, and what is inside it is its own."""
    outer: Nested = []
    entries = {
        line: TickBox(line, indent, "", text) for line, indent, text in lines_of_lists(section.body)
    }
    boxed = {box.line: box for box in found}
    above: list[tuple[int, list[TickBox] | None]] = []
    for line, entry in sorted({**entries, **boxed}.items()):
        while above and above[-1][0] >= entry.indent:
            above.pop()
        inside = above[-1][1] if above else None
        is_box = line in boxed
        if (is_box or inside is None) and _is_given_up(section, entry):
            # What is inside it goes with it.
            inside = []
        elif is_box and inside is not None:
            inside.append(entry)
        elif is_box:
            inside = []
            outer.append((entry, inside))
            if section.kind is _DONE and not entry.ticked:
                says = f"{item(entry.text, most=80)} stands below {section.name!r} and is not ticked; it counts as open"
                section.remark(DOUBT, says, line)
        elif inside is None and any(map(str.isalnum, entry.text)):
            says = f"{item(entry.text, most=80)} has no box, and others beside it have one"
            section.remark(DROPPED, says, line)
        above.append((entry.indent, inside))
    return outer


def _is_given_up(section: ListSection, box: TickBox) -> bool:
    """What is struck out or has the mark for that is told of."""
    is_struck = box.text.startswith("~~")
    if not is_struck and box.mark != "-":
        return False
    how = "is struck out" if is_struck else f"has the mark [{box.mark}]"
    section.remark(DROPPED, f"{item(box.text, most=80).strip('~')} {how}", box.line)
    return True
