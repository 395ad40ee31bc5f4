"""BMAD 6: an epic is a goal, a story a step, an item of its list a task; a story without a file is one task."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import (
    boxes,
    dedented,
    front_matter,
    is_titled,
    items,
    joined,
    listed,
    nested,
    parts,
    section_of,
    string,
    with_questions,
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
    from collections.abc import Iterator

    from director_ctx.other_plans.source import PlanSource

MARKERS = ("_bmad/_config/manifest.yaml", "_bmad/config.toml", "_bmad-output")
_EPIC = re.compile(r"epic\s+(?P<number>\d{1,4})\s*[:.-]\s*(?P<name>.+)", re.IGNORECASE)
_STORY = re.compile(r"story\s+(?P<number>\d{1,4}\.\d{1,4})\s*[:.-]\s*(?P<name>.+)", re.IGNORECASE)
_SPRINT = re.compile(r"(?P<epic>\d{1,4})-(?P<story>\d{1,4})-.+")
_FILE = re.compile(r"(?:spec-|story-)?(?P<epic>\d{1,4})[-.](?P<story>\d{1,4})(?:[-.].*)?\.md")
_PLACE = re.compile(
    r'^(planning_artifacts|implementation_artifacts)\s*=\s*"([^"\n]{1,300})"', re.MULTILINE
)
_PLACES = {
    "planning_artifacts": "_bmad-output/planning-artifacts",
    "implementation_artifacts": "_bmad-output/implementation-artifacts",
}
_CRITERIA = re.compile(r"\(AC:?\s*([#\d,\s]{1,80})\)", re.IGNORECASE)
_CRITERIA_LABEL = "**Acceptance Criteria:**"
_STATUS = re.compile(r"^status:\s*(.{1,60})$", re.IGNORECASE | re.MULTILINE)
_DECIDED = re.compile(r"\**AD-\d{1,4}\b:?\s*(.*)")


class EpicStory(Record):
    """A story of `epics.md`."""

    number: str
    name: str
    path: str
    line: int
    text: str
    criteria: tuple[str, ...]


class StoryFile(Record):
    """A story's own file, without what stands above its text."""

    path: str
    body: str
    before: int
    criteria: tuple[str, ...]
    done: bool
    checks: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


def read(source: PlanSource) -> OtherPlan:
    places = dict(_PLACES)
    for name, value in _PLACE.findall(source.text("_bmad/config.toml")):
        places[name] = value.replace("{project-root}/", "").strip("/")
    planning = places["planning_artifacts"]
    built = places["implementation_artifacts"]
    sprint = _sprint(source, built)
    files = dict(_files(source, built))
    decisions = tuple(_decisions(source, planning))
    goals: list[OtherGoal] = []
    for number, name, path, line, about, stories in _epics(source, planning):
        steps = [_step(source, story, files, sprint, decisions) for story in stories]
        before: tuple[str, ...] = ()
        ordered: list[OtherStep] = []
        for step in steps:
            tasks = [*_chained(step, before)]
            ordered.append(step.replace(tasks=tuple(tasks), needs=before))
            before = (step.key,)
        goals.append(OtherGoal(f"epic:{number}", title(name), path, line, about, tuple(ordered)))
    return OtherPlan(
        "bmad",
        _vision(source, planning),
        goals=tuple(goals),
        ideas=tuple(_ideas(source, built)),
        documents=tuple(_documents(source, planning)),
        remarks=tuple(source.remarks),
    )


def _chained(step: OtherStep, before: tuple[str, ...]) -> Iterator[OtherTask]:
    needs = before
    for task in step.tasks:
        yield task.replace(needs=needs)
        needs = (task.key,)


def _sprint(source: PlanSource, folder: str) -> dict[str, str]:
    """Story statuses of the sprint file, which is the later record of the two."""
    path = f"{folder}/sprint-status.yaml"
    listed_there = source.yaml(path).get("development_status")
    found: dict[str, str] = {}
    if isinstance(listed_there, dict):
        for name, status in listed_there.items():
            match = _SPRINT.fullmatch(str(name))
            if match:
                found[f"{int(match['epic'])}.{int(match['story'])}"] = string(status).split(" ")[0]
    return found


def _files(source: PlanSource, folder: str) -> Iterator[tuple[str, str]]:
    for place in (folder, *(f"{folder}/{name}" for name in source.folders(folder))):
        for name in source.files(place):
            match = _FILE.fullmatch(name)
            if match:
                yield f"{int(match['epic'])}.{int(match['story'])}", f"{place}/{name}"


def _epics(
    source: PlanSource, folder: str
) -> Iterator[tuple[str, str, str, int, str, list[EpicStory]]]:
    """Each epic once, though the file names it in a list as well; the one with stories counts."""
    paths = [f"{folder}/epics.md"]
    paths += [f"{folder}/epics/{name}" for name in source.files(f"{folder}/epics")]
    found: dict[str, tuple[str, str, str, int, str, list[EpicStory]]] = {}
    for path in paths:
        epic = ""
        for part in parts(source.text(path)):
            head = _EPIC.match(part.title)
            story = _STORY.match(part.title)
            if head:
                epic = str(int(head["number"]))
                stories = found[epic][5] if epic in found else []
                about = joined(part.body.strip())
                found[epic] = (epic, head["name"], path, part.line, about, stories)
            elif story and epic:
                found[epic][5].append(_story(part.title, part.body, path, part.line))
    if not found:
        source.remark(UNRESOLVED, "has no epics that can be read", paths[0])
    yield from found.values()


def _story(heading: str, body: str, path: str, line: int) -> EpicStory:
    match = _STORY.match(heading)
    assert match
    epic, _, story = match["number"].partition(".")
    about, _, said = body.partition(_CRITERIA_LABEL)
    criteria: list[str] = []
    for row in said.split("\n"):
        bare = row.strip().lstrip("-* ").replace("**", "")
        # A new case begins with Given; what follows belongs to it.
        if bare.casefold().startswith("given") or not criteria:
            if bare:
                criteria.append(bare)
        elif bare:
            criteria[-1] += f" {bare}"
    return EpicStory(
        f"{int(epic)}.{int(story)}", match["name"], path, line, about.strip(), tuple(criteria)
    )


def _step(
    source: PlanSource,
    story: EpicStory,
    files: dict[str, str],
    sprint: dict[str, str],
    decisions: tuple[OtherDecision, ...],
) -> OtherStep:
    path = files.get(story.number, "")
    status = sprint.get(story.number, "")
    file = StoryFile(story.path, "", story.line, (), status == "done")
    if path:
        file = _story_file(source, path, status)
    about = section_of(file.body, "story", "intent") or story.text
    tasks = [*_tasks(story, file)] or [_whole(story, file, about)]
    text = joined(about, section_of(file.body, "dev notes"))
    return OtherStep(
        key=f"story:{story.number}",
        name=title(story.name),
        path=file.path,
        line=story.line if not path else 1,
        text=with_questions(text, list(file.questions)),
        tasks=tuple(_with_the_rest(tasks, story, file)),
        decisions=(*decisions, *_bounds(file.body)),
    )


def _story_file(source: PlanSource, path: str, status: str) -> StoryFile:
    head, body, before = front_matter(source, path)
    said = _STATUS.search(body)
    own = string(head.get("status")) or (said[1].strip() if said else "")
    if status and own and own.casefold().split(" ")[0] not in (status, "draft"):
        says = f"says {own}, and sprint-status.yaml {status}; the sprint file is the later one and counts"
        source.remark(DOUBT, says, path)
    below, lines = _below_title(body)
    _, _, said_below = section_of(below, "tasks & acceptance").partition(_CRITERIA_LABEL)
    criteria = listed(section_of(below, "acceptance criteria") or said_below)
    return StoryFile(
        path,
        below,
        before + lines,
        tuple(criteria),
        (status or own).casefold() == "done",
        tuple(listed(section_of(below, "verification"))),
        tuple(listed(section_of(below, "open questions"))),
    )


def _below_title(body: str) -> tuple[str, int]:
    """Without the heading of the whole file, which begins like one of its sections, and how many lines that takes."""
    for part in parts(body):
        if part.level == 1:
            kept = body.split("\n")[part.line :]
            return "\n".join(kept), part.line
    return body, 0


def _with_the_rest(
    tasks: list[OtherTask], story: EpicStory, file: StoryFile
) -> Iterator[OtherTask]:
    """What no task names is seen when the last one is done."""
    *others, last = tasks
    told = {criterion.text for task in tasks for criterion in task.criteria}
    rest: list[Criterion] = []
    for says in (*(file.criteria or story.criteria), *file.checks):
        if says not in told:
            rest.append(Criterion(says))
    yield from others
    yield last.replace(criteria=(*last.criteria, *rest))


def _whole(story: EpicStory, file: StoryFile, about: str) -> OtherTask:
    """A story without a list is one task."""
    line = 1 if file.body else story.line
    name = title(story.name)
    return OtherTask(story.number, name, file.path, line, about or name, done=file.done)


def _bounds(body: str) -> Iterator[OtherDecision]:
    for line in section_of(body, "boundaries & constraints", "boundaries").split("\n"):
        label, colon, says = line.replace("**", "").partition(":")
        if colon and label.strip().casefold() == "always":
            yield OtherDecision(LOCKED, item(says))
        elif colon and label.strip().casefold() == "never":
            yield OtherDecision(DEFERRED, item(says))


def _tasks(story: EpicStory, file: StoryFile) -> Iterator[OtherTask]:
    path, body, criteria = file.path, file.body, file.criteria
    text = section_of(body, "tasks / subtasks", "tasks/subtasks", "tasks & acceptance", "tasks")
    for index, (box, inner) in enumerate(nested(boxes(text)), 1):
        named = _CRITERIA.search(box.text)
        numbers = re.findall(r"\d{1,3}", named[1]) if named else []
        done_when = [
            Criterion(criteria[int(number) - 1])
            for number in numbers
            if 0 < int(number) <= len(criteria)
        ]
        done_when += [Criterion(each.text, each.ticked) for each in inner]
        name = re.sub(
            r"^(task\s+\d+\s*:\s*|\[AI-Review\](\[\w+\])?\s*)",
            "",
            _CRITERIA.sub("", box.text),
            flags=re.IGNORECASE,
        )
        whole = joined(name, dedented(box.below))
        yield OtherTask(
            key=f"{story.number}/{index}",
            name=title(name),
            path=path,
            line=_line_of(body, box.text) + file.before,
            text=whole,
            why=story.text,
            criteria=tuple(done_when),
            done=box.ticked or file.done,
        )


def _line_of(body: str, text: str) -> int:
    place = body.find(text)
    return body.count("\n", 0, place) + 1 if place >= 0 else 1


def _decisions(source: PlanSource, folder: str) -> Iterator[OtherDecision]:
    for _, says in items(source.text(f"{folder}/architecture.md")):
        match = _DECIDED.match(says)
        if match:
            yield OtherDecision(LOCKED, item(match[1].replace("**", "")))
    for says in listed(section_of(source.text(f"{folder}/prd.md"), "non-goals")):
        yield OtherDecision(DEFERRED, says)


def _ideas(source: PlanSource, folder: str) -> Iterator[OtherIdea]:
    path = f"{folder}/deferred-work.md"
    for line, says in items(source.text(path)):
        yield OtherIdea(
            f"deferred:{item(says, most=60)}", f"{item(says)} (deferred in BMAD)", path, line
        )


def _documents(source: PlanSource, folder: str) -> Iterator[OtherDocument]:
    for name in ("prd.md", "architecture.md"):
        _, body, _ = front_matter(source, f"{folder}/{name}")
        if body.strip():
            yield OtherDocument(f"reference/{name}", body, f"{folder}/{name}")


def _vision(source: PlanSource, folder: str) -> OtherVision:
    head, body, _ = front_matter(source, f"{folder}/prd.md")
    questions = [
        says
        for part in parts(body)
        if is_titled(part.title, "open questions")
        for says in listed(part.body)
    ]
    asked = "\n".join(f"- [UNCLEAR] {says}" for says in questions)
    sections = (
        ("What It Does", section_of(body, "vision", "executive summary")),
        ("Who It's For", section_of(body, "target user")),
        ("Open Questions", asked),
    )
    return OtherVision(string(head.get("title")), sections)
