"""Deleting from the archive, on purpose: what a compression that stays still needs is never deleted along."""

from __future__ import annotations

from director_ctx.memory.archive import digits, in_parts
from director_ctx.memory.compressions import outline_of, pieces_of, some
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.memory.compressions import Compression
    from director_ctx.memory.engine import Writer
    from director_ctx.memory.store import Store


class Doomed(Record):
    """What would be deleted."""

    originals: tuple[str, ...]
    compressions: tuple[str, ...]
    size: int


def everything(store: Store) -> Doomed:
    return _doomed(store, [row[0] for row in _all(store)], [one.receipt for one in some(store)])


def older(store: Store, moment: str) -> Doomed:
    """What was kept before a moment and serves nothing newer."""
    old = {one.receipt for one in some(store) if one.created_at < moment}
    staying = _needed(store, [one for one in some(store) if one.receipt not in old])
    return _doomed(store, [name for name, kept in _all(store) if kept < moment and name not in staying], sorted(old))


def one_receipt(store: Store, made: Compression) -> Doomed:
    """A compression with everything that only it needs."""
    staying = _needed(store, [one for one in some(store) if one.receipt != made.receipt])
    own = _needed(store, [made])
    names = [name for name, _ in _all(store) if name in own and name not in staying]
    return _doomed(store, names, [made.receipt])


def one_original(store: Store, locator: str) -> Doomed:
    start = digits(locator)
    return _doomed(store, [name for name, _ in _all(store) if name.startswith(start)], [])


def delete(store: Store, doomed: Doomed) -> None:
    def work(writer: Writer) -> bool:
        for table, column, names in (
            ("dctx_compressions", "receipt", doomed.compressions),
            ("dctx_originals", "hash", doomed.originals),
        ):
            for part in in_parts(names):
                marks = ", ".join("?" * len(part))
                writer.run(
                    f"DELETE FROM {table} WHERE workflow_id = ? AND {column} IN ({marks})", (store.workflow, *part)
                )
        return True

    store.engine.write(store.workflow, work, lambda reader: None)


def _all(store: Store) -> list[tuple[str, str]]:
    sql = "SELECT hash, kept_at FROM dctx_originals WHERE workflow_id = ? ORDER BY hash"
    return [(name, kept) for name, kept in store.engine.rows(sql, (store.workflow,))]


def _needed(store: Store, compressions: Iterable[Compression]) -> set[str]:
    found: set[str] = set()
    for one in compressions:
        try:
            found |= pieces_of(store, one)
            found.update(outline_of(store, one)["kept"])
        except KeyError:
            pass  # a part of it was forgotten before
    return found


def _doomed(store: Store, names: Sequence[str], receipts: Sequence[str]) -> Doomed:
    size = 0
    for part in in_parts(names):
        marks = ", ".join("?" * len(part))
        sql = f"SELECT coalesce(sum(size), 0) FROM dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
        row = store.engine.row(sql, (store.workflow, *part))
        size += int(row[0]) if row else 0
    return Doomed(tuple(names), tuple(receipts), size)
