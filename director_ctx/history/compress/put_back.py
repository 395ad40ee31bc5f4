"""What was cut from a history before, put back: found by what stands in it, and by what the archive
knows of that.
"""

from __future__ import annotations

import re

from director_ctx.base.claude_code_lines import PARENT, SESSION, UUID, uuid_of
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
    JsonBytes,
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


def _as_given(document: JsonBytes, data: bytes) -> bytes:
    """What is no original to the byte, because it went on, is written in the style of what came in."""
    if document.style != _GIVEN:
        return put_together(document)
    given = taken_apart(data)
    if given.kind == JSON:
        return put_together(document.replace(style=given.style, around=given.around))
    from director_ctx.history.messages.json_style import style_of, written

    return written(document.value, style_of(data))


def _undone(
    store: Store, document: JsonBytes, before: Sequence[str]
) -> tuple[JsonBytes, str, int] | None:
    given, _ = elements(document)
    if given is None:
        return None
    said = list(map(content, given))
    marks = list(map(mark_of, said))
    located: list[str] = []
    cut: set[str] = set()
    for name, text in zip(marks, said, strict=True):
        if LOCATOR.search(text):
            located.append(name)
        if _CUT.search(text):
            cut.add(name)
    if not located:
        return None

    receipts = [receipt for receipt in known_by(store, located) if receipt not in before]
    likeliest = _likeliest(store, receipts, marks, cut)
    if likeliest is None:
        return None
    receipt, ops, base, old = likeliest
    restored, new = undone(ops, expected(ops, old), old, given, as_recorded(marks, ops))
    if new == 0 and len(restored) == len(old):
        return base, receipt, 0
    return with_elements(document, adapted(restored, given)), receipt, new


def _likeliest(
    store: Store, receipts: Sequence[str], marks: list[str], cut: set[str]
) -> tuple[str, Any, JsonBytes, list[Any]] | None:
    """The compression that made this: the one of which all is there, else the one of which most is.

    One that does not know everything that is `cut` here did not make it, however much both have in
    common.
    """
    best = _SAME_ONE
    likeliest: tuple[str, Any, JsonBytes, list[Any]] | None = None
    for receipt in receipts[:_CANDIDATES]:
        outline = recorded(store, receipt)
        if outline is None:
            continue
        base = from_value(outline["alike"] or outline["original"])
        old = elements(loose(base))[0] or []
        ops = outline["ops"]
        there = expected(ops, old)
        like = likeness(there, as_recorded(marks, ops))
        knows_all = set(there[0]).issuperset(as_recorded(cut, ops))
        if like > best and (like == 1 or knows_all):
            best = like
            likeliest = (receipt, ops, base, old)
        if like == 1:
            break
    return likeliest


def recorded(store: Store, receipt: str) -> dict[str, Any] | None:
    """What is known about a compression; None where a part of it was forgotten, or is damaged."""
    try:
        found = by_id(store, receipt)
        outline: dict[str, Any] | None = outline_of(store, found[0]) if found else None
    except (KeyError, Damaged):
        return None
    return outline


def adapted(restored: list[Any], given: list[Any]) -> list[Any]:
    """Lines that a client wrote behind a shortened history follow what is there again, and all are
    of one session.
    """
    own = {id(element) for element in given}
    sessions = [element[0][SESSION] for element in given if _has_session(element)]
    session = sessions[-1] if sessions else None
    whole: list[Any] = []
    for element in restored:
        is_given = id(element) in own
        whole.append(element if is_given else _of_session(element, session))

    there = {None, *(element[0][UUID] for element in whole if _is_line(element))}
    parent_of: dict[str, str] = {}
    newest = ""
    for element in whole:
        if not _is_line(element):
            continue
        line = element[0]
        if id(element) not in own:
            newest = line[UUID]
        elif line.get(PARENT) not in there and newest:
            parent_of[line[UUID]] = newest
            newest = line[UUID]

    for index, element in enumerate(whole):
        if _is_line(element) and element[0][UUID] in parent_of:
            line = element[0]
            whole[index] = [{**line, PARENT: parent_of[line[UUID]]}]
    return whole


def _of_session(element: Any, session: str | None) -> Any:
    if not session or not _has_session(element) or element[0][SESSION] == session:
        return element
    return [{**element[0], SESSION: session}]


def _has_session(element: Any) -> bool:
    return _is_object(element) and SESSION in element[0]


def _is_object(element: Any) -> bool:
    """Whether it is one object, as a line of a client is."""
    return isinstance(element, list) and len(element) == 1 and isinstance(element[0], dict)


def _is_line(element: Any) -> bool:
    return _is_object(element) and uuid_of(element[0]) is not None


MOST = 2_000
"""Locators that are looked up."""
_SIZES = re.compile(r"(?:([\d,]+) of )?([\d,]+) characters(?: cut)?: [^ ]+\Z")


def originals_in(store: Store, data: bytes) -> dict[str, str]:
    """Those originals of a shortened history that are there, by their locators. What it only
    mentions may be odd.
    """
    locators = {located.decode() for located in LOCATED.findall(data)}
    return readable(store, sorted(locators)[:MOST])


def cut_before(messages: Sequence[Message], known: Mapping[str, str], count: Count) -> int:
    """Tokens that are missing. Anybody can write a stub, so it counts once, and only where it fits
    its original.
    """
    if not known:
        return 0
    missing = 0
    seen: set[str] = set()
    for message in messages:
        for block in message.blocks:
            if not is_cut(block.text):
                continue
            locator = LOCATOR.findall(block.text)[-1]
            if locator not in known or locator in seen:
                continue
            original = known[locator]
            if _fits(block.text, original):
                seen.add(locator)
                missing += max(0, count(original) - block.tokens)
    return missing


def _fits(shortened: str, original: str) -> bool:
    """Whether this is what is left of it: a stub alone, or no more text before it than the stub
    says was left.
    """
    before_stub, _, stub = shortened.rpartition("\n")
    sizes = _SIZES.search(stub)
    if sizes is None:
        return False
    cut, whole = sizes.groups()
    if _number(whole) != len(original):
        return False
    most = _number(whole) - _number(cut) if cut else 0
    return len(before_stub) - before_stub.count("\n") <= most


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
