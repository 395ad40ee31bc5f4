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

    from director_ctx.memory.store.engine import Reader, Writer
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


class VariableChange(Record):
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
) -> list[VariableChange]:
    """Sets variables, all or none. Values are JSON that `sealed` their secrets already.

    `first` comes before, in the same transaction. Where it says no, nothing is set.
    """
    marks = [new_id() for _ in sealed]

    def work(writer: Writer) -> list[VariableChange]:
        if first is not None and not first(writer):
            return []
        return _write_down(writer, store, list(sealed.items()), reason, marks)

    def done(reader: Reader) -> list[VariableChange] | None:
        return _done(reader, marks)

    return store.engine.write(store.workflow, work, done)


def clear(store: Store, name: str, reason: str) -> bool:
    """Whether there was such a variable; now there is none."""
    marks = [new_id()]

    def work(writer: Writer) -> list[VariableChange]:
        if not writer.row(_ONE, (store.workflow, name)):
            return []
        return _write_down(writer, store, [(name, None)], reason, marks)

    def done(reader: Reader) -> list[VariableChange] | None:
        return _done(reader, marks)

    return bool(store.engine.write(store.workflow, work, done))


def clear_all(store: Store, reason: str) -> int:
    """How many were cleared."""
    marks: list[str] = []

    def work(writer: Writer) -> list[VariableChange]:
        rows = writer.rows(_ALL, (store.workflow,))
        values: list[tuple[str, str | None]] = [(row[0], None) for row in rows]
        marks[:] = [new_id() for _ in values]
        return _write_down(writer, store, values, reason, marks)

    def done(reader: Reader) -> list[VariableChange] | None:
        return _done(reader, marks)

    return len(store.engine.write(store.workflow, work, done))


def changes(store: Store, name: str | None = None, last: int = 0) -> list[VariableChange]:
    """The newest changes, oldest first; all of them for 0."""
    sql = _CHANGES
    values: list[object] = [store.workflow]
    if name is not None:
        sql += " AND name = ?"
        values.append(name)
    sql += " ORDER BY number DESC"
    if last:
        sql += " LIMIT ?"
        values.append(last)
    rows = store.engine.rows(sql, values)
    return [VariableChange(*row) for row in reversed(rows)]


def _write_down(
    writer: Writer,
    store: Store,
    values: list[tuple[str, str | None]],
    reason: str,
    marks: list[str],
) -> list[VariableChange]:
    ensure_workflow(writer, store)
    moment = now()
    last = writer.row(_LAST, (store.workflow,))
    number = (last[0] or 0) if last else 0
    written = []
    for mark, (name, sealed) in zip(marks, values, strict=True):
        number += 1
        if sealed is None:
            writer.run(_CLEAR, (store.workflow, name))
        else:
            writer.run(_SET, (store.workflow, name, sealed, moment))
        writer.run(_NOTE, (mark, store.workflow, number, name, sealed, reason, moment))
        written.append(VariableChange(number, name, sealed, reason, moment))
    return written


def _done(reader: Reader, marks: list[str]) -> list[VariableChange] | None:
    """The changes with these ids, if they were written after all."""
    ask = "SELECT number, name, value, reason, changed_at FROM dctx_variable_changes WHERE id = ?"
    written: list[VariableChange] = []
    for mark in marks:
        row = reader.row(ask, (mark,))
        if not row:
            return None
        written.append(VariableChange(*row))
    return written or None


_CHANGES_OF = (
    "SELECT id, value, reason FROM dctx_variable_changes WHERE workflow_id = ? AND name = "
    "? ORDER BY number"
)
_REPLACE = "UPDATE dctx_variable_changes SET value = ?, reason = ? WHERE id = ?"
_SHORT_SECRET = 4
"""Characters from which on a secret is hidden inside of words too."""


def seal_earlier(
    writer: Writer, workflow: str, name: str, key: Callable[[], str], secrets: Iterable[str]
) -> None:
    """Seals every value that a variable ever had, and takes it out of the reasons: of its own
    change and of the next, which is where people speak of it. `secrets` is what its new value
    holds.
    """
    new_texts = list(secrets)
    before: list[str] = []
    for change, value, reason in writer.rows(_CHANGES_OF, (workflow, name)):
        sealed = value
        texts: list[str] = []
        if value is not None and not was_asked(value):
            plain = _read(value)
            texts = list(texts_in(plain))
            sealed = seal(name, plain, key, asked=True).text
        new_reason = without(reason, [*new_texts, *before, *texts])
        if (sealed, new_reason) != (value, reason):
            writer.run(_REPLACE, (sealed, new_reason, change))
        before = texts


def without(text: str, secrets: Iterable[str]) -> str:
    """What is said about a change, without the secrets that it was about."""
    import re

    stripped = {secret.strip() for secret in secrets}
    for secret in sorted(stripped, key=len, reverse=True):
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
