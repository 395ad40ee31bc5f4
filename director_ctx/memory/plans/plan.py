"""The plan of a project: read, replaced as a whole, or one task changed. Plain values in, plain
values out.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.memory.plans import versions
from director_ctx.memory.plans.diff import changes, same_plan
from director_ctx.memory.plans.rules import mistakes
from director_ctx.memory.plans.tasks import every_task, with_status
from director_ctx.memory.plans.values import texts_in
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from director_ctx.memory.plans.diff import PlanChange
    from director_ctx.memory.plans.tasks import PhaseTask
    from director_ctx.memory.plans.values import Mistake
    from director_ctx.memory.plans.versions import Version
    from director_ctx.memory.store.open import Where
    from director_ctx.memory.store.store import Store

    Plan = dict[str, Any]

MOST_LISTED = 8
"""Tasks that a hint names."""
NONE_YET = (
    "There is no plan yet.",
    "`dctx plan from-folder` makes one of the folder, `dctx plan update FILE` takes yours.",
)


class PlanUpdate(Record):
    """What an update did."""

    version: Version
    previous: int
    """The version before it; 0 for the first one."""
    changes: tuple[PlanChange, ...]

    @property
    def new(self) -> bool:
        return self.version.number != self.previous


class BadPlan(DctxError):
    """The plan was refused, and nothing was changed."""

    def __init__(self, its_mistakes: list[Mistake]) -> None:
        self.mistakes = its_mistakes
        lines = tuple(map(str, its_mistakes))
        super().__init__(
            "The plan was not taken", "`dctx plan schema` prints what a plan looks like.", lines
        )


class PlanConflict(DctxError):
    """Somebody was faster. `changes` are what happened since the version that was expected."""

    def __init__(self, conflict: versions.Conflict, since: tuple[PlanChange, ...]) -> None:
        self.expected = conflict.expected
        self.current = conflict.current
        self.changes = since
        super().__init__(conflict.message, conflict.hint)


def current_plan(project: Where) -> Version | None:
    with open_store(project) as store:
        return versions.current(store)


def plan_version(project: Where, number: int | None = None) -> Version:
    """That version, or the current one; an error if there is none."""
    with open_store(project) as store:
        newest = versions.current(store)
        if newest is None:
            raise DctxError(*NONE_YET)
        if number is None or number == newest.number:
            return newest
        version = versions.version(store, number)
    if version is None:
        raise DctxError(
            f"There is no version {number} of the plan.", f"The newest is {newest.number}."
        )
    return version


def plan_history(project: Where, last: int = 0) -> list[Version]:
    """The newest versions, oldest first; all of them for 0."""
    with open_store(project) as store:
        return versions.history(store, last)


def update_plan(
    project: Where,
    plan: Mapping[str, Any],
    reason: str,
    expected: int | None = None,
) -> PlanUpdate:
    """Replaces the plan; raises `BadPlan` or `PlanConflict`, and then nothing was changed."""
    whole = good(plan)
    return change_plan(project, lambda _: whole, reason, expected)


def good(plan: Any) -> Plan:
    """The plan itself, if there is no mistake in it."""
    its_mistakes = mistakes(plan)
    if its_mistakes:
        raise BadPlan(its_mistakes)
    checked: Plan = plan
    return checked


class TaskChange(Record):
    """A task of the plan, and what it is to be."""

    task: str
    status: str
    note: str | None = None
    reason: str = ""


def set_task(
    project: Where,
    task: str | int,
    status: str,
    note: str | None = None,
    reason: str = "",
) -> PlanUpdate:
    """Changes the status of one task, and what follows from it; no new version where that changes
    nothing.
    """
    return change_task(project, TaskChange(str(task), status, note, reason))


def change_task(project: Where, change: TaskChange, expected: int | None = None) -> PlanUpdate:
    """The same; with `expected`, only on top of that version of the plan."""
    # Which task is meant is settled before the transaction; somebody may change the plan meanwhile.
    current = plan_version(project).data
    name = find_plan_task(current, change.task).name

    def make(old: Plan | None) -> Plan | None:
        plan = old or {}
        target = _same_task(plan, name)
        new = with_status(plan, target, change.status, change.note)
        if old is not None and same_plan(old, new):
            return None
        return good(new)

    reason = change.reason or f"Task {name}: {change.status}"
    return change_plan(project, make, reason, expected)


def _same_task(plan: Plan, name: str) -> PhaseTask:
    """The task that was found before: somebody may have taken it out since, and no other one is
    meant then.
    """
    for task in every_task(plan):
        if task.name == name:
            return task
    raise DctxError(
        f"Task {name!r} is not in the plan any more.", "`dctx plan show` lists what is."
    )


def restore_plan(project: Where, number: int, reason: str) -> PlanUpdate:
    """Makes an earlier version the newest one again."""
    plan = plan_version(project, number).data
    return update_plan(project, plan, reason)


def change_plan(
    project: Where,
    make: Callable[[Plan | None], Plan | None],
    reason: str,
    expected: int | None = None,
) -> PlanUpdate:
    """Makes a good plan out of the current one, with nobody in between; none if `make` gives None."""
    previous: Version | None = None

    def work(version: Version | None) -> Plan | None:
        # The last time counts: the database may ask for the work to be done again.
        nonlocal previous
        previous = version
        return make(readable(version))

    words = (reason or "").split()
    one_line = plain(" ".join(words))
    with open_store(project, write=True) as store:
        try:
            version = versions.change(store, work, one_line, expected)
        except versions.Conflict as conflict:
            raise PlanConflict(conflict, _since(store, conflict)) from conflict
    if version is None:
        raise DctxError(*NONE_YET)
    return _update(version, previous)


def _update(version: Version, previous: Version | None) -> PlanUpdate:
    if previous is None:
        all_new = changes({"phases": []}, version.data)
        return PlanUpdate(version, 0, tuple(all_new))
    if previous.id == version.id:
        return PlanUpdate(version, previous.number, ())
    before = readable(previous) or {}
    since = changes(before, version.data)
    return PlanUpdate(version, previous.number, tuple(since))


def readable(version: Version | None) -> Plan | None:
    """The plan of a version; a damaged one is no reason to refuse a better one."""
    try:
        return version.data if version else None
    except DctxError:
        return {}


def _since(store: Store, conflict: versions.Conflict) -> tuple[PlanChange, ...]:
    expected = versions.version(store, conflict.expected)
    if not expected:
        return ()
    before = readable(expected) or {}
    now = readable(conflict.current) or {}
    return tuple(changes(before, now))


def find_plan_task(plan: Plan, name: str) -> PhaseTask:
    """The task of that id, or of that number in the current step; else the one whose description
    has these words.
    """
    tasks = list(every_task(plan))
    words = " ".join(name.split()).casefold()

    # The narrowest meaning first: an id may be a number, and a number stand in a description.
    bare = name.strip()
    matches = [task for task in tasks if task.name == bare]
    if not matches and words.isdigit():
        current = plan.get("current_phase")
        matches = _numbered(tasks, current, words)
    if not matches and words:
        matches = _described(tasks, words)

    if not matches:
        hint = _suggestion(tasks, words)
        raise DctxError(f"There is no task {name!r} in the plan.", hint)
    if len(matches) > 1:
        raise DctxError(
            f"{name!r} matches {len(matches)} tasks of the plan.",
            f"Say which: {_listed(matches)}",
        )
    return matches[0]


def _numbered(tasks: list[PhaseTask], phase: object, number: str) -> list[PhaseTask]:
    """The tasks of a phase that end with a number, as 1/2/3 ends with 3."""
    numbered: list[PhaseTask] = []
    for task in tasks:
        is_here = task.phase.get("phase_name") == phase
        if is_here and task.name.endswith(f"/{number}"):
            numbered.append(task)
    return numbered


def _described(tasks: list[PhaseTask], words: str) -> list[PhaseTask]:
    described: list[PhaseTask] = []
    for task in tasks:
        if words in task.description.casefold():
            described.append(task)
    return described


def _suggestion(tasks: list[PhaseTask], words: str) -> str:
    # Only a mistake waits 5 ms for it.
    from difflib import get_close_matches

    by_words: dict[str, PhaseTask] = {}
    for task in tasks:
        by_words[task.name.casefold()] = task
    for task in tasks:
        by_words[task.description.casefold()] = task

    near: list[PhaseTask] = []
    for word in get_close_matches(words, by_words, 3, 0.5):
        task = by_words[word]
        # A task may be near by its name and by its description; it is named once.
        if not any(task is other for other in near):
            near.append(task)

    if near:
        return f"Did you mean {_listed(near)}?"
    if tasks:
        return f"There are: {_listed(tasks)}"
    return "The plan has no tasks."


def _listed(tasks: list[PhaseTask]) -> str:
    names: list[str] = []
    for task in tasks[:MOST_LISTED]:
        names.append(f"{task.name} {task.description}".strip())
    more = len(tasks) - MOST_LISTED
    if more > 0:
        names.append(f"and {more} more")
    return "; ".join(names)


def secret_places(plan: Any) -> list[str]:
    """The paths of texts with something in them that looks like a credential."""
    # Only who writes a plan by hand waits for it.
    from director_ctx.base.secrets import hides_value

    paths: list[str] = []
    for path, text in texts_in(plan):
        if hides_value(text):
            paths.append(path)
    return paths
