"""What was compressed, when and how: receipts, and what it takes to undo each of them."""

from __future__ import annotations

import json

from director_ctx.base.hashing import shown, text_digest
from director_ctx.base.json_bytes import slices
from director_ctx.base.record import Record, as_dict
from director_ctx.memory.archive.alignment import hash_of
from director_ctx.memory.archive.originals import (
    PARSE_ERRORS,
    Damaged,
    Held,
    held,
    keep_in,
    texts,
)
from director_ctx.memory.archive.rows import rows_of
from director_ctx.memory.store.store import now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from director_ctx.memory.archive.originals import Listing, Originals
    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

MARKS = 64
"""So many marks of a shortened conversation, the smallest ones, are enough to know it again."""
LEAST, GROUP = 8_000, 64
"""Characters of a piece, but for the last; and names of pieces in a piece of names."""
_SUM = ',"sum":"'
"""What stands before the hash of the rest."""
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
    """One of them, column by column. `content` is the receipt as JSON; `outline` is how the result
    differs from the original, and by which pieces both of them are kept.
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
    outline: Mapping[str, Any],
    originals: Originals,
) -> None:
    """Keeps the originals and the receipt in one transaction, durable on return. The histories in
    the outline are bytes.
    """
    pieces: dict[str, str] = {}
    kept = {
        key: _in_pieces(value, pieces) if isinstance(value, bytes) else value
        for key, value in outline.items()
    }
    # A text that was cut may also be a slice: it is kept once for both.
    to_keep: dict[str, str | Listing] = {**pieces, **originals}
    row = compression.replace(created_at=now(), outline=summed({**kept, "kept": list(originals)}))

    def work(writer: Writer) -> bool:
        keep_in(writer, store, to_keep)
        writer.run(_ADD, (store.workflow, *as_dict(row).values()))
        return True

    def done(reader: Reader) -> bool | None:
        # With its time, because the same may have been recorded before.
        key = (store.workflow, row.receipt, row.created_at)
        return bool(reader.row(_RECORDED, key)) or None

    store.engine.write(store.workflow, work, done)


def _in_pieces(data: bytes, pieces: dict[str, str]) -> list[Any]:
    """The names of its pieces, below how many levels of names of names; the pieces are added."""
    parts = [""]
    for one in slices(data):
        # From the front, so that a history which grows keeps all pieces but the last ones.
        if len(parts[-1]) >= LEAST:
            parts.append("")
        parts[-1] += one
    levels = -1
    while True:
        names = [hash_of(part) for part in parts]
        pieces.update(zip(names, parts, strict=True))
        levels += 1
        if len(names) <= GROUP:
            return [levels, names]
        parts = ["\n".join(names[at : at + GROUP]) for at in range(0, len(names), GROUP)]


def _joined(store: Store, kept: list[Any], seen: set[str]) -> str:
    """The text again; the names of its pieces are added. A piece that is gone is a `KeyError`."""
    levels, names = kept
    for level in range(levels, -1, -1):
        seen.update(names)
        known = texts(store, dict.fromkeys(names))
        parts = [known[name] for name in names]
        if level:
            names = "\n".join(parts).split("\n")
    return "".join(parts)


def smallest(marks: Iterable[str]) -> list[str]:
    """Those by which a shortened conversation is known again."""
    return sorted(set(marks))[:MARKS]


def known_by(store: Store, marks: Iterable[str]) -> list[str]:
    """The compressions that made some of these: first the one that made most, of several the
    newest.

    All rows are looked through once: each is short, and a conversation may have any number of
    elements that only look like ours, as an agent that asks for originals names a locator in each
    of its calls.
    """
    sought = set(marks)
    ranks: list[tuple[int, str, str]] = []
    for receipt, created_at, recorded_marks in rows_of(store, _MARKED):
        common = sought.intersection(recorded_marks.split())
        if common:
            ranks.append((len(common), created_at, receipt))
    return [receipt for _, _, receipt in sorted(ranks, reverse=True)]


def all_compressions(store: Store) -> list[CompressionRecord]:
    """Oldest first."""
    return [CompressionRecord(*row) for row in rows_of(store, _OLDEST_FIRST)]


def heads(store: Store) -> list[dict[str, Any]]:
    """All of them in short, oldest first."""
    columns = _HEAD.split(", ")
    return [dict(zip(columns, row, strict=True)) for row in rows_of(store, _HEADS)]


def by_id(store: Store, start: str) -> list[CompressionRecord]:
    """Those whose id begins so; the one that is no longer comes first."""
    # No digit of an id comes after `f`.
    return [CompressionRecord(*row) for row in rows_of(store, _BY_START, start, start + "g")]


def outline_of(
    store: Store, compression: CompressionRecord, seen: set[str] | None = None
) -> dict[str, Any]:
    """What was recorded to undo it; the hashes of all that it holds are added to `seen`. A `KeyError`
    where a part of it was forgotten.
    """
    names: set[str] = set() if seen is None else seen
    outline = _checked_json(compression, compression.outline)
    try:
        names.update(outline["kept"])
        for key in ("original", "alike"):
            if outline[key] is not None:
                text = _joined(store, outline[key], names)
                outline[key] = text.encode("utf-8", "surrogateescape")
    except (ValueError, TypeError, AttributeError, IndexError):
        raise _damaged(compression) from None
    return outline


def receipt_of(compression: CompressionRecord) -> dict[str, Any]:
    """The receipt, as it was printed."""
    return _checked_json(compression, compression.content)


def summed(data: dict[str, Any]) -> str:
    """An object as JSON, with the hash of that in its end: whoever reads it again knows that it is
    unchanged.
    """
    text = json.dumps(data, separators=(",", ":"))
    return f'{text[:-1]}{_SUM}{text_digest(text)}"}}'


def _checked_json(compression: CompressionRecord, text: str) -> dict[str, Any]:
    """The object again, if it is unchanged."""
    # The last one is ours: what was recorded may itself have such a word in it.
    before, _, end = text.rpartition(_SUM)
    text = f"{before}}}"
    try:
        if text_digest(text) == end[:-2]:
            return dict(json.loads(text))
    except PARSE_ERRORS:
        pass
    raise _damaged(compression)


def _damaged(compression: CompressionRecord) -> Damaged:
    name = shown([compression.receipt])[0]
    return Damaged(
        f"What is known about the compression {name} is damaged.",
        "A backup of the store may have it.",
    )


def counted(reader: Reader, workflow: str) -> tuple[int, Held]:
    """How many compressions there are, and how much the archive holds."""
    [count] = reader.row(_COUNT, (workflow,)) or (0,)
    return int(count), held(reader, workflow)
