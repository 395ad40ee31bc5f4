"""The archive: every original once, by the SHA-256 of its text, durable before what is shorter is
shown.
"""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import shown
from director_ctx.base.record import Record
from director_ctx.memory.archive.chunks import hash_of
from director_ctx.memory.archive.rows import in_batches, in_parts, rows_for, rows_of
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
    StoredText = tuple[str, str]
    """A hash and a content, as they stand in a row."""
    Texts = dict[str, str]
    """Originals by their hashes, or by their locators."""

BEGINNINGS = 100
"""So many locators are looked up at once; each is a range of hashes."""
MARK = "dctx:"
SHORTEST = 4
MOST_NAMED = 4
_ROW = "(?, ?, ?, ?, ?)"
_ADD = "INSERT INTO dctx_originals (workflow_id, hash, kept_at, size, content) VALUES {rows} ON CONFLICT DO NOTHING"
_HASHES = "SELECT hash FROM dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
_CONTENTS = "SELECT hash, content FROM dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
_BY_START = "SELECT hash, content FROM dctx_originals WHERE workflow_id = ? AND hash >= ? AND hash < ? ORDER BY hash"
_BY_STARTS = "SELECT hash, content FROM dctx_originals WHERE workflow_id = ? AND ({ranges})"
_SIZES = "SELECT count(*), coalesce(sum(size), 0) FROM dctx_originals WHERE workflow_id = ?"
_MISREAD = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What reading a row may come to that nobody of us wrote."""


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
        known = _known_hashes(reader, store, list(originals))
        if len(known) == len(originals):
            return True
        return None

    store.engine.write(store.workflow, work, done)


def keep_in(writer: Writer, store: Store, originals: Originals) -> None:
    """The same inside a transaction; a listing after what it lists."""
    ensure_workflow(writer, store)
    known = _known_hashes(writer, store, list(originals))
    moment = now()

    # A generator, so that never all of them are there as JSON.
    def new_rows() -> Iterator[Values]:
        for name, original in originals.items():
            if name in known:
                continue
            size, content = _as_content(original)
            yield store.workflow, name, moment, size, content

    for batch in in_batches(new_rows()):
        places = ", ".join([_ROW] * len(batch))
        statement = _ADD.format(rows=places)
        values: list[object] = []
        for row in batch:
            values += row
        writer.run(statement, values)


def _known_hashes(reader: Reader, store: Store, names: Sequence[str]) -> set[str]:
    known: set[str] = set()
    rows = rows_for(reader, _HASHES, store.workflow, names)
    for row in rows:
        known.add(row[0])
    return known


def _as_content(original: str | Listing) -> tuple[int, str]:
    """Its size, and the JSON as which it survives in every database: a NUL, half a character; or
    bytes, packed.
    """
    if isinstance(original, Listing):
        listing = {"heads": original.heads, "names": original.names}
        content = json.dumps(listing, separators=(",", ":"))
        return len(content), content

    data = original.encode("utf-8", "surrogatepass")
    size = len(data)
    try:
        original.encode("utf-8")
        return size, json.dumps(original, ensure_ascii=False)
    except UnicodeEncodeError:
        pass

    # Two halves that stand together would come back as one character.
    escaped = json.dumps(original)
    if json.loads(escaped) == original:
        return size, escaped
    import base64

    packed = base64.b64encode(data).decode()
    return size, json.dumps({"base64": packed})


def _checked_text(store: Store, name: str, content: str) -> str:
    """The text again. A store may come from anybody, so what it claims is checked."""
    try:
        value = json.loads(content)
        text = _text_of(store, value)
        if hash_of(text) == name:
            return text
    except _MISREAD:
        pass
    raise _damaged(name)


def _damaged(name: str) -> Damaged:
    short_name = shown([name])[0]
    return Damaged(
        f"The archive's copy of {MARK}{short_name} is damaged.",
        "A backup of the store may have it.",
    )


def _text_of(store: Store, value: Any) -> str:
    if isinstance(value, str):
        return value
    if "base64" in value:
        import base64

        data = base64.b64decode(value["base64"])
        return data.decode("utf-8", "surrogatepass")

    heads = value["heads"]
    names = value["names"]
    listed = texts(store, names)
    parts: list[str] = []
    for head, name in zip(heads, names, strict=True):
        parts += (head, listed[name])
    return "\n".join(parts)


def texts(store: Store, names: Iterable[str]) -> Texts:
    """Those originals that are there, by their hashes."""
    texts: Texts = {}
    rows = rows_for(store.engine, _CONTENTS, store.workflow, list(names))
    for name, content in rows:
        texts[name] = _checked_text(store, name, content)
    return texts


def digits(locator: str) -> str:
    """The hash, or its beginning, that a locator names; with or without `dctx:`."""
    bare = locator.strip().strip("[]")
    start = bare.removeprefix(MARK).casefold()
    has_other = bool(set(start) - set("0123456789abcdef"))
    if has_other or not SHORTEST <= len(start) <= 64:
        raise DctxError(
            f"{locator} is no locator.",
            "It looks like dctx:3f2a9c01b4de, as shortened texts carry them.",
        )
    return start


def find(store: Store, locator: str) -> str | None:
    """The exact original; None where there is none. `#N` behind it asks for one that it lists,
    `#N-M` for several.
    """
    start, _, number = locator.partition("#")
    row = _only_row(store, start)
    if row is None:
        return None
    name, content = row
    if not number:
        return _checked_text(store, name, content)
    try:
        value = json.loads(content)
        return _listed_blocks(store, value, locator, number)
    except _MISREAD:
        raise _damaged(name) from None


def readable(store: Store, locators: Iterable[str]) -> Texts:
    """Those of many originals that are there, by their locators, without what is damaged or could
    be one of several.
    """
    by_start: dict[str, str] = {}
    for locator in locators:
        by_start[digits(locator)] = locator

    originals: Texts = {}
    for part in in_parts(list(by_start), BEGINNINGS):
        for start, rows in _rows_by_start(store, part).items():
            if len(rows) != 1:
                continue
            name, content = rows[0]
            try:
                text = _checked_text(store, name, content)
            except Damaged:
                continue
            locator = by_start[start]
            originals[locator] = text
    return originals


def _rows_by_start(store: Store, starts: Sequence[str]) -> dict[str, list[StoredText]]:
    """The rows whose hash begins so, for each of the beginnings."""
    ranges = " OR ".join(["hash >= ? AND hash < ?"] * len(starts))
    ends: list[str] = []
    for start in starts:
        ends += _range_of(start)
    question = _BY_STARTS.format(ranges=ranges)
    rows = rows_of(store, question, *ends)

    by_start: dict[str, list[StoredText]] = {}
    for start in starts:
        by_start[start] = []
        for name, content in rows:
            if name.startswith(start):
                by_start[start].append((name, content))
    return by_start


def _range_of(start: str) -> tuple[str, str]:
    """The ends between which all hashes are that begin so: no digit comes after `f`."""
    return start, start + "g"


def _only_row(store: Store, locator: str) -> StoredText | None:
    """Two originals with the same beginning are said to be two."""
    start = digits(locator)
    rows = rows_of(store, _BY_START, *_range_of(start))
    if not rows:
        return None
    if len(rows) > 1:
        names = [row[0] for row in rows]
        raise ambiguous(start, names)
    name, content = rows[0]
    return name, content


def ambiguous(start: str, names: Sequence[str]) -> DctxError:
    """That several originals begin so, with the longer names to choose from."""
    longer = shown(names)[:MOST_NAMED]
    choice = ", ".join(f"{MARK}{name}" for name in longer)
    return DctxError(
        f"{len(names)} originals begin like {MARK}{start}: {choice}.",
        "Give more of its digits.",
    )


def _listed_blocks(
    store: Store,
    value: Any,
    locator: str,
    number: str,
) -> str:
    names: list[str] = []
    if isinstance(value, dict):
        names = value.get("names", [])
    indexes = _indexes(number, len(names))
    if not indexes:
        raise _no_such_block(locator, len(names))

    chosen = slice(indexes.start, indexes.stop)
    asked = names[chosen]
    blocks = texts(store, asked)
    for name in asked:
        if name not in blocks:
            raise DctxError(
                f"The original of {locator} was forgotten.",
                "A backup of the store may have it.",
            )
    if "-" not in number:
        return blocks[asked[0]]

    heads = value["heads"][chosen]
    parts: list[str] = []
    for head, name in zip(heads, asked, strict=True):
        parts += (head, blocks[name])
    return "\n".join(parts)


def _no_such_block(locator: str, count: int) -> DctxError:
    hint = "It is one block; leave the number out."
    if count:
        hint = f"It has blocks 1 to {count}."
    return DctxError(f"There is no {locator}.", hint)


def _indexes(number: str, most: int) -> range:
    """Of the blocks from one number to another, or of a single one; none if they are not there."""
    nothing = range(0)
    first, dash, last = number.partition("-")
    if not dash:
        last = first

    for end in (first, last):
        is_number = end.isascii() and end.isdigit()
        # Told apart before it is read: of thousands of digits Python makes no number.
        is_too_long = len(end) > len(str(most))
        if not is_number or is_too_long:
            return nothing
    if not 0 < int(first) <= int(last) <= most:
        return nothing
    return range(int(first) - 1, int(last))


def held(reader: Reader, workflow: str) -> Held:
    row = reader.row(_SIZES, (workflow,))
    count, size = row or (0, 0)
    return Held(int(count), int(size))
