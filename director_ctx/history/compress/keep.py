"""The archive behind the pipe: what is cut goes there first."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.json_bytes import history_of
from director_ctx.history.compress.progress import COMPARED, KEPT, nobody
from director_ctx.history.compress.put_back import locators_of_cut
from director_ctx.history.compress.receipt import receipt_json
from director_ctx.history.formats.document import Around
from director_ctx.history.messages.stubs import hash_of_listing, heading, original
from director_ctx.memory.archive.alignment import (
    align,
    content,
    elements,
    hash_of,
    mark,
    mark_of,
    stand_ins,
)
from director_ctx.memory.archive.compressions import CompressionRecord, record, smallest, summed
from director_ctx.memory.archive.originals import Listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from director_ctx.history.compress.decide import Compressed
    from director_ctx.history.compress.progress import Tell
    from director_ctx.history.compress.receipt import Cut
    from director_ctx.history.messages.message import Block, Message
    from director_ctx.memory.store.store import Store

PATIENCE = 10.0
"""Seconds that a pipe waits for its turn at the store."""


class NotArchived(DctxError):
    """The originals could not be kept, so nothing may be cut."""


def keep(store: Store, compressed: Compressed, source: str, tell: Tell = nobody) -> None:
    """Everything that is needed to get back, durable on return."""
    receipt = compressed.receipt
    outline = _outline(compressed)
    tell(COMPARED)
    # By these marks it is found again, in whatever the result has become.
    marks = stand_ins(outline["ops"])
    locators = outline.pop("locators")
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
        " ".join([*smallest(marks), *smallest(locators)]),
        summed(receipt_json(receipt)),
        "",
    )
    # Of a digest only the hashes are kept again: its blocks are originals like all others.
    cut = originals(compressed.before.messages, compressed.after, receipt.cuts)
    record(store, row, outline, cut)
    tell(KEPT)


def _outline(compressed: Compressed) -> dict[str, Any]:
    """What it was made of, and how the result differs from that."""
    is_same_format = compressed.alike is compressed.original
    around = compressed.before.frame
    lines: Sequence[Any] = ()
    if is_same_format and isinstance(around, Around) and around.lines is not None:
        # What was read of its lines need not be there twice.
        lines = around.lines.values
    # The elements of the result are compared with those in its own format.
    before, _ = elements(history_of(compressed.alike, lines))
    after, _ = elements(history_of(compressed.data))
    contents = list(map(content, after or ()))
    locators: list[str] = []
    for text in contents:
        # Where the words of what stands for something else are changed, it is still known by these.
        locators += locators_of_cut(text)
    return {
        "original": compressed.original,
        "alike": None if is_same_format else compressed.alike,
        "ops": align(list(map(mark, before or ())), list(map(mark_of, contents))),
        "locators": locators,
    }


def originals(
    before: Sequence[Message],
    after: Sequence[Message],
    cuts: Iterable[Cut],
) -> dict[str, str | Listing]:
    """Everything that was cut, by its hash, and the listings of digests."""
    blocks_of = {message.index: message.blocks for message in before}
    gone = [blocks_of[cut.message][cut.block] for cut in cuts]
    digests = [block for message in after for block in message.blocks if block.sources]
    for digest in digests:
        gone += digest.sources

    contents: dict[str, str | Listing] = {}
    for block in gone:
        if not block.sources:
            text = _text(block)
            contents[hash_of(text)] = text
    for digest in digests:
        _add_listing(digest, contents)
    return contents


def _text(block: Block) -> str:
    if block.data is None and not block.sources:
        return block.text
    return original(block).decode("utf-8", "surrogatepass")


def _add_listing(digest: Block, contents: dict[str, str | Listing]) -> str:
    """A digest is kept as the hashes of what it stands for; as one text it would be large."""
    heads: list[str] = []
    names: list[str] = []
    for number, source in enumerate(digest.sources, 1):
        head = heading(number, source)
        heads.append(head.decode())
        if source.sources:
            name = _add_listing(source, contents)
        else:
            name = hash_of(_text(source))
        names.append(name)

    name = hash_of_listing(digest.sources)
    contents[name] = Listing(tuple(heads), tuple(names))
    return name
