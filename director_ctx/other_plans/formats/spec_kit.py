"""Spec Kit: a feature is a goal, a phase of its tasks a step, a line with a T number a task."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from director_ctx.other_plans.formats.markdown import (
    TickBox,
    boxes,
    boxes_of_parts,
    dedented,
    is_titled,
    items,
    joined,
    listed,
    paragraphs,
    parts,
    section_of,
    ticked,
    with_questions,
)
from director_ctx.other_plans.model import (
    DOUBT,
    DROPPED,
    EARLIER,
    Criterion,
    OtherDecision,
    OtherDocument,
    OtherGoal,
    OtherIdea,
    OtherPlan,
    OtherStep,
    OtherTask,
    OtherVision,
)
from director_ctx.other_plans.wording import item, title
from director_ctx.project.reading.markdown import outside_code, without_comments
from director_ctx.project.tasks.decisions import DEFERRED, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.formats.markdown import MarkdownPart
    from director_ctx.other_plans.source import PlanSource
    from director_ctx.upkeep.records.source import Edit, Source

CONSTITUTIONS = (".specify/memory/constitution.md", "memory/constitution.md")
MARKERS = (
    CONSTITUTIONS[0],
    ".specify/init-options.json",
    ".specify/templates",
    CONSTITUTIONS[1],
)
MOST_IN_RANGE = 500
_FEATURE = re.compile(r"(?:\d{3,}|\d{8}-\d{6})-(?P<name>.+)")
_UNCLEAR = re.compile(r"\[NEEDS CLARIFICATION:?(?P<what>[^\[\]\n]{0,500})\]", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\[[A-Z][A-Z _#-]+\]")
_TASK = re.compile(r"\**(?P<id>T\d{3,9}[a-z]?)\**(?P<rest>.*)", re.DOTALL)
_LABEL = re.compile(r"\s*\[(?P<label>[^\[\]]{1,60})\](?!\()")
_PHASE = re.compile(r"phase\s+[\w.]{1,8}\s*[:.-]\s*(?P<name>.+)", re.IGNORECASE)
_DEPENDS = re.compile(r"\b(?:depends|dependent) on:?\s+(?P<ids>[^.;)]*)", re.IGNORECASE)
_NEEDS = re.compile(
    r"\b(?:after|once|requires?|needs?|blocked by|waits? for|builds? on|extends?|reuses?|reusing|uses?|using):?\s{1,3}"
    r"(?P<ids>T\d{3,9}(?:(?:\s{0,3}(?:,|&|/|\bor\b|\band\b|-|\u2013|\bto\b|\bthrough\b)){1,3}\s{0,3}T?\d{3,9})*)",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r" ?\((?=[^()]{0,300}\))[^()]{0,200}\bT\d{3,9}\b[^()]{0,200}\)")
_RANGE = re.compile(r"\b(T\d{3,9})(?:\s*(?:-|\u2013|to|through)\s*(T?\d{3,9}))?")
_STORY = re.compile(r"\buser story (?P<number>\d{1,4})\b", re.IGNORECASE)
_DECISION = r"decision(?:\s+#?[\d.]{1,6}|\s+\([^()]{0,40}\))?"
_DECIDED = re.compile(
    rf"\s*(?:(?:[-*+]|\d{{1,3}}[.)])\s+)?\**{_DECISION}\**\s*:\**\s*(?P<says>.*)", re.IGNORECASE
)
_HEADED = re.compile(rf"{_DECISION}(?:\s*:\s*(?P<says>.*))?", re.IGNORECASE)
_POINT = re.compile(r"\s*(?:[-*+]\s|\d{1,3}[.)]\s|\*\*)")
_ANSWER = re.compile(
    r"q:\s*(?P<question>.*?)\s*(?:\u2192|->)\s*a:\s*(?P<answer>.*)", re.IGNORECASE | re.DOTALL
)


class NumberedTask:
    """A box with a T number: `- [ ] T012 [P] [US1] Text`."""

    def __init__(self, box: TickBox, match: re.Match[str]) -> None:
        self.box = box
        self.id = match["id"]
        self.labels: list[str] = []
        """`P` and `US1`."""
        rest = match["rest"]
        while label := _LABEL.match(rest):
            self.labels.append(label["label"])
            rest = rest[label.end() :]
        self.text = rest.strip(" *:-")
        needed = [said["ids"] for words in (_DEPENDS, _NEEDS) for said in words.finditer(self.text)]
        self.needs = [id for ids in needed for id in _ids_in(ids)]
        """The ids that it says it needs, in whatever words."""


@dataclass
class Phase:
    """A heading of the second level of `tasks.md` with all below it."""

    head: MarkdownPart
    tasks: list[NumberedTask] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    """What stands beside the boxes, under headings of its own where it has them."""

    @property
    def story(self) -> int:
        """The number of its story, by its heading or the one label that all its tasks have; else 0."""
        found = _STORY.search(self.head.title)
        if not found:
            labels = {label.upper() for task in self.tasks for label in task.labels} - {"P"}
            found = re.fullmatch(r"US(?P<number>\d{1,4})", "".join(labels))
        return int(found["number"]) if found else 0


def read(source: PlanSource) -> OtherPlan:
    plan = OtherPlan([])
    stack = structure = ""
    origin = ""
    for folder in source.folders("specs"):
        path = f"specs/{folder}"
        if not _FEATURE.fullmatch(folder) and not source.kind(f"{path}/spec.md"):
            continue
        goal = _goal(source, folder, path)
        if not goal.steps:
            plan.ideas.append(_idea(source, goal, path))
            continue
        plan.goals.append(goal)
        plan.documents += _documents(source, folder, path)
        how = source.text(f"{path}/plan.md")
        # As the newest feature has it.
        stack = section_of(how, "technical context") or stack
        says = section_of(how, "source code", "project structure")
        if says:
            structure, origin = says, f"{path}/plan.md"
    vision = plan.vision = OtherVision("", {"Tech Stack": stack})
    for path in CONSTITUTIONS:
        text = source.text(path)
        # As the tool makes it, it is all placeholders.
        if text.strip() and len(_PLACEHOLDER.findall(text)) < 5:
            plan.documents.append(OtherDocument("codebase/CONVENTIONS.md", text, path))
            every = parts(text)
            vision.decisions = list(_principles(every))
            if every[0].level == 1:
                vision.name = every[0].title.removesuffix("Constitution").strip()
            break
    if structure:
        text = f"# Structure\n\n{structure}"
        plan.documents.append(OtherDocument("codebase/STRUCTURE.md", text, origin))
    return plan


def tick(source: PlanSource, task: OtherTask, text: Source, now: str) -> list[Edit]:
    """Its agents write a capital letter."""
    return ticked(text, [task.line], "X")


def _goal(source: PlanSource, folder: str, path: str) -> OtherGoal:
    spec = source.text(f"{path}/spec.md")
    summary = section_of(source.text(f"{path}/plan.md"), "summary")
    outcomes = listed(section_of(spec, "measurable outcomes", "success criteria"))
    about = joined(summary, "\n".join(f"- {text}" for text in outcomes))
    asked = [_question(spec, match) for match in _UNCLEAR.finditer(spec) if match["what"].strip()]
    named = _FEATURE.fullmatch(folder)
    name = (named["name"] if named else folder).replace("-", " ").capitalize()
    for part in parts(spec):
        if part.level == 1 and ":" in part.title:
            name = part.title.partition(":")[2].strip()
            break
    return OtherGoal(
        key=folder,
        name=title(name),
        path=f"{path}/tasks.md",
        line=1,
        text=with_questions(about, asked),
        steps=list(_steps(source, folder, path, spec)),
    )


def _question(spec: str, mark: re.Match[str]) -> str:
    """What is not clear, with the sentence that it stands in."""
    asked = item(mark["what"])
    start = spec.rfind("\n", 0, mark.start()) + 1
    before, _, behind = spec[start:].partition("\n")[0].partition(mark[0])
    if not any(map(str.isalnum, before + behind)):
        return asked
    sentence = item(f"{before.rstrip()} \u2026 {behind.lstrip()}")
    return f"{asked} ({sentence})"


def _idea(source: PlanSource, goal: OtherGoal, path: str) -> OtherIdea:
    says = f"{goal.name} (a feature of Spec Kit without tasks)"
    for line in source.text(f"{path}/spec.md").split("\n"):
        if line.startswith("**Input**"):
            says += f": {item(line.partition(':')[2])}"
            break
    return OtherIdea(goal.key, says, f"{path}/spec.md", 1)


# --- Phases and tasks ---


def _steps(source: PlanSource, folder: str, path: str, spec: str) -> Iterator[OtherStep]:
    place = f"{path}/tasks.md"
    text = source.text(place)
    phases = [phase for phase in _phases(text) if phase.tasks]
    _remark_boxes_without_number(source, place, phases)
    _remark_mentions(source, place, phases)
    stories = _stories(spec)
    decisions = list(_decisions(source, path, spec))
    research = source.text(f"{path}/research.md")
    documents = [OtherDocument("RESEARCH.md", research, f"{path}/research.md")]
    known = {task.id for phase in phases for task in phase.tasks}
    free: list[str] = []
    since: list[str] = []
    for number, phase in enumerate(phases, 1):
        about, criteria = stories.get(phase.story, ("", []))
        step = OtherStep(
            key=f"step:{folder}/{number}",
            name=title(_phase_name(phase.head.title)),
            path=place,
            line=phase.head.line,
            text=joined(*phase.beside, about),
            needs=free if phase.story else [*free, *since],
            decisions=decisions,
            documents=documents if number == 1 and research.strip() else (),
        )
        anchor = step.needs
        for task in phase.tasks:
            box = task.box
            needs = anchor
            if "P" not in task.labels:
                needs = [EARLIER] if step.tasks else step.needs
                anchor = [f"{folder}/{task.id}"]
            # Without the ids of other tasks behind it.
            bare = _DEPENDS.sub("", _IN_BRACKETS.sub("", task.text)).strip()
            other = OtherTask(
                key=f"{folder}/{task.id}",
                name=title(bare or task.text or task.id),
                path=place,
                line=box.line,
                text=joined(task.text, dedented(box.below)),
                why=about.split("\n\n")[0],
                needs=[*needs, *(f"{folder}/{id}" if id in known else id for id in task.needs)],
                done=box.ticked,
                begun=box.begun,
                id=task.id,
            )
            step.tasks.append(other)
        step.tasks[-1].criteria = criteria
        yield step
        since.append(step.key)
        if not phase.story:
            # All behind it waits for it, and it has waited for all before.
            free, since = [step.key], []


def _phases(text: str) -> Iterator[Phase]:
    """Headings inside a phase divide its tasks, and are no phases."""
    lines = text.split("\n")
    phase: Phase | None = None
    for part, own in boxes_of_parts(text):
        if phase is None or part.level == 2:
            if phase:
                yield phase
            phase = Phase(part)
        of_boxes = {box.line + count for box in own for count in range(len(box.below) + 1)}
        kept = [
            lines[number - 1]
            for number in range(part.line + 1, part.last + 1)
            if number not in of_boxes and lines[number - 1].strip() != "---"
        ]
        says = re.sub(r"\n{3,}", "\n\n", without_comments("\n".join(kept))).strip("\n").rstrip()
        if says and part is not phase.head:
            says = f"{'#' * part.level} {part.title}\n\n{says}"
        phase.beside += [says] if says else []
        for box in own:
            match = _TASK.match(box.text)
            if match:
                phase.tasks.append(NumberedTask(box, match))
    if phase:
        yield phase


def _phase_name(heading: str) -> str:
    """Without its number, its priority and pictures."""
    match = _PHASE.match(heading)
    name = match["name"] if match else heading or "Tasks"
    name = re.sub(r"\(priority:.*", "", name, flags=re.IGNORECASE)
    return "".join(char for char in name if char.isprintable() and ord(char) < 0x1F000)


def _remark_boxes_without_number(source: PlanSource, path: str, phases: Sequence[Phase]) -> None:
    """The legend of the format looks like a box in some files, and so do notes."""
    numbered = {task.box.line for phase in phases for task in phase.tasks}
    for box in boxes(source.text(path)):
        if numbered and box.line not in numbered:
            says = (
                f"{item(box.text, most=80)!r} has no T number; it is a note or a check, and no task"
            )
            source.remark(DROPPED, says, path, box.line)


def _remark_mentions(source: PlanSource, path: str, phases: Sequence[Phase]) -> None:
    """A task that names another one may need it, whatever words it says that in."""
    every = [(phase, task) for phase in phases for task in phase.tasks]
    places = {task.id: (phase, task.box) for phase, task in every}
    is_open = {task.id for _, task in every if not task.box.ticked}
    for phase, task in every:
        named = dict.fromkeys(_ids_in(task.text)) if not task.box.ticked else ()
        for id in named:
            if id == task.id or id in task.needs or id not in is_open:
                continue
            other, box = places[id]
            # By the order of the file.
            waits = not (phase.story and other.story)
            if phase is other:
                waits = "P" not in task.labels
            if box.line > task.box.line or not waits:
                says = f"{task.id} names {id}, and does not say that it needs it; it may start before that"
                source.remark(DOUBT, says, path, task.box.line)


def _ids_in(text: str) -> Iterator[str]:
    """Every id in it, ranges written out."""
    for first, last in _RANGE.findall(text):
        yield first
        if last:
            start = int(first[1:])
            end = min(int(last.lstrip("T")), start + MOST_IN_RANGE)
            for number in range(start + 1, end + 1):
                yield f"T{number:0{len(first) - 1}}"


# --- Stories and decisions ---


def _stories(spec: str) -> dict[int, tuple[str, list[Criterion]]]:
    """What each story says, and how one sees that it is done; headings inside a story belong to it."""
    found: dict[int, list[str]] = {}
    number = level = 0
    for part in parts(spec):
        story = _STORY.search(part.title)
        if story and part.level >= 3:
            number, level = int(story["number"]), part.level
            found[number] = []
        elif part.level <= level:
            number = 0
        if number:
            found[number].append(part.body)
    return {number: _story(bodies) for number, bodies in found.items()}


def _story(bodies: Sequence[str]) -> tuple[str, list[Criterion]]:
    about: list[str] = []
    tests: list[str] = []
    for piece in paragraphs(bodies[0]):
        if piece.startswith("**Independent Test"):
            tests.append(piece.replace("**", "").partition(":")[2])
        elif not piece.startswith(("**", "---", "1.")):
            about.append(piece)
    scenarios = [says for body in bodies for _, says in items(body) if "given" in says.casefold()]
    checks = [item(says, most=1000) for says in (*scenarios, *tests)]
    return "\n\n".join(about), [Criterion(says) for says in checks if says]


def _decisions(source: PlanSource, path: str, spec: str) -> Iterator[OtherDecision]:
    for part in parts(source.text(f"{path}/research.md")):
        said = [item(text) for text in _behind_label(part.body)]
        headed = _HEADED.fullmatch(part.title.strip("*_ "))
        if not said and headed:
            first = [*paragraphs(part.body), ""][0]
            said = [item(headed["says"] or "") or item(first)]
        yield from (OtherDecision(LOCKED, text) for text in said if text)
    for _, says in items(section_of(spec, "clarifications")):
        match = _ANSWER.match(" ".join(says.split()))
        if match:
            yield OtherDecision(LOCKED, item(f"{match['question']} {match['answer']}"))
    for says in listed(section_of(spec, "assumptions", "out of scope")):
        if "out of scope" in says.casefold():
            yield OtherDecision(DEFERRED, says)


def _behind_label(text: str) -> list[str]:
    """What stands behind `Decision:`, with a dash before it or without, and with the lines that go on with it."""
    found: list[list[str]] = []
    is_open = False
    indent = -1
    for _, _, raw in outside_code(text):
        line = raw.rstrip()
        depth = len(line) - len(line.lstrip())
        match = _DECIDED.fullmatch(line)
        if match:
            found.append([match["says"]])
            is_open, indent = True, depth
            continue
        is_open = is_open and bool(line) and not (depth <= indent and _POINT.match(line))
        if is_open:
            found[-1].append(line)
    return ["\n".join(lines) for lines in found]


def _principles(every: Sequence[MarkdownPart]) -> Iterator[tuple[str, str]]:
    """The headings inside the one of principles, without their Roman numbers."""
    in_principles = False
    for part in every:
        if part.level == 2:
            in_principles = is_titled(part.title, "core principles", "principles")
        elif part.level == 3 and in_principles:
            yield re.sub(r"^[IVXLC\d]+\.\s*", "", part.title), item(part.body, most=150)


# --- Documents ---


def _documents(source: PlanSource, folder: str, path: str) -> Iterator[OtherDocument]:
    name = re.sub(r"[^\w.-]+", "-", folder)
    # The legend of the format is no note.
    notes = [
        joined(f"## {phase.head.title}", *phase.beside)
        for phase in _phases(source.text(f"{path}/tasks.md"))
        if phase.beside and phase.head.level == 2 and not phase.tasks
        if not is_titled(phase.head.title, "format")
    ]
    for file in ("spec.md", "data-model.md", "quickstart.md"):
        text = source.text(f"{path}/{file}")
        if text.strip():
            yield OtherDocument(f"reference/{name}-{file}", text, f"{path}/{file}")
    if notes:
        text = joined(f"# {name}: how the tasks go together", *notes)
        yield OtherDocument(f"reference/{name}-tasks-notes.md", text, f"{path}/tasks.md")
    research = source.text(f"{path}/research.md")
    if research.strip():
        # The first step has it beside it; the others are told of this one.
        yield OtherDocument(f"reference/{name}-research.md", research, f"{path}/research.md")
    for file in source.files(f"{path}/contracts"):
        origin = f"{path}/contracts/{file}"
        place = re.sub(r"[^\w.-]+", "-", file)
        yield OtherDocument(f"reference/{name}-contract-{place}", source.text(origin), origin)
