"""The archive behind the pipe: what is cut goes there first."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.history.compress.receipt import receipt_json
from director_ctx.history.formats.document import Around
from director_ctx.memory.archive.alignment import align, elements, mark, stand_ins
from director_ctx.memory.archive.chunks import hash_of
from director_ctx.memory.archive.compressions import CompressionRecord, record, smallest, summed
from director_ctx.memory.archive.json_bytes import (
    JSON,
    JsonBytes,
    as_text,
    as_value,
    is_lines,
    lines_of,
    loose,
    taken_apart,
)
from director_ctx.memory.archive.originals import Listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from director_ctx.history.compress.compress import Compressed
    from director_ctx.history.compress.receipt import Cut
    from director_ctx.history.messages.message import Block, Message
    from director_ctx.memory.store.store import Store

PATIENCE = 10.0
"""Seconds that a pipe waits for its turn at the store."""


class NotArchived(DctxError):
    """The originals could not be kept, so nothing may be cut."""


def keep(store: Store, compressed: Compressed, source: str) -> None:
    """Everything that is needed to get back, durable on return."""
    receipt = compressed.receipt
    outline, marks = _outline(compressed)
    row = CompressionRecord(
        receipt.id,
        "",
        source,
        receipt.format,
        receipt.strategy,
        receipt.counter,
        receipt.target,
        receipt.tokens_in,
        receipt.tokens_out,
        " ".join(smallest(marks)),
        summed(receipt_json(receipt)),
        "",
    )
    cut = originals(compressed.before.messages, compressed.after, receipt.cuts)
    try:
        record(store, row, outline, cut)
    except RecursionError:  # nested too deeply to be kept in pieces
        record(store, row, {**outline, **_whole(compressed)}, cut)


def _whole(compressed: Compressed) -> dict[str, Any]:
    original, alike = compressed.original, compressed.alike
    return {
        "original": as_value(as_text(original)),
        "alike": None if alike is original else as_value(as_text(alike)),
    }


def _outline(compressed: Compressed) -> tuple[dict[str, Any], list[str]]:
    is_same_format = compressed.alike is compressed.original
    known = _read_already(compressed) if is_same_format else {}
    original = taken_apart(compressed.original, **known)
    before = elements(original)[0] if is_same_format else None
    alike: JsonBytes | None = None
    if before is None:
        alike = taken_apart(compressed.alike)
        before, _ = elements(loose(alike))

    marks_before = [mark(element) for element in before or ()]
    marks_after = [mark(element) for element in _result(compressed)]
    ops = align(marks_before, marks_after)
    outline = {
        "original": as_value(original),
        "alike": as_value(alike) if alike else None,
        "ops": ops,
    }
    return outline, stand_ins(ops)


def _read_already(compressed: Compressed) -> dict[str, Any]:
    """The document that was read, or its lines, so that a large one need not be there twice."""
    around = compressed.before.frame
    lines = around.lines if isinstance(around, Around) else None
    if lines is not None:
        return {"lines": lines.values}
    return {"value": _encoded(compressed, compressed.before.messages)}


def _result(compressed: Compressed) -> Iterable[Any]:
    """The elements of the result, as they would be read again."""
    if is_lines(compressed.data):
        return lines_of(compressed.data)
    known = _encoded(compressed, compressed.after)
    document = JsonBytes(JSON, known)
    if known is None:
        document = loose(taken_apart(compressed.data, exact=False))
    listed, _ = elements(document)
    return listed or ()


def _encoded(compressed: Compressed, messages: list[Message]) -> Any:
    """The document with these messages; nothing if it was one of lines."""
    from director_ctx.history.formats import load

    around, before = compressed.before.frame, compressed.before
    if not isinstance(around, Around) or around.lines is not None:
        return None
    return load(before.format).encode(before.replace(frame=around.frame), messages)


def originals(
    before: Sequence[Message], after: Sequence[Message], cuts: Iterable[Cut]
) -> dict[str, str | Listing]:
    """Everything that was cut, by its hash, and the listings of digests."""
    blocks_of = {message.index: message.blocks for message in before}
    gone = [blocks_of[cut.message][cut.block] for cut in cuts]
    every_block = [block for message in after for block in message.blocks]
    digests = [block for block in every_block if block.sources]
    for digest in digests:
        gone += digest.sources

    kept: dict[str, str | Listing] = {}
    for block in gone:
        if not block.sources:
            text = _text(block)
            kept[hash_of(text)] = text
    for digest in digests:
        _list(digest, kept)
    return kept


def _text(block: Block) -> str:
    from director_ctx.history.messages.stubs import original

    if block.data is None and not block.sources:
        return block.text
    return original(block).decode("utf-8", "surrogatepass")


def _list(digest: Block, kept: dict[str, str | Listing]) -> str:
    """A digest is kept as the hashes of what it stands for; as one text it would be large."""
    from director_ctx.history.messages.stubs import hash_of_listing, heading

    heads: list[str] = []
    names: list[str] = []
    for number, source in enumerate(digest.sources, 1):
        heads.append(heading(number, source).decode())
        if source.sources:
            names.append(_list(source, kept))
        else:
            names.append(hash_of(_text(source)))
    name = hash_of_listing(digest.sources)
    kept[name] = Listing(tuple(heads), tuple(names))
    return name
