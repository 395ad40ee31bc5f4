"""What was compressed, when and how: receipts, and what it takes to undo each of them."""

from __future__ import annotations

import json

from director_ctx.base.hashing import shown, text_digest
from director_ctx.base.record import Record, as_dict
from director_ctx.memory.archive.chunks import fold, piece_names, unfold
from director_ctx.memory.archive.originals import Damaged, Held, held, keep_in, texts
from director_ctx.memory.archive.rows import rows_of
from director_ctx.memory.store.store import now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from director_ctx.memory.archive.originals import Listing, Originals
    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

MARKS = 64
"""So many marks of a shortened conversation, the smallest ones, are enough to know it again."""
_SUM = ',"sum":"'
"""What stands before the hash of the rest."""
_MISREAD = (ValueError, TypeError, AttributeError, IndexError, RecursionError)
"""What reading a record may come to that is not as it was written."""
_COLUMNS = (
    "receipt, created_at, source, format, strategy, counter, target, tokens_in, "
    "tokens_out, marks, content, outline"
)
_RECORDS = f"SELECT {_COLUMNS} FROM dctx_compressions WHERE workflow_id = ?"
_OLDEST_FIRST = f"{_RECORDS} ORDER BY created_at, receipt"
_BY_START = f"{_RECORDS} AND receipt >= ? AND receipt < ? ORDER BY receipt"
_ADD = (
    f"INSERT INTO dctx_compressions (workflow_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (workflow_id, receipt) DO UPDATE SET created_at = excluded.created_at"
)
_RECORDED = (
    "SELECT 1 FROM dctx_compressions WHERE workflow_id = ? AND receipt = ? AND created_at = ?"
)
_HEAD = "receipt, created_at, source, format, strategy, tokens_in, tokens_out"
_HEADS = f"SELECT {_HEAD} FROM dctx_compressions WHERE workflow_id = ? ORDER BY created_at, receipt"
_MARKED = "SELECT receipt, created_at, marks FROM dctx_compressions WHERE workflow_id = ?"
_COUNT = "SELECT count(*) FROM dctx_compressions WHERE workflow_id = ?"


class CompressionRecord(Record):
    """One of them, column by column. `content` is the receipt as JSON; `outline` is what stands for
    the original, folded.
    """

    receipt: str
    created_at: str
    source: str
    format: str
    strategy: str
    counter: str
    target: int | None
    tokens_in: int
    tokens_out: int
    marks: str
    content: str
    outline: str


def record(
    store: Store,
    compression: CompressionRecord,
    outline: dict[str, Any],
    originals: Originals,
) -> None:
    """Keeps the originals and the receipt in one transaction, durable on return."""
    # A text that was cut is often also a piece of the outline: it is kept once for both.
    pieces: dict[str, str] = {}
    for name, original in originals.items():
        if isinstance(original, str):
            pieces[name] = original

    whole = {**outline, "kept": list(originals)}
    folded = fold(whole, pieces)
    # Both hold a second copy of everything, which is not needed any more.
    whole.clear()
    outline.clear()

    to_keep: dict[str, str | Listing] = {**originals, **pieces}
    row = compression.replace(
        created_at=now(),
        outline=summed(folded),
    )

    def work(writer: Writer) -> bool:
        keep_in(writer, store, to_keep)
        values = as_dict(row).values()
        writer.run(_ADD, (store.workflow, *values))
        return True

    def done(reader: Reader) -> bool | None:
        # With its time, because the same may have been recorded before.
        key = (store.workflow, row.receipt, row.created_at)
        if reader.row(_RECORDED, key):
            return True
        return None

    store.engine.write(store.workflow, work, done)


def smallest(marks: Iterable[str]) -> list[str]:
    """Those by which a shortened conversation is known again."""
    in_order = sorted(set(marks))
    return in_order[:MARKS]


def known_by(store: Store, marks: Iterable[str]) -> list[str]:
    """The compressions that made some of these: first the one that made most, of several the
    newest.

    All rows are looked through once: each is short, and a conversation may have any number of
    elements that only look like ours, as an agent that asks for originals names a locator in each
    of its calls.
    """
    sought = set(marks)
    ranks: dict[str, tuple[int, str]] = {}
    for receipt, created_at, recorded_marks in rows_of(store, _MARKED):
        common = sought.intersection(recorded_marks.split())
        if common:
            ranks[receipt] = (len(common), created_at)

    def rank(receipt: str) -> tuple[int, str]:
        return ranks[receipt]

    return sorted(ranks, key=rank, reverse=True)


def all_compressions(store: Store) -> list[CompressionRecord]:
    """Oldest first."""
    rows = rows_of(store, _OLDEST_FIRST)
    return [CompressionRecord(*row) for row in rows]


def heads(store: Store) -> list[dict[str, Any]]:
    """All of them in short, oldest first."""
    columns = _HEAD.split(", ")
    heads: list[dict[str, Any]] = []
    for row in rows_of(store, _HEADS):
        head = zip(columns, row, strict=True)
        heads.append(dict(head))
    return heads


def by_id(store: Store, start: str) -> list[CompressionRecord]:
    """Those whose id begins so; the one that is no longer comes first."""
    end = start + "g"  # no digit of an id comes after `f`
    rows = rows_of(store, _BY_START, start, end)
    return [CompressionRecord(*row) for row in rows]


def outline_of(store: Store, compression: CompressionRecord) -> Any:
    """What was recorded to undo it. A `KeyError` where a part of it was forgotten."""
    try:
        folded = _checked_json(compression, compression.outline)
        return unfold(folded, lambda names: texts(store, names))
    except _MISREAD:
        raise _damaged(compression) from None


def pieces_of(store: Store, compression: CompressionRecord) -> set[str]:
    """The hashes of all that it holds."""
    try:
        folded = _checked_json(compression, compression.outline)
        return piece_names(folded, lambda names: texts(store, names))
    except _MISREAD:
        raise _damaged(compression) from None


def receipt_of(compression: CompressionRecord) -> dict[str, Any]:
    """The receipt, as it was printed."""
    return _checked_json(compression, compression.content)


def summed(data: dict[str, Any]) -> str:
    """An object as JSON, with the hash of that in its end: whoever reads it again knows that it is
    unchanged.
    """
    text = json.dumps(data, separators=(",", ":"))
    without_end = text[:-1]
    return f'{without_end}{_SUM}{text_digest(text)}"}}'


def _checked_json(compression: CompressionRecord, text: str) -> dict[str, Any]:
    """The object again, if it is unchanged."""
    # The last one is ours: what was recorded may itself have such a word in it.
    before, _, end = text.rpartition(_SUM)
    text = f"{before}}}"
    if text_digest(text) != end[:-2]:
        raise _damaged(compression)
    try:
        value = json.loads(text)
        return dict(value)
    except _MISREAD:
        raise _damaged(compression) from None


def _damaged(compression: CompressionRecord) -> Damaged:
    name = shown([compression.receipt])[0]
    return Damaged(
        f"What is known about the compression {name} is damaged.",
        "A backup of the store may have it.",
    )


def counted(reader: Reader, workflow: str) -> tuple[int, Held]:
    """How many compressions there are, and how much the archive holds."""
    count = 0
    row = reader.row(_COUNT, (workflow,))
    if row:
        count = int(row[0])
    return count, held(reader, workflow)
