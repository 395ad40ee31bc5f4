"""The plan of a project: read, or replaced as a whole. Plain values in, plain values out."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.memory.plans import versions
from director_ctx.memory.plans.diff import changes
from director_ctx.memory.plans.following import folder_of, following, start_begun
from director_ctx.memory.plans.rules import Mistake, mistakes, texts_in
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from director_ctx.memory.plans.diff import PlanChange
    from director_ctx.memory.plans.versions import Version
    from director_ctx.memory.store.open import Where
    from director_ctx.memory.store.store import Store
    from director_ctx.upkeep.tasks import Upkeep

    Plan = dict[str, Any]

NONE_YET = (
    "There is no plan yet.",
    "`dctx add` plans goals, steps and tasks; `dctx plan update FILE` takes a plan of yours.",
)


class PlanUpdate(Record):
    """What an update did."""

    version: Version
    previous: int
    """The version before it; 0 for the first one."""
    changes: tuple[PlanChange, ...]
    folder: Upkeep | None = None
    """What was changed in the folder for it."""

    @property
    def new(self) -> bool:
        return self.version.number != self.previous


class BadPlan(DctxError):
    """The plan was refused, and nothing was changed."""

    def __init__(self, its_mistakes: list[Mistake]) -> None:
        self.mistakes = its_mistakes
        super().__init__(
            "The plan was not taken",
            "`dctx plan show --schema` prints what a plan looks like.",
            tuple(map(str, its_mistakes)),
        )


class PlanConflict(DctxError):
    """Somebody was faster. `changes` are what happened since the version that was expected."""

    def __init__(self, conflict: versions.Conflict, since: tuple[PlanChange, ...]) -> None:
        self.expected = conflict.expected
        self.current = conflict.current
        self.changes = since
        super().__init__(conflict.message, conflict.hint)


def kept_plan(project: Where) -> Version | None:
    """The newest version as it was written."""
    with open_store(project) as store:
        return versions.current(store)


def current_plan(project: Where) -> Version | None:
    """The plan as it is now. In a project it follows the folder, whatever was written last."""
    kept = kept_plan(project)
    folder = folder_of(project)
    return following(folder, kept) if folder else kept


def plan_version(project: Where, number: int | None = None) -> Version:
    """That version as it was written, or the plan as it is now; an error if there is none."""
    if number is None:
        now = current_plan(project)
        if now is None:
            raise DctxError(*NONE_YET)
        return now

    with open_store(project) as store:
        newest = versions.current(store)
        if newest is None:
            raise DctxError(*NONE_YET)
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
    update = change_plan(project, lambda _: whole, reason, expected)
    folder = folder_of(project)
    if folder:
        start_begun(folder, whole)
    return update


def good(plan: Any) -> Plan:
    """The plan itself, if there is no mistake in it."""
    its_mistakes = mistakes(plan)
    if its_mistakes:
        raise BadPlan(its_mistakes)
    checked: Plan = plan
    return checked


def restore_plan(project: Where, number: int, reason: str) -> PlanUpdate:
    """Makes an earlier version the newest one again."""
    return update_plan(project, plan_version(project, number).data, reason)


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

    one_line = plain(" ".join((reason or "").split()))
    with open_store(project, write=True) as store:
        try:
            version = versions.change(store, work, one_line, expected)
        except versions.Conflict as conflict:
            raise PlanConflict(conflict, _since(store, conflict)) from conflict
    if version is None:
        raise DctxError(*NONE_YET)
    if previous and previous.id == version.id:
        return PlanUpdate(version, previous.number, ())
    before = readable(previous) or {} if previous else {"phases": []}
    number = previous.number if previous else 0
    return PlanUpdate(version, number, tuple(changes(before, version.data)))


def expect_version(store: Store, expected: int | None) -> None:
    """Refuses where another version is the newest, before anything else is done."""
    if expected is None:
        return
    newest = versions.current(store)
    number = newest.number if newest else 0
    if number != expected:
        conflict = versions.Conflict(expected, newest)
        raise PlanConflict(conflict, _since(store, conflict))


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
    return tuple(changes(readable(expected) or {}, readable(conflict.current) or {}))


def secret_places(plan: Any) -> list[str]:
    """The paths of texts with something in them that looks like a credential."""
    # Only who writes a plan by hand waits for it.
    from director_ctx.base.secrets import hides_value

    return [path for path, text in texts_in(plan) if hides_value(text)]
