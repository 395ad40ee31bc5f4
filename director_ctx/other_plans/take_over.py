"""A plan of another tool taken over, for the first time or again: read, compared with what is here, and decided. Only
`write.py` writes.

    found ──read──▶ OtherPlan ──prepared──▶ ──placed──▶ units ──merged──▶ Taking ──write──▶ .director/
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.other_plans.documents import (
    BEGUN,
    DONE_THERE,
    INSIDE,
    NEEDS,
    goal_text,
    step_text,
    task_text,
)
from director_ctx.other_plans.find import below_root, folder_of, found_plans
from director_ctx.other_plans.merge import merged
from director_ctx.other_plans.model import (
    EARLIER,
    OtherGoal,
    OtherIdea,
    OtherStep,
    OtherTask,
    SourceRemark,
)
from director_ctx.other_plans.moved import MovedUnits, moved_units
from director_ctx.other_plans.place import NEW, REMOVED, THERE, PlacedUnit, place_units
from director_ctx.other_plans.prepare import FinishedUnit, prepared
from director_ctx.other_plans.side_documents import SideDocument, side_documents
from director_ctx.other_plans.source import PlanSource
from director_ctx.other_plans.step_needs import needs_of_step
from director_ctx.other_plans.wording import title
from director_ctx.project.origins import read_taken
from director_ctx.project.project import Project
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.taken import TakenPlan, mark_of
from director_ctx.project.tasks.child_lists import step_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from director_ctx.other_plans.documents import UnitText
    from director_ctx.other_plans.find import FoundPlan
    from director_ctx.other_plans.merge import SectionUpdate
    from director_ctx.other_plans.model import OtherPlan
    from director_ctx.other_plans.needs import Numbers
    from director_ctx.other_plans.table import PlanFormat

IDEA = "idea:"


class TakenOver(Record):
    """One unit of the source with what is to be done about it."""

    placed: PlacedUnit
    text: UnitText | None = None
    updates: tuple[SectionUpdate, ...] = ()
    kept: tuple[str, ...] = ()
    """Sections that were changed here as well as in the source."""
    finish: bool = False
    """Whether the source says by now that it is done, and the folder does not yet."""
    begin: bool = False
    """Whether somebody is at it in the source since it was looked at last, and STEP.md does not say so."""
    open_there: bool = False
    """Whether it is done here and open in the source."""
    moved: str = ""
    """What it stands in by now in the source, where that is another goal or step than before."""


class BegunIdea(Record):
    """What waited among the ideas, and is work by now."""

    key: str
    name: str


class Taking(Record):
    """Everything that taking a plan over would do, and what it leaves out."""

    format: PlanFormat
    path: str | None
    file: str
    project: Project
    before: TakenPlan
    units: tuple[TakenOver, ...]
    ideas: tuple[OtherIdea, ...]
    """Those that are new."""
    begun: tuple[BegunIdea, ...]
    documents: tuple[SideDocument, ...]
    finished: tuple[FinishedUnit, ...]
    gone: tuple[str, ...]
    """Where units are that the source does not have any more."""
    remarks: tuple[SourceRemark, ...]
    seen: Mapping[str, str]

    @property
    def is_first(self) -> bool:
        return not self.before.units

    @property
    def changes_something(self) -> bool:
        for unit in self.units:
            if unit.placed.state == NEW or unit.updates or unit.finish or unit.begin:
                return True
        has_documents = any(document.writes for document in self.documents)
        has_ideas = bool(self.ideas or self.begun)
        return has_ideas or has_documents or self.before.unfinished

    def new(self, kind: str) -> list[TakenOver]:
        return [
            unit for unit in self.units if unit.placed.kind == kind and unit.placed.state == NEW
        ]


def plan_taking(root: str, found: FoundPlan, with_done: bool = False) -> Taking:
    """What would be done. Nothing is written."""
    project = Project(root)
    before = read_taken(project).get(found.format.name, TakenPlan())
    _refuse_another(root, found, before)
    followed = frozenset(before.units)
    source = PlanSource(found.root, found.file, with_done, followed)
    ready = prepared(found.format.read(source), with_done, followed)
    plan = ready.plan
    moved = moved_units(before, plan.goals) if found.format.numbers_anew else MovedUnits({})
    placed = place_units(project, before, plan.goals, moved.keys)
    units = _taken_over(project, found.format.name, placed)
    ideas = [idea for idea in plan.ideas if _is_new(project, before, idea)]
    return Taking(
        format=found.format,
        path=below_root(root, found.root),
        file=found.file,
        project=project,
        before=before,
        units=tuple(_with_moves(units, plan)),
        ideas=tuple(ideas),
        begun=tuple(_begun(before, plan, placed)),
        documents=tuple(side_documents(project, before, plan, placed)),
        finished=ready.finished,
        gone=tuple(_gone(before, placed, plan.ideas, moved.keys)),
        remarks=(*plan.remarks, *moved.remarks),
        seen=source.seen,
    )


def _with_moves(units: Iterable[TakenOver], plan: OtherPlan) -> list[TakenOver]:
    """What stands in another goal or step of the source than before stays where it is, and is told."""
    names: dict[str, str] = {}
    for goal in plan.goals:
        names[goal.key] = goal.name
        for step in goal.steps:
            names[step.key] = step.name

    told = list(units)
    then = {unit.placed.key: unit.placed.recorded for unit in told}
    moved: list[TakenOver] = []
    for unit in told:
        placed = unit.placed
        above = then.get(placed.parent)
        here = mark_of(above.at) if above else ""
        before = placed.recorded.marks.get(INSIDE, here) if placed.recorded else here
        is_moved = placed.state == THERE and before != here
        moved.append(unit.replace(moved=names.get(placed.parent, "")) if is_moved else unit)
    return moved


def _begun(before: TakenPlan, plan: OtherPlan, placed: Sequence[PlacedUnit]) -> Iterable[BegunIdea]:
    waiting = {f"{IDEA}{idea.key}" for idea in plan.ideas}
    known: dict[str, str] = {}
    for key in before.units:
        if key.startswith(IDEA) and key not in waiting:
            known[_without_place(key.removeprefix(IDEA))] = key
    for unit in placed:
        # The key of a step may have a word for its kind before what the idea was known by.
        for name in (unit.key, unit.key.partition(":")[2]):
            key = known.pop(_without_place(name), "")
            if key and unit.state != REMOVED:
                yield BegunIdea(key, title(unit.other.name))


def _without_place(key: str) -> str:
    """An item of a list without the heading that it stands below."""
    path, mark, rest = key.partition("#")
    return f"{path}#{rest.rpartition('/')[2]}" if mark else key


def _is_new(project: Project, before: TakenPlan, idea: OtherIdea) -> bool:
    is_told = f"{IDEA}{idea.key}" in before.units
    if is_told and before.unfinished:
        return idea.text not in project.text(f"{FOLDER}/IDEAS.md")
    # What is here as a task, and was put off there since, is listed as gone.
    return not is_told and idea.key not in before.units


def _refuse_another(root: str, found: FoundPlan, before: TakenPlan) -> None:
    """A second plan of the same tool would pass for the first one, with all of that gone."""
    folder = folder_of(root, before)
    if not before.units or not folder or below_root(folder, found.root) == "":
        return
    was = [plan for plan in found_plans(folder, loose=True) if plan.format is found.format]
    if was:
        where = below_root(root, folder) or "this project's own folder"
        raise DctxError(
            f"The plan of {found.format.title} that was taken over is in {plain(where)}, and still there.",
            "One folder is followed for each tool."
            + (" Name the file to follow it, too." if found.format.by_file else ""),
        )


def _taken_over(project: Project, tool: str, placed: Sequence[PlacedUnit]) -> Iterable[TakenOver]:
    numbers = {unit.key: unit.numbers for unit in placed if unit.state != REMOVED}
    in_step = _numbers_in_steps(project, placed)
    earlier: list[str] = []
    for unit in placed:
        if unit.kind == "step":
            earlier = []
        if unit.state == REMOVED:
            yield TakenOver(unit)
            continue
        text = _text(tool, unit, numbers, earlier, in_step)
        if unit.kind == "task":
            earlier.append(unit.key)
        yield _compared(project, unit, text)


def _numbers_in_steps(
    project: Project, placed: Sequence[PlacedUnit]
) -> dict[tuple[int, int], list[int]]:
    """The numbers of all tasks of each step, whoever made them."""
    in_step: dict[tuple[int, int], set[int]] = {}
    for unit in placed:
        place = (unit.numbers.goal, unit.numbers.step)
        tasks = in_step.setdefault(place, set())
        if unit.kind == "task" and unit.state != REMOVED:
            tasks.add(unit.numbers.task)
        elif unit.kind == "step" and unit.state == THERE:
            for task in project.tasks(unit.unit):  # type: ignore[arg-type]
                tasks.add(task.number)
    return {place: sorted(tasks) for place, tasks in in_step.items()}


def _text(
    tool: str,
    unit: PlacedUnit,
    numbers: Mapping[str, Numbers],
    earlier: Sequence[str],
    in_step: Mapping[tuple[int, int], list[int]],
) -> UnitText:
    other = unit.other
    if isinstance(other, OtherGoal):
        return goal_text(other)
    if isinstance(other, OtherStep):
        of_step = _numbers_of(needs_of_step(other), numbers, ())
        return step_text(other, unit.numbers, of_step)
    needs = _numbers_of(other.needs, numbers, earlier)
    all_of_step = in_step.get((unit.numbers.goal, unit.numbers.step), [])
    before = [number for number in all_of_step if number < unit.numbers.task]
    text = task_text(other, tool, unit.numbers, needs, before)
    if other.divided:
        # Of what it said it keeps everything but what it waits for.
        text = text.replace(sections={NEEDS: text.sections[NEEDS]})
    return text


def _numbers_of(
    needs: Sequence[str], numbers: Mapping[str, Numbers], earlier: Sequence[str]
) -> list[Numbers]:
    keys: list[str] = []
    for need in needs:
        if need == EARLIER:
            keys += earlier
        else:
            keys.append(need)
    return [numbers[key] for key in keys if key in numbers]


def _compared(project: Project, unit: PlacedUnit, text: UnitText) -> TakenOver:
    if unit.state == NEW or unit.unit is None or unit.recorded is None:
        return TakenOver(unit, text)

    name = project.title(unit.unit)
    document = project.text(document_path(unit))
    result = merged(text, name, document, unit.recorded.marks)
    taken = TakenOver(unit, text, result.updates, result.kept)
    if not isinstance(unit.other, OtherTask):
        return taken

    done_here = getattr(unit.unit, "done", False)
    done_there = unit.other.done
    # Who opens it here again is not overruled by what the source has said all along.
    is_news = DONE_THERE not in unit.recorded.marks
    return taken.replace(
        finish=done_there and not done_here and is_news,
        begin=_is_begun_now(project, unit, text) and not done_here,
        open_there=done_here and not done_there,
    )


def _is_begun_now(project: Project, unit: PlacedUnit, text: UnitText) -> bool:
    assert unit.recorded and unit.unit
    was_begun = BEGUN in unit.recorded.marks
    if was_begun or not text.begun:
        return False
    for line in step_lines(project.text(parent_path(unit))):
        if line.number == unit.numbers.task:
            return line.mark == " "
    return False


def parent_path(unit: PlacedUnit) -> str:
    """The document that lists a unit here."""
    if unit.kind == "goal":
        return f"{FOLDER}/GAMEPLAN.md"
    if unit.kind == "step":
        folder, _, _ = unit.at.rpartition("/")
        return f"{FOLDER}/{folder}/GOAL.md"
    folder, _, _ = unit.at.rpartition("/tasks/")
    return f"{FOLDER}/{folder}/STEP.md"


def document_path(unit: PlacedUnit) -> str:
    """The document of a unit that is there."""
    if unit.kind == "task" and unit.unit:
        return unit.unit.path
    return f"{FOLDER}/{unit.at}/{unit.kind.upper()}.md"


def _gone(
    before: TakenPlan,
    placed: Sequence[PlacedUnit],
    ideas: Sequence[OtherIdea],
    moved: Mapping[str, str],
) -> Iterable[str]:
    still = {moved.get(unit.key, unit.key) for unit in placed}
    emptied = {idea.key for idea in ideas}
    for key, unit in before.units.items():
        if not unit.at.startswith("goals/") or key.startswith("doc:"):
            continue
        is_task = "/tasks/" in unit.at
        if key not in still and (is_task or key not in emptied):
            yield plain(unit.at)
