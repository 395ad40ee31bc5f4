"""The archive: every original once, by the SHA-256 of its text, durable before what is shorter is
shown.
"""

from __future__ import annotations

import base64
import json
import zlib

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import shown
from director_ctx.base.record import Record
from director_ctx.memory.archive.alignment import hash_of
from director_ctx.memory.archive.rows import in_batches, rows_for, rows_of
from director_ctx.memory.store.store import ensure_workflow, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.memory.archive.rows import Values
    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

    Originals = Mapping[str, "str | Listing"]
    """By their hashes."""

BEGINNINGS = 100
"""So many locators are looked up at once; each is a range of hashes."""
MARK = "dctx:"
SHORTEST = 4
MOST_NAMED = 4
PACKED, LARGEST = 500, 1 << 28
"""Bytes from which on an original is packed, and up to which one is unpacked."""
_ADD = "INSERT INTO dctx_originals (workflow_id, hash, kept_at, size, content) VALUES {rows} ON CONFLICT DO NOTHING"
_HASHES = "SELECT hash FROM dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
_CONTENTS = "SELECT hash, content FROM dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
_BY_STARTS = (
    "SELECT hash, content FROM dctx_originals WHERE workflow_id = ? AND ({ranges}) ORDER BY hash"
)
_SIZES = "SELECT count(*), coalesce(sum(size), 0) FROM dctx_originals WHERE workflow_id = ?"
PARSE_ERRORS = (ValueError, KeyError, TypeError, AttributeError, RecursionError, zlib.error)
"""What reading a row may raise that another program wrote."""


class Damaged(DctxError):
    """An original that is no longer what it was."""


class Listing(Record):
    """An original that lists others: a line before each, and its hash. They are kept for
    themselves.
    """

    heads: tuple[str, ...]
    names: tuple[str, ...]


class Held(Record):
    """How much is in the archive."""

    originals: int
    size: int
    """Bytes of the originals."""


def keep(store: Store, originals: Originals) -> None:
    """When it returns, they survive a loss of power. All of them are kept, or none."""

    def work(writer: Writer) -> bool:
        keep_in(writer, store, originals)
        return True

    def done(reader: Reader) -> bool | None:
        return len(_known_hashes(reader, store, list(originals))) == len(originals) or None

    store.engine.write(store.workflow, work, done)


def keep_in(writer: Writer, store: Store, originals: Originals) -> None:
    """The same inside a transaction; a listing after what it lists."""
    ensure_workflow(writer, store)
    known = _known_hashes(writer, store, list(originals))
    moment = now()

    # A generator, so that never all of them are there as JSON.
    def new_rows() -> Iterator[Values]:
        for name, original in originals.items():
            if name not in known:
                yield store.workflow, name, moment, *_as_content(original)

    for batch in in_batches(new_rows()):
        rows = ", ".join(["(?, ?, ?, ?, ?)"] * len(batch))
        writer.run(_ADD.format(rows=rows), [value for row in batch for value in row])


def _known_hashes(reader: Reader, store: Store, names: Sequence[str]) -> set[str]:
    return {name for (name,) in rows_for(reader, _HASHES, store.workflow, names)}


def _as_content(original: str | Listing) -> tuple[int, str]:
    """Its size, and JSON that every database can hold: a listing, a text, or its bytes, packed."""
    if isinstance(original, Listing):
        listing = {"heads": original.heads, "names": original.names}
        content = json.dumps(listing, separators=(",", ":"))
        return len(content), content
    data = original.encode("utf-8", "surrogatepass")
    try:
        # Half a character, which no database takes, is packed however short it is.
        original.encode()
        if not PACKED <= len(data) <= LARGEST:
            return len(data), json.dumps(original, ensure_ascii=False)
    except UnicodeEncodeError:
        pass
    packed = base64.b64encode(zlib.compress(data, 1)).decode()
    return len(data), f'{{"zlib":"{packed}"}}'


def _checked_text(store: Store, name: str, content: str) -> str:
    """The text again. A store may come from anybody, so what it claims is checked."""
    try:
        value = json.loads(content)
        text = _text_of(store, value)
        if hash_of(text) == name:
            return text
    except PARSE_ERRORS:
        pass
    raise _damaged(name)


def _damaged(name: str) -> Damaged:
    return Damaged(
        f"The archive's copy of {MARK}{shown([name])[0]} is damaged.",
        "A backup of the store may have it.",
    )


def _text_of(store: Store, value: Any) -> str:
    if isinstance(value, str):
        return value
    if "zlib" in value:
        unpacking = zlib.decompressobj()
        # A store that somebody else wrote may unpack to more than there is memory.
        data = unpacking.decompress(base64.b64decode(value["zlib"]), LARGEST)
        return data.decode("utf-8", "surrogatepass")
    listed = texts(store, value["names"])
    return _joined(value["heads"], [listed[name] for name in value["names"]])


def _joined(heads: Sequence[str], blocks: Sequence[str]) -> str:
    """A listing: each block below the line with its number."""
    return "\n".join(f"{head}\n{block}" for head, block in zip(heads, blocks, strict=True))


def texts(store: Store, names: Iterable[str]) -> dict[str, str]:
    """Those originals that are there, by their hashes."""
    rows = rows_for(store.engine, _CONTENTS, store.workflow, list(names))
    return {name: _checked_text(store, name, content) for name, content in rows}


def text_of_block(store: Store, name: str) -> str | None:
    """The text of an original that is no listing of others."""
    for _, content in rows_for(store.engine, _CONTENTS, store.workflow, [name]):
        if not content.startswith('{"heads":'):
            return _checked_text(store, name, content)
    return None


def digits(locator: str) -> str:
    """The hash, or its beginning, that a locator names; with or without `dctx:`."""
    start = locator.strip().strip("[]").removeprefix(MARK).casefold()
    if set(start) - set("0123456789abcdef") or not SHORTEST <= len(start) <= 64:
        raise DctxError(
            f"{locator} is no locator.",
            "It looks like dctx:3f2a9c01b4de, as shortened texts carry them.",
        )
    return start


def find(store: Store, locator: str) -> str | None:
    """The exact original; None where there is none. `#N` behind it asks for one that it lists,
    `#N-M` for several.
    """
    named, _, number = locator.partition("#")
    start = digits(named)
    rows = _rows_by_start(store, [start])[start]
    if len(rows) > 1:
        raise ambiguous(start, [name for name, _ in rows])
    for name, content in rows:
        if not number:
            return _checked_text(store, name, content)
        try:
            return _listed_blocks(store, json.loads(content), locator, number)
        except PARSE_ERRORS:
            raise _damaged(name) from None
    return None


def readable(store: Store, locators: Iterable[str]) -> dict[str, str]:
    """Those of many originals that are there, by their locators, without what is damaged or could
    be one of several.
    """
    locator_of = {digits(locator): locator for locator in locators}
    starts = list(locator_of)
    originals: dict[str, str] = {}
    for at in range(0, len(starts), BEGINNINGS):
        for start, rows in _rows_by_start(store, starts[at : at + BEGINNINGS]).items():
            if len(rows) != 1:
                continue
            try:
                originals[locator_of[start]] = _checked_text(store, *rows[0])
            except Damaged:
                continue
    return originals


def _rows_by_start(store: Store, starts: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """For each of these beginnings the hashes that begin so, with their contents."""
    ranges = " OR ".join(["hash >= ? AND hash < ?"] * len(starts))
    # No digit comes after `f`.
    ends = [end for start in starts for end in (start, start + "g")]
    rows = rows_of(store, _BY_STARTS.format(ranges=ranges), *ends)
    return {
        start: [(name, content) for name, content in rows if name.startswith(start)]
        for start in starts
    }


def ambiguous(start: str, names: Sequence[str]) -> DctxError:
    """That several originals begin so, with the longer names to choose from."""
    choice = ", ".join(f"{MARK}{name}" for name in shown(names)[:MOST_NAMED])
    return DctxError(
        f"{len(names)} originals begin like {MARK}{start}: {choice}.",
        "Give more of its digits.",
    )


def _listed_blocks(store: Store, value: Any, locator: str, number: str) -> str:
    names: list[str] = value.get("names", []) if isinstance(value, dict) else []
    first, dash, last = number.partition("-")
    ends = []
    for end in (first, last if dash else first):
        # Of thousands of digits Python makes no number.
        is_number = end.isascii() and end.isdigit() and len(end) <= len(str(len(names)))
        ends.append(int(end) if is_number else 0)
    if not 0 < ends[0] <= ends[1] <= len(names):
        hint = (
            f"It has blocks 1 to {len(names)}."
            if names
            else "It is one block; leave the number out."
        )
        raise DctxError(f"There is no {locator}.", hint)

    chosen = slice(ends[0] - 1, ends[1])
    blocks = texts(store, names[chosen])
    if not blocks.keys() >= set(names[chosen]):
        raise DctxError(
            f"The original of {locator} was forgotten.", "A backup of the store may have it."
        )
    listed = [blocks[name] for name in names[chosen]]
    return _joined(value["heads"][chosen], listed) if dash else listed[0]


def held(reader: Reader, workflow: str) -> Held:
    count, size = reader.row(_SIZES, (workflow,)) or (0, 0)
    return Held(int(count), int(size))
