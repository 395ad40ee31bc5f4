"""The rows of a workflow in a form that both databases share. Nothing is loaded whole: they go
through in batches.
"""

from __future__ import annotations

import json

from director_ctx.base.hashing import digest
from director_ctx.base.record import Record
from director_ctx.memory.store.schema import DATA, PARTS, TRUTH, Table
from director_ctx.memory.store.store import now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from director_ctx.memory.store.engine import Reader, View
    from director_ctx.memory.store.store import Store

    Values = dict[str, object]
    Owned = tuple[Values, str]
    """A row, and the workflow that has it."""

ROWS, CHARACTERS = 200, 1_000_000
"""A batch is full with so many rows, or so much text."""
LARGEST = 1.7976931348623157e308


class Item(Record):
    """One row on its way."""

    part: Table
    values: Values
    line: int = 0
    """Where it stands in a file."""

    @property
    def name(self) -> object:
        """Of a variable."""
        return self.values.get("name")


def out(view: View, store: Store) -> Iterator[Item]:
    """Every row of a store's workflow, in the order of references and of time."""
    for part in PARTS:
        columns = ", ".join(part.columns)
        sql = f"SELECT {columns} FROM {part.table} WHERE {part.owner} = ? ORDER BY {part.order}"
        for row in view.each(sql, (store.workflow,)):
            values = canonical(part, row)
            if part is PARTS[0]:
                # A team's own program may make workflows without a name or a time.
                created = values["created_at"] or values["updated_at"] or now()
                updated = values["updated_at"] or created
                values = {
                    "name": values["name"] or "",
                    "created_at": created,
                    "updated_at": updated,
                }
            yield Item(part, values)


def counted_in(store: Store) -> dict[str, int]:
    """How many rows each table of a store has of its workflow."""
    counts = {}
    for part in PARTS:
        sql = f"SELECT count(*) FROM {part.table} WHERE {part.owner} = ?"
        row = store.engine.row(sql, (store.workflow,))
        counts[part.table] = row[0] if row else 0
    return counts


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Rows of one table at a time, and not too much of them: a batch goes into one statement."""
    batch: list[Item] = []
    size = 0
    for item in items:
        is_full = len(batch) == ROWS or size > CHARACTERS
        if batch and (is_full or item.part is not batch[0].part):
            yield batch
            batch = []
            size = 0
        batch.append(item)
        size += sum(len(value) for value in item.values.values() if isinstance(value, str))
    if batch:
        yield batch


def lacking(part: Table, values: Values) -> str:
    """The first column that is empty and may not be; an empty string if there is none."""
    empty = (name for name, value in values.items() if value is None and name not in part.empty)
    return next(empty, "")


def there(
    reader: Reader, part: Table, workflow: str, key: str, batch: Sequence[Item]
) -> dict[object, Owned]:
    """The rows that have one of the batch's keys, with their workflow: ids are looked for in all
    workflows.
    """
    where = f"{part.owner} = ?"
    values: list[object] = [workflow]
    if key:
        # Two rows of a file may claim the same key.
        keys = list({item.values.get(key) for item in batch})
        among = f"{key} IN ({', '.join('?' * len(keys))})"
        # An id is one in the whole database: a row that has it may be another workflow's.
        is_id = key == "id"
        where = among if is_id else f"{where} AND {among}"
        values = keys if is_id else [workflow, *keys]
    columns = ", ".join((part.owner, *part.columns))
    by_key: dict[object, Owned] = {}
    for owner, *row in reader.rows(f"SELECT {columns} FROM {part.table} WHERE {where}", values):
        found = canonical(part, row)
        by_key[found.get(key)] = (found, str(owner))
    return by_key


def canonical(part: Table, row: Sequence[object]) -> Values:
    """The row by names; SQLite knows 0 and 1 for true and false, and JSON has no word for infinity."""
    values: Values = {}
    for (name, kind), value in zip(part.columns.items(), row, strict=True):
        values[name] = value
        if kind == TRUTH and value is not None:
            values[name] = bool(value)
        elif isinstance(value, float) and not -LARGEST <= value <= LARGEST:
            values[name] = None
    return values


def same(columns: Mapping[str, str], one: Values, other: Values) -> bool:
    """Whether two rows hold the same; for JSON the order of keys and the blanks do not count."""
    for name, kind in columns.items():
        value, other_value = one[name], other[name]
        if value == other_value:
            continue
        if kind != DATA or not isinstance(value, str) or not isinstance(other_value, str):
            return False
        if settled(value) != settled(other_value):
            return False
    return True


def settled(text: str) -> str:
    """JSON in one form: PostgreSQL sorts keys and writes numbers out; what cannot be read is taken
    as it is.
    """
    # Whoever only counts rows goes without it.
    from decimal import Decimal

    try:
        # As decimals no digit is lost, and 1 is 1.0.
        data = json.loads(text, parse_float=Decimal, parse_int=Decimal)
        return json.dumps(data, sort_keys=True, separators=(",", ":"), default=_number)
    except (ValueError, RecursionError):
        return text


def _number(value: Decimal) -> str:
    """A number apart from how it was written; never the same as a text."""
    sign, digits, exponent = value.as_tuple()
    # All digits, but for zeros at either end, and how many zeros follow.
    written = "".join(map(str, digits)).lstrip("0")
    short = written.rstrip("0")
    place = int(exponent) + len(written) - len(short) if short else 0
    return f"\x00{'-' if sign and short else ''}{short or '0'}e{place}"


def weight(part: Table, values: Values) -> int:
    """A number that stands for a row: sums of it are the same for the same rows in any order."""
    plain = dict(values)
    for (name, kind), value in zip(part.columns.items(), values.values(), strict=True):
        if kind == DATA and isinstance(value, str):
            plain[name] = settled(value)
        # 1.0 as 1: the one database gives it so, the other so.
        elif isinstance(value, float) and value.is_integer():
            plain[name] = int(value)
    return int(digest(json.dumps(list(plain.values())).encode()), 16)
