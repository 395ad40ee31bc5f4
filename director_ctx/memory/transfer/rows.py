"""The rows of a workflow in a form that both databases share: how they leave a store, and how they
come into another.

Rows that are there already stay as they are, but for one kind: a variable is what its newest change
made it. Two histories that went apart are not mixed: behind the first version that is another one
there, none is taken. Nothing is loaded whole: rows go through in batches.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.store.canonical import canonical, same
from director_ctx.memory.store.schema import VERSION
from director_ctx.memory.store.store import now
from director_ctx.memory.store.tables import CHANGES, PARTS, VARIABLES, TableRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from director_ctx.memory.store.canonical import Values
    from director_ctx.memory.store.engine import Reader, View, Writer

ROWS, CHARACTERS = 200, 1_000_000
"""A batch is full with so many rows, or so much text."""


class Item(Record):
    """One row on its way."""

    part: TableRow
    values: Values
    line: int = 0
    """Where it stands in a file."""


class Tally(Record):
    """What became of the rows of one table."""

    added: int = 0
    same: int = 0
    others: tuple[str, ...] = ()
    """Rows that are there already, with another content: they stay."""


def out(view: View, workflow: str, version: int = VERSION) -> Iterator[Item]:
    """Every row of a workflow, in the order of references and of time.

    A team's own program may make workflows without a name or a time.
    """
    for part in parts_of(version):
        names = ", ".join(part.names)
        sql = f"SELECT {names} FROM {part.table} WHERE {part.owner} = ? ORDER BY {part.order}"
        for row in view.each(sql, (workflow,)):
            values = canonical(part.columns, row)
            if part is PARTS[0]:
                created = values["created_at"] or values["updated_at"] or now()
                values = {
                    "name": values["name"] or "",
                    "created_at": created,
                    "updated_at": values["updated_at"] or created,
                }
            yield Item(part, values)


def parts_of(version: int) -> Iterator[TableRow]:
    """The tables that a store of this version has; 0 is the newest."""
    return (part for part in PARTS if part.since <= (version or VERSION))


def counted(reader: Reader, workflow: str, version: int = VERSION) -> dict[str, int]:
    """How many rows each table has of a workflow."""
    counts = {}
    for part in parts_of(version):
        row = reader.row(f"SELECT count(*) FROM {part.table} WHERE {part.owner} = ?", (workflow,))
        counts[part.table] = row[0] if row else 0
    return counts


def take(
    writer: Writer,
    workflow: str,
    items: Iterable[Item],
    told: Callable[[int], None] = lambda _: None,
) -> dict[str, Tally]:
    """Puts rows in that are not there yet; says after each batch how many were looked at."""
    tallies = {part.table: Tally() for part in PARTS}
    changed: set[object] = set()
    refused: set[object] = set()
    line = _Line()
    for batch in batches(items):
        part = batch[0].part
        if line.part is not part:
            line = _Line(part)
        if part.table == VARIABLES:
            new, tally = _variables(writer, workflow, batch, changed, refused)
        else:
            new, tally = _sorted(writer, workflow, batch, line)
        _insert(writer, part, workflow, new)

        if part.table == CHANGES:
            changed |= {item.values["name"] for item in new}
            refused |= line.refused
        tallies[part.table] = _joined(tallies[part.table], tally)
        told(len(batch))
    _follow(writer, workflow, changed)
    return tallies


class _Line:
    """How far the rows of one table, which may be numbered, went along with those that are there."""

    def __init__(self, part: TableRow | None = None) -> None:
        self.part = part
        self.number: object = None
        """The last one that is on both sides."""
        self.apart = False
        self.refused: set[object] = set()
        """The names of what was refused."""

    def passes(self, item: Item) -> None:
        self.number = item.values.get(item.part.number)

    def refuses(self, item: Item) -> None:
        """A program of the team's own may have made the same version twice: that is no reason to
        stop.
        """
        number = item.part.number
        self.apart = self.apart or (bool(number) and item.values[number] != self.number)
        self.refused.add(item.values.get("name"))


def _variables(
    reader: Reader, workflow: str, batch: Sequence[Item], changed: set[object], refused: set[object]
) -> tuple[list[Item], Tally]:
    """Only what no change that is there speaks of; the others are what their newest change says.
    Whose changes were refused stays away too: nobody could see where it came from.
    """
    followed = 0
    left_out: list[Item] = []
    rest: list[Item] = []
    for item in batch:
        name = item.values["name"]
        if name in changed:
            followed += 1
        elif name in refused:
            left_out.append(item)
        else:
            rest.append(item)
    unknown, tally = _sorted(reader, workflow, rest, _Line())

    cleared = _spoken_of(reader, workflow, [item.values["name"] for item in unknown])
    new: list[Item] = []
    others = [*tally.others]
    for item in unknown:
        if item.values["name"] in cleared:
            others.append(f"{_named(item)} (cleared)")
        else:
            new.append(item)

    apart, alike = _apart(reader, workflow, left_out)
    others += apart
    return new, Tally(len(new) + followed, tally.same + alike, tuple(others))


def _spoken_of(reader: Reader, workflow: str, names: Sequence[object]) -> set[object]:
    """Those of the variables that a change that is there speaks of."""
    if not names:
        return set()
    marks = ", ".join("?" * len(names))
    sql = f"SELECT DISTINCT name FROM {CHANGES} WHERE workflow_id = ? AND name IN ({marks})"
    return {row[0] for row in reader.rows(sql, (workflow, *names))}


def _apart(reader: Reader, workflow: str, items: Sequence[Item]) -> tuple[list[str], int]:
    """Those that are another thing there, or nothing; and how many are the same after all."""
    if not items:
        return [], 0
    part = items[0].part
    key = part.keys[0]
    known = there(reader, part, workflow, key, items)
    apart: list[str] = []
    for item in items:
        values, _ = known.get(item.values[key], (None, ""))
        if values is None or not same(part.telling, values, item.values):
            apart.append(_named(item))
    return apart, len(items) - len(apart)


_NEWEST = f"SELECT value, changed_at FROM {CHANGES} WHERE workflow_id = ? AND name = ? ORDER BY number DESC LIMIT 1"
_CLEARED = "DELETE FROM dctx_variables WHERE workflow_id = ? AND name = ?"
_BECOME = (
    "INSERT INTO dctx_variables (workflow_id, name, value, updated_at) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workflow_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at"
)


def _follow(writer: Writer, workflow: str, changed: set[object]) -> None:
    """Variables become what the changes that came in made of them."""
    for name in changed:
        newest = writer.row(_NEWEST, (workflow, name))
        if not newest:
            continue
        if newest[0] is None:
            writer.run(_CLEARED, (workflow, name))
        else:
            writer.run(_BECOME, (workflow, name, *newest))


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Rows of one table at a time, and not too much of them."""
    batch: list[Item] = []
    size = 0
    for item in items:
        is_full = len(batch) == ROWS or size > CHARACTERS
        if batch and (is_full or item.part is not batch[0].part):
            yield batch
            batch = []
            size = 0
        batch.append(item)
        for value in item.values.values():
            if isinstance(value, str):
                size += len(value)
    if batch:
        yield batch


def _joined(one: Tally, other: Tally) -> Tally:
    return Tally(one.added + other.added, one.same + other.same, (*one.others, *other.others))


def _sorted(
    reader: Reader, workflow: str, batch: Sequence[Item], line: _Line
) -> tuple[list[Item], Tally]:
    """The rows that are not there yet, and what is to be said of all."""
    if not batch:
        return [], Tally()
    part = batch[0].part
    known = {key: there(reader, part, workflow, key, batch) for key in part.keys or ("",)}

    new: list[Item] = []
    alike = 0
    others: list[str] = []
    for item in batch:
        empty = lacking(part, item.values)
        if empty:
            others.append(f"{_named(item)} has no {empty}")
            continue

        existing: list[tuple[Values, str]] = []
        for key, rows in known.items():
            row = rows.get(item.values.get(key))
            if row:
                existing.append(row)

        if not existing and not line.apart:
            line.passes(item)
            new.append(item)
            # So that the same row later in the batch is there already.
            for key, rows in known.items():
                rows[item.values.get(key)] = (item.values, workflow)
        elif existing and _all_same(item, workflow, existing):
            line.passes(item)
            alike += 1
        elif part.keys:
            line.refuses(item)
            others.append(_named(item))
        else:
            alike += 1  # the name of a workflow is its owner's
    return new, Tally(len(new), alike, tuple(others))


def _all_same(item: Item, workflow: str, rows: Sequence[tuple[Values, str]]) -> bool:
    """Whether these rows are the item, in that workflow."""
    telling = item.part.telling
    return all(owner == workflow and same(telling, values, item.values) for values, owner in rows)


def lacking(part: TableRow, values: Values) -> str:
    """The first column that is empty and may not be; an empty string if there is none."""
    for name, value in values.items():
        if value is None and name not in part.empty:
            return name
    return ""


def _named(item: Item) -> str:
    key = item.part.keys[-1] if item.part.keys else "name"
    where = f"line {item.line}: " if item.line else ""
    return f"{where}{item.part.table}, {key} {item.values[key]}"


def there(
    reader: Reader, part: TableRow, workflow: str, key: str, batch: Sequence[Item]
) -> dict[object, tuple[Values, str]]:
    """The rows that have one of the batch's keys, with their workflow: ids are looked for in all
    workflows.
    """
    columns = ", ".join((part.owner, *part.names))
    select = f"SELECT {columns} FROM {part.table}"
    if not key:
        rows = reader.rows(f"{select} WHERE {part.owner} = ?", (workflow,))
    else:
        wanted = list({item.values[key] for item in batch})
        marks = ", ".join("?" * len(wanted))
        if key == "id":
            rows = reader.rows(f"{select} WHERE id IN ({marks})", wanted)
        else:
            where = f"{part.owner} = ? AND {key} IN ({marks})"
            rows = reader.rows(f"{select} WHERE {where}", (workflow, *wanted))

    by_key: dict[object, tuple[Values, str]] = {}
    for owner, *row in rows:
        values = canonical(part.columns, row)
        by_key[values.get(key)] = (values, str(owner))
    return by_key


def _insert(writer: Writer, part: TableRow, workflow: str, new: Sequence[Item]) -> None:
    if not new:
        return
    names = ", ".join((part.owner, *part.names))
    marks = ", ".join("?" * (len(part.columns) + 1))
    rows = ", ".join([f"({marks})"] * len(new))
    values: list[object] = []
    for item in new:
        values += (workflow, *item.values.values())
    writer.run(f"INSERT INTO {part.table} ({names}) VALUES {rows}", values)
