"""The archive: every original once, by the SHA-256 of its text, durable before what is shorter is
shown.
"""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import shown
from director_ctx.base.record import Record
from director_ctx.memory.archive.chunks import hash_of
from director_ctx.memory.store.store import ensure_workflow, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.store import Store

    Originals = Mapping[str, "str | Listing"]

ASKED, ROWS, CHARACTERS = 500, 200, 4_000_000
"""So many hashes are asked for at once, and so many rows, or so much text, are written at once."""
BEGINNINGS = 100
"""So many locators are looked up at once; each is a range of hashes."""
MARK = "dctx:"
SHORTEST = 4
MOST_NAMED = 4
_ROW = "(?, ?, ?, ?, ?)"
_ADD = "INSERT INTO dctx_originals (workflow_id, hash, kept_at, size, content) VALUES {rows} ON CONFLICT DO NOTHING"
_BY_START = "SELECT hash, content FROM dctx_originals WHERE workflow_id = ? AND hash >= ? AND hash < ? ORDER BY hash"
_BY_STARTS = "SELECT hash, content FROM dctx_originals WHERE workflow_id = ? AND ({})"
_SIZES = "SELECT count(*), coalesce(sum(size), 0) FROM dctx_originals WHERE workflow_id = ?"


_ODD = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
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


def keep(store: Store, named: Originals) -> None:
    """By their hashes. When it returns, they survive a loss of power. All of them are kept, or
    none.
    """

    def work(writer: Writer) -> bool:
        keep_in(writer, store, named)
        return True

    def done(reader: Reader) -> bool | None:
        known = _known(reader, store, list(named))
        return True if len(known) == len(named) else None

    store.engine.write(store.workflow, work, done)


def keep_in(writer: Writer, store: Store, named: Originals) -> None:
    """The same inside a transaction; a listing after what it lists."""
    ensure_workflow(writer, store)
    known = _known(writer, store, list(named))
    moment = now()

    # A batch at a time, so that never all of them are there as JSON.
    def rows() -> Iterator[tuple[object, ...]]:
        for name, original in named.items():
            if name not in known:
                yield (store.workflow, name, moment, *_written(original))

    for batch in _batches(rows()):
        sql = _ADD.format(rows=", ".join([_ROW] * len(batch)))
        values = [value for row in batch for value in row]
        writer.run(sql, values)


def _batches(rows: Iterable[tuple[object, ...]]) -> Iterator[list[tuple[object, ...]]]:
    batch: list[tuple[object, ...]] = []
    size = 0
    for row in rows:
        row_size = len(str(row[-1]))
        if batch and (len(batch) == ROWS or size + row_size > CHARACTERS):
            yield batch
            batch = []
            size = 0
        batch.append(row)
        size += row_size
    if batch:
        yield batch


def _known(reader: Reader, store: Store, names: Sequence[str]) -> set[str]:
    known: set[str] = set()
    for part in in_parts(names):
        marks = ", ".join("?" * len(part))
        sql = f"SELECT hash FROM dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
        rows = reader.rows(sql, (store.workflow, *part))
        known.update(row[0] for row in rows)
    return known


def in_parts(names: Sequence[str], many: int = ASKED) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), many):
        yield names[start : start + many]


def _written(original: str | Listing) -> tuple[int, str]:
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

    return size, json.dumps({"base64": base64.b64encode(data).decode()})


def _read(store: Store, name: str, content: str) -> str:
    """The text again. A store may come from anybody, so what it claims is checked."""
    try:
        text = _text(store, json.loads(content))
        if hash_of(text) == name:
            return text
    except _ODD:
        pass
    raise _damaged(name)


def _damaged(name: str) -> Damaged:
    return Damaged(
        f"The archive's copy of {MARK}{shown([name])[0]} is damaged.",
        "A backup of the store may have it.",
    )


def _text(store: Store, value: Any) -> str:
    if isinstance(value, str):
        return value
    if "base64" in value:
        import base64

        return base64.b64decode(value["base64"]).decode("utf-8", "surrogatepass")

    listed = texts(store, value["names"])
    parts: list[str] = []
    for head, name in zip(value["heads"], value["names"], strict=True):
        parts += (head, listed[name])
    return "\n".join(parts)


def texts(store: Store, names: Iterable[str]) -> dict[str, str]:
    """Those originals that are there, by their hashes."""
    there: dict[str, str] = {}
    for part in in_parts(list(names)):
        marks = ", ".join("?" * len(part))
        sql = (
            f"SELECT hash, content FROM dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
        )
        for name, content in store.engine.rows(sql, (store.workflow, *part)):
            there[name] = _read(store, name, content)
    return there


def digits(locator: str) -> str:
    """The hash, or its beginning, that a locator names; with or without `dctx:`."""
    named = locator.strip().strip("[]").removeprefix(MARK).casefold()
    if not SHORTEST <= len(named) <= 64 or set(named) - set("0123456789abcdef"):
        raise DctxError(
            f"{locator} is no locator.",
            "It looks like dctx:3f2a9c01b4de, as shortened texts carry them.",
        )
    return named


def find(store: Store, locator: str) -> str | None:
    """The exact original; None where there is none. `#N` behind it asks for one that it lists,
    `#N-M` for several.
    """
    start, _, number = locator.partition("#")
    row = _row(store, start)
    if row is None:
        return None
    if not number:
        return _read(store, *row)
    try:
        return _part(store, json.loads(row[1]), locator, number)
    except _ODD:
        raise _damaged(row[0]) from None


def readable(store: Store, locators: Iterable[str]) -> dict[str, str]:
    """Those of many originals that are there, by their locators, without what is damaged or could
    be one of several.
    """
    by_start = {digits(locator): locator for locator in locators}
    originals: dict[str, str] = {}
    for part in in_parts(list(by_start), BEGINNINGS):
        for start, rows in _beginning(store, part).items():
            if len(rows) != 1:
                continue
            try:
                originals[by_start[start]] = _read(store, *rows[0])
            except Damaged:
                continue
    return originals


def _beginning(store: Store, starts: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """The rows whose hash begins so, for each of the beginnings."""
    ranges = " OR ".join(["hash >= ? AND hash < ?"] * len(starts))
    ends: list[str] = []
    for start in starts:
        ends += (start, start + "g")  # no digit of a hash comes after `f`
    rows = store.engine.rows(_BY_STARTS.format(ranges), (store.workflow, *ends))

    by_start: dict[str, list[tuple[str, str]]] = {}
    for start in starts:
        by_start[start] = [(name, content) for name, content in rows if name.startswith(start)]
    return by_start


def _row(store: Store, locator: str) -> tuple[str, str] | None:
    """Two originals with the same beginning are said to be two."""
    start = digits(locator)
    rows = store.engine.rows(_BY_START, (store.workflow, start, start + "g"))
    if len(rows) > 1:
        raise ambiguous(start, [row[0] for row in rows])
    return (rows[0][0], rows[0][1]) if rows else None


def ambiguous(start: str, names: Sequence[str]) -> DctxError:
    """That several originals begin so, with the longer names to choose from."""
    choice = ", ".join(f"{MARK}{name}" for name in shown(names)[:MOST_NAMED])
    return DctxError(
        f"{len(names)} originals begin like {MARK}{start}: {choice}.", "Give more of its digits."
    )


def _part(store: Store, value: Any, locator: str, number: str) -> str:
    names = value.get("names", []) if isinstance(value, dict) else []
    wanted = _wanted(number, len(names))
    if not wanted:
        hint = "It is one block; leave the number out."
        if names:
            hint = f"It has blocks 1 to {len(names)}."
        raise DctxError(f"There is no {locator}.", hint)

    asked = names[wanted[0] : wanted[-1] + 1]
    blocks = texts(store, asked)
    if any(name not in blocks for name in asked):
        raise DctxError(
            f"The original of {locator} was forgotten.", "A backup of the store may have it."
        )
    if "-" not in number:
        return blocks[asked[0]]
    heads = value["heads"][wanted[0] : wanted[-1] + 1]
    return "\n".join(f"{head}\n{blocks[name]}" for head, name in zip(heads, asked, strict=True))


def _wanted(number: str, most: int) -> range:
    """The indexes of the blocks from one number to another, or of a single one; none if they are
    not there.
    """
    nothing = range(0)
    first, dash, last = number.partition("-")
    if not dash:
        last = first
    for end in (first, last):
        is_number = end.isascii() and end.isdigit()
        if not is_number or len(end) > len(str(most)):
            return nothing
    if not 0 < int(first) <= int(last) <= most:
        return nothing
    return range(int(first) - 1, int(last))


def held(reader: Reader, workflow: str) -> Held:
    row = reader.row(_SIZES, (workflow,))
    return Held(int(row[0]), int(row[1])) if row else Held(0, 0)
