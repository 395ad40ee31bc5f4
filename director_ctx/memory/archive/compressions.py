"""What was compressed, when and how: receipts, and what it takes to undo each of them."""

from __future__ import annotations

import json

from director_ctx.base.hashing import shown, text_digest
from director_ctx.base.record import Record
from director_ctx.memory.archive.alignment import ALL_DIGITS
from director_ctx.memory.archive.chunks import fold, names, unfold
from director_ctx.memory.archive.originals import Damaged, Held, held, keep_in, texts
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
_SUM, _SUM_LENGTH = ',"sum":"', 66
"""What stands before the hash of the rest, and how long that is with what ends the object."""
_ODD = (ValueError, TypeError, AttributeError, IndexError, RecursionError)
"""What reading a record may come to that is not as it was written."""
_COLUMNS = (
    "receipt, created_at, source, format, strategy, counter, target, tokens_in, "
    "tokens_out, marks, content, outline"
)
_ONE = f"SELECT {_COLUMNS} FROM dctx_compressions WHERE workflow_id = ?"
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


class CompressionRecord(Record):
    """One of them. `content` is the receipt as JSON; `outline` is what stands for the original,
    folded.
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
    store: Store, made: CompressionRecord, outline: dict[str, Any], originals: Originals
) -> None:
    """Keeps the originals and the receipt in one transaction, durable on return."""
    pieces = {name: text for name, text in originals.items() if isinstance(text, str)}
    folded = fold({**outline, "kept": list(originals)}, pieces)
    outline.clear()  # a second copy of everything, which is not needed any more
    kept: dict[str, str | Listing] = {**originals, **pieces}
    compression = made.replace(created_at=now(), outline=summed(folded))
    values = [getattr(compression, name) for name in _COLUMNS.split(", ")]

    def work(writer: Writer) -> bool:
        keep_in(writer, store, kept)
        writer.run(_ADD, (store.workflow, *values))
        return True

    def done(reader: Reader) -> bool | None:
        key = (store.workflow, compression.receipt, compression.created_at)
        return True if reader.row(_RECORDED, key) else None

    store.engine.write(store.workflow, work, done)


def smallest(marks: Iterable[str]) -> list[str]:
    return sorted(set(marks))[:MARKS]


def known_by(store: Store, marks: Iterable[str]) -> list[str]:
    """The compressions that made some of these: first the one that made most, of several the
    newest.

    All rows are looked through once: each is short, and a conversation may have any number of
    elements that only look like ours, as an agent that asks for originals names a locator in each
    of its calls.
    """
    sought = {mark[:digits] for mark in marks for digits in ALL_DIGITS}
    ranks: dict[str, tuple[int, str]] = {}
    for receipt, created_at, its_marks in store.engine.rows(_MARKED, (store.workflow,)):
        common = sought.intersection(its_marks.split())
        if common:
            ranks[receipt] = (len(common), created_at)
    return sorted(ranks, key=lambda receipt: ranks[receipt], reverse=True)


def newest(store: Store) -> CompressionRecord | None:
    row = store.engine.row(f"{_ONE} ORDER BY created_at DESC, receipt LIMIT 1", (store.workflow,))
    return CompressionRecord(*row) if row else None


def some(store: Store) -> list[CompressionRecord]:
    """All of them, oldest first."""
    rows = store.engine.rows(f"{_ONE} ORDER BY created_at, receipt", (store.workflow,))
    return [CompressionRecord(*row) for row in rows]


def heads(store: Store) -> list[dict[str, Any]]:
    """All of them in short, oldest first."""
    rows = store.engine.rows(_HEADS, (store.workflow,))
    return [dict(zip(_HEAD.split(", "), row, strict=True)) for row in rows]


def by_id(store: Store, start: str) -> list[CompressionRecord]:
    """Those whose id begins so; the one that is no longer comes first."""
    sql = f"{_ONE} AND receipt >= ? AND receipt < ? ORDER BY receipt"
    rows = store.engine.rows(sql, (store.workflow, start, start + "g"))
    return [CompressionRecord(*row) for row in rows]


def outline_of(store: Store, made: CompressionRecord) -> Any:
    """What was recorded to undo it. A `KeyError` where a part of it was forgotten."""
    try:
        return unfold(_said(made, made.outline), lambda wanted: texts(store, wanted))
    except _ODD:
        raise _damaged(made) from None


def pieces_of(store: Store, made: CompressionRecord) -> set[str]:
    """The hashes of all that it holds."""
    try:
        return names(_said(made, made.outline), lambda wanted: texts(store, wanted))
    except _ODD:
        raise _damaged(made) from None


def receipt_of(made: CompressionRecord) -> dict[str, Any]:
    """The receipt, as it was printed."""
    return _said(made, made.content)


def summed(data: dict[str, Any]) -> str:
    """An object as JSON, with the hash of that in its end: whoever reads it again knows that it is
    unchanged.
    """
    text = json.dumps(data, separators=(",", ":"))
    return f'{text[:-1]}{_SUM}{text_digest(text)}"}}'


def _said(made: CompressionRecord, text: str) -> dict[str, Any]:
    """The object again; earlier ones have no sum."""
    before, _, rest = text.rpartition(_SUM)
    if len(rest) == _SUM_LENGTH:
        text = f"{before}}}"
        if text_digest(text) != rest[:-2]:
            raise _damaged(made)
    try:
        return dict(json.loads(text))
    except _ODD:
        raise _damaged(made) from None


def _damaged(made: CompressionRecord) -> Damaged:
    what = f"What is known about the compression {shown([made.receipt])[0]} is damaged."
    return Damaged(what, "A backup of the store may have it.")


def counted(reader: Reader, workflow: str) -> tuple[int, Held]:
    """How many compressions there are, and how much the archive holds."""
    row = reader.row("SELECT count(*) FROM dctx_compressions WHERE workflow_id = ?", (workflow,))
    count = int(row[0]) if row else 0
    return count, held(reader, workflow)
