"""The versions of a plan. Each update is a new row; no row is ever changed."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.store.store import ensure_workflow, in_utc, new_id, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.store import Store

_COLUMNS = "id, plan_version, plan_data, created_at, reason"
_OF = f"SELECT {_COLUMNS} FROM director_plans WHERE workflow_id = ? AND plan_version IS NOT NULL"
_NEWEST_FIRST = f"{_OF} ORDER BY plan_version DESC, created_at DESC"
_NEWEST = f"{_NEWEST_FIRST} LIMIT 1"
_ONE = f"{_OF} AND plan_version = ? ORDER BY created_at DESC LIMIT 1"
_BY_ID = f"SELECT {_COLUMNS} FROM director_plans WHERE id = ?"
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

    @property
    def data(self) -> dict[str, Any]:
        """With its keys in one order, whichever database it comes from."""
        import json

        from director_ctx.memory.plans.diff import keys_in_order

        try:
            plan = json.loads(self.text)
            if isinstance(plan, dict):
                return keys_in_order(plan)
        except (ValueError, RecursionError):
            pass
        raise DctxError(
            f"Version {self.number} of the plan is not a plan.",
            "`dctx plan history` lists the others.",
        )


class Conflict(DctxError):
    """Somebody else was faster: the plan is not at the version that this update was made from."""

    def __init__(self, expected: int, current: Version | None) -> None:
        self.expected, self.current = expected, current
        number = current.number if current else 0
        super().__init__(
            f"The plan is at version {number}, not {expected}, so it was not changed.",
            f"See `dctx plan diff {expected} {number}`, then update from version {number}.",
        )


def current(store: Store) -> Version | None:
    return _version(store.engine.row(_NEWEST, (store.workflow,)))


def version(store: Store, number: int) -> Version | None:
    return _version(store.engine.row(_ONE, (store.workflow, number)))


def history(store: Store, last: int = 0) -> list[Version]:
    """The newest versions, oldest first; all of them for 0."""
    if last:
        rows = store.engine.rows(f"{_NEWEST_FIRST} LIMIT ?", (store.workflow, last))
    else:
        rows = store.engine.rows(_NEWEST_FIRST, (store.workflow,))
    return [Version(*row) for row in reversed(rows)]


def update(
    store: Store, plan: Mapping[str, Any], reason: str, expected: int | None = None
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
    identity = new_id()

    def work(writer: Writer) -> Version | None:
        before = _version(writer.row(_NEWEST, (store.workflow,)))
        number = before.number if before else 0
        if expected is not None and expected != number:
            raise Conflict(expected, before)
        plan = make(before)
        if plan is None:
            return before

        ensure_workflow(writer, store)
        after = _stamped(store, plan, identity, before, reason)
        moment = after.created_at
        row = (identity, store.workflow, after.number, after.text, moment, moment, reason)
        writer.run(_ADD, row)
        return after

    def written(reader: Reader) -> Version | None:
        return _version(reader.row(_BY_ID, (identity,)))

    return store.engine.write(store.workflow, work, written)


def _version(row: Row | None) -> Version | None:
    return Version(*row) if row else None


def _stamped(
    store: Store, plan: Mapping[str, Any], identity: str, before: Version | None, reason: str
) -> Version:
    """The plan with the four fields that the store knows better than whoever wrote it."""
    import json

    moment = now()
    number = 1
    created = moment
    if before:
        number = before.number + 1
        created = _created(before) or moment
    stamps = {
        "workflow_id": store.workflow,
        "plan_version": number,
        "created_at": created,
        "updated_at": max(created, moment),
    }
    rest = {key: value for key, value in plan.items() if key not in stamps}
    text = json.dumps({**stamps, **rest}, ensure_ascii=False, allow_nan=False)
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
