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
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from director_ctx.memory.plans.diff import Change
    from director_ctx.memory.plans.tasks import Found
    from director_ctx.memory.plans.values import Mistake
    from director_ctx.memory.plans.versions import Version
    from director_ctx.memory.store.open import Where

    Plan = dict[str, Any]

NONE_YET = (
    "There is no plan yet.",
    "`dctx plan from-folder` makes one of the folder, `dctx plan update FILE` takes yours.",
)


class Made(Record):
    """What an update did."""

    version: Version
    previous: int
    """The version before it; 0 for the first one."""
    changes: tuple[Change, ...]

    @property
    def new(self) -> bool:
        return self.version.number != self.previous


class BadPlan(DctxError):
    """The plan was refused, and nothing was changed."""

    def __init__(self, found: list[Mistake]) -> None:
        self.mistakes = found
        lines = tuple(map(str, found))
        super().__init__(
            "The plan was not taken", "`dctx plan schema` prints what a plan looks like.", lines
        )


class PlanConflict(DctxError):
    """Somebody was faster. `changes` are what happened since the version that was expected."""

    def __init__(self, conflict: versions.Conflict, since: tuple[Change, ...]) -> None:
        self.expected, self.current, self.changes = conflict.expected, conflict.current, since
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
        found = newest if number in (None, newest.number) else versions.version(store, number or 0)
    if found is None:
        raise DctxError(
            f"There is no version {number} of the plan.", f"The newest is {newest.number}."
        )
    return found


def plan_history(project: Where, last: int = 0) -> list[Version]:
    """The newest versions, oldest first; all of them for 0."""
    with open_store(project) as store:
        return versions.history(store, last)


def update_plan(
    project: Where, plan: Mapping[str, Any], reason: str, expected: int | None = None
) -> Made:
    """Replaces the plan; raises `BadPlan` or `PlanConflict`, and then nothing was changed."""
    whole = good(plan)
    return change_plan(project, lambda _: whole, reason, expected)


def good(plan: Any) -> Plan:
    """The plan itself, if there is no mistake in it."""
    if found := mistakes(plan):
        raise BadPlan(found)
    checked: Plan = plan
    return checked


def set_task(
    project: Where, task: str | int, status: str, note: str | None = None, reason: str = ""
) -> Made:
    """Changes the status of one task, and what follows from it; no new version where that changes
    nothing.
    """
    known = find_plan_task(plan_version(project).data, str(task)).name

    def make(old: Plan | None) -> Plan | None:
        new = with_status(old or {}, _same_task(old or {}, known), status, note)
        return None if old is not None and same_plan(old, new) else good(new)

    return change_plan(project, make, reason or f"Task {known}: {status}")


def _same_task(plan: Plan, name: str) -> Found:
    """The task that was found before: somebody may have taken it out since, and no other one is
    meant then.
    """
    found = next((one for one in every_task(plan) if one.name == name), None)
    if found is None:
        raise DctxError(
            f"Task {name!r} is not in the plan any more.", "`dctx plan show` lists what is."
        )
    return found


def restore_plan(project: Where, number: int, reason: str) -> Made:
    """Makes an earlier version the newest one again."""
    plan = plan_version(project, number).data
    return update_plan(project, plan, reason)


def change_plan(
    project: Where,
    make: Callable[[Plan | None], Plan | None],
    reason: str,
    expected: int | None = None,
) -> Made:
    """Makes a good plan out of the current one, with nobody in between; none if `make` gives None."""
    before: list[Version | None] = [None]

    def work(version: Version | None) -> Plan | None:
        before[0] = version
        return make(readable(version))

    with open_store(project, write=True) as store:
        try:
            made = versions.change(store, work, plain(" ".join((reason or "").split())), expected)
        except versions.Conflict as conflict:
            raise PlanConflict(conflict, _since(store, conflict)) from conflict
    if made is None:
        raise DctxError(*NONE_YET)
    previous = before[0]
    if previous is None:
        return Made(made, 0, tuple(changes({"phases": []}, made.data)))
    since = () if previous.id == made.id else changes(readable(previous) or {}, made.data)
    return Made(made, previous.number, tuple(since))


def readable(version: Version | None) -> Plan | None:
    """The plan of a version; a damaged one is no reason to refuse a better one."""
    try:
        return version.data if version else None
    except DctxError:
        return {}


def _since(store: Any, conflict: versions.Conflict) -> tuple[Change, ...]:
    old = versions.version(store, conflict.expected)
    return tuple(changes(readable(old) or {}, readable(conflict.current) or {})) if old else ()


def find_plan_task(plan: Plan, name: str) -> Found:
    """The task of that id, or of that number in the current step; else the one whose description
    has these words.
    """
    tasks = list(every_task(plan))
    wanted = " ".join(name.split()).casefold()
    found = [one for one in tasks if one.name == name.strip()]
    here = [one for one in tasks if one.phase.get("phase_name") == plan.get("current_phase")]
    found = found or [one for one in here if one.name.endswith(f"/{wanted}") and wanted.isdigit()]
    found = found or [one for one in tasks if wanted and wanted in one.description.casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        raise DctxError(
            f"{name!r} matches {len(found)} tasks of the plan.", f"Say which: {_listed(found)}"
        )
    raise DctxError(f"There is no task {name!r} in the plan.", _suggestion(tasks, wanted))


def _suggestion(tasks: list[Found], wanted: str) -> str:
    from difflib import get_close_matches

    known = {one.name.casefold(): one for one in tasks} | {
        one.description.casefold(): one for one in tasks
    }
    near = list(
        {
            id(one): one
            for word in get_close_matches(wanted, known, 3, 0.5)
            for one in [known[word]]
        }.values()
    )
    if near:
        return f"Did you mean {_listed(near)}?"
    return f"There are: {_listed(tasks)}" if tasks else "The plan has no tasks."


def _listed(found: list[Found]) -> str:
    more = f"; and {len(found) - 8} more" if len(found) > 8 else ""
    return "; ".join(f"{one.name} {one.description}".strip() for one in found[:8]) + more


def secret_places(plan: Any) -> list[str]:
    """The paths of texts with something in them that looks like a credential."""
    from director_ctx.base.secrets import hides_value
    from director_ctx.memory.plans.values import texts_in

    return [path for path, text in texts_in(plan) if hides_value(text)]
