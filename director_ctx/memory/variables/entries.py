"""The variables of a workflow as they are kept, and every change with its reason."""

from __future__ import annotations

from operator import itemgetter

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.secrets import HIDDEN, redact
from director_ctx.memory.store import variable_rows
from director_ctx.memory.store.store import ensure_workflow, new_id, now
from director_ctx.memory.variables.display import read_json, shown, shown_name
from director_ctx.memory.variables.sealing import in_file, reveal, texts_in, was_asked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store
    from director_ctx.memory.variables.sealing import Seal

    Changes = list["VariableChange"]
    First = Callable[[Writer], bool]
    ValuesNow = Callable[[Writer], "Values"]
    Values = Sequence[tuple[str, str | None]]
    """Names, each with the JSON of its new value, or nothing where it is to be cleared."""

MOST_TOLD = 5
"""Changes that are named to whoever was too late."""
_SHORT_SECRET = 4
"""Characters from which on a secret is hidden inside of words too."""


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


def variables(store: Store) -> list[Variable]:
    """All of them, by name."""
    rows = variable_rows.all_variables(store.engine, store.workflow)
    return [Variable(row) for row in rows]


def variable(store: Store, name: str) -> Variable | None:
    row = variable_rows.variable_of_name(
        store.engine,
        store.workflow,
        name,
    )
    return Variable(row) if row else None


def stored_in(reader: Reader, workflow: str, name: str) -> str | None:
    """The value of a variable as it is in the middle of a transaction."""
    row = variable_rows.variable_of_name(reader, workflow, name)
    return Variable(row).stored if row else None


class VariableConflict(DctxError):
    """Somebody else was faster. `changes` are what they did since the version that was expected."""

    def __init__(self, expected: int, since: Changes) -> None:
        self.expected = expected
        self.changes = since
        happened = [_what_happened(change) for change in since[-MOST_TOLD:]]
        super().__init__(
            f"Nothing was changed, because somebody was faster. Since version {expected}: {'; '.join(happened)}.",
            f"Look at it as it is now; the newest version is {since[-1].number}.",
        )


def _what_happened(change: VariableChange) -> str:
    what = "was cleared"
    if change.stored is not None:
        what = f"is {shown(change.name, change.stored)}"
    return f"{shown_name(change.name)} {what} ({redact(change.reason)})"


def expect(reader: Reader, workflow: str, name: str | None, expected: int | None) -> None:
    """Refuses where the variable, or any of them, was changed after the version that somebody saw."""
    if expected is None:
        return
    since: list[VariableChange] = []
    for row in variable_rows.newest_changes(reader, workflow, name, 0):
        change = VariableChange(*row)
        if change.number > expected:
            since.append(change)
    if since:
        since.reverse()
        raise VariableConflict(expected, since)


def version_now(store: Store) -> int:
    """The number of the newest change of any variable; 0 where nothing was set yet."""
    return variable_rows.last_change_number(store.engine, store.workflow)


def changes(
    store: Store,
    name: str | None = None,
    last: int = 0,
) -> Changes:
    """The newest changes, oldest first; all of them for 0."""
    rows = variable_rows.newest_changes(
        store.engine,
        store.workflow,
        name,
        last,
    )
    return [VariableChange(*row) for row in reversed(rows)]


def put(
    store: Store,
    values: Mapping[str, str],
    reason: str,
    first: First | None = None,
) -> Changes:
    """Sets variables, all or none, to values as they are stored.

    `first` comes before, in the same transaction. Where it says no, nothing is set.
    """

    def values_now(writer: Writer) -> Values:
        if first is not None and not first(writer):
            return []
        return list(values.items())

    return _change(store, values_now, reason)


def clear(store: Store, name: str, reason: str, expected: int | None = None) -> bool:
    """Whether there was such a variable; now there is none. With `expected`, only if nobody changed
    it since.
    """

    def values_now(writer: Writer) -> Values:
        expect(writer, store.workflow, name, expected)
        if stored_in(writer, store.workflow, name) is None:
            return []
        return [(name, None)]

    return bool(_change(store, values_now, reason))


def clear_all(store: Store, reason: str, expected: int | None = None) -> int:
    """How many were cleared."""

    def values_now(writer: Writer) -> Values:
        expect(writer, store.workflow, None, expected)
        rows = variable_rows.all_variables(writer, store.workflow)
        values: list[tuple[str, str | None]] = []
        for name, *_ in rows:
            values.append((name, None))
        return values

    return len(_change(store, values_now, reason))


def _change(store: Store, values_now: ValuesNow, reason: str) -> Changes:
    """Makes the changes that are to be made once nobody else is in between."""
    # The ids of the last attempt: by them the next one finds what was written, where a connection
    # broke and nobody knows how the transaction ended.
    ids: list[str] = []

    def work(writer: Writer) -> Changes:
        values = values_now(writer)
        ids[:] = [new_id() for _ in values]
        return _write_down(writer, store, values, reason, ids)

    def written(reader: Reader) -> Changes | None:
        return _written(reader, ids)

    return store.engine.write(store.workflow, work, written)


def _write_down(
    writer: Writer,
    store: Store,
    values: Values,
    reason: str,
    ids: Sequence[str],
) -> Changes:
    if not values:
        return []
    workflow = store.workflow
    ensure_workflow(writer, store)

    moment = now()
    last = variable_rows.last_change_number(writer, workflow)
    changes: Changes = []
    for number, (name, stored) in enumerate(values, last + 1):
        if stored is None:
            variable_rows.remove_variable(writer, workflow, name)
        else:
            variable_rows.set_variable(writer, workflow, name, stored, moment)
        change = VariableChange(number, name, stored, reason, moment)
        changes.append(change)

    for identity, change in zip(ids, changes, strict=True):
        row = (
            change.number,
            change.name,
            change.stored,
            change.reason,
            change.changed_at,
        )
        variable_rows.add_change(writer, workflow, identity, row)
    return changes


def _written(
    reader: Reader,
    ids: Sequence[str],
) -> Changes | None:
    """The changes with these ids, if they were written after all."""
    changes: Changes = []
    for identity in ids:
        row = variable_rows.change_of_id(reader, identity)
        if not row:
            return None
        changes.append(VariableChange(*row))
    return changes or None


def hide_earlier(
    writer: Writer,
    workflow: str,
    name: str,
    seal: Seal,
    secrets: Iterable[str],
) -> None:
    """Hides every value that a variable ever had, and takes it out of the reasons: of its own
    change and of the next, which is where people speak of it. `secrets` is what its new value
    holds.
    """
    new_texts = list(secrets)
    texts_before: list[str] = []
    rows = variable_rows.every_value(writer, workflow, name)
    for identity, value, reason in rows:
        hidden = value
        texts: list[str] = []
        if value is not None and not was_asked(value):
            plain = _value_in(name, value)
            texts = list(texts_in(plain))
            hidden = seal(name, in_file(plain, asked=True))

        secret_texts = [*new_texts, *texts_before, *texts]
        new_reason = without(reason, secret_texts)
        if hidden != value or new_reason != reason:
            variable_rows.reword_change(writer, identity, hidden, new_reason)
        texts_before = texts


def _value_in(name: str, stored: str) -> Any:
    """What a row holds; other programs may have written no JSON."""
    try:
        read_json(stored)
    except (ValueError, RecursionError):
        return stored
    return reveal(name, stored)


def without(text: str, secrets: Iterable[str]) -> str:
    """What is said about a change, without the secrets that it was about."""
    # Every assembly that shows variables imports this module, and only reads.
    import re

    # The longest first: a secret may be a piece of another one, whose rest would stay readable.
    stripped = {secret.strip() for secret in secrets}
    longest_first = sorted(stripped, key=len, reverse=True)
    for secret in longest_first:
        if len(secret) >= _SHORT_SECRET:
            text = text.replace(secret, HIDDEN)
        elif secret:
            whole_word = rf"(?<!\w){re.escape(secret)}(?!\w)"
            text = re.sub(whole_word, lambda _: HIDDEN, text)
    return redact(text)
