"""Deleting from the archive, on purpose: what a compression that stays still needs is never deleted
along.
"""

from __future__ import annotations

import json
from itertools import chain

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.archive.compressions import all_compressions, outline_of
from director_ctx.memory.archive.cuts import FORGET_ALL
from director_ctx.memory.archive.originals import (
    Damaged,
    ambiguous,
    digits,
    text_of_block,
    texts,
)
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
_RECEIPTS = "dctx_compressions WHERE workflow_id = ? AND receipt IN ({marks})"
_HASHES = "dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"


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
    receipts = [compression.receipt for compression in compressions]
    return _doomed(store, list(_all_originals(store)), receipts, compressions)


def older(store: Store, moment: str) -> Doomed:
    """What was kept before a moment and serves nothing newer."""
    compressions = all_compressions(store)
    old = [one.receipt for one in compressions if one.created_at < moment]
    needed = _needed(store, (one for one in compressions if one.created_at >= moment))
    names = [
        name
        for name, kept_at in _all_originals(store).items()
        if kept_at < moment and name not in needed
    ]
    return _doomed(store, names, sorted(old), compressions)


def one_receipt(store: Store, compression: CompressionRecord) -> Doomed:
    """A compression with everything that only it needs."""
    compressions = all_compressions(store)
    others = (other for other in compressions if other.receipt != compression.receipt)
    only_own = _needed(store, [compression]) - _needed(store, others)
    # Not all of them have to be there: some may have been forgotten before.
    names = [name for name in _all_originals(store) if name in only_own]
    return _doomed(store, names, [compression.receipt], compressions)


def one_original(store: Store, locator: str) -> Doomed:
    """The only one whose hash begins so; of several, none is taken for the one that was meant."""
    start = digits(locator)
    names = [name for name in _all_originals(store) if name.startswith(start)]
    if len(names) > 1:
        raise ambiguous(start, names)
    compressions = all_compressions(store)
    # The histories that it was cut from have its words, too.
    pieces = (_pieces_with(store, name, one) for name in names for one in compressions)
    return _doomed(store, [*dict.fromkeys(chain(names, *pieces))], [], compressions)


def _pieces_with(store: Store, name: str, compression: CompressionRecord) -> Iterable[str]:
    """The pieces of a history in which an original stands that was cut from it."""
    seen: set[str] = set()
    try:
        kept = outline_of(store, compression, seen)["kept"]
        text = text_of_block(store, name) if name in kept else None
    except (KeyError, Damaged):
        return ()
    if not text:
        return ()
    known = texts(store, seen.difference(kept))
    spelled = {json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True)}
    holding = [piece for piece, words in known.items() if any(one in words for one in spelled)]
    # Where it is spelled in another way, nobody can tell which they are.
    return holding or known


def delete(store: Store, doomed: Doomed) -> None:
    """Whoever compressed since it was decided may need what was there already, so then nothing is
    deleted.
    """
    workflow = store.workflow
    tables = ((_RECEIPTS, doomed.compressions), (_HASHES, doomed.originals))

    def work(writer: Writer) -> bool:
        # Asked inside the transaction, where nobody else writes.
        if tuple(map(tuple, writer.rows(_STATE, (workflow,)))) != doomed.decided_on:
            raise Meanwhile("Somebody compressed meanwhile, so nothing was deleted.", "Look again.")
        for table, names in tables:
            run_for(writer, f"DELETE FROM {table}", workflow, names)
        writer.run(FORGET_ALL, (workflow,))
        return True

    def done(reader: Reader) -> bool | None:
        for table, names in tables:
            for _ in rows_for(reader, f"SELECT 1 FROM {table}", workflow, names):
                return None
        return True

    store.engine.write(workflow, work, done)


def _all_originals(store: Store) -> dict[str, str]:
    """When each was kept, by their hashes."""
    return dict(rows_of(store, _ORIGINALS))


def _needed(store: Store, compressions: Iterable[CompressionRecord]) -> set[str]:
    """The hashes of the originals, and of the pieces, that these are made of."""
    needed: set[str] = set()
    for compression in compressions:
        try:
            outline_of(store, compression, needed)
        except (KeyError, Damaged):
            pass  # a part of it was forgotten before, or nobody can tell what it needs
    return needed


def _doomed(
    store: Store,
    originals: Sequence[str],
    receipts: Sequence[str],
    decided_on: Sequence[CompressionRecord],
) -> Doomed:
    sizes = rows_for(
        store.engine, f"SELECT coalesce(sum(size), 0) FROM {_HASHES}", store.workflow, originals
    )
    return Doomed(
        originals=tuple(originals),
        compressions=tuple(receipts),
        size=sum(int(size) for (size,) in sizes),
        decided_on=tuple((one.receipt, one.created_at) for one in decided_on),
    )
