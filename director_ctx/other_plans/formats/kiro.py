"""Kiro and cc-sdd: a spec is a goal, a numbered task a step, a sub-task a task."""

from __future__ import annotations

import re

from director_ctx.other_plans.formats.kiro_tasks import KiroTask, majors
from director_ctx.other_plans.formats.order import TaskOrder
from director_ctx.other_plans.formats.parts import (
    boxes,
    dedented,
    front_matter,
    items,
    joined,
    listed,
    paragraphs,
    parts,
    research_of,
    section_of,
    string,
)
from director_ctx.other_plans.model import (
    DOUBT,
    UNRESOLVED,
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
from director_ctx.project.tasks.decisions import DEFERRED, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.source import PlanSource

SPECS = ".kiro/specs"
STEERING = ".kiro/steering"
MARKERS = (SPECS,)
_LINK = re.compile(
    r"_(?P<label>requirements?|depends|blocked|boundary)\s*:\s*(?P<text>[^_]*)_", re.IGNORECASE
)
_VALIDATES = re.compile(r"\*\*validates:\s*requirements?\s*(?P<text>[^*]*)\*\*", re.IGNORECASE)
_REFERENCE = re.compile(r"\d{1,4}(?:\.\d{1,4})?")
_REQUIREMENT = re.compile(r"\D{0,40}?(?P<number>\d{1,4})\b")
_STORY = re.compile(r"\*\*(?:user story|objective)[^*]*\*\*\s*:?\s*(?P<text>.*)", re.IGNORECASE)


def read(source: PlanSource) -> OtherPlan:
    goals: list[OtherGoal] = []
    ideas: list[OtherIdea] = []
    documents: list[OtherDocument] = [*_steering(source)]
    for name in _specs(source):
        goal = _goal(source, name, ideas)
        if not goal.steps:
            ideas.append(_idea(source, name))
            continue

        goals.append(goal)
        documents += _documents(source, name)

    return OtherPlan(
        "kiro",
        _vision(source),
        goals=tuple(goals),
        ideas=tuple(ideas),
        documents=tuple(documents),
        remarks=tuple(source.remarks),
    )


def _documents(source: PlanSource, name: str) -> Iterator[OtherDocument]:
    """What a spec says beside its tasks; criteria that no task names are in it."""
    place = re.sub(r"[^\w.-]+", "-", name)
    for file in ("requirements.md", "bugfix.md", "design.md", "research.md"):
        path = f"{SPECS}/{name}/{file}"
        text = source.text(path)
        if text.strip():
            yield OtherDocument(f"reference/{place}-{file}", text, path)


def _specs(source: PlanSource) -> list[str]:
    """Those of the roadmap as it has them, and the others by their names."""
    order = _roadmap(source)
    names = set(source.folders(SPECS))
    planned = [name for name in dict.fromkeys(order) if name in names]
    return [*planned, *sorted(names.difference(order))]


def _roadmap(source: PlanSource) -> list[str]:
    """The order of specs that cc-sdd keeps."""
    roadmap = source.text(f"{STEERING}/roadmap.md")
    names: list[str] = []
    for box in boxes(section_of(roadmap, "specs")):
        name, _, _ = box.text.partition(" ")
        names.append(name)
    return names


def _goal(source: PlanSource, name: str, ideas: list[OtherIdea]) -> OtherGoal:
    folder = f"{SPECS}/{name}"
    requirements = source.text(f"{folder}/requirements.md") or source.text(f"{folder}/bugfix.md")
    about = section_of(requirements, "introduction", "summary", "project description")
    decisions = tuple(_decisions(source, folder, requirements))
    documents = research_of(source, f"{folder}/research.md")
    criteria = _criteria(requirements)
    steps: list[OtherStep] = []
    order = TaskOrder(())
    ends: dict[str, list[str]] = {}
    for major, inner in majors(source, name, f"{folder}/tasks.md", ideas):
        key = f"step:{name}/{major.number}"
        needed = order.needs(key, major.parallel)
        inside = TaskOrder([end for before in needed for end in ends[before]])
        tasks = tuple(_chained(source, name, inner or [major], criteria, inside))
        ends[key] = inside.open
        step = OtherStep(
            key=key,
            name=title(major.name),
            path=f"{folder}/tasks.md",
            line=major.line,
            text=_about(major) if inner else "",
            tasks=tasks,
            needs=needed,
            decisions=decisions,
            documents=documents,
        )
        steps.append(step)
        documents = ()
    _doubt(source, folder, steps)
    shown = title(name.replace("-", " ").capitalize())
    return OtherGoal(name, shown, f"{folder}/tasks.md", 1, about, tuple(steps))


def _chained(
    source: PlanSource,
    name: str,
    lines: Sequence[KiroTask],
    criteria: dict[str, list[str]],
    order: TaskOrder,
) -> Iterator[OtherTask]:
    """Each needs what is before it, and what it names."""
    for line in lines:
        task = _task(source, name, line, criteria)
        before = order.needs(task.key, line.parallel)
        yield task.replace(needs=tuple(dict.fromkeys((*before, *task.needs))))


def _doubt(source: PlanSource, folder: str, steps: Sequence[OtherStep]) -> None:
    spec = source.json(f"{folder}/spec.json")
    phase = string(spec.get("phase")) if isinstance(spec, dict) else ""
    left = sum(not task.done for step in steps for task in step.tasks)
    if left and "completed" in phase:
        source.remark(
            DOUBT,
            f"says {phase}, and {left} of its tasks are open; the boxes count",
            f"{folder}/spec.json",
        )


def _idea(source: PlanSource, name: str) -> OtherIdea:
    says = f"{name.replace('-', ' ').capitalize()} (a spec of Kiro without tasks)"
    path = f"{SPECS}/{name}/brief.md"
    problem = section_of(source.text(path), "problem")
    if not problem:
        path = f"{SPECS}/{name}/requirements.md"
        problem = section_of(source.text(path), "introduction")
    if problem:
        says += f": {item(problem)}"
    if not source.text(path):
        return OtherIdea(name, says, f"{SPECS}/{name}")
    return OtherIdea(name, says, path, 1)


def _task(
    source: PlanSource, name: str, line: KiroTask, criteria: dict[str, list[str]]
) -> OtherTask:
    assert line.box
    path = f"{SPECS}/{name}/tasks.md"
    below = dedented(line.below)
    links: dict[str, str] = {}
    for match in _LINK.finditer(below):
        label = match["label"].casefold().removesuffix("s")
        links[label] = f"{links.get(label, '')} {match['text']}"
    asked = links.get("requirement", "")
    said = _REFERENCE.findall(asked)
    if asked.strip() and not said:
        says = f"its requirements are in words ({item(asked, most=60)}), and have no numbers"
        source.remark(UNRESOLVED, says, path, line.line)
    if "blocked" in links:
        source.remark(DOUBT, f"is blocked: {item(links['blocked'], most=120)}", path, line.line)
    for match in _VALIDATES.finditer(below):
        said += _REFERENCE.findall(match["text"])
    done_when: dict[str, None] = {}
    for reference in dict.fromkeys(said):
        if reference not in criteria:
            says = f"names requirement {reference}, which is not in requirements.md"
            source.remark(UNRESOLVED, says, path, line.line)
        done_when.update(dict.fromkeys(criteria.get(reference, ())))
    return OtherTask(
        key=f"{name}/{line.number}",
        name=title(line.name),
        path=path,
        line=line.line,
        text=joined(line.name, below),
        why=_why(said, criteria),
        criteria=(*map(Criterion, done_when), *_inner(line)),
        needs=tuple(f"{name}/{other}" for other in _REFERENCE.findall(links.get("depend", ""))),
        done=line.box.ticked,
        begun=line.box.begun,
        id=line.number,
    )


def _about(major: KiroTask) -> str:
    """What a task with sub-tasks says itself, with the boxes in it that have no number."""
    boxes_in_it = [f"- {criterion.text}" for criterion in _inner(major)]
    return joined(dedented(major.below), "\n".join(boxes_in_it))


def _inner(line: KiroTask) -> Iterator[Criterion]:
    for box in line.inner:
        yield Criterion(item(f"{box.text}\n{dedented(box.below)}", most=2000), box.ticked)


def _why(said: Sequence[str], criteria: dict[str, list[str]]) -> str:
    for reference in said:
        story = criteria.get(f"story {reference.split('.')[0]}")
        if story:
            return story[0]
    return ""


def _criteria(text: str) -> dict[str, list[str]]:
    """The criteria by their numbers: `1.2` is the second of requirement 1, and `1` all of them."""
    found: dict[str, list[str]] = {}
    number = ""
    for part in parts(text):
        # By the number, not the word: headings are translated.
        head = _REQUIREMENT.match(part.title)
        if part.level == 3 and head:
            number = head["number"]
            story = _STORY.search(part.body)
            if story:
                found[f"story {number}"] = [item(story["text"], most=500)]
        if not number or part.level < 3:
            continue
        for _, says in items(part.body):
            criterion = item(says, most=1000)
            every = found.setdefault(number, [])
            every.append(criterion)
            found[f"{number}.{len(every)}"] = [criterion]
    return found


def _decisions(source: PlanSource, folder: str, requirements: str) -> Iterator[OtherDecision]:
    for part in parts(source.text(f"{folder}/research.md")):
        if part.level == 3 and part.title.casefold().startswith("decision"):
            _, _, named = part.title.partition(":")
            name = named.strip() or part.title
            approaches = _behind(part.body, "selected approach")
            approach = approaches[-1] if approaches else ""
            yield OtherDecision(LOCKED, item(f"**{name}.** {approach}"))

    design = source.text(f"{folder}/design.md")
    for says in listed(section_of(design, "non-goals")):
        yield OtherDecision(DEFERRED, says)

    boundary = section_of(requirements, "boundary context")
    for says in _behind(boundary, "out of scope"):
        yield OtherDecision(DEFERRED, says)


def _behind(text: str, label: str) -> list[str]:
    """What stands behind the colon of the items that begin with these words."""
    said: list[str] = []
    for point in listed(text):
        bare = point.replace("**", "")
        if bare.casefold().startswith(label):
            _, _, says = bare.partition(":")
            said.append(says.strip())
    return said


def _steering(source: PlanSource) -> Iterator[OtherDocument]:
    places = {"tech.md": "codebase/STACK.md", "structure.md": "codebase/STRUCTURE.md"}
    for name in source.files(STEERING):
        path = f"{STEERING}/{name}"
        _, body, _ = front_matter(source, path)
        if not body.strip() or name in ("product.md", "roadmap.md"):
            continue
        plain_name = re.sub(r"[^\w.-]+", "-", name)
        yield OtherDocument(places.get(name, f"reference/{plain_name}"), body, path)


def _vision(source: PlanSource) -> OtherVision:
    _, product, _ = front_matter(source, f"{STEERING}/product.md")
    _, tech, _ = front_matter(source, f"{STEERING}/tech.md")
    roadmap = source.text(f"{STEERING}/roadmap.md")

    prose = [piece for piece in paragraphs(product) if not piece.startswith("#")]
    does = "\n\n".join(prose[:2]) or section_of(roadmap, "overview")
    _, _, stack = tech.partition("\n")
    sections = (("What It Does", does), ("Tech Stack", stack))
    return OtherVision("", sections)
