"""Spec Kit: a feature is a goal, a phase of its tasks a step, a line with a T number a task."""

from __future__ import annotations

import re

from director_ctx.other_plans.formats.parts import (
    boxes,
    dedented,
    is_titled,
    joined,
    listed,
    parts,
    section_of,
    with_questions,
)
from director_ctx.other_plans.formats.spec_kit_spec import UserStory, spec_decisions, user_stories
from director_ctx.other_plans.formats.spec_kit_tasks import (
    PhaseOfTasks,
    depends_on,
    id_of,
    ids_in,
    labels_of,
    name_of,
    notes_of,
    phases_of,
    text_of,
)
from director_ctx.other_plans.model import (
    DOUBT,
    DROPPED,
    EARLIER,
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

    from director_ctx.other_plans.formats.parts import MarkdownPart, TickBox
    from director_ctx.other_plans.source import PlanSource

MARKERS = (
    ".specify/memory/constitution.md",
    ".specify/init-options.json",
    ".specify/templates",
    "memory/constitution.md",
)
CONSTITUTIONS = (".specify/memory/constitution.md", "memory/constitution.md")
_FEATURE = re.compile(r"(?:\d{3,}|\d{8}-\d{6})-(?P<name>.+)")
_UNCLEAR = re.compile(r"\[NEEDS CLARIFICATION:?(?P<what>[^\[\]\n]{0,500})\]", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\[[A-Z][A-Z _#-]+\]")


def read(source: PlanSource) -> OtherPlan:
    goals: list[OtherGoal] = []
    ideas: list[OtherIdea] = []
    documents: list[OtherDocument] = []
    stack = ""
    for folder in source.folders("specs"):
        path = f"specs/{folder}"
        if not _FEATURE.fullmatch(folder) and not source.kind(f"{path}/spec.md"):
            continue
        goal = _goal(source, folder, path)
        if not goal.steps:
            ideas.append(_idea(source, goal, path))
            continue
        goals.append(goal)
        documents += _documents(source, folder, path)
        stack = section_of(source.text(f"{path}/plan.md"), "technical context") or stack
    constitution = _constitution(source)
    if constitution:
        documents.append(
            OtherDocument("codebase/CONVENTIONS.md", source.text(constitution), constitution)
        )
    documents += _structure(source, goals)
    return OtherPlan(
        "spec-kit",
        _vision(source, constitution, stack),
        goals=tuple(goals),
        ideas=tuple(ideas),
        documents=tuple(documents),
        remarks=tuple(source.remarks),
    )


def _goal(source: PlanSource, folder: str, path: str) -> OtherGoal:
    spec = source.text(f"{path}/spec.md")
    summary = section_of(source.text(f"{path}/plan.md"), "summary")
    outcomes = listed(section_of(spec, "measurable outcomes", "success criteria"))
    about = joined(summary, "\n".join(f"- {text}" for text in outcomes))
    questions = [
        _question(spec, match) for match in _UNCLEAR.finditer(spec) if match["what"].strip()
    ]
    return OtherGoal(
        key=folder,
        name=title(_feature_name(spec, folder)),
        path=f"{path}/tasks.md",
        line=1,
        text=with_questions(about, questions),
        steps=tuple(_steps(source, folder, path, spec)),
    )


def _feature_name(spec: str, folder: str) -> str:
    for part in parts(spec):
        _, colon, name = part.title.partition(":")
        if part.level == 1 and colon:
            return name.strip()
    match = _FEATURE.fullmatch(folder)
    return (match["name"] if match else folder).replace("-", " ").capitalize()


def _idea(source: PlanSource, goal: OtherGoal, path: str) -> OtherIdea:
    says = f"{goal.name} (a feature of Spec Kit without tasks)"
    for line in source.text(f"{path}/spec.md").split("\n"):
        if line.startswith("**Input**"):
            says += f": {item(line.partition(':')[2])}"
            break
    return OtherIdea(goal.key, says, f"{path}/spec.md", 1)


def _steps(source: PlanSource, folder: str, path: str, spec: str) -> Iterator[OtherStep]:
    place = f"{path}/tasks.md"
    phases = [*phases_of(folder, source.text(place))]
    _say_what_is_left_out(source, place, phases)
    _doubt_mentions(source, place, phases)
    stories = user_stories(spec)
    decisions = tuple(spec_decisions(source, path, spec))
    documents: tuple[OtherDocument, ...] = ()
    found_out = f"{path}/research.md"
    if source.text(found_out).strip():
        documents = (OtherDocument("RESEARCH.md", source.text(found_out), found_out),)
    ids = {id_of(box): f"{folder}/{id_of(box)}" for phase in phases for box in phase.boxes}
    free: tuple[str, ...] = ()
    since: list[str] = []
    for phase in phases:
        needed = free if phase.story else (*free, *since)
        story = stories.get(phase.story, UserStory())
        yield OtherStep(
            key=phase.key,
            name=phase.name,
            path=place,
            line=phase.line,
            text=joined(phase.says, story.text),
            tasks=tuple(_tasks(phase, place, ids, needed, story)),
            needs=needed,
            decisions=decisions,
            documents=documents,
        )
        documents = ()
        since.append(phase.key)
        if not phase.story:
            # All behind it waits for it, and it has waited for all before.
            free = (phase.key,)
            since = []


def _question(spec: str, mark: re.Match[str]) -> str:
    """What is not clear, with the sentence that it stands in."""
    asked = item(mark["what"])
    start = spec.rfind("\n", 0, mark.start()) + 1
    before, _, behind = spec[start:].partition("\n")[0].partition(mark[0])
    if not any(map(str.isalnum, before + behind)):
        return asked
    sentence = item(f"{before.rstrip()} \u2026 {behind.lstrip()}")
    return f"{asked} ({sentence})"


def _say_what_is_left_out(source: PlanSource, path: str, phases: Sequence[PhaseOfTasks]) -> None:
    """The legend of the format looks like a box in some files, and so do notes."""
    numbered = {box.line for phase in phases for box in phase.boxes}
    for box in boxes(source.text(path)):
        if numbered and box.line not in numbered:
            says = (
                f"{item(box.text, most=80)!r} has no T number; it is a note or a check, and no task"
            )
            source.remark(DROPPED, says, path, box.line)


def _doubt_mentions(source: PlanSource, path: str, phases: Sequence[PhaseOfTasks]) -> None:
    """A task that names another one may need it, whatever words it says that in."""
    places: dict[str, tuple[int, PhaseOfTasks]] = {}
    is_open: set[str] = set()
    for phase in phases:
        for box in phase.boxes:
            places[id_of(box)] = (box.line, phase)
            if not box.ticked:
                is_open.add(id_of(box))
    for phase in phases:
        for box in phase.boxes:
            text = text_of(box)
            told = {id_of(box), *depends_on(text)}
            for id in dict.fromkeys(ids_in(text)):
                if id in told or id not in is_open or box.ticked:
                    continue
                line, other = places[id]
                if line > box.line or not _waits_anyway(phase, box, other):
                    says = f"{id_of(box)} names {id}, and does not say that it needs it; it may start before that"
                    source.remark(DOUBT, says, path, box.line)


def _waits_anyway(phase: PhaseOfTasks, box: TickBox, before: PhaseOfTasks) -> bool:
    """By the order of the file."""
    if phase is before:
        return "P" not in labels_of(box)
    return not phase.story or not before.story


def _tasks(
    phase: PhaseOfTasks,
    path: str,
    ids: dict[str, str],
    needed: tuple[str, ...],
    story: UserStory,
) -> Iterator[OtherTask]:
    anchor = needed
    for index, box in enumerate(phase.boxes, 1):
        key = ids[id_of(box)]
        text = text_of(box)
        own: tuple[str, ...] = anchor
        if "P" not in labels_of(box):
            own = (EARLIER,) if index > 1 else needed
            anchor = (key,)
        is_last = index == len(phase.boxes)
        yield OtherTask(
            key=key,
            name=name_of(text or id_of(box)),
            path=path,
            line=box.line,
            text=joined(text, dedented(box.below)),
            why=story.text.split("\n\n")[0],
            criteria=story.criteria if is_last else (),
            needs=(*own, *(ids.get(id, id) for id in depends_on(text))),
            done=box.ticked,
            begun=box.begun,
            id=id_of(box),
        )


def _documents(source: PlanSource, folder: str, path: str) -> Iterator[OtherDocument]:
    name = re.sub(r"[^\w.-]+", "-", folder)
    for file in ("spec.md", "data-model.md", "quickstart.md"):
        text = source.text(f"{path}/{file}")
        if text.strip():
            yield OtherDocument(f"reference/{name}-{file}", text, f"{path}/{file}")
    notes = notes_of(source.text(f"{path}/tasks.md"))
    if notes:
        text = f"# {name}: how the tasks go together\n\n{notes}"
        yield OtherDocument(f"reference/{name}-tasks-notes.md", text, f"{path}/tasks.md")
    research = source.text(f"{path}/research.md")
    if research.strip():
        # The first step has it beside it; the others are told of this one.
        yield OtherDocument(f"reference/{name}-research.md", research, f"{path}/research.md")
    for file in source.files(f"{path}/contracts"):
        place = re.sub(r"[^\w.-]+", "-", file)
        origin = f"{path}/contracts/{file}"
        yield OtherDocument(f"reference/{name}-contract-{place}", source.text(origin), origin)


def _structure(source: PlanSource, goals: Sequence[OtherGoal]) -> Iterator[OtherDocument]:
    """As the newest feature has it."""
    for goal in reversed(goals):
        path = f"specs/{goal.key}/plan.md"
        says = section_of(source.text(path), "source code", "project structure")
        if says:
            yield OtherDocument("codebase/STRUCTURE.md", f"# Structure\n\n{says}", path)
            return


def _constitution(source: PlanSource) -> str:
    for path in CONSTITUTIONS:
        text = source.text(path)
        # As the tool makes it, it is all placeholders.
        if text.strip() and len(_PLACEHOLDER.findall(text)) < 5:
            return path
    return ""


def _vision(source: PlanSource, constitution: str, stack: str) -> OtherVision:
    sections = (("Tech Stack", stack),)
    text = source.text(constitution) if constitution else ""
    every = parts(text)
    if not every:
        return OtherVision("", sections)

    name = ""
    first = every[0]
    if first.level == 1:
        name = first.title.removesuffix("Constitution").strip()
    return OtherVision(name, sections, tuple(_principles(every)))


def _principles(every: Sequence[MarkdownPart]) -> Iterator[tuple[str, str]]:
    """The headings inside the one of principles, without their Roman numbers."""
    in_principles = False
    for part in every:
        if part.level == 2:
            in_principles = is_titled(part.title, "core principles", "principles")
        elif part.level == 3 and in_principles:
            name = re.sub(r"^[IVXLC\d]+\.\s*", "", part.title)
            yield name, item(part.body, most=150)
