"""Deleting from the archive, on purpose: what a compression that stays still needs is never deleted
along.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.archive.compressions import outline_of, pieces_of, some
from director_ctx.memory.archive.cuts import FORGET_ALL
from director_ctx.memory.archive.originals import Damaged, ambiguous, digits, in_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.memory.archive.compressions import CompressionRecord
    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

_STATE = "SELECT receipt, created_at FROM dctx_compressions WHERE workflow_id = ? ORDER BY created_at, receipt"


class Meanwhile(DctxError):
    """What was decided on is no longer all that there is."""


class Doomed(Record):
    """What would be deleted."""

    originals: tuple[str, ...]
    compressions: tuple[str, ...]
    size: int
    seen: tuple[tuple[str, str], ...] = ()
    """All compressions that it was decided on, with the time of each."""


def everything(store: Store) -> Doomed:
    known = some(store)
    names = [name for name, _ in _all(store)]
    receipts = [compression.receipt for compression in known]
    return _doomed(store, names, receipts, known)


def older(store: Store, moment: str) -> Doomed:
    """What was kept before a moment and serves nothing newer."""
    known = some(store)
    receipts: list[str] = []
    newer: list[CompressionRecord] = []
    for compression in known:
        if compression.created_at < moment:
            receipts.append(compression.receipt)
        else:
            newer.append(compression)

    needed = _needed(store, newer)
    names: list[str] = []
    for name, kept_at in _all(store):
        if kept_at < moment and name not in needed:
            names.append(name)
    return _doomed(store, names, sorted(receipts), known)


def one_receipt(store: Store, made: CompressionRecord) -> Doomed:
    """A compression with everything that only it needs."""
    known = some(store)
    others = [compression for compression in known if compression.receipt != made.receipt]
    needed = _needed(store, others)
    own = _needed(store, [made])
    only_own = own - needed
    names = [name for name, _ in _all(store) if name in only_own]
    return _doomed(store, names, [made.receipt], known)


def one_original(store: Store, locator: str) -> Doomed:
    """The only one whose hash begins so; of several, none is taken for the one that was meant."""
    start = digits(locator)
    names = [name for name, _ in _all(store) if name.startswith(start)]
    if len(names) > 1:
        raise ambiguous(start, names)
    return _doomed(store, names, [], some(store))


def delete(store: Store, doomed: Doomed) -> None:
    """Whoever compressed since it was decided may need what was there already, so then nothing is
    deleted.
    """

    def work(writer: Writer) -> bool:
        if _seen(writer, store) != doomed.seen:
            raise Meanwhile("Somebody compressed meanwhile, so nothing was deleted.", "Look again.")
        for table, column, names in _doomed_rows(doomed):
            for part in in_parts(names):
                sql = f"DELETE FROM {table} WHERE workflow_id = ? AND {column} IN ({_marks(part)})"
                writer.run(sql, (store.workflow, *part))
        writer.run(FORGET_ALL, (store.workflow,))
        return True

    def done(reader: Reader) -> bool | None:
        for table, column, names in _doomed_rows(doomed):
            for part in in_parts(names):
                where = f"workflow_id = ? AND {column} IN ({_marks(part)})"
                sql = f"SELECT 1 FROM {table} WHERE {where} LIMIT 1"
                if reader.row(sql, (store.workflow, *part)):
                    return None
        return True

    store.engine.write(store.workflow, work, done)


def _marks(part: Sequence[str]) -> str:
    return ", ".join("?" * len(part))


def _doomed_rows(doomed: Doomed) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    return (
        ("dctx_compressions", "receipt", doomed.compressions),
        ("dctx_originals", "hash", doomed.originals),
    )


def _seen(reader: Reader, store: Store) -> tuple[tuple[str, str], ...]:
    rows = reader.rows(_STATE, (store.workflow,))
    return tuple((str(receipt), str(created_at)) for receipt, created_at in rows)


def _all(store: Store) -> list[tuple[str, str]]:
    sql = "SELECT hash, kept_at FROM dctx_originals WHERE workflow_id = ? ORDER BY hash"
    return [(name, kept_at) for name, kept_at in store.engine.rows(sql, (store.workflow,))]


def _needed(store: Store, compressions: Iterable[CompressionRecord]) -> set[str]:
    """The hashes of the originals, and of the pieces, that these are made of."""
    needed: set[str] = set()
    for compression in compressions:
        try:
            needed |= pieces_of(store, compression)
            needed.update(outline_of(store, compression)["kept"])
        except (KeyError, Damaged):
            pass  # a part of it was forgotten before, or nobody can tell what it needs
    return needed


def _doomed(
    store: Store, names: Sequence[str], receipts: Sequence[str], known: Sequence[CompressionRecord]
) -> Doomed:
    size = 0
    for part in in_parts(names):
        where = f"workflow_id = ? AND hash IN ({_marks(part)})"
        sql = f"SELECT coalesce(sum(size), 0) FROM dctx_originals WHERE {where}"
        row = store.engine.row(sql, (store.workflow, *part))
        if row:
            size += int(row[0])
    seen = tuple((compression.receipt, compression.created_at) for compression in known)
    return Doomed(tuple(names), tuple(receipts), size, seen)
