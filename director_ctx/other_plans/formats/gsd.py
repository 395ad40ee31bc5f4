"""GSD (`.planning/`): a milestone is a goal, a phase a step, a plan a task; a plan with a summary is done."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.gsd_plan import PlanFile, read_plan
from director_ctx.other_plans.formats.gsd_roadmap import (
    NUMBER,
    TOP,
    RoadmapPhase,
    normal_number,
    read_roadmap,
)
from director_ctx.other_plans.formats.parts import (
    front_matter,
    inside_tag,
    joined,
    listed,
    parts,
    research_of,
    section_of,
    string,
)
from director_ctx.other_plans.model import (
    DOUBT,
    UNRESOLVED,
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
from director_ctx.project.tasks.decisions import DEFERRED, FLEXIBLE, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.source import PlanSource

MARKERS = (f"{TOP}/ROADMAP.md", f"{TOP}/PROJECT.md", f"{TOP}/phases")
_PHASE_FOLDER = re.compile(rf"(?P<number>{NUMBER})(?:-(?P<name>.*))?")
_NOTES = ("STACK", "FEATURES", "ARCHITECTURE", "PITFALLS", "SUMMARY")
_CODEBASE = (
    "STACK",
    "INTEGRATIONS",
    "ARCHITECTURE",
    "STRUCTURE",
    "CONVENTIONS",
    "TESTING",
    "CONCERNS",
    "SUMMARY",
)
_NO_PLAN = ("OUTLINE", "pre-bounce")


class PhaseFolder(Record):
    number: str
    name: str
    path: str
    plans: tuple[PlanFile, ...] = ()


def read(source: PlanSource) -> OtherPlan:
    project = source.text(f"{TOP}/PROJECT.md")
    roadmap = {phase.number: phase for phase in read_roadmap(source)}
    folders = sorted(_folders(source), key=lambda folder: _order(folder.number))
    # Folders of milestones that were put away carry numbers that may be used again.
    ideas: list[OtherIdea] = []
    steps: dict[str, list[OtherStep]] = {}
    keys = {folder.number: f"step:{folder.number}" for folder in folders if folder.plans}
    before: list[str] = []
    for folder in folders:
        phase = roadmap.get(folder.number) or RoadmapPhase(folder.number, folder.name, 0, "")
        if folder.plans:
            step = _step(source, folder, phase, keys, tuple(before))
            steps.setdefault(phase.milestone, []).append(step)
            before = [keys[folder.number]]
    numbers = {folder.number for folder in folders if folder.plans}
    for phase in roadmap.values():
        if phase.number not in numbers and not phase.ticked:
            ideas.append(_idea(phase))
    ideas += _todos(source)
    goals = [_goal(source, name, steps[name], roadmap) for name in steps]
    return OtherPlan(
        "gsd",
        _vision(source, project),
        goals=tuple(goals),
        ideas=tuple(ideas),
        documents=tuple(_documents(source)),
        remarks=tuple(source.remarks),
    )


def _order(number: str) -> tuple[int, ...]:
    return tuple(int(piece) for piece in number.split("."))


def _folders(source: PlanSource) -> Iterator[PhaseFolder]:
    told: set[str] = set()
    for name in source.folders(f"{TOP}/phases"):
        match = _PHASE_FOLDER.fullmatch(name)
        path = f"{TOP}/phases/{name}"
        if match is None:
            source.remark(UNRESOLVED, "has no number in its name; it was not read", path)
            continue
        number = normal_number(match["number"])
        if number in told:
            source.remark(UNRESOLVED, f"is a second phase {number}; it was not read", path)
            continue
        told.add(number)
        title_of = (match["name"] or f"Phase {number}").replace("-", " ").capitalize()
        yield PhaseFolder(number, title_of, path, tuple(_plans(source, path)))


def _plans(source: PlanSource, path: str) -> Iterator[PlanFile]:
    places = [path]
    if source.kind(f"{path}/plans"):
        places.append(f"{path}/plans")
    summaries: set[str] = set()
    found: dict[str, str] = {}
    for place in places:
        for name in source.files(place):
            stem = name.removesuffix(".md")
            if any(word in stem for word in _NO_PLAN):
                continue
            if stem.endswith("SUMMARY"):
                summaries.add(_plan_number(stem))
            elif "PLAN" in stem.split("-") or stem.startswith("PLAN-"):
                found.setdefault(_plan_number(stem), f"{place}/{name}")
    for number, place in sorted(found.items(), key=lambda item: _order(item[0])):
        yield PlanFile(number, place, number in summaries)


def _plan_number(stem: str) -> str:
    """`02.1-03-PLAN` is plan 3, `PLAN-03-slug` as well, and a bare `PLAN` the only one."""
    numbers = re.findall(r"(?:^|-)(\d{1,4})(?=-|$)", stem)
    if not numbers:
        return "1"
    is_behind = stem.startswith(("PLAN-", "SUMMARY-"))
    return str(int(numbers[0] if is_behind else numbers[-1]))


def _step(
    source: PlanSource,
    folder: PhaseFolder,
    phase: RoadmapPhase,
    keys: dict[str, str],
    before: tuple[str, ...],
) -> OtherStep:
    needed = before
    if phase.needs is not None:
        others = [number for number in phase.needs if number in keys and number != folder.number]
        needed = tuple(keys[number] for number in others)
    if phase.ticked and not all(plan.done for plan in folder.plans):
        says = f"phase {phase.number} is ticked in ROADMAP.md, and a plan of it has no SUMMARY; GSD counts those"
        source.remark(DOUBT, says, f"{TOP}/ROADMAP.md", phase.line)
    context = _beside(source, folder, "CONTEXT.md")
    return OtherStep(
        key=f"step:{folder.number}",
        name=title(phase.name or folder.name),
        path=folder.path,
        line=0,
        text=phase.text or phase.about,
        tasks=tuple(_tasks(source, folder, needed)),
        needs=needed,
        decisions=tuple(_decisions(source.text(context))),
        documents=research_of(source, _beside(source, folder, "RESEARCH.md")),
    )


def _beside(source: PlanSource, folder: PhaseFolder, ending: str) -> str:
    for name in source.files(folder.path, ending):
        return f"{folder.path}/{name}"
    return f"{folder.path}/{ending}"


def _tasks(source: PlanSource, folder: PhaseFolder, needed: tuple[str, ...]) -> Iterator[OtherTask]:
    plans = [read_plan(source, folder.number, plan) for plan in folder.plans]
    for plan in plans:
        if plan.needs:
            needs = (*plan.needs, *needed)
        else:
            earlier = [other.task.key for other in plans if other.wave < plan.wave]
            needs = tuple(earlier) or needed
        unique = dict.fromkeys(needs)
        yield plan.task.replace(needs=tuple(unique))


def _decisions(text: str) -> Iterator[OtherDecision]:
    decided = inside_tag(text, "decisions")
    decided = decided or section_of(text, "implementation decisions", "decisions")
    for part in parts(decided):
        kind = FLEXIBLE if "discretion" in part.title.casefold() else LOCKED
        for says in listed(part.body):
            bare = re.sub(r"^\**D-\d+:?\**:?\s*", "", says)
            yield OtherDecision(kind, bare)
    deferred = inside_tag(text, "deferred") or section_of(text, "deferred ideas", "deferred")
    for says in listed(deferred):
        if says.casefold().strip(" .()_") not in ("none", "nothing"):
            yield OtherDecision(DEFERRED, says)


def _goal(
    source: PlanSource, milestone: str, steps: Sequence[OtherStep], roadmap: dict[str, RoadmapPhase]
) -> OtherGoal:
    path = f"{TOP}/ROADMAP.md"
    project = source.text(f"{TOP}/PROJECT.md")
    name = milestone
    if not name:
        state, _, _ = front_matter(source, f"{TOP}/STATE.md")
        said = string(state.get("milestone_name"))
        name = said if said.casefold() not in ("", "milestone") else ""
        name = name or _project(project) or "Milestone"
    core = section_of(project, "core value")
    about = joined(section_of(source.text(path), "overview"), core)
    return OtherGoal(f"milestone:{milestone}", title(name), path, 1, about, tuple(steps))


def _project(project: str) -> str:
    for part in parts(project):
        if part.level == 1:
            return part.title
    return ""


def _idea(phase: RoadmapPhase) -> OtherIdea:
    says = f"Phase {phase.number}: {phase.name} (a phase of GSD without plans)"
    about = phase.about or phase.text.split("\n")[0]
    if about:
        says += f": {item(about)}"
    return OtherIdea(f"step:{phase.number}", says, f"{TOP}/ROADMAP.md", phase.line)


def _todos(source: PlanSource) -> Iterator[OtherIdea]:
    folder = f"{TOP}/todos/pending"
    for name in source.files(folder):
        path = f"{folder}/{name}"
        head, body, _ = front_matter(source, path)
        says = string(head.get("title")) or title(body)
        problem = item(section_of(body, "problem"))
        yield OtherIdea(f"todo:{name}", f"{says}: {problem}" if problem else says, path, 1)


def _documents(source: PlanSource) -> Iterator[OtherDocument]:
    for folder, names in (("research", _NOTES), ("codebase", _CODEBASE)):
        for name in names:
            path = f"{TOP}/{folder}/{name}.md"
            if source.kind(f"{TOP}/{folder}") and source.text(path).strip():
                yield OtherDocument(f"{folder}/{name}.md", source.text(path), path)
    path = f"{TOP}/REQUIREMENTS.md"
    if source.text(path).strip():
        yield OtherDocument("reference/requirements.md", source.text(path), path)


def _vision(source: PlanSource, project: str) -> OtherVision:
    sections = (
        ("What It Does", section_of(project, "what this is")),
        ("Key Features", section_of(project, "active")),
        ("Tech Stack", section_of(project, "constraints")),
        ("Success Looks Like", section_of(project, "core value")),
    )
    decided = _decided(section_of(project, "key decisions"))
    return OtherVision(_project(project), sections, tuple(decided))


def _decided(table: str) -> Iterator[tuple[str, str]]:
    """The first two cells of each row, which are what was decided and why."""
    for line in table.split("\n"):
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) < 2:
            continue

        decision, why, *_ = cells
        is_heading = decision.casefold() == "decision"
        is_rule = not decision.strip("-: ")
        if not is_heading and not is_rule:
            yield decision, why
