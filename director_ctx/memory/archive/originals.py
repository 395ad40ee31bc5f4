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
        return True if len(_known(reader, store, list(named))) == len(named) else None

    store.engine.write(store.workflow, work, done)


def keep_in(writer: Writer, store: Store, named: Originals) -> None:
    """The same inside a transaction; a listing after what it lists."""
    ensure_workflow(writer, store)
    known = _known(writer, store, list(named))
    moment = now()
    rows = (
        (store.workflow, name, moment, *_written(one))
        for name, one in named.items()
        if name not in known
    )
    for batch in _batches(rows):
        sql = _ADD.format(rows=", ".join([_ROW] * len(batch)))
        writer.run(sql, [one for row in batch for one in row])


def _batches(rows: Iterable[tuple[object, ...]]) -> Iterator[list[tuple[object, ...]]]:
    batch: list[tuple[object, ...]] = []
    size = 0
    for row in rows:
        if batch and (len(batch) == ROWS or size + len(str(row[-1])) > CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += len(str(row[-1]))
    if batch:
        yield batch


def _known(reader: Reader, store: Store, names: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for part in in_parts(names):
        marks = ", ".join("?" * len(part))
        sql = f"SELECT hash FROM dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
        found.update(row[0] for row in reader.rows(sql, (store.workflow, *part)))
    return found


def in_parts(names: Sequence[str], many: int = ASKED) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), many):
        yield names[start : start + many]


def _written(one: str | Listing) -> tuple[int, str]:
    """Its size, and the JSON as which it survives in every database: a NUL, half a character; or
    bytes, packed.
    """
    if isinstance(one, Listing):
        content = json.dumps({"heads": one.heads, "names": one.names}, separators=(",", ":"))
        return len(content), content
    data = one.encode("utf-8", "surrogatepass")
    try:
        one.encode("utf-8")
        return len(data), json.dumps(one, ensure_ascii=False)
    except UnicodeEncodeError:
        written = json.dumps(one)
    if json.loads(written) == one:
        return len(data), written
    import base64

    return len(data), json.dumps({"base64": base64.b64encode(data).decode()})


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
    return "\n".join(
        part
        for head, name in zip(value["heads"], value["names"], strict=True)
        for part in (head, listed[name])
    )


def texts(store: Store, names: Iterable[str]) -> dict[str, str]:
    """Those originals that are there, by their hashes."""
    found: dict[str, str] = {}
    for part in in_parts(list(names)):
        marks = ", ".join("?" * len(part))
        sql = (
            f"SELECT hash, content FROM dctx_originals WHERE workflow_id = ? AND hash IN ({marks})"
        )
        rows = store.engine.rows(sql, (store.workflow, *part))
        found.update((name, _read(store, name, content)) for name, content in rows)
    return found


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
    named = {digits(one): one for one in locators}
    found: dict[str, str] = {}
    for part in in_parts(list(named), BEGINNINGS):
        for start, rows in _beginning(store, part).items():
            try:
                found |= {named[start]: _read(store, *rows[0])} if len(rows) == 1 else {}
            except Damaged:
                continue
    return found


def _beginning(store: Store, starts: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    sql = _BY_STARTS.format(" OR ".join(["hash >= ? AND hash < ?"] * len(starts)))
    rows = store.engine.rows(
        sql, (store.workflow, *(end for start in starts for end in (start, start + "g")))
    )
    return {
        start: [(name, content) for name, content in rows if name.startswith(start)]
        for start in starts
    }


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
        has = (
            f"It has blocks 1 to {len(names)}."
            if names
            else "It is one block; leave the number out."
        )
        raise DctxError(f"There is no {locator}.", has)
    asked = names[wanted[0] : wanted[-1] + 1]
    found = texts(store, asked)
    if any(name not in found for name in asked):
        raise DctxError(
            f"The original of {locator} was forgotten.", "A backup of the store may have it."
        )
    if "-" not in number:
        return found[asked[0]]
    heads = value["heads"][wanted[0] : wanted[-1] + 1]
    return "\n".join(f"{head}\n{found[name]}" for head, name in zip(heads, asked, strict=True))


def _wanted(number: str, most: int) -> range:
    """The places of the blocks from one number to another, or of a single one; none if they are not
    there.
    """
    first, dash, last = number.partition("-")
    ends = (first, last if dash else first)
    if not all(one.isascii() and one.isdigit() and len(one) <= len(str(most)) for one in ends):
        return range(0)
    start, end = map(int, ends)
    return range(start - 1, end) if 0 < start <= end <= most else range(0)


def held(reader: Reader, workflow: str) -> Held:
    row = reader.row(_SIZES, (workflow,))
    return Held(int(row[0]), int(row[1])) if row else Held(0, 0)
