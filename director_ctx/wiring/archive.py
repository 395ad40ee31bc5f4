"""The archive behind the pipe: what is cut goes there first, and what was cut before comes back out of it."""

from __future__ import annotations

import json
import re

from director_ctx.errors import DctxError
from director_ctx.history.locator import PATTERN
from director_ctx.history.receipt import receipt_json
from director_ctx.memory.aligned import (
    align,
    content,
    elements,
    expected,
    likeness,
    mark,
    mark_of,
    stand_ins,
    undone,
    with_elements,
)
from director_ctx.memory.archive import Listing
from director_ctx.memory.compressions import Compression, by_id, known_by, outline_of, record, smallest
from director_ctx.memory.documents import (
    JSON,
    Document,
    as_text,
    as_value,
    from_value,
    is_lines,
    lines_of,
    loose,
    put_together,
    taken_apart,
)
from director_ctx.memory.folded import hash_of
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.history.message import Block, Message
    from director_ctx.history.receipt import Cut
    from director_ctx.memory.store import Store
    from director_ctx.wiring.compress import Compressed

LOCATOR = re.compile(PATTERN)
LOCATED = re.compile(LOCATOR.pattern.encode())
PATIENCE = 10.0
"""Seconds that a pipe waits for its turn at the store."""
_ROUNDS = 8
_GIVEN = -1
"""In the place of a style: that of the history that came in, which is only worked out where it is needed."""
_SAME_ONE = 0.5
"""More than this share of a shortened history is in one that was made of it."""
_CANDIDATES = 8
"""Compressions that may have made a history, of which the whole record is read."""


class NotArchived(DctxError):
    """The originals could not be kept, so nothing may be cut."""


class Earlier(Record):
    """A history with what was cut from it before put back."""

    data: bytes
    receipts: tuple[str, ...] = ()
    new: int = 0
    """Elements that the last of these compressions did not know."""
    known: Mapping[str, str] = {}
    """Originals by their locators, where only these are known and not what was made of them."""


def stores(root: str | None) -> Iterator[Store]:
    """Where originals may be: the project's store, then the user's own."""
    import os

    from director_ctx.wiring.memory import VARIABLE, open_store, project_here

    project = project_here(root)
    with open_store(project) as store:
        yield store
    if project is not None and not os.environ.get(VARIABLE):
        with open_store(None) as store:
            yield store


def earlier(store: Store, data: bytes) -> Earlier:
    """The same history with everything put back that the archive knows how to put back."""
    found = Earlier(data)
    if not LOCATED.search(data):
        return found
    document = loose(taken_apart(data, exact=False))
    document = document.replace(style=_GIVEN) if document.kind == JSON else document
    for _ in range(_ROUNDS):
        step = _undone(store, document, found.receipts)
        if step is None:
            break
        document, receipt, new = step
        found = Earlier(_as_given(document, data), (*found.receipts, receipt), new)
    return found


def _as_given(document: Document, data: bytes) -> bytes:
    """What is no original to the byte, because it went on, is written in the style of what came in."""
    if document.style != _GIVEN:
        return put_together(document)
    given = taken_apart(data)
    if given.kind == JSON:
        return put_together(document.replace(style=given.style, around=given.around))
    from director_ctx.history.written import style_of, written

    return written(document.value, style_of(data))


def _undone(store: Store, document: Document, before: Sequence[str]) -> tuple[Document, str, int] | None:
    given, _ = elements(document)
    if given is None:
        return None
    said = [content(one) for one in given]
    marks = [mark_of(one) for one in said]
    located = [name for name, one in zip(marks, said, strict=True) if LOCATOR.search(one)]
    found = _likeliest(
        store, [one for one in (known_by(store, located) if located else ()) if one not in before], marks
    )
    if found is None:
        return None
    receipt, ops, base, old = found
    made, new = undone(ops, expected(ops, old), old, given, marks)
    if new == 0 and len(made) == len(old):
        return base, receipt, 0
    return with_elements(document, adapted(made, given)), receipt, new


def _likeliest(store: Store, receipts: Sequence[str], marks: list[str]) -> tuple[str, Any, Document, list[Any]] | None:
    """The compression that made this: the one of which all is there, else the one of which most is."""
    best, found = _SAME_ONE, None
    for receipt in receipts[:_CANDIDATES]:
        if (outline := recorded(store, receipt)) is None:
            continue
        base = from_value(outline["alike"] or outline["original"])
        old = elements(loose(base))[0] or []
        like = likeness(expected(outline["ops"], old), marks)
        if like > best:
            best, found = like, (receipt, outline["ops"], base, old)
        if like == 1:
            break
    return found


def recorded(store: Store, receipt: str) -> dict[str, Any] | None:
    """What is known about a compression; None where a part of it was forgotten."""
    try:
        found = by_id(store, receipt)
        outline: dict[str, Any] | None = outline_of(store, found[0]) if found else None
    except KeyError:
        return None
    return outline


def adapted(made: list[Any], given: list[Any]) -> list[Any]:
    """Lines that a client wrote behind a shortened history follow what is there again, and all are of one session."""
    own = {id(one) for one in given}
    session = next((one[0]["sessionId"] for one in reversed(given) if _has_session(one)), None)
    made = [one if id(one) in own else _of_session(one, session) for one in made]
    there = {None, *(one[0]["uuid"] for one in made if _line(one))}
    last: dict[str, str] = {}
    newest = ""
    for one in made:
        if _line(one) and id(one) not in own:
            newest = one[0]["uuid"]
        elif _line(one) and one[0].get("parentUuid") not in there and newest:
            last[one[0]["uuid"]] = newest
            newest = one[0]["uuid"]
    if not last:
        return made
    return [
        [{**one[0], "parentUuid": last[one[0]["uuid"]]}] if _line(one) and one[0]["uuid"] in last else one
        for one in made
    ]


def _of_session(one: Any, session: str | None) -> Any:
    if not (session and _has_session(one)) or one[0]["sessionId"] == session:
        return one
    return [{**one[0], "sessionId": session}]


def _has_session(one: Any) -> bool:
    return isinstance(one, list) and len(one) == 1 and isinstance(one[0], dict) and "sessionId" in one[0]


def _line(one: Any) -> bool:
    return isinstance(one, list) and len(one) == 1 and isinstance(one[0], dict) and isinstance(one[0].get("uuid"), str)


def keep(store: Store, made: Compressed, source: str) -> None:
    """Everything that is needed to get back, durable on return."""
    receipt = made.receipt
    outline, marks = _outline(made)
    row = Compression(
        receipt.id, "", source, receipt.format, receipt.strategy, receipt.counter, receipt.target, receipt.tokens_in,
        receipt.tokens_out, " ".join(smallest(marks)), json.dumps(receipt_json(receipt)), "",
    )  # fmt: skip
    cut = originals(made.before.messages, made.after, receipt.cuts)
    try:
        record(store, row, outline, cut)
    except RecursionError:  # nested too deeply to be kept in pieces
        record(store, row, {**outline, **_whole(made)}, cut)


def _whole(made: Compressed) -> dict[str, Any]:
    original, alike = made.original, made.alike
    return {
        "original": as_value(as_text(original)),
        "alike": None if alike is original else as_value(as_text(alike)),
    }


def _outline(made: Compressed) -> tuple[dict[str, Any], list[str]]:
    original, alike = made.original, made.alike
    whole = taken_apart(original, **_read_already(made) if alike is original else {})
    if alike is original and elements(whole)[0] is not None:
        other, before = None, elements(whole)[0]
    else:
        other = taken_apart(alike)
        before = elements(loose(other))[0]
    ops = align([mark(one) for one in before or ()], [mark(one) for one in _result(made)])
    outline = {"original": as_value(whole), "alike": as_value(other) if other else None, "ops": ops}
    return outline, stand_ins(ops)


def _read_already(made: Compressed) -> dict[str, Any]:
    """The document that was read, or its lines, so that a large one need not be there twice."""
    lines = getattr(made.before.frame, "lines", None)
    return {"value": _encoded(made, made.before.messages)} if lines is None else {"lines": lines.values}


def _result(made: Compressed) -> Iterable[Any]:
    """The elements of the result, as they would be read again."""
    if is_lines(made.data):
        return lines_of(made.data)
    known = _encoded(made, made.after)
    document = loose(taken_apart(made.data, exact=False)) if known is None else Document(JSON, known)
    return elements(document)[0] or ()


def _encoded(made: Compressed, messages: list[Message]) -> Any:
    """The document with these messages; nothing if it was one of lines."""
    from director_ctx.history.formats import load

    around, before = made.before.frame, made.before
    if getattr(around, "lines", True) is not None:
        return None
    return load(before.format).encode(before.replace(frame=around.frame), messages)


def originals(before: Sequence[Message], after: Sequence[Message], cuts: Iterable[Cut]) -> dict[str, str | Listing]:
    """Everything that was cut, by its hash, and the listings of digests."""
    found: dict[str, str | Listing] = {}
    known = {message.index: message.blocks for message in before}
    digests = [block for one in after for block in one.blocks if block.sources]
    cut = [known[one.message][one.block] for one in cuts]
    for block in (*cut, *(source for digest in digests for source in digest.sources)):
        if not block.sources:
            text = _text(block)
            found[hash_of(text)] = text
    for digest in digests:
        _list(digest, found)
    return found


def _text(block: Block) -> str:
    from director_ctx.history.locator import original

    plain = block.data is None and not block.sources
    return block.text if plain else original(block).decode("utf-8", "surrogatepass")


def _list(digest: Block, found: dict[str, str | Listing]) -> str:
    """A digest is kept as the hashes of what it stands for; as one text it would be large."""
    from director_ctx.history.locator import hash_of_listing, heading

    names = [_list(one, found) if one.sources else hash_of(_text(one)) for one in digest.sources]
    heads = [heading(number, one).decode() for number, one in enumerate(digest.sources, 1)]
    name = hash_of_listing(digest.sources)
    found[name] = Listing(tuple(heads), tuple(names))
    return name
