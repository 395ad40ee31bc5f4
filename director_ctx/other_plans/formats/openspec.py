"""OpenSpec: a change is a goal, a group of its tasks a step, a box a task."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import (
    boxes_of_parts,
    dedented,
    is_titled,
    joined,
    listed,
    nested,
    paragraphs,
    parts,
    section_of,
    string,
    with_questions,
)
from director_ctx.other_plans.model import (
    DOUBT,
    DROPPED,
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
    is_goal_finished,
)
from director_ctx.other_plans.wording import item, title
from director_ctx.project.tasks.decisions import DEFERRED, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.formats.parts import TickBox
    from director_ctx.other_plans.source import PlanSource

MARKERS = ("openspec/config.yaml", "openspec/config.yml", "openspec/project.md", "openspec/changes")
CHANGES = "openspec/changes"
ARCHIVE = f"{CHANGES}/archive"
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}-(?P<name>.+)")
_NUMBER = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,6}){0,5})[.)]?\s+")
_VERIFY = re.compile(r"\bverify\b.*", re.IGNORECASE)


class ChangeFolder(Record):
    """Where a change lies, and since when."""

    name: str
    path: str
    created: str
    archived: bool = False


class TaskGroup(Record):
    """A heading of `tasks.md` with the boxes below it."""

    name: str
    line: int
    boxes: tuple[TickBox, ...] = ()


def read(source: PlanSource) -> OtherPlan:
    config = source.yaml("openspec/config.yaml") or source.yaml("openspec/config.yml")
    if config.get("store"):
        says = (
            "says `store:`, so its changes may lie in another repository; only what is here is read"
        )
        source.remark(UNRESOLVED, says, "openspec/config.yaml")
    goals: list[OtherGoal] = []
    ideas: list[OtherIdea] = []
    documents = [*_documents(source, config)]
    for change in sorted(_changes(source), key=lambda change: (change.created, change.name)):
        goal = _goal(source, change)
        if not goal.steps:
            if not change.archived:
                ideas.append(_idea(source, change))
            continue
        goals.append(goal)
        documents += _documents_of(source, change)
        if is_goal_finished(goal) and not change.archived:
            says = (
                "every box is ticked, and it is not archived; OpenSpec itself lists it as complete"
            )
            source.remark(DOUBT, says, f"{change.path}/tasks.md")
    return OtherPlan(
        "openspec",
        _vision(source, config),
        goals=tuple(goals),
        ideas=tuple(ideas),
        documents=tuple(documents),
        remarks=tuple(source.remarks),
    )


def _changes(source: PlanSource) -> Iterator[ChangeFolder]:
    for name in source.folders(CHANGES):
        if name != "archive":
            yield _change(source, name, f"{CHANGES}/{name}")
    for folder in source.folders(ARCHIVE):
        match = _DATED.fullmatch(folder)
        name = match["name"] if match else folder
        if source.with_done or name in source.followed:
            path = f"{ARCHIVE}/{folder}"
            yield _change(source, name, path).replace(archived=True)


def _change(source: PlanSource, name: str, path: str) -> ChangeFolder:
    created = string(source.yaml(f"{path}/.openspec.yaml").get("created"))
    # Older changes do not say when they were made, and came before the others.
    return ChangeFolder(name, path, created)


def _goal(source: PlanSource, change: ChangeFolder) -> OtherGoal:
    path = f"{change.path}/tasks.md"
    text = source.text(path)
    about = _about(source, change)
    if not text and source.kind(change.path) and not change.archived:
        _doubt_schema(source, change)

    words = change.name.replace("-", " ").replace("_", " ")
    steps = _steps(source, change, path, text)
    return OtherGoal(
        key=change.name,
        name=title(words.capitalize()),
        path=path,
        line=1,
        text=about,
        steps=tuple(steps),
        archived=change.archived,
    )


def _about(source: PlanSource, change: ChangeFolder) -> str:
    proposal = source.text(f"{change.path}/proposal.md")
    why = section_of(proposal, "why")
    what = section_of(proposal, "what changes")
    about = joined(why, what) or section_of(proposal, "summary", "overview")

    design = source.text(f"{change.path}/design.md")
    questions = listed(section_of(design, "open questions"))
    return with_questions(about, questions)


def _doubt_schema(source: PlanSource, change: ChangeFolder) -> None:
    settings = source.yaml(f"{change.path}/.openspec.yaml")
    schema = string(settings.get("schema"))
    if schema not in ("", "spec-driven"):
        says = f"has no tasks.md; its schema {schema!r} may keep tasks in another file"
        source.remark(UNRESOLVED, says, change.path)


def _idea(source: PlanSource, change: ChangeFolder) -> OtherIdea:
    proposal = source.text(f"{change.path}/proposal.md")
    why = paragraphs(section_of(proposal, "why"))
    name = change.name.replace("-", " ")
    says = f"{name.capitalize()} (an OpenSpec change without tasks)"
    if why:
        says += f": {item(why[0])}"
    return OtherIdea(change.name, says, f"{change.path}/proposal.md", 1)


def _steps(source: PlanSource, change: ChangeFolder, path: str, text: str) -> Iterator[OtherStep]:
    decisions = tuple(_decisions(source, change))
    delivers = _requirements(source, change)
    before = ""
    step_before = ""
    for index, group in enumerate(_groups(text), 1):
        match = _NUMBER.match(group.name)
        number = match["number"] if match else f"group-{index}"
        key = f"{change.name}/{number}"
        tasks: list[OtherTask] = []
        for task in _tasks(group, key, path):
            needs = (before,) if before else ()
            tasks.append(task.replace(needs=needs))
            before = task.key
        name = title(_NUMBER.sub("", group.name, count=1) or change.name)
        needed = (step_before,) if step_before else ()
        step_before = f"step:{key}"
        yield OtherStep(
            step_before, name, path, group.line, delivers, tuple(tasks), needed, decisions
        )


def _groups(text: str) -> list[TaskGroup]:
    """Every heading that has boxes right below it; what stands above all headings is a group, too."""
    groups: list[TaskGroup] = []
    above = ""
    for part, own in boxes_of_parts(text, in_code=True):
        name = part.title
        if part.level <= 2:
            above = part.title
        elif above and not is_titled(above, "tasks"):
            name = f"{above}: {_NUMBER.sub('', part.title, count=1)}"
        if own:
            groups.append(TaskGroup(name or "Tasks", part.line, own))
    return groups


def _tasks(group: TaskGroup, key: str, path: str) -> Iterator[OtherTask]:
    """The outer boxes; those inside them are how one sees that the outer one is done."""
    for index, (box, inner) in enumerate(nested(group.boxes), 1):
        yield _task(box, inner, f"{key}/{index}", path)


def _task(box: TickBox, inner: Sequence[TickBox], key: str, path: str) -> OtherTask:
    match = _NUMBER.match(box.text)
    if match:
        group, _, _ = key.rpartition("/")
        change, _, _ = group.rpartition("/")
        key = f"{change}/{match['number']}"

    text = _NUMBER.sub("", box.text, count=1)
    return OtherTask(
        key=key,
        name=_name(text),
        path=path,
        line=box.line,
        text=joined(text, dedented(box.below)),
        criteria=tuple(_criteria(text, inner)),
        done=box.ticked,
        begun=box.begun,
        id=match["number"] if match else "",
    )


def _criteria(text: str, inner: Sequence[TickBox]) -> Iterator[Criterion]:
    """How the task itself says that it is verified, and the boxes inside it."""
    verify = _VERIFY.search(text)
    if verify and verify.start():
        yield Criterion(verify.group())

    for box in inner:
        words = _NUMBER.sub("", box.text, count=1)
        below = dedented(box.below).split()
        yield Criterion(" ".join([words, *below]), box.ticked)


def _name(text: str) -> str:
    """What is to be done, without how it is verified."""
    task = _VERIFY.sub("", text).strip(" ,;:")
    return title(task or text).removesuffix(" and").rstrip(" ,;:")


def _decisions(source: PlanSource, change: ChangeFolder) -> Iterator[OtherDecision]:
    design = source.text(f"{change.path}/design.md")
    decided = section_of(design, "decisions")
    headed = [part for part in parts(decided) if part.level]
    if headed:
        for part in headed:
            first = [*paragraphs(part.body), ""][0]
            yield OtherDecision(LOCKED, item(f"**{_bare(part.title)}.** {first}"))
    else:
        for text in listed(decided):
            yield OtherDecision(LOCKED, text)
    goals = section_of(design, "goals / non-goals", "goals/non-goals", "goals and non-goals")
    _, marked, non_goals = goals.partition("Non-Goals")
    for text in listed(non_goals if marked else section_of(design, "non-goals")):
        yield OtherDecision(DEFERRED, text)
    for text in listed(section_of(design, "open questions")):
        yield OtherDecision(DEFERRED, text)


def _bare(heading: str) -> str:
    """`Decision 2: Store UTC` is `Store UTC`."""
    return re.sub(r"^(decision\s*)?[\dD]*[.:)]*\s*", "", heading, flags=re.IGNORECASE) or heading


def _specs(source: PlanSource, folder: str) -> Iterator[tuple[str, str]]:
    """Every `spec.md` below a folder, by the name of the capability."""
    waiting = [(folder, "")]
    while waiting:
        here, name = waiting.pop(0)
        for entry, kind in source.names(here).items():
            if kind == "folder" and name.count("/") < 5:
                waiting.append((f"{here}/{entry}", f"{name}/{entry}".strip("/")))
            elif entry == "spec.md":
                yield name, f"{here}/spec.md"


def _requirements(source: PlanSource, change: ChangeFolder) -> str:
    lines: list[str] = []
    for name, path in _specs(source, f"{change.path}/specs"):
        kind = "added"
        for part in parts(source.text(path)):
            word = part.title.split(" ")[0].casefold()
            if part.level == 2 and word in ("added", "modified", "removed", "renamed"):
                kind = word
            if part.level == 3 and is_titled(part.title, "requirement"):
                requirement = part.title.partition(":")[2].strip()
                how = "" if kind == "added" else f", {kind}"
                lines.append(f"- {requirement} ({name}{how})")
    if not lines:
        return ""
    where = f"The scenarios are in `.director/reference/{_file(change)}-scenarios.md`."
    return "\n".join([*lines, "", where])


def _file(change: ChangeFolder) -> str:
    return re.sub(r"[^\w.-]+", "-", change.name)


def _documents_of(source: PlanSource, change: ChangeFolder) -> Iterator[OtherDocument]:
    scenarios: list[str] = []
    for name, path in _specs(source, f"{change.path}/specs"):
        scenarios.append(f"# {name}\n\n{source.text(path).strip()}")
    if scenarios:
        place = f"reference/{_file(change)}-scenarios.md"
        yield OtherDocument(place, "\n\n".join(scenarios), f"{change.path}/specs")
    design = f"{change.path}/design.md"
    if source.text(design).strip():
        yield OtherDocument(f"reference/{_file(change)}-design.md", source.text(design), design)


def _documents(source: PlanSource, config: dict[str, object]) -> Iterator[OtherDocument]:
    context = string(config.get("context"))
    if context:
        origin = "openspec/config.yaml"
        yield OtherDocument("codebase/CONVENTIONS.md", f"# Conventions\n\n{context}", origin)
    elif source.text("openspec/project.md").strip():
        project = source.text("openspec/project.md")
        yield OtherDocument("codebase/CONVENTIONS.md", project, "openspec/project.md")
    for name, path in _specs(source, "openspec/specs"):
        place = f"reference/spec-{name.replace('/', '-')}.md"
        yield OtherDocument(place, source.text(path), path)
    rules = config.get("rules")
    if rules:
        says = "has rules for its own documents; they are not part of a plan"
        source.remark(DROPPED, says, "openspec/config.yaml")


def _vision(source: PlanSource, config: dict[str, object]) -> OtherVision:
    project = source.text("openspec/project.md")
    does = section_of(project, "purpose", "overview", "project overview")
    stack = section_of(project, "tech stack", "technology", "technologies")
    context = string(config.get("context"))
    if context:
        does = does or paragraphs(context)[0].split("\n")[0]
        stack = stack or context
    return OtherVision("", (("What It Does", does), ("Tech Stack", stack)))
