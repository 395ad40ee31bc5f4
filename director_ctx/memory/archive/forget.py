"""Deleting from the archive, on purpose: what a compression that stays still needs is never deleted
along.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.archive.compressions import all_compressions, outline_of, pieces_of
from director_ctx.memory.archive.cuts import FORGET_ALL
from director_ctx.memory.archive.originals import Damaged, ambiguous, digits
from director_ctx.memory.archive.rows import rows_for, rows_of, run_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.memory.archive.compressions import CompressionRecord
    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

    Moments = tuple[tuple[str, str], ...]
    """Compressions, with the time of each."""

_STATE = "SELECT receipt, created_at FROM dctx_compressions WHERE workflow_id = ? ORDER BY created_at, receipt"
_ORIGINALS = "SELECT hash, kept_at FROM dctx_originals WHERE workflow_id = ? ORDER BY hash"
_SIZES = (
    "SELECT coalesce(sum(size), 0) FROM dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
)
_RECEIPTS = "dctx_compressions WHERE workflow_id = ? AND receipt IN ({marks})"
_DELETE_RECEIPTS = f"DELETE FROM {_RECEIPTS}"
_RECEIPTS_LEFT = f"SELECT 1 FROM {_RECEIPTS}"
_HASHES = "dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
_DELETE_HASHES = f"DELETE FROM {_HASHES}"
_HASHES_LEFT = f"SELECT 1 FROM {_HASHES}"


class Meanwhile(DctxError):
    """What was decided on is no longer all that there is."""


class Doomed(Record):
    """What would be deleted."""

    originals: tuple[str, ...]
    compressions: tuple[str, ...]
    size: int
    decided_on: Moments = ()
    """All compressions that there were then."""


def everything(store: Store) -> Doomed:
    compressions = all_compressions(store)
    names = list(_all_originals(store))
    receipts = [compression.receipt for compression in compressions]
    return _doomed(
        store,
        originals=names,
        receipts=receipts,
        decided_on=compressions,
    )


def older(store: Store, moment: str) -> Doomed:
    """What was kept before a moment and serves nothing newer."""
    compressions = all_compressions(store)
    receipts: list[str] = []
    newer: list[CompressionRecord] = []
    for compression in compressions:
        if compression.created_at < moment:
            receipts.append(compression.receipt)
        else:
            newer.append(compression)

    needed = _needed(store, newer)
    names: list[str] = []
    for name, kept_at in _all_originals(store).items():
        if kept_at < moment and name not in needed:
            names.append(name)
    return _doomed(
        store,
        originals=names,
        receipts=sorted(receipts),
        decided_on=compressions,
    )


def one_receipt(store: Store, compression: CompressionRecord) -> Doomed:
    """A compression with everything that only it needs."""
    compressions = all_compressions(store)
    others = [other for other in compressions if other.receipt != compression.receipt]
    own = _needed(store, [compression])
    only_own = own - _needed(store, others)
    # Not all of them have to be there: some may have been forgotten before.
    originals = _all_originals(store)
    names = [name for name in originals if name in only_own]
    return _doomed(
        store,
        originals=names,
        receipts=[compression.receipt],
        decided_on=compressions,
    )


def one_original(store: Store, locator: str) -> Doomed:
    """The only one whose hash begins so; of several, none is taken for the one that was meant."""
    start = digits(locator)
    originals = _all_originals(store)
    names = [name for name in originals if name.startswith(start)]
    if len(names) > 1:
        raise ambiguous(start, names)
    return _doomed(
        store,
        originals=names,
        receipts=[],
        decided_on=all_compressions(store),
    )


def delete(store: Store, doomed: Doomed) -> None:
    """Whoever compressed since it was decided may need what was there already, so then nothing is
    deleted.
    """
    workflow = store.workflow
    receipts = doomed.compressions
    names = doomed.originals

    def work(writer: Writer) -> bool:
        # Asked inside the transaction, where nobody else writes.
        if _moments(writer, workflow) != doomed.decided_on:
            raise Meanwhile("Somebody compressed meanwhile, so nothing was deleted.", "Look again.")
        run_for(writer, _DELETE_RECEIPTS, workflow, receipts)
        run_for(writer, _DELETE_HASHES, workflow, names)
        writer.run(FORGET_ALL, (workflow,))
        return True

    def done(reader: Reader) -> bool | None:
        for _ in rows_for(reader, _RECEIPTS_LEFT, workflow, receipts):
            return None
        for _ in rows_for(reader, _HASHES_LEFT, workflow, names):
            return None
        return True

    store.engine.write(workflow, work, done)


def _moments(reader: Reader, workflow: str) -> Moments:
    """All compressions that there are."""
    rows = reader.rows(_STATE, (workflow,))
    return tuple((receipt, created_at) for receipt, created_at in rows)


def _all_originals(store: Store) -> dict[str, str]:
    """When each was kept, by their hashes."""
    return dict(rows_of(store, _ORIGINALS))


def _needed(store: Store, compressions: Iterable[CompressionRecord]) -> set[str]:
    """The hashes of the originals, and of the pieces, that these are made of."""
    needed: set[str] = set()
    for compression in compressions:
        # What was cut is in `kept`: of a short text no piece is made.
        try:
            needed |= pieces_of(store, compression)
            outline = outline_of(store, compression)
            needed.update(outline["kept"])
        except (KeyError, Damaged):
            pass  # a part of it was forgotten before, or nobody can tell what it needs
    return needed


def _doomed(
    store: Store,
    originals: Sequence[str],
    receipts: Sequence[str],
    decided_on: Sequence[CompressionRecord],
) -> Doomed:
    size = 0
    sizes = rows_for(store.engine, _SIZES, store.workflow, originals)
    for row in sizes:
        size += int(row[0])

    moments = [(compression.receipt, compression.created_at) for compression in decided_on]
    return Doomed(
        originals=tuple(originals),
        compressions=tuple(receipts),
        size=size,
        decided_on=tuple(moments),
    )
