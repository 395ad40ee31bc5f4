"""The variables of a workflow as they are kept: JSON whose secrets are sealed, and every change
with its reason.
"""

from __future__ import annotations

from operator import itemgetter

from director_ctx.base.record import Record
from director_ctx.base.secrets import HIDDEN, redact
from director_ctx.memory.store.store import ensure_workflow, new_id, now
from director_ctx.memory.variables.sealing import seal, texts_in, was_asked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.store import Store


_COLUMNS = "name, value, updated_at"
_ALL = f"SELECT {_COLUMNS} FROM dctx_variables WHERE workflow_id = ? ORDER BY name"
_ONE = f"SELECT {_COLUMNS} FROM dctx_variables WHERE workflow_id = ? AND name = ?"
_SET = (
    "INSERT INTO dctx_variables (workflow_id, name, value, updated_at) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workflow_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at"
)
_CLEAR = "DELETE FROM dctx_variables WHERE workflow_id = ? AND name = ?"
_LAST = "SELECT max(number) FROM dctx_variable_changes WHERE workflow_id = ?"
_NOTE = (
    "INSERT INTO dctx_variable_changes (id, workflow_id, number, name, value, reason, changed_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_CHANGES = "SELECT number, name, value, reason, changed_at FROM dctx_variable_changes WHERE workflow_id = ?"


class Variable(tuple[str, str, str]):
    """One row, as it came: a list of them is read at every assembly that shows variables."""

    __slots__ = ()
    name: str = property(itemgetter(0))  # type: ignore[assignment]
    sealed: str = property(itemgetter(1))  # type: ignore[assignment]
    """The value as JSON, its secrets sealed."""
    updated_at: str = property(itemgetter(2))  # type: ignore[assignment]


class Change(Record):
    """One change of one variable."""

    number: int
    name: str
    sealed: str | None
    """The new value; None where the variable was cleared."""
    reason: str
    changed_at: str


def variables(store: Store) -> list[Variable]:
    """All of them, by name."""
    return [Variable(row) for row in store.engine.rows(_ALL, (store.workflow,))]


def variable(store: Store, name: str) -> Variable | None:
    row = store.engine.row(_ONE, (store.workflow, name))
    return Variable(row) if row else None


def sealed_in(reader: Reader, workflow: str, name: str) -> str | None:
    """The value of a variable as it is in the middle of a transaction."""
    row = reader.row(_ONE, (workflow, name))
    return str(row[1]) if row else None


def put(
    store: Store,
    sealed: Mapping[str, str],
    reason: str,
    first: Callable[[Writer], bool] | None = None,
) -> list[Change]:
    """Sets variables, all or none. Values are JSON that `sealed` their secrets already.

    `first` comes before, in the same transaction. Where it says no, nothing is set.
    """

    def work(writer: Writer) -> list[Change]:
        agreed = first is None or first(writer)
        return _write_down(writer, store, list(sealed.items()), reason, marks) if agreed else []

    marks = [new_id() for _ in sealed]
    return store.engine.write(
        store.workflow, work, lambda reader: _done(store, reader.row, marks, reason)
    )


def clear(store: Store, name: str, reason: str) -> bool:
    """Whether there was such a variable; now there is none."""
    marks = [new_id()]

    def work(writer: Writer) -> list[Change]:
        known = writer.row(_ONE, (store.workflow, name))
        return _write_down(writer, store, [(name, None)], reason, marks) if known else []

    return bool(
        store.engine.write(
            store.workflow, work, lambda reader: _done(store, reader.row, marks, reason)
        )
    )


def clear_all(store: Store, reason: str) -> int:
    """How many were cleared."""
    marks: list[str] = []

    def work(writer: Writer) -> list[Change]:
        names = [row[0] for row in writer.rows(_ALL, (store.workflow,))]
        marks[:] = [new_id() for _ in names]
        return _write_down(writer, store, [(name, None) for name in names], reason, marks)

    return len(
        store.engine.write(
            store.workflow, work, lambda reader: _done(store, reader.row, marks, reason)
        )
    )


def changes(store: Store, name: str | None = None, last: int = 0) -> list[Change]:
    """The newest changes, oldest first; all of them for 0."""
    sql, values = _CHANGES, [store.workflow]
    if name is not None:
        sql, values = f"{sql} AND name = ?", [*values, name]
    sql = f"{sql} ORDER BY number DESC" + (" LIMIT ?" if last else "")
    rows = store.engine.rows(sql, (*values, last) if last else values)
    return [Change(*row) for row in reversed(rows)]


def _write_down(
    writer: Writer,
    store: Store,
    values: list[tuple[str, str | None]],
    reason: str,
    marks: list[str],
) -> list[Change]:
    ensure_workflow(writer, store)
    moment = now()
    last = writer.row(_LAST, (store.workflow,))
    number = (last[0] or 0) if last else 0
    done = []
    for mark, (name, sealed) in zip(marks, values, strict=True):
        number += 1
        if sealed is None:
            writer.run(_CLEAR, (store.workflow, name))
        else:
            writer.run(_SET, (store.workflow, name, sealed, moment))
        writer.run(_NOTE, (mark, store.workflow, number, name, sealed, reason, moment))
        done.append(Change(number, name, sealed, reason, moment))
    return done


def _done(store: Store, row: object, marks: list[str], reason: str) -> list[Change] | None:
    """The changes with these ids, if they were written after all."""
    ask = "SELECT number, name, value, reason, changed_at FROM dctx_variable_changes WHERE id = ?"
    found: list[Row | None] = [row(ask, (mark,)) for mark in marks]  # type: ignore[operator]
    return [Change(*one) for one in found if one] if marks and all(found) else None


_CHANGES_reseal = (
    "SELECT id, value, reason FROM dctx_variable_changes WHERE workflow_id = ? AND name = "
    "? ORDER BY number"
)
_REPLACE = "UPDATE dctx_variable_changes SET value = ?, reason = ? WHERE id = ?"
_SHORT_SECRET = 4


def seal_earlier(
    writer: Writer, workflow: str, name: str, key: Callable[[], str], secrets: Iterable[str]
) -> None:
    """Seals every value that a variable ever had, and takes it out of the reasons: of its own
    change and of the next, which is where people speak of it. `secrets` is what its new value
    holds.
    """
    kept, before = list(secrets), list[str]()
    for change, value, reason in writer.rows(_CHANGES_reseal, (workflow, name)):
        sealed, now = value, list[str]()
        if value is not None and not was_asked(value):
            now = list(texts_in(_read(value)))
            sealed = seal(name, _read(value), key, asked=True).text
        said = without(reason, [*kept, *before, *now])
        if (sealed, said) != (value, reason):
            writer.run(_REPLACE, (sealed, said, change))
        before = now


def without(text: str, secrets: Iterable[str]) -> str:
    """What is said about a change, without the secrets that it was about."""
    import re

    for secret in sorted({one.strip() for one in secrets}, key=len, reverse=True):
        if len(secret) >= _SHORT_SECRET:
            text = text.replace(secret, HIDDEN)
        elif secret:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", lambda _: HIDDEN, text)
    return redact(text)


def _read(value: str) -> Any:
    """What a row holds; other programs may have written no JSON."""
    import json

    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
