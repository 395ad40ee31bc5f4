"""Everything that a workflow has, out of one store and into a file or another store: all of it, or
nothing.

Rows that are there already stay, so whatever was cut off can simply be done again. Sealed secrets
go as they are. Rows of another workflow come only where nothing stands in their way: its versions
and ours are two histories.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.settings.options import load_settings
from director_ctx.memory.store.canonical import DATA, same, weight
from director_ctx.memory.store.file import LOCAL, META, file_place
from director_ctx.memory.store.open import open_file
from director_ctx.memory.store.tables import PARTS
from director_ctx.memory.store.teams import file_of, open_shared
from director_ctx.memory.transfer.lines import LONGEST, header, rows, written
from director_ctx.memory.transfer.rows import Item, batches, counted, out, take, there
from director_ctx.memory.variables.sealing import fingerprint, opened_lines, sealed_line
from director_ctx.memory.variables.sealing_keys import find_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import IO

    from director_ctx.memory.store.canonical import Values
    from director_ctx.memory.store.engine import Engine, Reader, Row, View, Writer
    from director_ctx.memory.store.store import Store
    from director_ctx.memory.store.tables import TableRow
    from director_ctx.memory.transfer.rows import Tally
    from director_ctx.project.project import Project

    Told = Callable[[int], None]


_WHOLE = 1 << 256
_SAID = (
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
    tallies: Mapping[str, Tally]
    compared: Compared | None = None


def row_count(store: Store) -> int:
    return sum(counted(store.engine, store.workflow, store.version).values())


def holds_conversations(store: Store) -> bool:
    """Whether there is anything in it that somebody said, and that no sealing of variables hides."""
    rows = counted(store.engine, store.workflow, store.version)
    return any(rows.get(table) for table in _SAID)


def write_out(store: Store, put: Callable[[bytes], object], told: Told, key: str = "") -> int:
    """Writes the lines of a file, for whoever has the key if there is one; how many rows there are
    in it.
    """
    mark = fingerprint(key) if key else ""

    def work(view: View) -> int:
        count = 0
        items = out(view, store.workflow, store.version)
        for line in written(store.workflow, items, mark):
            is_header = count == 0
            if key and not is_header:
                put(sealed_line(line, key))
            else:
                put(line)
            count += 1
            told(1)
        return count - 2  # without the header and the end

    return store.engine.look(work)


def read_in(store: Store, file: IO[bytes], told: Told) -> Mapping[str, Tally]:
    """Reads the lines of a file, in one transaction; a mistake in the last line undoes the first."""

    def work(writer: Writer) -> Mapping[str, Tally]:
        file.seek(0)
        lines: Iterator[bytes] = iter(lambda: file.readline(_LONGEST_SEALED), b"")
        first = header(next(lines, b""))
        if first.sealed:
            lines = opened_lines(lines, first.sealed, find_key(store.root))
        return _taken(writer, store, first.workflow, rows(lines), told)

    return store.engine.write(store.workflow, work, _not_known)


def _taken(
    writer: Writer, target: Store, old: str, items: Iterable[Item], told: Told
) -> Mapping[str, Tally]:
    own = rehomed(items, old, target.workflow)
    tallies = take(writer, target.workflow, holdable(own, target), told)

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


def copy(source: Store, target: Store, told: Told) -> Copied:
    """Puts every row of one store into another, and looks afterwards whether both hold the same."""

    def work(view: View) -> Copied:
        def put(writer: Writer) -> Mapping[str, Tally]:
            items = out(view, source.workflow, source.version)
            return _taken(writer, target, source.workflow, items, told)

        tallies = target.engine.write(target.workflow, put, _not_known)
        items = out(view, source.workflow, source.version)
        own = rehomed(items, source.workflow, target.workflow)
        return Copied(tallies, compare(own, target))

    return source.engine.look(work)


def rehearse(source: Store, target: Store, told: Told) -> Copied:
    """What a copy would do."""

    def work(view: View) -> Copied:
        items = out(view, source.workflow, source.version)

        def put(target_view: View) -> Mapping[str, Tally]:
            return _taken(_Rehearsal(target_view), target, source.workflow, items, told)

        return Copied(target.engine.look(put))

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


def compare(items: Iterable[Item], target: Store) -> Compared:
    """The sums of the rows that were to be copied, on either side; those that stayed as they were
    are left out.
    """
    count = 0
    sum_here = 0
    sum_there = 0
    for batch in batches(item for item in items if item.part is not PARTS[0]):
        part = batch[0].part
        key = part.keys[0]
        known = there(target.engine, part, target.workflow, key, batch)
        for item in batch:
            values, owner = known.get(item.values[key], (None, ""))
            if values is None or owner != target.workflow:
                continue
            if same(part.telling, values, item.values):
                count += 1
                sum_here += weight(part.telling, _told_by(part, item.values))
                sum_there += weight(part.telling, _told_by(part, values))
    return Compared(count, f"{sum_here % _WHOLE:064x}", f"{sum_there % _WHOLE:064x}")


def _told_by(part: TableRow, values: Values) -> Values:
    return {name: values[name] for name in part.telling}


def rehomed(items: Iterable[Item], old: str, new: str) -> Iterator[Item]:
    """Rows of one workflow as rows of another: a plan names its workflow too."""
    if old == new:
        yield from items
        return
    for item in items:
        if item.part.table != "director_plans":
            yield item
            continue
        text = str(item.values["plan_data"])
        text = text.replace(f'"workflow_id": "{old}"', f'"workflow_id": "{new}"', 1)
        yield item.replace(values={**item.values, "plan_data": text})


def holdable(items: Iterable[Item], target: Store) -> Iterator[Item]:
    """PostgreSQL has no NUL in a text, and less in its JSON than JSON has; whose row that is should
    be said.
    """
    if target.engine.name != "postgresql":
        yield from items
        return
    for item in items:
        part = item.part
        for name, value in item.values.items():
            is_jsonb = part.columns[name] == DATA and not part.table.startswith("dctx_")
            if isinstance(value, str) and _strange(value, is_jsonb):
                where = f"line {item.line}"
                if not item.line:
                    where = f"{part.keys[0]} {item.values[part.keys[0]]}"
                raise DctxError(
                    f"{part.table}, {where}: PostgreSQL cannot hold a character in its {name}.",
                    "Nothing was written. It is a NUL, or half a character; a store in a file holds it.",
                )
        yield item


def _strange(text: str, is_json: bool) -> bool:
    if "\0" in text:
        return True
    if not is_json or "\\u" not in text:
        return False
    import json

    plain = json.dumps(json.loads(text), ensure_ascii=False)
    try:
        plain.encode()
    except UnicodeEncodeError:
        return True
    return "\\u0000" in plain.replace("\\\\", "")


def is_same_place(one: Store, other: Store) -> bool:
    """Whether two stores are one."""
    if one.engine.name != other.engine.name:
        return False
    place, other_place = one.engine.place, other.engine.place
    if one.engine.name == "sqlite":
        return os.path.realpath(place) == os.path.realpath(other_place)
    return place == other_place


_ANY = "SELECT 1 FROM workflows WHERE id = ?"


def open_target(project: Project | None, url: str, source: Store, write: bool) -> Store:
    """The other store. A file takes the workflow as it is; a database needs the one in `dctx.yaml`."""
    configured = ""
    root = None
    if project:
        configured = load_settings(project).workflow_id or ""
        root = project.root

    path = file_of(url)
    if path is None:
        return open_shared(project, url, configured, write)
    if not configured:
        _check_owner(path, source.workflow, write)

    own = file_place(root, write=False)
    is_own = bool(own) and os.path.realpath(path) == os.path.realpath(own)
    if is_own and (write or os.path.lexists(own)):
        return open_file(own, source.workflow, source.name, write)
    return open_shared(project, url, source.workflow, write)


def _check_owner(place: str, workflow: str, write: bool) -> None:
    """A project without an id reads the workflow that the file calls its own, so that has to be
    this one.
    """
    if not os.path.isfile(place):
        return
    from director_ctx.memory.store.sqlite import SQLite

    engine = SQLite(place)
    try:
        row = engine.row(META, (LOCAL,))
        if row is None or row[0] == workflow:
            return
        if engine.row(_ANY, (row[0],)):
            raise DctxError(
                f"{plain(place)} holds the plan and variables of another project.",
                "Copy into a file of its own, or a new one.",
            )
        if write:
            _give(engine, workflow)
    finally:
        engine.close()


def _give(engine: Engine, workflow: str) -> None:
    """A file in which nothing was kept yet is anybody's."""
    sql = "UPDATE dctx_meta SET value = ? WHERE name = ?"
    engine.write(workflow, lambda writer: writer.run(sql, (workflow, LOCAL)))
