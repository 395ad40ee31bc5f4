"""What was cut from a history before, put back: found by what stands in it, and by what the archive
knows of that.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.history.messages.stubs import PATTERN, is_cut
from director_ctx.memory.archive.alignment import (
    as_recorded,
    content,
    elements,
    expected,
    likeness,
    mark_of,
    undone,
    with_elements,
)
from director_ctx.memory.archive.compressions import by_id, known_by, outline_of
from director_ctx.memory.archive.json_bytes import (
    JSON,
    Document,
    from_value,
    loose,
    put_together,
    taken_apart,
)
from director_ctx.memory.archive.originals import Damaged, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Count, Message
    from director_ctx.memory.store.store import Store


LOCATOR = re.compile(PATTERN)
LOCATED = re.compile(LOCATOR.pattern.encode())
_CUT = re.compile(rf"\[\\+u2026 .{{0,1000}}?{PATTERN}\]")
"""What stands for something else, in an element as `aligned.content` has it."""
_ROUNDS = 8
_GIVEN = -1
"""In the place of a style: that of the history that came in, which is only worked out where it is
needed.
"""
_SAME_ONE = 0.5
"""More than this share of a shortened history is in one that was made of it."""
_CANDIDATES = 8
"""Compressions that may have made a history, of which the whole record is read."""


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

    from director_ctx.memory.store.file import VARIABLE
    from director_ctx.memory.store.open import open_store, project_here

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
    from director_ctx.history.messages.json_style import style_of, written

    return written(document.value, style_of(data))


def _undone(
    store: Store, document: Document, before: Sequence[str]
) -> tuple[Document, str, int] | None:
    given, _ = elements(document)
    if given is None:
        return None
    said = [content(one) for one in given]
    marks = [mark_of(one) for one in said]
    located = [name for name, one in zip(marks, said, strict=True) if LOCATOR.search(one)]
    known = [one for one in (known_by(store, located) if located else ()) if one not in before]
    cut = {name for name, one in zip(marks, said, strict=True) if _CUT.search(one)}
    found = _likeliest(store, known, marks, cut)
    if found is None:
        return None
    receipt, ops, base, old = found
    made, new = undone(ops, expected(ops, old), old, given, as_recorded(marks, ops))
    if new == 0 and len(made) == len(old):
        return base, receipt, 0
    return with_elements(document, adapted(made, given)), receipt, new


def _likeliest(
    store: Store, receipts: Sequence[str], marks: list[str], cut: set[str]
) -> tuple[str, Any, Document, list[Any]] | None:
    """The compression that made this: the one of which all is there, else the one of which most is.

    One that does not know everything that is `cut` here did not make it, however much both have in
    common.
    """
    best, found = _SAME_ONE, None
    for receipt in receipts[:_CANDIDATES]:
        if (outline := recorded(store, receipt)) is None:
            continue
        base = from_value(outline["alike"] or outline["original"])
        old = elements(loose(base))[0] or []
        ops = outline["ops"]
        there = expected(ops, old)
        like = likeness(there, as_recorded(marks, ops))
        knows_all = set(there[0]).issuperset(as_recorded(cut, ops))
        if like > best and (like == 1 or knows_all):
            best, found = like, (receipt, ops, base, old)
        if like == 1:
            break
    return found


def recorded(store: Store, receipt: str) -> dict[str, Any] | None:
    """What is known about a compression; None where a part of it was forgotten, or is damaged."""
    try:
        found = by_id(store, receipt)
        outline: dict[str, Any] | None = outline_of(store, found[0]) if found else None
    except (KeyError, Damaged):
        return None
    return outline


def adapted(made: list[Any], given: list[Any]) -> list[Any]:
    """Lines that a client wrote behind a shortened history follow what is there again, and all are
    of one session.
    """
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
        [{**one[0], "parentUuid": last[one[0]["uuid"]]}]
        if _line(one) and one[0]["uuid"] in last
        else one
        for one in made
    ]


def _of_session(one: Any, session: str | None) -> Any:
    if not (session and _has_session(one)) or one[0]["sessionId"] == session:
        return one
    return [{**one[0], "sessionId": session}]


def _has_session(one: Any) -> bool:
    return (
        isinstance(one, list)
        and len(one) == 1
        and isinstance(one[0], dict)
        and "sessionId" in one[0]
    )


def _line(one: Any) -> bool:
    return (
        isinstance(one, list)
        and len(one) == 1
        and isinstance(one[0], dict)
        and isinstance(one[0].get("uuid"), str)
    )


MOST = 2_000
"""Locators that are looked up."""
_SIZES = re.compile(r"(?:([\d,]+) of )?([\d,]+) characters(?: cut)?: [^ ]+\Z")


def originals_in(store: Store, data: bytes) -> dict[str, str]:
    """Those originals of a shortened history that are there, by their locators. What it only
    mentions may be odd.
    """
    return readable(store, sorted({one.decode() for one in LOCATED.findall(data)})[:MOST])


def cut_before(messages: Sequence[Message], known: Mapping[str, str], count: Count) -> int:
    """Tokens that are missing. Anybody can write a stub, so it counts once, and only where it fits
    its original.
    """
    missing, seen = 0, set()
    for block in (block for one in messages for block in one.blocks) if known else ():
        if not is_cut(block.text):
            continue
        locator = LOCATOR.findall(block.text)[-1]
        text = known.get(locator)
        if text is not None and locator not in seen and _fits(block.text, text):
            seen.add(locator)
            missing += max(0, count(text) - block.tokens)
    return missing


def _fits(shortened: str, original: str) -> bool:
    """Whether this is what is left of it: a stub alone, or no more text before it than the stub
    says was left.
    """
    left, _, end = shortened.rpartition("\n")
    sizes = _SIZES.search(end)
    if sizes is None or _number(sizes[2]) != len(original):
        return False
    return len(left) - left.count("\n") <= (
        _number(sizes[2]) - _number(sizes[1]) if sizes[1] else 0
    )


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
