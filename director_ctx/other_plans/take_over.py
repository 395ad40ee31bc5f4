"""A plan of another tool taken over, for the first time or again: read, compared with what is here, and decided. Only
`write.py` writes.

    found ──read──▶ OtherPlan ──prepare──▶ ──place──▶ units ──decide──▶ Taking ──write──▶ .director/
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.other_plans.documents import (
    BEGUN,
    DONE,
    DONE_THERE,
    INSIDE,
    NO_CRITERIA,
    Numbers,
    UnitText,
    needs_of_step,
    said_needs,
    unit_text,
    vision_document,
)
from director_ctx.other_plans.find import FoundPlan, PlanFormat, below_root, folder_of, found_plans
from director_ctx.other_plans.merge import SectionUpdate, merged
from director_ctx.other_plans.model import (
    EARLIER,
    OtherDocument,
    OtherGoal,
    OtherIdea,
    OtherPlan,
    OtherStep,
    OtherTask,
    SourceRemark,
    units_of,
)
from director_ctx.other_plans.prepare import FinishedUnit, prepare
from director_ctx.other_plans.same_units import keys_of_before
from director_ctx.other_plans.source import PlanSource
from director_ctx.other_plans.wording import title
from director_ctx.project.origins import read_taken
from director_ctx.project.project import Project
from director_ctx.project.reading.model import FOLDER, Goal, Step, Task, numbered
from director_ctx.project.taken import TakenPlan, TakenUnit, mark_of
from director_ctx.project.tasks.child_lists import listed_units, step_lines
from director_ctx.project.templates import is_template_vision
from director_ctx.upkeep.slug import slug
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

NEW, THERE, REMOVED = "new", "there", "removed"
MADE, CHANGED, KEPT, SAME, UNFIT = "made", "changed", "kept", "same", "unfit"
IDEA, DOC = "idea:", "doc:"
MARK = "text"
GAMEPLAN = f"{FOLDER}/GAMEPLAN.md"
VISION = "VISION.md"
LARGEST = 2_000_000
"""Characters of a document."""


@dataclass
class PlanUnit:
    """A goal, step or task of the source, what stands for it here, and what is to be done about it."""

    kind: str
    other: OtherGoal | OtherStep | OtherTask
    state: str
    numbers: Numbers
    at: str
    """Its folder or, for a task, its file without the ending, below `.director/`."""
    parent: str = ""
    here: Goal | Step | Task | None = None
    recorded: TakenUnit | None = None
    text: UnitText | None = None
    """What its document says; None where somebody removed it."""
    updates: Sequence[SectionUpdate] = ()
    kept: Sequence[str] = ()
    """Sections that were changed here as well as in the source."""
    finish: bool = False
    """Whether the source says by now that it is done, and the folder does not yet."""
    begin: bool = False
    """Whether somebody is at it in the source since it was looked at last, and STEP.md does not say so."""
    open_there: bool = False
    """Whether it is done here and open in the source."""
    moved: str = ""
    """What it stands in by now in the source, where that is another goal or step than before."""

    @property
    def key(self) -> str:
        return self.other.key

    @property
    def name(self) -> str:
        return self.text.name if self.text else self.other.name

    @property
    def number(self) -> int:
        return self.numbers[-1]

    @property
    def ref(self) -> str:
        return "/".join(map(str, self.numbers))

    @property
    def done_there(self) -> bool:
        return isinstance(self.other, OtherTask) and self.other.done

    @property
    def path(self) -> str:
        """Its document, where it is there."""
        if self.kind == "task" and self.here:
            return self.here.path
        return f"{FOLDER}/{self.at}/{self.kind.upper()}.md"

    @property
    def parent_path(self) -> str:
        """The document that lists it here."""
        if self.kind == "goal":
            return GAMEPLAN
        folder = self.at.rpartition("/tasks/" if self.kind == "task" else "/")[0]
        return f"{FOLDER}/{folder}/{'STEP' if self.kind == 'task' else 'GOAL'}.md"


@dataclass
class SideDocument:
    """A document, where it goes, and what is done about it."""

    at: str
    """Below `.director/`."""
    text: str
    origin: str
    state: str

    @property
    def key(self) -> str:
        return f"{DOC}{self.at}"

    @property
    def writes(self) -> bool:
        return self.state in (MADE, CHANGED)


@dataclass
class Taking:
    """Everything that taking a plan over would do, and what it leaves out."""

    format: PlanFormat
    path: str | None
    file: str
    project: Project
    before: TakenPlan
    units: list[PlanUnit]
    ideas: list[OtherIdea]
    """Those that are new."""
    begun: dict[str, str]
    """What waited among the ideas, and is work by now: its key there, and its name."""
    documents: list[SideDocument]
    finished: list[FinishedUnit]
    gone: list[str]
    """Where units are that the source does not have any more."""
    remarks: list[SourceRemark]
    seen: Mapping[str, str]

    @property
    def is_first(self) -> bool:
        return not self.before.units

    @property
    def changes_something(self) -> bool:
        return bool(
            self.ideas
            or self.begun
            or self.before.unfinished
            or any(document.writes for document in self.documents)
            or any(
                unit.state == NEW or unit.updates or unit.finish or unit.begin
                for unit in self.units
            )
        )

    def new(self, kind: str) -> list[PlanUnit]:
        return [unit for unit in self.units if unit.kind == kind and unit.state == NEW]

    def counts(self) -> dict[str, int]:
        """How many of each the source has, apart from what was left out, and how much of it is done."""
        found = {"goals": 0, "steps": 0, "tasks": 0, "done": 0, "without_criteria": 0}
        lacks = NO_CRITERIA.format(tool=self.format.title)
        for unit in self.units:
            if unit.text:
                found[f"{unit.kind}s"] += 1
                found["done"] += unit.done_there
                found["without_criteria"] += unit.text.sections.get(DONE) == lacks
        return {**found, "ideas": len(self.ideas)}

    def as_json(self, written: bool) -> dict[str, Any]:
        """The same for every door."""
        return {
            "from": self.format.name,
            "tool": self.format.title,
            "path": self.path,
            "written": written,
            "counts": self.counts(),
            "units": [
                {
                    "kind": unit.kind,
                    "id": unit.key,
                    "name": unit.name,
                    "ref": unit.ref,
                    "state": unit.state,
                    "done": unit.done_there,
                    "from": {"path": unit.other.path, "line": unit.other.line},
                    "changed": [update.section for update in unit.updates],
                    "kept": list(unit.kept),
                    "finish": unit.finish,
                    "begin": unit.begin,
                    "open_there": unit.open_there,
                    "moved": unit.moved,
                }
                for unit in self.units
            ],
            "ideas": [asdict(idea) for idea in self.ideas],
            "begun": list(self.begun.values()),
            "documents": [
                {"path": f"{FOLDER}/{each.at}", "from": each.origin, "state": each.state}
                for each in self.documents
            ],
            "finished": [asdict(unit) for unit in self.finished],
            "gone": self.gone,
            "remarks": [asdict(remark) for remark in self.remarks],
        }


def plan_taking(root: str, found: FoundPlan, with_done: bool = False) -> Taking:
    """What would be done. Nothing is written."""
    project = Project(root)
    before = read_taken(project).get(found.format.name, TakenPlan())
    _refuse_another(root, found, before)
    source = PlanSource(found.root, found.file, with_done, frozenset(before.units))
    plan = found.format.read(source)
    finished = prepare(plan, source)
    keys = keys_of_before(before, plan.goals, source) if found.format.numbers_anew else {}
    units = _Placing(project, before, keys).place(plan.goals)
    _decide(project, found.format.name, units)
    _tell_moves(units, plan.goals)
    return Taking(
        format=found.format,
        path=below_root(root, found.root),
        file=found.file,
        project=project,
        before=before,
        units=units,
        ideas=[idea for idea in plan.ideas if _is_new(project, before, idea)],
        begun=_begun_ideas(before, plan, units),
        documents=list(_documents(project, before, found.format.name, plan, units)),
        finished=finished,
        gone=list(_gone(before, units, plan.ideas, keys)),
        remarks=source.remarks,
        seen=source.seen,
    )


def _refuse_another(root: str, found: FoundPlan, before: TakenPlan) -> None:
    """A second plan of the same tool would pass for the first one, with all of that gone."""
    folder = folder_of(root, before)
    if not before.units or not folder or below_root(folder, found.root) == "":
        return
    if any(plan.format is found.format for plan in found_plans(folder, loose=True)):
        where = below_root(root, folder) or "this project's own folder"
        raise DctxError(
            f"The plan of {found.format.title} that was taken over is in {plain(where)}, and still there.",
            "One folder is followed for each tool."
            + (" Name the file to follow it, too." if found.format.by_file else ""),
        )


# --- Where each unit stands: where it was put before, or at the next number ---


class _Placing:
    def __init__(self, project: Project, taken: TakenPlan, keys: Mapping[str, str]) -> None:
        self.project = project
        self.taken = taken
        self.keys = keys
        """The keys that units had when they were taken over, where these are others now."""
        self.units: list[PlanUnit] = []
        self._last: dict[str, int] = {}
        self._here: dict[str, tuple[Numbers, Goal | Step | Task]] = {}
        for goal in project.goals():
            self._see(goal, (goal.number,))
            for step in project.steps(goal):
                self._see(step, (goal.number, step.number))
                for task in project.tasks(step):
                    self._see(task, (goal.number, step.number, task.number))

    def _see(self, here: Goal | Step | Task, numbers: Numbers) -> None:
        at = here.path.removeprefix(f"{FOLDER}/").removesuffix(".md").removesuffix(".done")
        self._here[at] = (numbers, here)

    def place(self, goals: Sequence[OtherGoal]) -> list[PlanUnit]:
        """In the order of the source."""
        for goal in goals:
            of_goal = self._place("goal", goal, None)
            for step in goal.steps:
                of_step = self._place("step", step, of_goal)
                for task in step.tasks:
                    self._place("task", task, of_step)
        # What is here already, in another place, stays there: no new goal or step is made for it alone.
        filled: set[str] = set()
        for unit in reversed(self.units):
            if unit.state == NEW and (unit.kind == "task" or unit.key in filled):
                filled.update((unit.key, unit.parent))
        return [unit for unit in self.units if unit.state != NEW or unit.key in filled]

    def _place(
        self, kind: str, other: OtherGoal | OtherStep | OtherTask, above: PlanUnit | None
    ) -> PlanUnit:
        unit = PlanUnit(kind, other, NEW, (), "", above.key if above else "")
        recorded = self.taken.units.get(self.keys.get(unit.key, unit.key))
        if recorded and recorded.at.startswith("goals/"):
            unit.at = recorded.at
            found = self._find(recorded.at)
            if found:
                unit.state, unit.recorded, unit.at = THERE, recorded, found
                unit.numbers, unit.here = self._here[found]
            elif not self.taken.unfinished:
                unit.state, unit.recorded = REMOVED, recorded
        # What was divided stays where it is, if it is there at all.
        is_divided = isinstance(other, OtherTask) and other.divided
        if unit.state == NEW and is_divided:
            return unit
        if unit.state == NEW and above and above.state == REMOVED:
            unit.state, unit.at = REMOVED, ""
        if unit.state == NEW:
            self._number(unit, above)
        self.units.append(unit)
        return unit

    def _find(self, at: str) -> str:
        """Where it was put; where it was moved since, the one of its name, if there is only one."""
        if at in self._here:
            return at
        folder, _, name = at.rpartition("/")
        _, _, words = name.partition("-")
        called = [
            other
            for other, (_, here) in self._here.items()
            if here.slug == words and other.count("/") == at.count("/")
        ]
        beside = [other for other in called if other.rpartition("/")[0] == folder]
        return next((found[0] for found in (beside, called) if len(found) == 1), "")

    def _number(self, unit: PlanUnit, above: PlanUnit | None) -> None:
        """The next number; or the one that was meant for it, where something came between."""
        folder = "goals"
        if above:
            folder = f"{above.at}/tasks" if unit.kind == "task" else above.at
        if folder not in self._last:
            here = [
                numbers[-1]
                for at, (numbers, _) in self._here.items()
                if at.rpartition("/")[0] == folder
            ]
            text = self.project.text(above.path if above else GAMEPLAN)
            self._last[folder] = max([0, *here, *listed_lines(text, unit.kind)])
        meant, _, name = unit.at.rpartition("/")
        parsed = numbered(name)
        if parsed and meant == folder:
            number, _ = parsed
        else:
            number = self._last[folder] + 1
            unit.at = f"{folder}/{number:02}-{slug(title(unit.other.name))}"
        self._last[folder] = max(self._last[folder], number)
        unit.numbers = (*(above.numbers if above else ()), number)


def listed_lines(text: str, kind: str) -> dict[int, int]:
    """The lines in which units stand in the document that lists them, by their numbers."""
    units: Sequence[Any] = step_lines(text)
    if kind != "task":
        units = listed_units(text, f"{kind}s", kind)
    return {unit.number: unit.line for unit in reversed(units)}


# --- What is to be done about each ---


def _decide(project: Project, tool: str, units: Sequence[PlanUnit]) -> None:
    numbers = {unit.key: unit.numbers for unit in units if unit.state != REMOVED}
    # The numbers of all tasks of each step, whoever made them.
    in_step: dict[Numbers, set[int]] = {}
    for unit in units:
        if unit.kind == "task" and unit.state != REMOVED:
            in_step.setdefault(unit.numbers[:2], set()).add(unit.number)
        elif isinstance(unit.here, Step):
            tasks = {task.number for task in project.tasks(unit.here)}
            in_step.setdefault(unit.numbers, set()).update(tasks)

    earlier: list[str] = []
    for unit in units:
        other = unit.other
        if unit.kind == "step":
            earlier = []
        if unit.state == REMOVED:
            continue
        needed: Sequence[str] = ()
        before: list[int] = []
        if isinstance(other, OtherStep):
            needed = needs_of_step(other)
        elif isinstance(other, OtherTask):
            needed = [
                key for need in other.needs for key in (earlier if need == EARLIER else [need])
            ]
            before = [number for number in in_step[unit.numbers[:2]] if number < unit.number]
            earlier.append(unit.key)
        needs = said_needs(unit.numbers, [numbers[key] for key in needed if key in numbers], before)
        unit.text = unit_text(other, tool, needs)
        _compare(project, unit, unit.text)


def _compare(project: Project, unit: PlanUnit, text: UnitText) -> None:
    if unit.here is None or unit.recorded is None:
        return
    marks = unit.recorded.marks
    unit.updates, unit.kept = merged(text, project.title(unit.here), project.text(unit.path), marks)
    if not isinstance(unit.here, Task):
        return
    done_here = unit.here.done
    # Who opens it here again is not overruled by what the source has said all along.
    unit.finish = unit.done_there and not done_here and DONE_THERE not in marks
    unit.open_there = done_here and not unit.done_there
    if text.begun and BEGUN not in marks and not done_here:
        for line in step_lines(project.text(unit.parent_path)):
            if line.number == unit.number:
                unit.begin = line.mark == " "
                break


def _tell_moves(units: Sequence[PlanUnit], goals: Sequence[OtherGoal]) -> None:
    """What stands in another goal or step of the source than before stays where it is, and is told."""
    names = {above.key: above.name for above in units_of(goals)}
    then = {unit.key: unit.recorded for unit in units}
    for unit in units:
        above = then.get(unit.parent)
        here = mark_of(above.at) if above else ""
        if unit.state == THERE and unit.recorded and unit.recorded.marks.get(INSIDE, here) != here:
            unit.moved = names.get(unit.parent, "")


def _gone(
    before: TakenPlan,
    units: Sequence[PlanUnit],
    ideas: Sequence[OtherIdea],
    keys: Mapping[str, str],
) -> Iterator[str]:
    still = {keys.get(unit.key, unit.key) for unit in units}
    emptied = {idea.key for idea in ideas}
    for key, unit in before.units.items():
        is_unit = unit.at.startswith("goals/") and not key.startswith(DOC)
        if is_unit and key not in still and ("/tasks/" in unit.at or key not in emptied):
            yield plain(unit.at)


# --- Ideas ---


def _is_new(project: Project, before: TakenPlan, idea: OtherIdea) -> bool:
    is_told = f"{IDEA}{idea.key}" in before.units
    if is_told and before.unfinished:
        return idea.text not in project.text(f"{FOLDER}/IDEAS.md")
    # What is here as a task, and was put off there since, is listed as gone.
    return not is_told and idea.key not in before.units


def _begun_ideas(before: TakenPlan, plan: OtherPlan, units: Sequence[PlanUnit]) -> dict[str, str]:
    def bare(key: str) -> str:
        """An item of a list without the heading that it stands below."""
        path, mark, rest = key.partition("#")
        return f"{path}#{rest.rpartition('/')[2]}" if mark else key

    waiting = {idea.key for idea in plan.ideas}
    keys = [key.removeprefix(IDEA) for key in before.units if key.startswith(IDEA)]
    known = {bare(key): key for key in keys if key not in waiting}
    begun: dict[str, str] = {}
    for unit in units:
        # The key of a step may have a word for its kind before what the idea was known by.
        for name in (unit.key, unit.key.partition(":")[2]):
            key = known.pop(bare(name), "")
            if key and unit.state != REMOVED:
                begun[f"{IDEA}{key}"] = title(unit.other.name)
    return begun


# --- Documents ---

_FIT = re.compile(r"(?:reference|research|codebase)/[\w.+ -]{1,120}\.(?:md|txt)|[\w.+-]{1,80}\.md")


def _documents(
    project: Project, before: TakenPlan, tool: str, plan: OtherPlan, units: Sequence[PlanUnit]
) -> Iterator[SideDocument]:
    """The vision, notes and reference, and documents in the folder of a step."""
    documents: dict[str, OtherDocument] = {}
    for document in plan.documents:
        documents.setdefault(document.path, document)
    vision = _vision(project, before, tool, plan)
    yield vision
    says_something = plan.vision.decisions or any(map(str.strip, plan.vision.sections.values()))
    if vision.state == KEPT and says_something:
        documents.setdefault(VISION, OtherDocument(VISION, vision.text, ""))
    for document in documents.values():
        own = _document(project, before, document, document.path)
        if document.path != VISION:
            yield own
        # Where its place is taken by what somebody wrote, or another tool's plan brought.
        path = f"reference/{tool}-{document.path.rpartition('/')[2]}"
        beside = _document(
            project, before, OtherDocument(path, document.text, document.origin), path
        )
        is_somebodys = own.state == KEPT and own.key not in before.units
        if is_somebodys or beside.key in before.units:
            yield beside
    for unit in units:
        if isinstance(unit.other, OtherStep) and unit.state != REMOVED:
            for document in unit.other.documents:
                yield _document(project, before, document, f"{unit.at}/{document.path}")


def _vision(project: Project, before: TakenPlan, tool: str, plan: OtherPlan) -> SideDocument:
    here = project.text(f"{FOLDER}/{VISION}")
    text = vision_document(plan.vision, project_name(project), tool)
    vision = SideDocument(VISION, text, "", "")
    recorded = before.units.get(vision.key)
    vision.state = _state(recorded, here, text)
    # A run that was ended may have written it down and not written it.
    is_owed = recorded is None or before.unfinished
    if is_owed and (not here.strip() or is_template_vision(here)):
        vision.state = MADE
    return vision


def _document(
    project: Project, before: TakenPlan, document: OtherDocument, at: str
) -> SideDocument:
    text = document.text.strip("\n") + "\n"
    side = SideDocument(at, text, document.origin, SAME)
    recorded = before.units.get(side.key)
    here = project.text(f"{FOLDER}/{at}")
    is_there = bool(project.kind(f"{FOLDER}/{at}"))
    if not _FIT.fullmatch(document.path) or len(text) > LARGEST or ".." in document.path:
        side.state = UNFIT
    elif is_there and here == text:
        side.state = SAME
    elif recorded and is_there:
        side.state = _state(recorded, here, text)
    elif is_there:
        side.state = KEPT
    elif recorded is None or before.unfinished:
        side.state = MADE
    # Else somebody has removed it, and does not want it.
    return side


def _state(recorded: TakenUnit | None, here: str, text: str) -> str:
    """Of a document that is there: whether only the source has changed it, or somebody here."""
    written = recorded.marks.get(MARK, "") if recorded else ""
    if mark_of(text) == written or here.strip() == text.strip():
        return SAME
    return CHANGED if mark_of(here) == written else KEPT
