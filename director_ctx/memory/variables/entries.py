"""The variables of a workflow as they are kept, and every change with its reason."""

from __future__ import annotations

from operator import itemgetter

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.secrets import HIDDEN, redact
from director_ctx.memory.store.store import ensure_workflow, new_id, now
from director_ctx.memory.variables.display import read_json, shown, shown_name
from director_ctx.memory.variables.sealing import in_file, reveal, texts_in, was_asked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store
    from director_ctx.memory.variables.sealing import Seal

    Changes = list["VariableChange"]
    Values = Sequence[tuple[str, str | None]]
    """Names, each with the JSON of its new value, or nothing where it is to be cleared."""

MOST_TOLD = 5
"""Changes that are named to whoever was too late."""
_SHORT_SECRET = 4
"""Characters from which on a secret is hidden inside of words too."""

# Both databases compare names by their bytes.
_VARIABLES = "SELECT name, value, updated_at FROM dctx_variables WHERE workflow_id = ?"
_SET = (
    "INSERT INTO dctx_variables (workflow_id, name, value, updated_at) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workflow_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at"
)
_REMOVE = "DELETE FROM dctx_variables WHERE workflow_id = ? AND name = ?"
_CHANGE = "SELECT number, name, value, reason, changed_at FROM dctx_variable_changes"
_ADD_CHANGE = (
    "INSERT INTO dctx_variable_changes (id, workflow_id, number, name, value, reason, changed_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


class Variable(tuple[str, str, str]):
    """One row, as it came: a list of them is read at every assembly that shows variables."""

    __slots__ = ()
    name: str = property(itemgetter(0))  # type: ignore[assignment]
    stored: str = property(itemgetter(1))  # type: ignore[assignment]
    """The value as JSON; `sealing.py` says how secrets are."""
    updated_at: str = property(itemgetter(2))  # type: ignore[assignment]


class VariableChange(Record):
    """One change of one variable."""

    number: int
    name: str
    stored: str | None
    """The new value; None where the variable was cleared."""
    reason: str
    changed_at: str


class VariableConflict(DctxError):
    """Somebody else was faster. `changes` are what they did since the version that was expected."""

    def __init__(self, expected: int, since: Changes) -> None:
        self.expected = expected
        self.changes = since
        happened = []
        for change in since[-MOST_TOLD:]:
            value = "was cleared"
            if change.stored is not None:
                value = f"is {shown(change.name, change.stored)}"
            happened.append(f"{shown_name(change.name)} {value} ({redact(change.reason)})")
        super().__init__(
            f"Nothing was changed, because somebody was faster. Since version {expected}: {'; '.join(happened)}.",
            f"Look at it as it is now; the newest version is {since[-1].number}.",
        )


def variables(store: Store) -> list[Variable]:
    """All of them, by name."""
    rows = store.engine.rows(f"{_VARIABLES} ORDER BY name", (store.workflow,))
    return [Variable(row) for row in rows]


def variable(store: Store, name: str) -> Variable | None:
    row = store.engine.row(f"{_VARIABLES} AND name = ?", (store.workflow, name))
    return Variable(row) if row else None


def stored_in(reader: Reader, workflow: str, name: str) -> str | None:
    """The value of a variable as it is in the middle of a transaction."""
    row = reader.row(f"{_VARIABLES} AND name = ?", (workflow, name))
    return Variable(row).stored if row else None


def expect(reader: Reader, workflow: str, name: str | None, expected: int | None) -> None:
    """Refuses where the variable, or any of them, was changed after the version that somebody saw."""
    if expected is None:
        return
    since = [change for change in _changes(reader, workflow, name, 0) if change.number > expected]
    if since:
        raise VariableConflict(expected, since)


def version_now(store: Store) -> int:
    """The number of the newest change of any variable; 0 where nothing was set yet."""
    return _last_number(store.engine, store.workflow)


def _last_number(reader: Reader, workflow: str) -> int:
    sql = "SELECT max(number) FROM dctx_variable_changes WHERE workflow_id = ?"
    row = reader.row(sql, (workflow,))
    return (row[0] or 0) if row else 0


def changes(store: Store, name: str | None = None, last: int = 0) -> Changes:
    """The newest changes, oldest first; all of them for 0."""
    return _changes(store.engine, store.workflow, name, last)


def _changes(reader: Reader, workflow: str, name: str | None, last: int) -> Changes:
    sql = f"{_CHANGE} WHERE workflow_id = ?"
    values: list[object] = [workflow]
    if name is not None:
        sql += " AND name = ?"
        values.append(name)
    sql += " ORDER BY number DESC"
    if last:
        sql += " LIMIT ?"
        values.append(last)
    return [VariableChange(*row) for row in reversed(reader.rows(sql, values))]


def follow_newest(writer: Writer, workflow: str, name: str) -> None:
    """Makes a variable what its newest change says."""
    for change in _changes(writer, workflow, name, 1):
        set_or_remove(writer, workflow, name, change.stored, change.changed_at)


def set_or_remove(
    writer: Writer, workflow: str, name: str, stored: str | None, moment: str
) -> None:
    if stored is None:
        writer.run(_REMOVE, (workflow, name))
    else:
        writer.run(_SET, (workflow, name, stored, moment))


def changed_among(reader: Reader, workflow: str, names: Sequence[object]) -> set[object]:
    """Those of the variables that some change speaks of."""
    if not names:
        return set()
    marks = ", ".join("?" * len(names))
    sql = f"SELECT DISTINCT name FROM dctx_variable_changes WHERE workflow_id = ? AND name IN ({marks})"
    return {row[0] for row in reader.rows(sql, (workflow, *names))}


def put(
    store: Store,
    values: Mapping[str, str],
    reason: str,
    first: Callable[[Writer], bool] = lambda _: True,
) -> Changes:
    """Sets variables, all or none, to values as they are stored.

    `first` comes before, in the same transaction. Where it says no, nothing is set.
    """
    return _change(store, lambda writer: list(values.items()) if first(writer) else [], reason)


def clear(store: Store, name: str, reason: str, expected: int | None = None) -> bool:
    """Whether there was such a variable; now there is none. With `expected`, only if nobody changed
    it since.
    """

    def values_now(writer: Writer) -> Values:
        expect(writer, store.workflow, name, expected)
        return [] if stored_in(writer, store.workflow, name) is None else [(name, None)]

    return bool(_change(store, values_now, reason))


def clear_all(store: Store, reason: str, expected: int | None = None) -> int:
    """How many were cleared."""

    def values_now(writer: Writer) -> Values:
        expect(writer, store.workflow, None, expected)
        rows = writer.rows(f"{_VARIABLES} ORDER BY name", (store.workflow,))
        return [(name, None) for name, *_ in rows]

    return len(_change(store, values_now, reason))


def _change(store: Store, values_now: Callable[[Writer], Values], reason: str) -> Changes:
    """Makes the changes that are to be made once nobody else is in between."""
    workflow = store.workflow
    # The ids of the last attempt: by them the next one finds what was written, where a connection
    # broke and nobody knows how the transaction ended.
    ids: list[str] = []

    def work(writer: Writer) -> Changes:
        ids.clear()
        values = values_now(writer)
        if not values:
            return []
        ensure_workflow(writer, store)
        moment = now()
        changes: Changes = []
        last = _last_number(writer, workflow)
        for number, (name, stored) in enumerate(values, last + 1):
            set_or_remove(writer, workflow, name, stored, moment)
            ids.append(new_id())
            writer.run(_ADD_CHANGE, (ids[-1], workflow, number, name, stored, reason, moment))
            changes.append(VariableChange(number, name, stored, reason, moment))
        return changes

    def written(reader: Reader) -> Changes | None:
        rows = [reader.row(f"{_CHANGE} WHERE id = ?", (identity,)) for identity in ids]
        return [VariableChange(*row) for row in rows if row] if rows and all(rows) else None

    return store.engine.write(workflow, work, written)


def hide_earlier(
    writer: Writer, workflow: str, name: str, seal: Seal, secrets: Iterable[str]
) -> None:
    """Hides every value that a variable ever had, and takes it out of the reasons: of its own
    change and of the next, which is where people speak of it. `secrets` is what its new value
    holds. A change is written anew for this alone.
    """
    new_texts = list(secrets)
    texts_before: list[str] = []
    sql = "SELECT id, value, reason FROM dctx_variable_changes WHERE workflow_id = ? AND name = ? ORDER BY number"
    for identity, value, reason in writer.rows(sql, (workflow, name)):
        hidden = value
        texts: list[str] = []
        if value is not None and not was_asked(value):
            # Other programs may have written no JSON.
            try:
                read_json(value)
                plain = reveal(name, value)
            except (ValueError, RecursionError):
                plain = value
            texts = list(texts_in(plain))
            hidden = seal(name, in_file(plain, asked=True))

        new_reason = without(reason, [*new_texts, *texts_before, *texts])
        if hidden != value or new_reason != reason:
            sql = "UPDATE dctx_variable_changes SET value = ?, reason = ? WHERE id = ?"
            writer.run(sql, (hidden, new_reason, identity))
        texts_before = texts


def without(text: str, secrets: Iterable[str]) -> str:
    """What is said about a change, without the secrets that it was about."""
    # Every assembly that shows variables imports this module, and only reads.
    import re

    # The longest first: a secret may be a piece of another one, whose rest would stay readable.
    for secret in sorted({secret.strip() for secret in secrets}, key=len, reverse=True):
        if len(secret) >= _SHORT_SECRET:
            text = text.replace(secret, HIDDEN)
        elif secret:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", lambda _: HIDDEN, text)
    return redact(text)
