"""A task that is done here, marked done in the plan that it was taken over from: only when asked, after reading that
again, and never where it says something else by now.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.write import write_whole
from director_ctx.base.text import plain
from director_ctx.other_plans.documents import DONE, DONE_THERE, NAME, WHAT, task_text
from director_ctx.other_plans.find import below_root, folder_of
from director_ctx.other_plans.moved import moved_keys
from director_ctx.other_plans.needs import Numbers
from director_ctx.other_plans.origins_file import write_origins
from director_ctx.other_plans.source import PlanSource
from director_ctx.other_plans.table import BY_NAME
from director_ctx.project.origins import read_taken
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.taken import TakenPlan, mark_of
from director_ctx.upkeep.records.source import parse_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.other_plans.model import OtherPlan, OtherTask
    from director_ctx.other_plans.table import PlanFormat
    from director_ctx.project.reading.model import Place

_COMPARED = (NAME, WHAT, DONE)
_DONE_HERE = (
    "The task is done here; the same command marks it done there as soon as that is mended."
)


class WriteBack(Record):
    """The change of one file, decided."""

    at: str
    """The task's file without its ending, below `.director/`."""
    now: str
    format: PlanFormat
    source: PlanSource
    path: str
    line: int
    before: bytes
    after: bytes
    key: str = ""
    """Of the task, as it was taken over."""

    @property
    def is_done(self) -> bool:
        """Whether the source says so already."""
        return self.before == self.after

    def path_in(self, root: str) -> str:
        """Its file as somebody in the project names it."""
        return _path_in(root, self.source, self.path)


def _path_in(root: str, source: PlanSource, path: str) -> str:
    folder = below_root(root, source.root)
    return f"{folder}/{path}" if folder else path


def plan_write_back(project: Project, place: Place, now: str) -> WriteBack:
    """What would be changed. Raises where it may not be."""
    assert place.task
    path = place.task.path.removeprefix(f"{FOLDER}/")
    at = path.removesuffix(".md").removesuffix(".done")
    return _planned(project, at, place.ref, now)


def _planned(project: Project, at: str, ref: str, now: str) -> WriteBack:
    name, plan, key = _origin(project, at, ref)
    row = BY_NAME[name]
    if row.tick is None:
        raise DctxError(
            f"Nothing is written back into a plan of {row.title}.", "Mark it done there by hand."
        )
    folder = folder_of(project.root, plan)
    if not folder:
        raise DctxError("The plan that it came from is not in this project.", "Mark it done there.")
    source = PlanSource(folder, plan.file, followed=frozenset(plan.units))
    other = row.read(source)
    task = _task(row, other, plan, key)
    if _says_other(name, task, plan, key):
        raise DctxError(
            f"{plain(_path_in(project.root, source, task.path))} says something else of this task by now.",
            f"`dctx init --from {name}` first; nothing was marked done.",
        )
    path, before, after = _change(row, source, task, now)
    return WriteBack(at, now, row, source, path, task.line, before, after, key)


def _origin(project: Project, at: str, ref: str) -> tuple[str, TakenPlan, str]:
    for name, plan in read_taken(project).items():
        for key, unit in plan.units.items():
            if unit.at == at:
                return name, plan, key
    raise DctxError(
        f"Task {ref} was not taken over from another tool's plan.",
        "Leave --write-back out.",
    )


def _task(row: PlanFormat, other: OtherPlan, plan: TakenPlan, key: str) -> OtherTask:
    moved: dict[str, str] = {}
    if row.numbers_anew:
        moved = moved_keys(plan, other.goals)
    for goal in other.goals:
        for step in goal.steps:
            for task in step.tasks:
                if moved.get(task.key, task.key) == key and not goal.archived:
                    return task
    raise DctxError(
        f"The task is not in the plan of {row.title} any more.",
        f"`dctx init --from {row.name}` says what is; nothing was marked done.",
    )


def _says_other(name: str, task: OtherTask, plan: TakenPlan, key: str) -> bool:
    text = task_text(task, name, Numbers(0), needs=(), before=())
    now = text.marks()
    then = plan.units[key].marks
    return any(now.get(section) != then.get(section) for section in _COMPARED)


def _change(
    row: PlanFormat, source: PlanSource, task: OtherTask, now: str
) -> tuple[str, bytes, bytes]:
    """The file, what is in it, and what will be."""
    assert row.tick
    tick = row.tick(source, task, now)
    with open(source.location(tick.path), "rb") as file:
        before = file.read()
    text = parse_source(before)
    if text is None:
        raise DctxError(
            f"{plain(tick.path)} is no text that can be changed safely.", "Mark it by hand."
        )
    after = before
    if not task.done:
        after = text.edited(tick.edits(text)).data()
    return tick.path, before, after


def carry_out_write_back(root: str, planned: WriteBack) -> None:
    """Puts it in place. Where somebody has written the file since it was read, it is decided once more."""
    with alone_in_project(root):
        try:
            change = _as_it_is_now(root, planned)
            if not change.is_done:
                write_whole(change.source.location(change.path), change.after)
        except OSError as error:
            raise DctxError(
                f"Could not write {plain(planned.path_in(root))}: {error.strerror or error}.",
                _DONE_HERE,
            ) from error
        _see(Project(root), change)


def _as_it_is_now(root: str, planned: WriteBack) -> WriteBack:
    with open(planned.source.location(planned.path), "rb") as file:
        if file.read() == planned.before:
            return planned
    try:
        return _planned(Project(root), planned.at, "", planned.now)
    except DctxError as error:
        raise DctxError(
            f"{plain(planned.path_in(root))} was changed meanwhile, and says something else of this task.",
            _DONE_HERE,
        ) from error


def _see(project: Project, change: WriteBack) -> None:
    """What we wrote ourselves is no change of the source that anybody has to be told of."""
    name = change.format.name
    path = change.path
    plans = read_taken(project)
    plan = plans.get(name)
    if plan is None or change.key not in plan.units:
        return

    unit = plan.units[change.key]
    marks = {**unit.marks, DONE_THERE: "yes"}
    seen = dict(plan.seen)
    if seen.get(path) == change.source.seen.get(path, ""):
        fresh = PlanSource(change.source.root)
        seen[path] = mark_of(fresh.text(path))
    units = {**plan.units, change.key: unit.replace(marks=marks)}
    plans[name] = plan.replace(units=units, seen=seen)
    write_origins(project, plans)
