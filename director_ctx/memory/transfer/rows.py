"""The rows of a workflow in a form that both databases share. Nothing is loaded whole: they go
through in batches.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.store.canonical import canonical
from director_ctx.memory.store.store import now
from director_ctx.memory.store.tables import PARTS, TableRow
from director_ctx.memory.transfer import table_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from director_ctx.memory.store.canonical import Values
    from director_ctx.memory.store.engine import Reader, View
    from director_ctx.memory.store.store import Store

    Items = Iterable["Item"]
    Batch = Sequence["Item"]
    Owned = tuple[Values, str]
    """A row, and the workflow that has it."""
    ByKey = dict[object, Owned]

ROWS, CHARACTERS = 200, 1_000_000
"""A batch is full with so many rows, or so much text."""


class Item(Record):
    """One row on its way."""

    part: TableRow
    values: Values
    line: int = 0
    """Where it stands in a file."""

    @property
    def name(self) -> object:
        """Of a variable."""
        return self.values.get("name")

    def by(self, key: str) -> object:
        """What it is known by in one of the ways in which rows are told apart."""
        return self.values.get(key)


def out(view: View, store: Store) -> Iterator[Item]:
    """Every row of a store's workflow, in the order of references and of time."""
    for part in PARTS:
        for row in table_rows.every_row(view, part, store.workflow):
            values = canonical(part.columns, row)
            if part is PARTS[0]:
                values = _whole_workflow(values)
            yield Item(part, values)


def _whole_workflow(values: Values) -> Values:
    """A team's own program may make workflows without a name or a time."""
    created = values["created_at"] or values["updated_at"] or now()
    return {
        "name": values["name"] or "",
        "created_at": created,
        "updated_at": values["updated_at"] or created,
    }


def counted_in(store: Store) -> dict[str, int]:
    """How many rows each table of a store has of its workflow."""
    return counted(store.engine, store.workflow)


def counted(reader: Reader, workflow: str) -> dict[str, int]:
    """How many rows each table has of a workflow."""
    return {part.table: table_rows.number_of_rows(reader, part, workflow) for part in PARTS}


def batches(items: Items) -> Iterator[list[Item]]:
    """Rows of one table at a time, and not too much of them."""
    batch: list[Item] = []
    size = 0
    for item in items:
        # A batch goes into one statement, of one table.
        is_full = len(batch) == ROWS or size > CHARACTERS
        is_of_another = bool(batch) and item.part is not batch[0].part
        if is_full or is_of_another:
            yield batch
            batch = []
            size = 0
        batch.append(item)
        for value in item.values.values():
            if isinstance(value, str):
                size += len(value)
    if batch:
        yield batch


def lacking(part: TableRow, values: Values) -> str:
    """The first column that is empty and may not be; an empty string if there is none."""
    for name, value in values.items():
        if value is None and name not in part.empty:
            return name
    return ""


def there(
    reader: Reader,
    part: TableRow,
    workflow: str,
    key: str,
    batch: Batch,
) -> ByKey:
    """The rows that have one of the batch's keys, with their workflow: ids are looked for in all
    workflows.
    """
    if key:
        # Two rows of a file may claim the same key.
        values = list({item.by(key) for item in batch})
        rows = table_rows.rows_with_keys(
            reader,
            part,
            workflow,
            key,
            values,
        )
    else:
        rows = table_rows.owned_rows(reader, part, workflow)

    by_key: ByKey = {}
    for owner, *columns in rows:
        row = canonical(part.columns, columns)
        by_key[row.get(key)] = (row, str(owner))
    return by_key
