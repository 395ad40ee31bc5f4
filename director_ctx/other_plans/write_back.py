"""A task that is done here, marked done in the plan that it was taken over from: only when asked, after reading that
again, and never where it says something else by now.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.write import write_whole
from director_ctx.base.text import plain
from director_ctx.other_plans.documents import DONE, DONE_THERE, NAME, WHAT, unit_text
from director_ctx.other_plans.find import BY_NAME, PlanFormat, below_root, folder_of
from director_ctx.other_plans.model import OtherTask, tasks_of
from director_ctx.other_plans.same_units import keys_of_before
from director_ctx.other_plans.source import PlanSource
from director_ctx.other_plans.write import write_origins
from director_ctx.project.origins import read_taken
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.model import FOLDER, Place
from director_ctx.project.taken import TakenPlan, mark_of
from director_ctx.upkeep.records.source import parse_source

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
    before: bytes
    after: bytes
    key: str
    """Of the task, as it was taken over."""

    @property
    def is_done(self) -> bool:
        """Whether the source says so already."""
        return self.before == self.after

    def path_in(self, root: str) -> str:
        """Its file as somebody in the project names it."""
        return _path_in(root, self.source, self.path)


def plan_write_back(project: Project, place: Place, now: str) -> WriteBack:
    """What would be changed. Raises where it may not be."""
    assert place.task
    path = place.task.path.removeprefix(f"{FOLDER}/")
    return _planned(project, path.removesuffix(".md").removesuffix(".done"), place.ref, now)


def carry_out_write_back(root: str, planned: WriteBack) -> None:
    """Puts it in place. Where somebody has written the file since it was read, it is decided once more."""
    change = planned
    with alone_in_project(root):
        try:
            if _read(planned.source, planned.path) != planned.before:
                change = _planned(Project(root), planned.at, "", planned.now)
            if not change.is_done:
                write_whole(change.source.location(change.path), change.after)
        except OSError as error:
            raise DctxError(
                f"Could not write {plain(planned.path_in(root))}: {error.strerror or error}.",
                _DONE_HERE,
            ) from error
        except DctxError as error:
            raise DctxError(
                f"{plain(planned.path_in(root))} was changed meanwhile, and says something else of this task.",
                _DONE_HERE,
            ) from error
        _see(Project(root), change)


def _path_in(root: str, source: PlanSource, path: str) -> str:
    folder = below_root(root, source.root)
    return f"{folder}/{path}" if folder else path


def _read(source: PlanSource, path: str) -> bytes:
    with open(source.location(path), "rb") as file:
        return file.read()


def _planned(project: Project, at: str, ref: str, now: str) -> WriteBack:
    origins = [
        (name, plan, key)
        for name, plan in read_taken(project).items()
        for key, unit in plan.units.items()
        if unit.at == at
    ]
    if not origins:
        raise DctxError(
            f"Task {ref} was not taken over from another tool's plan.", "Leave --write-back out."
        )
    name, plan, key = origins[0]
    row = BY_NAME[name]
    if row.tick is None:
        raise DctxError(
            f"Nothing is written back into a plan of {row.title}.", "Mark it done there by hand."
        )
    folder = folder_of(project.root, plan)
    if not folder:
        raise DctxError("The plan that it came from is not in this project.", "Mark it done there.")
    source = PlanSource(folder, plan.file, followed=frozenset(plan.units))
    task = _task(row, source, plan, key)
    marks = unit_text(task, name, "").marks()
    if any(marks.get(each) != plan.units[key].marks.get(each) for each in (NAME, WHAT, DONE)):
        raise DctxError(
            f"{plain(_path_in(project.root, source, task.path))} says something else of this task by now.",
            f"`dctx init --from {name}` first; nothing was marked done.",
        )
    before = after = _read(source, task.path)
    text = parse_source(before)
    if text is None:
        raise DctxError(
            f"{plain(task.path)} is no text that can be changed safely.", "Mark it by hand."
        )
    if not task.done:
        after = text.edited(row.tick(source, task, text, now)).data()
    return WriteBack(at, now, row, source, task.path, before, after, key)


def _task(row: PlanFormat, source: PlanSource, plan: TakenPlan, key: str) -> OtherTask:
    goals = row.read(source).goals
    before = keys_of_before(plan, goals, source) if row.numbers_anew else {}
    for task in tasks_of(goal for goal in goals if not goal.archived):
        if before.get(task.key, task.key) == key:
            return task
    raise DctxError(
        f"The task is not in the plan of {row.title} any more.",
        f"`dctx init --from {row.name}` says what is; nothing was marked done.",
    )


def _see(project: Project, change: WriteBack) -> None:
    """What we wrote ourselves is no change of the source that anybody has to be told of."""
    plans = read_taken(project)
    plan = plans.get(change.format.name)
    if plan is None or change.key not in plan.units:
        return
    unit = plan.units[change.key]
    units = {**plan.units, change.key: unit.replace(marks={**unit.marks, DONE_THERE: "yes"})}
    seen = dict(plan.seen)
    if seen.get(change.path) == change.source.seen.get(change.path, ""):
        seen[change.path] = mark_of(PlanSource(change.source.root).text(change.path))
    plans[change.format.name] = plan.replace(units=units, seen=seen)
    write_origins(project, plans)
