"""The versions of a plan. Each update is a new row; no row is ever changed."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.store.store import ensure_workflow, in_utc, new_id, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

_SELECT = "SELECT id, plan_version, plan_data, created_at, reason FROM director_plans"
# A team's own program may have left rows without a version, or two of the same one: the newer
# counts then.
_NEWEST_FIRST = (
    f"{_SELECT} WHERE workflow_id = ? AND plan_version IS NOT NULL"
    " ORDER BY plan_version DESC, created_at DESC"
)
_NEWEST = f"{_NEWEST_FIRST} LIMIT 1"
_OF_VERSION = (
    f"{_SELECT} WHERE workflow_id = ? AND plan_version = ? ORDER BY created_at DESC LIMIT 1"
)
_OF_ID = f"{_SELECT} WHERE id = ?"
_ADD = (
    "INSERT INTO director_plans (id, workflow_id, plan_version, plan_data, created_at, updated_at, reason)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


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

        from director_ctx.memory.plans.rules import keys_in_order

        try:
            plan = json.loads(self.text)
            if isinstance(plan, dict):
                return keys_in_order(plan)
        except (ValueError, RecursionError):
            pass
        raise DctxError(
            f"Version {self.number} of the plan is not a plan.",
            "`dctx plan show --versions` lists the others.",
        )


class Conflict(DctxError):
    """Somebody else was faster: the plan is not at the version that this update was made from."""

    def __init__(self, expected: int, current: Version | None) -> None:
        self.expected = expected
        self.current = current
        number = current.number if current else 0
        super().__init__(
            f"The plan is at version {number}, not {expected}, so it was not changed.",
            f"See `dctx plan show {expected}..{number} --diff`, then update from version {number}.",
        )


def current(store: Store) -> Version | None:
    return _found(store.engine, _NEWEST, store.workflow)


def version(store: Store, number: int) -> Version | None:
    return _found(store.engine, _OF_VERSION, store.workflow, number)


def history(store: Store, last: int = 0) -> list[Version]:
    """The newest versions, oldest first; all of them for 0."""
    sql = f"{_NEWEST_FIRST} LIMIT ?" if last else _NEWEST_FIRST
    rows = store.engine.rows(sql, (store.workflow, last)[: 1 + bool(last)])
    return [Version(*row) for row in reversed(rows)]


def _found(reader: Reader, sql: str, *values: object) -> Version | None:
    row = reader.row(sql, values)
    return Version(*row) if row else None


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
        before = _found(writer, _NEWEST, store.workflow)
        number = before.number if before else 0
        if expected is not None and expected != number:
            raise Conflict(expected, before)

        plan = make(before)
        if plan is None:
            return before
        ensure_workflow(writer, store)
        after = _stamped(store.workflow, plan, identity, before, reason)
        moment = after.created_at
        values = (identity, store.workflow, after.number, after.text, moment, moment, after.reason)
        writer.run(_ADD, values)
        return after

    return store.engine.write(store.workflow, work, lambda reader: _found(reader, _OF_ID, identity))


def _stamped(
    workflow: str,
    plan: Mapping[str, Any],
    identity: str,
    before: Version | None,
    reason: str,
) -> Version:
    """The plan with the four fields that the store knows better than whoever wrote it."""
    import json

    created = moment = now()
    if before:
        # A version that nobody can read must not stand in the way of a better one.
        try:
            begun = before.data.get("created_at")
        except DctxError:
            begun = None
        created = (in_utc(begun) if isinstance(begun, str) else "") or moment
    number = before.number + 1 if before else 1
    stamps: dict[str, Any] = {
        "workflow_id": workflow,
        "plan_version": number,
        "created_at": created,
        # A plan that says it was begun later than our clock is not updated before that.
        "updated_at": max(created, moment),
    }
    text = json.dumps(stamps | {**plan, **stamps}, ensure_ascii=False, allow_nan=False)
    return Version(identity, number, text, moment, reason)
