"""Everything that a workflow has, out of one store and into a file or another store: all of it, or
nothing.

Rows that are there already stay, so whatever was cut off can simply be done again. Sealed secrets
go as they are. Rows of another workflow come only where nothing stands in their way: its versions
and ours are two histories.
"""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.store.canonical import DATA, same, weight
from director_ctx.memory.store.tables import PARTS
from director_ctx.memory.transfer.lines import LONGEST, header, rows, written
from director_ctx.memory.transfer.rows import batches, counted_in, out, there
from director_ctx.memory.transfer.take import take
from director_ctx.memory.variables.sealing import fingerprint, opened_lines, sealed_line
from director_ctx.memory.variables.sealing_keys import find_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import IO

    from director_ctx.memory.store.canonical import Values
    from director_ctx.memory.store.engine import Reader, Row, View, Writer
    from director_ctx.memory.store.store import Store
    from director_ctx.memory.store.tables import TableRow
    from director_ctx.memory.transfer.rows import Item, Items
    from director_ctx.memory.transfer.take import Tally, Tell

    Tallies = Mapping[str, Tally]


_WHOLE = 1 << 256
_CONVERSATIONS = (
    "conversations",
    "compressed_contexts",
    "dctx_originals",
    "dctx_compressions",
    "dctx_summaries",
)
_LONGEST_SEALED = LONGEST * 3 // 2
"""What is sealed is a third longer; a line in the clear may still not be."""
MOST_NAMED = 5


class Compared(Record):
    """What both sides hold of the rows that are the same on both."""

    rows: int
    here: str
    there: str

    @property
    def is_same(self) -> bool:
        return self.here == self.there


class Copied(Record):
    tallies: Tallies
    compared: Compared | None = None


def row_count(store: Store) -> int:
    counts = counted_in(store)
    return sum(counts.values())


def holds_conversations(store: Store) -> bool:
    """Whether there is anything in it that somebody said, and that no sealing of variables hides."""
    counts = counted_in(store)
    return any(counts.get(table) for table in _CONVERSATIONS)


def write_out(
    store: Store,
    put: Callable[[bytes], object],
    tell: Tell,
    key: str = "",
) -> int:
    """Writes the lines of a file, for whoever has the key if there is one; how many rows there are
    in it.
    """
    mark = fingerprint(key) if key else ""

    def work(view: View) -> int:
        items = out(view, store)
        count = 0
        for line in written(store.workflow, items, mark):
            # The header stays in the clear: it says which key opens the rest.
            is_header = count == 0
            if key and not is_header:
                put(sealed_line(line, key))
            else:
                put(line)
            count += 1
            tell(1)
        return count - 2  # without the header and the end

    return store.engine.look(work)


def read_in(store: Store, file: IO[bytes], tell: Tell) -> Tallies:
    """Reads the lines of a file, in one transaction; a mistake in the last line undoes the first."""

    def work(writer: Writer) -> Tallies:
        # From the beginning: the database may have asked for the work to be done again.
        file.seek(0)
        lines = _lines_of(file)
        first = header(next(lines, b""))
        if first.sealed:
            find = find_key(store.root)
            lines = opened_lines(lines, first.sealed, find)
        items = rows(lines)
        return _take(writer, store, first.workflow, items, tell)

    return store.engine.write(store.workflow, work, _not_known)


def _lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """Never more at once than a line may have, whatever somebody calls a store."""
    while line := file.readline(_LONGEST_SEALED):
        yield line


def _take(
    writer: Writer,
    target: Store,
    old: str,
    items: Items,
    tell: Tell,
) -> Tallies:
    """Rows of a workflow into the one of a store, which may be another."""
    own = rehomed(items, old, target.workflow)
    checked = holdable(own, target)
    tallies = take(writer, target.workflow, checked, tell)

    others: list[str] = []
    for tally in tallies.values():
        others += tally.others
    if others and old != target.workflow:
        shown = others[:MOST_NAMED]
        if len(others) > MOST_NAMED:
            shown.append(f"and {len(others) - MOST_NAMED:,} more")
        raise DctxError(
            "These are the plan and variables of another project, and this place has its own",
            "Nothing was taken; choose a project or a file that has none.",
            tuple(shown),
        )
    return tallies


def _not_known(_: Reader) -> None:
    """Where a connection broke in the end: doing it again finds the rows there, or puts them there."""
    return


def copy(source: Store, target: Store, tell: Tell) -> Copied:
    """Puts every row of one store into another, and looks afterwards whether both hold the same."""

    def work(view: View) -> Copied:
        def put(writer: Writer) -> Tallies:
            items = out(view, source)
            return _take(writer, target, source.workflow, items, tell)

        tallies = target.engine.write(target.workflow, put, _not_known)

        # Read once more, from the same moment, rather than kept in memory.
        items = out(view, source)
        own = rehomed(items, source.workflow, target.workflow)
        compared = compare(own, target)
        return Copied(tallies, compared)

    return source.engine.look(work)


def rehearse(source: Store, target: Store, tell: Tell) -> Copied:
    """What a copy would do."""

    def work(view: View) -> Copied:
        items = out(view, source)

        def put(target_view: View) -> Tallies:
            rehearsal = _Rehearsal(target_view)
            return _take(rehearsal, target, source.workflow, items, tell)

        tallies = target.engine.look(put)
        return Copied(tallies)

    return source.engine.look(work)


class _Rehearsal:
    """Reads, and does nothing else."""

    def __init__(self, view: View) -> None:
        self._view = view

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._view.rows(sql, values)

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        return self._view.row(sql, values)

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        return 0


def compare(items: Items, target: Store) -> Compared:
    """The sums of the rows that were to be copied, on either side; those that stayed as they were
    are left out.
    """
    count = 0
    sum_here = 0
    sum_there = 0
    for batch in batches(_without_workflow(items)):
        part = batch[0].part
        rows_there = there(
            target.engine,
            part,
            target.workflow,
            part.key,
            batch,
        )
        for item in batch:
            row = rows_there.get(item.by(part.key))
            if row is None:
                continue
            values, owner = row
            if owner != target.workflow:
                continue
            if same(part.telling, values, item.values):
                count += 1
                sum_here += _weight(part, item.values)
                sum_there += _weight(part, values)
    return Compared(
        rows=count,
        here=f"{sum_here % _WHOLE:064x}",
        there=f"{sum_there % _WHOLE:064x}",
    )


def _without_workflow(items: Items) -> Iterator[Item]:
    """All but the row of the workflow itself, which has no key, and whose name is its owner's."""
    for item in items:
        if item.part is not PARTS[0]:
            yield item


def _weight(part: TableRow, values: Values) -> int:
    telling = {name: values[name] for name in part.telling}
    return weight(part.telling, telling)


def rehomed(items: Items, old: str, new: str) -> Iterator[Item]:
    """Rows of one workflow as rows of another: a plan names its workflow too."""
    if old == new:
        yield from items
        return
    for item in items:
        if item.part.table != "director_plans":
            yield item
            continue
        text = str(item.values["plan_data"])
        renamed = text.replace(f'"workflow_id": "{old}"', f'"workflow_id": "{new}"', 1)
        values = {**item.values, "plan_data": renamed}
        yield item.replace(values=values)


def holdable(items: Items, target: Store) -> Iterator[Item]:
    """PostgreSQL has no NUL in a text, and less in its JSON than JSON has; whose row that is should
    be said.
    """
    if target.engine.name != "postgresql":
        yield from items
        return
    for item in items:
        name = _unholdable(item)
        if name:
            raise DctxError(
                f"{item.part.table}, {_where(item)}: PostgreSQL cannot hold a character in its {name}.",
                "Nothing was written. It is a NUL, or half a character; a store in a file holds it.",
            )
        yield item


def _unholdable(item: Item) -> str:
    """The first column that PostgreSQL cannot hold; empty where it can hold all."""
    part = item.part
    # In its own tables dctx keeps JSON as a text, which PostgreSQL does not look into.
    is_own = part.table.startswith("dctx_")
    for name, value in item.values.items():
        is_jsonb = part.columns[name] == DATA and not is_own
        if isinstance(value, str) and _is_strange(value, is_jsonb):
            return name
    return ""


def _where(item: Item) -> str:
    if item.line:
        return f"line {item.line}"
    key = item.part.key or "name"
    return f"{key} {item.by(key)}"


def _is_strange(text: str, is_json: bool) -> bool:
    if "\0" in text:
        return True
    if not is_json or "\\u" not in text:
        return False

    data = json.loads(text)
    plain = json.dumps(data, ensure_ascii=False)
    try:
        plain.encode()
    except UnicodeEncodeError:
        return True
    # A backslash that is written as two begins no escape.
    return "\\u0000" in plain.replace("\\\\", "")
