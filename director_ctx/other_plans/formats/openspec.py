"""OpenSpec: a change is a goal, a group of its tasks a step, a box a task."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from itertools import islice

from director_ctx.other_plans.formats.markdown import (
    TickBox,
    boxes,
    boxes_of_parts,
    dedented,
    hidden_boxes,
    is_titled,
    joined,
    listed,
    nested,
    paragraphs,
    parts,
    section_of,
    string,
    ticked,
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
)
from director_ctx.other_plans.wording import item, title
from director_ctx.project.tasks.decisions import DEFERRED, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.other_plans.source import PlanSource
    from director_ctx.upkeep.records.source import Edit, Source

CONFIG = "openspec/config.yaml"
PROJECT = "openspec/project.md"
CHANGES = "openspec/changes"
MARKERS = (CONFIG, "openspec/config.yml", PROJECT, CHANGES)
MOST_CLAUSES = 20
"""Times that a task may say `verify` before nobody looks any more."""
_NON_GOALS = re.compile(
    r"^(?P<mark>[-*+] {1,4})?[#*_ ]{0,12}non-goals?\b[*_]{0,3}:?[*_]{0,3}(?P<says>.*)\n?",
    re.IGNORECASE | re.MULTILINE,
)
_GOALS = re.compile(r"(?:[-*+] {1,4})?[#*_ ]{0,12}goals?\b[*_ ]{0,4}(?::|$)", re.IGNORECASE)
_DECISION = re.compile(
    r"^(?:decision\s*(?:d?\d{1,4}\s*)?[.:)-]|decision\s+d?\d{1,4}\s|d?\d{1,4}[.:)])\s*",
    re.IGNORECASE,
)
_GROUP = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,6}){0,5}[a-z]?)(?P<end>[.):]?)\s+")
_ID = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,6}){1,5})[.)]?\s+")
_VERIFY = re.compile(r"(?<![\w-])verify\b", re.IGNORECASE)
_AND = re.compile(r"(?:^|\s)(?:and|then|also)$", re.IGNORECASE)
_WORK = re.compile(r"verify(?:\s*,|\s+(?:and|or|their|his|her|its|your)\b)", re.IGNORECASE)
_CHECK = re.compile(r"`|\b(?:tests?|pass(?:es)?|that|it)\b", re.IGNORECASE)
_ENDS = (",", ";", ".", "(", "\u2013", "\u2014", "--", " -")
_LABEL = re.compile(r"\s*(?:[-*+]\s+)?\**(?P<label>[A-Za-z][\w /&-]{0,30}?)\**\s*:\**(?:\s+|$)")
_HEADING = re.compile(r"#{1,6}\s+(?P<label>.+)")
_DOES = ("purpose", "overview", "project overview", "project", "about", "what it does")
_STACK = ("tech stack", "technology stack", "stack", "technology", "technologies", "built with")


@dataclass
class Change:
    """A folder of `changes/` or its archive."""

    source: PlanSource
    name: str
    path: str
    settings: dict[str, Any]
    archived: bool = False

    def text(self, file: str) -> str:
        return self.source.text(f"{self.path}/{file}")

    @property
    def reference(self) -> str:
        """What its documents are called in `reference/`."""
        return "reference/" + re.sub(r"[^\w.-]+", "-", self.name)


def read(source: PlanSource) -> OtherPlan:
    config = source.yaml(CONFIG) or source.yaml("openspec/config.yml")
    if config.get("store"):
        says = (
            "says `store:`, so its changes may lie in another repository; only what is here is read"
        )
        source.remark(UNRESOLVED, says, CONFIG)
    project = source.text(PROJECT)
    does, stack, others = read_context(string(config.get("context")))
    does = joined(section_of(project, "purpose", "overview", "project overview"), does)
    stack = joined(section_of(project, "tech stack", "technology", "technologies"), stack)
    plan = OtherPlan([], OtherVision("", {"What It Does": does, "Tech Stack": stack}))
    if others:
        text = f"# Conventions\n\n{others}"
        plan.documents.append(OtherDocument("codebase/CONVENTIONS.md", text, CONFIG))
    elif project.strip():
        plan.documents.append(OtherDocument("codebase/CONVENTIONS.md", project, PROJECT))
    for name, path in _specs(source, "openspec/specs"):
        place = f"reference/spec-{name.replace('/', '-')}.md"
        plan.documents.append(OtherDocument(place, source.text(path), path))
    if config.get("rules"):
        says = "has rules for its own documents; they are not part of a plan"
        source.remark(DROPPED, says, CONFIG)
    # Older changes do not say when they were made, and came before the others.
    for change in sorted(
        _changes(source), key=lambda change: (string(change.settings.get("created")), change.name)
    ):
        goal = _goal(change)
        if goal.steps:
            plan.goals.append(goal)
            plan.documents += _documents(change)
            if goal.is_finished and not change.archived:
                says = "every box is ticked, and it is not archived; OpenSpec itself lists it as complete"
                source.remark(DOUBT, says, goal.path)
        elif not change.archived:
            says = (
                f"{change.name.replace('-', ' ').capitalize()} (an OpenSpec change without tasks)"
            )
            why = paragraphs(section_of(change.text("proposal.md"), "why"))
            if why:
                says += f": {item(why[0])}"
            plan.ideas.append(OtherIdea(change.name, says, f"{change.path}/proposal.md", 1))
    return plan


def tick(source: PlanSource, task: OtherTask, text: Source, now: str) -> list[Edit]:
    """Its box and those inside it: OpenSpec counts each."""
    lines = [task.line]
    for _, own in boxes_of_parts(source.text(task.path), in_code=True):
        for box, inner in nested(own):
            if box.line == task.line:
                lines += [each.line for each in inner if not each.ticked]
    return ticked(text, lines, "x")


def _changes(source: PlanSource) -> Iterator[Change]:
    archive = f"{CHANGES}/archive"
    for name in source.folders(CHANGES):
        if name != "archive":
            path = f"{CHANGES}/{name}"
            yield Change(source, name, path, source.yaml(f"{path}/.openspec.yaml"))
    for folder in source.folders(archive):
        name = re.sub(r"^\d{4}-\d{2}-\d{2}-(?=.)", "", folder)
        if source.with_done or name in source.followed:
            path = f"{archive}/{folder}"
            yield Change(source, name, path, source.yaml(f"{path}/.openspec.yaml"), archived=True)


def _goal(change: Change) -> OtherGoal:
    source = change.source
    proposal = change.text("proposal.md")
    about = joined(section_of(proposal, "why"), section_of(proposal, "what changes"))
    about = about or section_of(proposal, "summary", "overview")
    about = with_questions(about, listed(section_of(change.text("design.md"), "open questions")))
    path = f"{change.path}/tasks.md"
    text = source.text(path)
    if not change.archived:
        schema = string(change.settings.get("schema"))
        if not text and schema not in ("", "spec-driven") and source.kind(change.path):
            says = f"has no tasks.md; its schema {schema!r} may keep tasks in another file"
            source.remark(UNRESOLVED, says, change.path)
        for line, words in hidden_boxes(text):
            says = (
                f"{item(words, most=60)!r} stands in a comment or in the code of a task; "
                "it is no task here, and OpenSpec itself counts it"
            )
            source.remark(DOUBT, says, path, line)
        for box in boxes(text, in_code=True):
            if _is_empty(box):
                says = "a box without a word, which OpenSpec counts"
                source.remark(DROPPED, says, path, box.line)
    name = title(change.name.replace("-", " ").replace("_", " ").capitalize())
    steps = list(_steps(change, path, text))
    return OtherGoal(change.name, name, path, 1, about, steps, archived=change.archived)


# --- Groups and tasks ---


def _steps(change: Change, path: str, text: str) -> Iterator[OtherStep]:
    """Every heading that has boxes right below it; what stands above all headings is a group, too."""
    decisions = list(_decisions(change.text("design.md")))
    delivers = _delivers(change)
    above = ""
    needs: list[str] = []
    step_needs: list[str] = []
    index = 0
    for part, every in boxes_of_parts(text, in_code=True):
        own = [box for box in every if not _is_empty(box)]
        number, name = _numbered(part.title, index + 1)
        if part.level <= 2:
            above = part.title
        elif above and not is_titled(above, "tasks"):
            name = f"{_numbered(above, index + 1)[1]}: {name}"
        if not own:
            continue
        index += 1
        key = f"{change.name}/{number or f'group-{index}'}"
        step = OtherStep(
            key=f"step:{key}",
            name=title((name if part.title else "Tasks") or change.name),
            path=path,
            line=part.line,
            text=delivers,
            needs=step_needs,
            decisions=decisions,
        )
        step_needs = [step.key]
        # The outer boxes; those inside them are how one sees that the outer one is done.
        for position, (box, inner) in enumerate(nested(own), 1):
            id, words = _id_and_words(box.text, number)
            said, how = _verified(words)
            criteria = [Criterion(how)] if how else []
            for each in inner:
                _, check = _id_and_words(each.text, id or number)
                check = item(f"{check}\n{dedented(each.below)}", most=2000)
                criteria.append(Criterion(check, each.ticked))
            task = OtherTask(
                key=f"{change.name}/{id}" if id else f"{key}/{position}",
                name=title(said).rstrip(" ,;:"),
                path=path,
                line=box.line,
                text=joined(words, dedented(box.below)),
                criteria=criteria,
                needs=needs,
                done=box.ticked,
                begun=box.begun,
                id=id,
            )
            needs = [task.key]
            step.tasks.append(task)
        yield step


def _is_empty(box: TickBox) -> bool:
    return not box.text and not box.below


def _numbered(heading: str, position: int) -> tuple[str, str]:
    """`1. Models` is number 1; `404 page` has none, unless it is in the place of one."""
    match = _GROUP.match(heading)
    if match is None:
        return "", heading
    number = match["number"]
    if number.isdecimal() and not match["end"] and number != str(position):
        return "", heading
    return number, heading[match.end() :]


def _id_and_words(text: str, above: str) -> tuple[str, str]:
    """`2.5 seconds at most` in group 1 begins with an amount, and not with an id: an id may be 1.2 below 1, and 1.2.1
    below 1.2.
    """
    match = _ID.match(text)
    if match:
        number = match["number"]
        group = above.rstrip("abcdefghijklmnopqrstuvwxyz")
        is_below = not above or number.partition(".")[0] == group
        if number.startswith(f"{above}.") if "." in above else is_below:
            return number, text[match.end() :]
    return "", re.sub(r"^\d{1,6}[.)]\s+", "", text)


def _verified(text: str) -> tuple[str, str]:
    """What is to be done, and how it is verified: `Read the file and verify that it is whole`. A `Verify e-mail` button
    is what is to be done, `Sign and verify tokens` is one thing, as `Users verify their address` is.
    """
    for match in islice(_VERIFY.finditer(text), MOST_CLAUSES):
        head = text[: match.start()].rstrip(" *_")
        behind = text[match.start() :].replace("**", "")
        is_quoted = any(head.count(mark) % 2 for mark in ('"', "`"))
        if is_quoted or head.count("\u201c") > head.count("\u201d") or _WORK.match(behind):
            continue
        bare = head.rstrip(" ,;:.(-\u2013\u2014")
        task = _AND.sub("", bare).rstrip(" ,;:.(-\u2013\u2014") or bare
        is_and = bool(_AND.search(head))
        may_begin = is_and or head.endswith(_ENDS)
        if not may_begin or not any(map(str.isalnum, task)):
            continue
        says_more = len(task.split()) > 2 or _CHECK.search(behind)
        if not says_more and (is_and or head.endswith(",")):
            continue
        rest = ""
        if head.endswith("(") and ")" in behind:
            behind, _, rest = behind.rpartition(")")
        return f"{task} {rest.strip()}".strip(), behind.strip()
    return text, ""


# --- Proposals, designs and specs ---


def _decisions(design: str) -> Iterator[OtherDecision]:
    decided = section_of(design, "decisions")
    headed = [part for part in parts(decided) if part.level]
    for part in headed:
        # `Decision 2: Store UTC` and `D2. Store UTC` are `Store UTC`; `404 page` stays.
        name = _DECISION.sub("", part.title, count=1) or part.title
        # The first paragraph, with the list that it announces.
        first, second, *_ = [*paragraphs(part.body), "", ""]
        says = f"{first}\n{second}" if first.endswith(":") else first
        yield OtherDecision(LOCKED, item(f"**{name}.**\n{says}"))
    if not headed:
        yield from (OtherDecision(LOCKED, text) for text in listed(decided))
    for text in (*_non_goals(design), *listed(section_of(design, "open questions"))):
        yield OtherDecision(DEFERRED, text)


def _non_goals(design: str) -> list[str]:
    """A list below a label, words behind it, or a section of their own."""
    goals = section_of(design, "goals / non-goals", "goals/non-goals", "goals and non-goals")
    match = _NON_GOALS.search(goals)
    if match is None:
        return listed(section_of(design, "non-goals"))
    below: list[str] = []
    for line in goals[match.end() :].split("\n"):
        is_beside = match["mark"] and line[:1] not in ("", " ", "\t")
        if is_beside or _GOALS.match(line):
            break
        below.append(line)
    inline = item(match["says"])
    return [*([inline] if inline else []), *listed(textwrap.dedent("\n".join(below)))]


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


def _delivers(change: Change) -> str:
    """The requirements, and the files that it affects, as far as the proposal says so."""
    lines: list[str] = []
    for name, path in _specs(change.source, f"{change.path}/specs"):
        how = ""
        for part in parts(change.source.text(path)):
            word = part.title.split(" ")[0].casefold()
            if part.level == 2 and word in ("added", "modified", "removed", "renamed"):
                how = "" if word == "added" else f", {word}"
            if part.level == 3 and is_titled(part.title, "requirement"):
                lines.append(f"- {part.title.partition(':')[2].strip()} ({name}{how})")
    if lines:
        lines += ["", f"The scenarios are in `.director/{change.reference}-scenarios.md`."]
    impact = section_of(change.text("proposal.md"), "impact")
    says = f"**Impact of the whole change**\n\n{impact}" if impact else ""
    return joined("\n".join(lines), says)


def _documents(change: Change) -> Iterator[OtherDocument]:
    specs = f"{change.path}/specs"
    scenarios = [
        f"# {name}\n\n{change.source.text(path).strip()}"
        for name, path in _specs(change.source, specs)
    ]
    if scenarios:
        place = f"{change.reference}-scenarios.md"
        yield OtherDocument(place, "\n\n".join(scenarios), specs)
    design = change.text("design.md")
    if design.strip():
        origin = f"{change.path}/design.md"
        yield OtherDocument(f"{change.reference}-design.md", design, origin)


def read_context(text: str) -> tuple[str, str, str]:
    """The `context:` of the settings: what the project does, what it is made with, and what else is to be known. Every
    line of it is in one of them.
    """
    does: list[str] = []
    stack: list[str] = []
    others: list[str] = []
    here = does
    is_labelled = False
    for line in text.strip().split("\n"):
        heading = _HEADING.match(line)
        label = heading or _LABEL.match(line)
        if label:
            is_labelled = heading is None
            here = others
            if is_titled(label["label"], *_STACK):
                here = stack
            elif is_titled(label["label"], *_DOES):
                here = does
            if here is others:
                here.append(line)
            elif is_labelled:
                here.append(line[label.end() :])
            continue
        # What a project does is one paragraph, and so is what stands behind a label.
        is_prose = here is does
        is_over = (is_prose or is_labelled) and any(map(str.strip, here))
        is_list = is_prose and re.match(r"\s*(?:[-*+]|\d{1,3}[.)])\s", line)
        if is_list if line.strip() else is_over:
            here = others
        here.append(line)
    does_text, stack_text, others_text = (
        re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n").rstrip()
        for lines in (does, stack, others)
    )
    return does_text, stack_text, others_text
