"""BMAD 6: an epic is a goal, a story a step, an item of its list a task; a story without a file is one task."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.bmad_epics import CRITERIA_LABEL, EpicStory, read_epics
from director_ctx.other_plans.formats.parts import (
    boxes,
    dedented,
    front_matter,
    is_begun,
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
    from collections.abc import Iterable, Iterator

    from director_ctx.other_plans.formats.bmad_epics import Epic
    from director_ctx.other_plans.source import PlanSource

MARKERS = ("_bmad/_config/manifest.yaml", "_bmad/config.toml", "_bmad-output")
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
_TASK_LABEL = re.compile(r"^(task\s+\d+\s*:\s*|\[AI-Review\](\[\w+\])?\s*)", re.IGNORECASE)
_STATUS = re.compile(r"^status:\s*(.{1,60})$", re.IGNORECASE | re.MULTILINE)
_DECIDED = re.compile(r"\**AD-\d{1,4}\b:?\s*(.*)", re.DOTALL)


class StoryFile(Record):
    """A story's own file, without what stands above its text."""

    path: str
    body: str
    before: int
    criteria: tuple[str, ...]
    done: bool
    begun: bool = False
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
    for epic in read_epics(source, planning):
        steps = [_step(source, story, files, sprint, decisions) for story in epic.stories]
        goals.append(_goal(epic, steps))

    return OtherPlan(
        "bmad",
        _vision(source, planning),
        goals=tuple(goals),
        ideas=tuple(_ideas(source, built)),
        documents=tuple(_documents(source, planning)),
        remarks=tuple(source.remarks),
    )


def _goal(epic: Epic, steps: Iterable[OtherStep]) -> OtherGoal:
    """Each step waits for the one before it."""
    chained: list[OtherStep] = []
    before: tuple[str, ...] = ()
    for step in steps:
        tasks = tuple(_chained(step, before))
        chained.append(step.replace(tasks=tasks, needs=before))
        before = (step.key,)

    return OtherGoal(
        key=f"epic:{epic.number}",
        name=title(epic.name),
        path=epic.path,
        line=epic.line,
        text=epic.text,
        steps=tuple(chained),
    )


def _chained(step: OtherStep, before: tuple[str, ...]) -> Iterator[OtherTask]:
    needs = before
    for task in step.tasks:
        yield task.replace(needs=needs)
        needs = (task.key,)


def _sprint(source: PlanSource, folder: str) -> dict[str, str]:
    """Story statuses of the sprint file, which is the later record of the two."""
    path = f"{folder}/sprint-status.yaml"
    statuses = source.yaml(path).get("development_status")
    if not isinstance(statuses, dict):
        return {}

    by_number: dict[str, str] = {}
    for name, status in statuses.items():
        match = _SPRINT.fullmatch(str(name))
        if match:
            word, _, _ = string(status).partition(" ")
            by_number[_story_number(match)] = word
    return by_number


def _story_number(match: re.Match[str]) -> str:
    epic = int(match["epic"])
    story = int(match["story"])
    return f"{epic}.{story}"


def _files(source: PlanSource, folder: str) -> Iterator[tuple[str, str]]:
    places = [folder]
    for name in source.folders(folder):
        places.append(f"{folder}/{name}")

    for place in places:
        for name in source.files(place):
            match = _FILE.fullmatch(name)
            if match:
                yield _story_number(match), f"{place}/{name}"


def _step(
    source: PlanSource,
    story: EpicStory,
    files: dict[str, str],
    sprint: dict[str, str],
    decisions: tuple[OtherDecision, ...],
) -> OtherStep:
    path = files.get(story.number, "")
    status = sprint.get(story.number, "")
    file = StoryFile(story.path, "", story.line, (), status == "done", is_begun(status))
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
    _, _, said_below = section_of(below, "tasks & acceptance").partition(CRITERIA_LABEL)
    criteria = listed(section_of(below, "acceptance criteria") or said_below)
    return StoryFile(
        path,
        below,
        before + lines,
        tuple(criteria),
        (status or own).casefold() == "done",
        is_begun(status or own),
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
    name = title(story.name)
    return OtherTask(
        key=story.number,
        name=name,
        path=file.path,
        line=1 if file.body else story.line,
        text=about or name,
        done=file.done,
        begun=file.begun,
        id=f"story {story.number}",
    )


def _bounds(body: str) -> Iterator[OtherDecision]:
    section = section_of(body, "boundaries & constraints", "boundaries")
    for line in section.split("\n"):
        label, colon, says = line.replace("**", "").partition(":")
        if not colon:
            continue
        word = label.strip().casefold()
        if word == "always":
            yield OtherDecision(LOCKED, item(says))
        elif word == "never":
            yield OtherDecision(DEFERRED, item(says))


def _tasks(story: EpicStory, file: StoryFile) -> Iterator[OtherTask]:
    text = section_of(
        file.body, "tasks / subtasks", "tasks/subtasks", "tasks & acceptance", "tasks"
    )
    for index, (box, inner) in enumerate(nested(boxes(text)), 1):
        done_when = _named_criteria(box.text, file.criteria)
        for each in inner:
            done_when.append(Criterion(each.text, each.ticked))

        name = _TASK_LABEL.sub("", _CRITERIA.sub("", box.text))
        yield OtherTask(
            key=f"{story.number}/{index}",
            name=title(name),
            path=file.path,
            line=_line_of(file.body, box.text) + file.before,
            text=joined(name, dedented(box.below)),
            why=story.text,
            criteria=tuple(done_when),
            done=box.ticked or file.done,
            begun=box.begun,
            id=f"story {story.number}, item {index}",
        )


def _named_criteria(text: str, criteria: tuple[str, ...]) -> list[Criterion]:
    """Those that a task names by their numbers: `(AC: #1, #3)`."""
    named = _CRITERIA.search(text)
    if not named:
        return []

    done_when: list[Criterion] = []
    for digits in re.findall(r"\d{1,3}", named[1]):
        number = int(digits)
        if 0 < number <= len(criteria):
            done_when.append(Criterion(criteria[number - 1]))
    return done_when


def _line_of(body: str, text: str) -> int:
    place = body.find(text)
    return body.count("\n", 0, place) + 1 if place >= 0 else 1


def _decisions(source: PlanSource, folder: str) -> Iterator[OtherDecision]:
    architecture = source.text(f"{folder}/architecture.md")
    for _, says in items(architecture):
        match = _DECIDED.match(says)
        if match:
            decided = match[1].replace("**", "")
            yield OtherDecision(LOCKED, item(decided))

    requirements = source.text(f"{folder}/prd.md")
    for says in listed(section_of(requirements, "non-goals")):
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
