"""The versions of a plan. Each update is a new row; no row is ever changed."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.store.plan_rows import (
    add_plan,
    newest_plan,
    newest_plans,
    plan_of_id,
    plan_of_version,
)
from director_ctx.memory.store.store import ensure_workflow, in_utc, new_id, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.store import Store


class Version(Record):
    """One version as it is kept."""

    id: str
    number: int
    text: str
    """The plan as JSON."""
    created_at: str
    reason: str | None
    followed: bool = False
    """Whether the folder's state was put in since; the text is not the one that is kept, then."""

    @property
    def data(self) -> dict[str, Any]:
        """With its keys in one order, whichever database it comes from."""
        # Whoever only counts versions needs neither.
        import json

        from director_ctx.memory.plans.key_order import keys_in_order

        try:
            plan = json.loads(self.text)
            if isinstance(plan, dict):
                return keys_in_order(plan)
        except (ValueError, RecursionError):
            pass
        raise DctxError(
            f"Version {self.number} of the plan is not a plan.",
            "`dctx plan history` lists the other versions.",
        )


class Conflict(DctxError):
    """Somebody else was faster: the plan is not at the version that this update was made from."""

    def __init__(self, expected: int, current: Version | None) -> None:
        self.expected = expected
        self.current = current
        number = current.number if current else 0
        super().__init__(
            f"The plan is at version {number}, not {expected}, so it was not changed.",
            f"See `dctx plan diff {expected} {number}`, then update from version {number}.",
        )


def current(store: Store) -> Version | None:
    return _version(newest_plan(store.engine, store.workflow))


def version(store: Store, number: int) -> Version | None:
    return _version(plan_of_version(store.engine, store.workflow, number))


def history(store: Store, last: int = 0) -> list[Version]:
    """The newest versions, oldest first; all of them for 0."""
    rows = newest_plans(store.engine, store.workflow, last)
    return [Version(*row) for row in reversed(rows)]


def _version(row: Row | None) -> Version | None:
    return Version(*row) if row else None


def update(
    store: Store,
    plan: Mapping[str, Any],
    reason: str,
    expected: int | None = None,
) -> Version:
    """Makes a new version of a plan that was found to be good; with `expected`, only on top of that
    version.
    """
    new = change(store, lambda _: plan, reason, expected)
    assert new
    return new


def change(
    store: Store,
    make: Callable[[Version | None], Mapping[str, Any] | None],
    reason: str,
    expected: int | None = None,
) -> Version | None:
    """Makes a new version out of the current one, with nobody in between; the current one stays if
    `make` has none.
    """
    # Made before, so that the row can be looked for where a connection broke during the commit.
    identity = new_id()

    def work(writer: Writer) -> Version | None:
        before = _version(newest_plan(writer, store.workflow))
        number = before.number if before else 0
        if expected is not None and expected != number:
            raise Conflict(expected, before)

        plan = make(before)
        if plan is None:
            return before
        ensure_workflow(writer, store)
        after = _stamped(store.workflow, plan, identity, before, reason)
        row = (
            after.id,
            after.number,
            after.text,
            after.created_at,
            after.reason,
        )
        add_plan(writer, store.workflow, row)
        return after

    def written(reader: Reader) -> Version | None:
        return _version(plan_of_id(reader, identity))

    return store.engine.write(store.workflow, work, written)


def _stamped(
    workflow: str,
    plan: Mapping[str, Any],
    identity: str,
    before: Version | None,
    reason: str,
) -> Version:
    """The plan with the four fields that the store knows better than whoever wrote it."""
    import json

    moment = now()
    number = 1
    created = moment
    if before:
        number = before.number + 1
        created = _created(before) or moment
    stamps: dict[str, Any] = {
        "workflow_id": workflow,
        "plan_version": number,
        "created_at": created,
        # A plan that says it was begun later than our clock is not updated before that.
        "updated_at": max(created, moment),
    }
    stamped = dict(stamps)
    for key, value in plan.items():
        stamped.setdefault(key, value)
    text = json.dumps(stamped, ensure_ascii=False, allow_nan=False)
    return Version(identity, number, text, moment, reason)


def _created(version: Version) -> str:
    """When the plan was begun; a version that nobody can read must not stand in the way of a better
    one.
    """
    try:
        moment = version.data.get("created_at")
    except DctxError:
        return ""
    return in_utc(moment) if isinstance(moment, str) else ""
