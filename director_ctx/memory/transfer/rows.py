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
from director_ctx.memory.store.tables import CHANGES, PARTS, VARIABLES, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from director_ctx.memory.store.canonical import Values
    from director_ctx.memory.store.engine import Reader, View, Writer

ROWS, CHARACTERS = 200, 1_000_000
"""A batch is full with so many rows, or so much text."""


class Item(Record):
    """One row on its way."""

    part: Part
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
        sql = f"SELECT {', '.join(part.names)} FROM {part.table} WHERE {part.owner} = ? ORDER BY {part.order}"
        for row in view.each(sql, (workflow,)):
            values = canonical(part.columns, row)
            if part is PARTS[0]:
                made = values["created_at"] or values["updated_at"] or now()
                values = {
                    "name": values["name"] or "",
                    "created_at": made,
                    "updated_at": values["updated_at"] or made,
                }
            yield Item(part, values)


def parts_of(version: int) -> Iterator[Part]:
    """The tables that a store of this version has; 0 is the newest."""
    return (part for part in PARTS if part.since <= (version or VERSION))


def counted(reader: Reader, workflow: str, version: int = VERSION) -> dict[str, int]:
    """How many rows each table has of a workflow."""
    found = {}
    for part in parts_of(version):
        row = reader.row(f"SELECT count(*) FROM {part.table} WHERE {part.owner} = ?", (workflow,))
        found[part.table] = row[0] if row else 0
    return found


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
        line = line if line.part is part else _Line(part)
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

    def __init__(self, part: Part | None = None) -> None:
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
    followed = [item for item in batch if item.values["name"] in changed]
    left_out = [item for item in batch if item.values["name"] in refused - changed]
    rest = [item for item in batch if item.values["name"] not in changed | refused]
    new, tally = _sorted(reader, workflow, rest, _Line())
    names = [item.values["name"] for item in new]
    sql = f"SELECT DISTINCT name FROM {CHANGES} WHERE workflow_id = ? AND name IN ({', '.join('?' * len(names))})"
    cleared = {row[0] for row in reader.rows(sql, (workflow, *names))} if names else set()
    left = [item for item in new if item.values["name"] not in cleared]
    others = tuple(f"{_named(item)} (cleared)" for item in new if item.values["name"] in cleared)
    apart, alike = _apart(reader, workflow, left_out)
    return left, Tally(
        len(left) + len(followed), tally.same + alike, (*tally.others, *others, *apart)
    )


def _apart(reader: Reader, workflow: str, items: Sequence[Item]) -> tuple[list[str], int]:
    """Those that are another thing there, or nothing; and how many are the same after all."""
    if not items:
        return [], 0
    part = items[0].part
    known = there(reader, part, workflow, part.keys[0], items)
    named = [(item, known.get(item.values[part.keys[0]], (None, ""))[0]) for item in items]
    apart = [
        _named(item)
        for item, values in named
        if values is None or not same(part.telling, values, item.values)
    ]
    return apart, len(items) - len(apart)


_NEWEST = f"SELECT value, changed_at FROM {CHANGES} WHERE workflow_id = ? AND name = ? ORDER BY number DESC LIMIT 1"
_BECOME = (
    "INSERT INTO dctx_variables (workflow_id, name, value, updated_at) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workflow_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at"
)


def _follow(writer: Writer, workflow: str, changed: set[object]) -> None:
    """Variables become what the changes that came in made of them."""
    for name in changed:
        row = writer.row(_NEWEST, (workflow, name))
        if row and row[0] is None:
            writer.run(
                "DELETE FROM dctx_variables WHERE workflow_id = ? AND name = ?", (workflow, name)
            )
        elif row:
            writer.run(_BECOME, (workflow, name, *row))


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Rows of one table at a time, and not too much of them."""
    batch: list[Item] = []
    size = 0
    for item in items:
        if batch and (item.part is not batch[0].part or len(batch) == ROWS or size > CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += sum(len(value) for value in item.values.values() if isinstance(value, str))
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
    alike, others = 0, []
    for item in batch:
        if lacking := [
            name for name, value in item.values.items() if value is None and name not in part.empty
        ]:
            others.append(f"{_named(item)} has no {lacking[0]}")
            continue
        found = [
            rows[item.values.get(key)]
            for key, rows in known.items()
            if item.values.get(key) in rows
        ]
        if not found and not line.apart:
            line.passes(item)
            new.append(item)
            for key, rows in known.items():
                rows[item.values.get(key)] = (item.values, workflow)
        elif found and all(
            owner == workflow and same(part.telling, values, item.values) for values, owner in found
        ):
            line.passes(item)
            alike += 1
        elif part.keys:
            line.refuses(item)
            others.append(_named(item))
        else:
            alike += 1  # the name of a workflow is its owner's
    return new, Tally(len(new), alike, tuple(others))


def _named(item: Item) -> str:
    key = item.part.keys[-1] if item.part.keys else "name"
    where = f"line {item.line}: " if item.line else ""
    return f"{where}{item.part.table}, {key} {item.values[key]}"


def there(
    reader: Reader, part: Part, workflow: str, key: str, batch: Sequence[Item]
) -> dict[object, tuple[Values, str]]:
    """The rows that have one of the batch's keys, with their workflow: ids are looked for in all
    workflows.
    """
    columns = ", ".join((part.owner, *part.names))
    wanted = list({item.values[key] for item in batch}) if key else []
    marks = ", ".join("?" * len(wanted))
    if not key:
        rows = reader.rows(
            f"SELECT {columns} FROM {part.table} WHERE {part.owner} = ?", (workflow,)
        )
    elif key == "id":
        rows = reader.rows(f"SELECT {columns} FROM {part.table} WHERE id IN ({marks})", wanted)
    else:
        where = f"{part.owner} = ? AND {key} IN ({marks})"
        rows = reader.rows(f"SELECT {columns} FROM {part.table} WHERE {where}", (workflow, *wanted))
    found = [(canonical(part.columns, row[1:]), str(row[0])) for row in rows]
    return {values.get(key): (values, owner) for values, owner in found}


def _insert(writer: Writer, part: Part, workflow: str, new: Sequence[Item]) -> None:
    if not new:
        return
    row = f"({', '.join('?' * (len(part.columns) + 1))})"
    sql = f"INSERT INTO {part.table} ({', '.join((part.owner, *part.names))}) VALUES {', '.join([row] * len(new))}"
    writer.run(sql, [value for item in new for value in (workflow, *item.values.values())])
