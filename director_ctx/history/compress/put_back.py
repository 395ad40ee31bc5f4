"""What was cut from a history before, put back: found by what stands in it, and by what the archive
knows of that.
"""

from __future__ import annotations

import os
import re

from director_ctx.base.claude_code_lines import PARENT, SESSION, UUID, uuid_of
from director_ctx.base.record import Record
from director_ctx.history.messages.json_style import style_of, written
from director_ctx.history.messages.stubs import PATTERN
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
from director_ctx.memory.archive.originals import Damaged
from director_ctx.memory.store.file import VARIABLE
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.history.compress.project_here import ProjectHere
    from director_ctx.memory.archive.alignment import Ops
    from director_ctx.memory.store.store import Store


LOCATOR = re.compile(PATTERN)
LOCATED = re.compile(LOCATOR.pattern.encode())
_CUT = re.compile(rf"\[\\+u2026 .{{0,1000}}?{PATTERN}\]")
"""What stands for something else, in an element as `aligned.content` has it."""
_ROUNDS = 8
_STYLE_OF_INPUT = -1
"""In the place of a style: that of the history that came in, which is only worked out where it is
needed.
"""
_SAME_ONE = 0.5
"""More than this share of a shortened history is in one that was made of it."""
_CANDIDATES = 8
"""Compressions that may have made a history, of which the whole record is read."""


class WholeHistory(Record):
    """A history with what was cut from it before put back."""

    data: bytes
    receipts: tuple[str, ...] = ()
    new: int = 0
    """Elements that the last of these compressions did not know."""
    known: Mapping[str, str] = {}
    """Originals by their locators, where only these are known and not what was made of them."""


class _Marks(Record):
    """What the elements of a shortened history are known by."""

    every: list[str]
    located: list[str]
    """Of those in which a locator stands."""
    cut: set[str]
    """Of those that stand for something else."""


class _Compression(Record):
    """A compression that may have made a history."""

    receipt: str
    ops: Ops
    base: JsonBytes
    """What it was made of."""
    elements: list[Any]
    """The elements of that."""


class _Step(Record):
    """A history with what one compression cut put back."""

    document: JsonBytes
    receipt: str
    new: int


def stores(here: ProjectHere) -> Iterator[Store]:
    """Where originals may be: the project's store, then the user's own."""
    with here.open_store() as store:
        yield store
    # A store that the environment names serves in a project and outside of one.
    is_named = bool(os.environ.get(VARIABLE))
    if here.project is not None and not is_named:
        with open_store(None) as store:
            yield store


def put_back(store: Store, data: bytes) -> WholeHistory:
    """The same history with everything put back that the archive knows how to put back."""
    history = WholeHistory(data)
    if not LOCATED.search(data):
        return history
    document = loose(taken_apart(data, exact=False))
    if document.kind == JSON:
        document = document.replace(style=_STYLE_OF_INPUT)
    # What was shortened again and again has to be put back as often.
    for _ in range(_ROUNDS):
        step = _put_back_once(store, document, history.receipts)
        if step is None:
            break
        document = step.document
        whole = _in_style(document, data)
        receipts = (*history.receipts, step.receipt)
        history = WholeHistory(whole, receipts, step.new)
    return history


def _in_style(document: JsonBytes, data: bytes) -> bytes:
    """What is no original to the byte, because it went on, is written in the style of what came in."""
    if document.style != _STYLE_OF_INPUT:
        return put_together(document)
    came_in = taken_apart(data)
    if came_in.kind == JSON:
        in_style = document.replace(style=came_in.style, around=came_in.around)
        return put_together(in_style)
    return written(document.value, style_of(data))


def _put_back_once(
    store: Store,
    document: JsonBytes,
    receipts_before: Sequence[str],
) -> _Step | None:
    shortened, _ = elements(document)
    if shortened is None:
        return None
    marks = _marks_of(shortened)
    if not marks.located:
        return None

    # Of a long history the archive knows some marks alone, and those with a locator may not be among
    # them.
    made_by = _known_by(store, marks.located, marks, receipts_before)
    if made_by is None:
        made_by = _known_by(store, marks.every, marks, receipts_before)
    if made_by is None:
        return None

    # Marks were shorter once; they are compared as long as that compression wrote them.
    ops = made_by.ops
    originals = made_by.elements
    recorded_marks = as_recorded(marks.every, ops)
    result = expected(ops, originals)
    restored, new = undone(ops, result, originals, shortened, recorded_marks)
    if new == 0 and len(restored) == len(originals):
        return _Step(made_by.base, made_by.receipt, 0)
    whole = adapted(restored, shortened)
    return _Step(with_elements(document, whole), made_by.receipt, new)


def _marks_of(shortened: Sequence[Any]) -> _Marks:
    marks = _Marks([], [], set())
    for element in shortened:
        text = content(element)
        mark = mark_of(text)
        marks.every.append(mark)
        if LOCATOR.search(text):
            marks.located.append(mark)
        if _CUT.search(text):
            marks.cut.add(mark)
    return marks


def _known_by(
    store: Store,
    sought: Sequence[str],
    marks: _Marks,
    receipts_before: Sequence[str],
) -> _Compression | None:
    candidates: list[str] = []
    for receipt in known_by(store, sought):
        if receipt not in receipts_before:
            candidates.append(receipt)
    return _likeliest(store, candidates, marks)


def _likeliest(
    store: Store,
    candidates: Sequence[str],
    marks: _Marks,
) -> _Compression | None:
    """The compression that made this: the one of which all is there, else the one of which most is.

    One that does not know everything that is cut here did not make it, however much both have in
    common.
    """
    most_alike = _SAME_ONE
    likeliest: _Compression | None = None
    for receipt in candidates[:_CANDIDATES]:
        outline = recorded(store, receipt)
        if outline is None:
            continue
        base = from_value(outline["alike"] or outline["original"])
        originals, _ = elements(loose(base))
        originals = originals or []
        ops = outline["ops"]
        result = expected(ops, originals)
        like = likeness(result, as_recorded(marks.every, ops))
        if like == 1:
            return _Compression(receipt, ops, base, originals)

        known_marks = set(result[0])
        knows_all = known_marks.issuperset(as_recorded(marks.cut, ops))
        if like > most_alike and knows_all:
            most_alike = like
            likeliest = _Compression(receipt, ops, base, originals)
    return likeliest


def recorded(store: Store, receipt: str) -> dict[str, Any] | None:
    """What is known about a compression; None where a part of it was forgotten, or is damaged."""
    try:
        compressions = by_id(store, receipt)
        if not compressions:
            return None
        outline: dict[str, Any] = outline_of(store, compressions[0])
    except (KeyError, Damaged):
        return None
    return outline


def adapted(restored: list[Any], shortened: list[Any]) -> list[Any]:
    """Lines that a client wrote behind a shortened history follow what is there again, and all are
    of one session.
    """
    # By identity: what came in is the same object still, and an original may be its equal.
    came_in = set(map(id, shortened))
    session = _last_session(shortened)
    whole: list[Any] = []
    for element in restored:
        if id(element) in came_in:
            whole.append(element)
        else:
            whole.append(_in_session(element, session))

    # A line without a parent stays one.
    there: set[str | None] = {None}
    for element in whole:
        if _is_line(element):
            there.add(element[0][UUID])
    parent_of: dict[str, str] = {}
    newest = ""
    for element in whole:
        if not _is_line(element):
            continue
        line = element[0]
        if id(element) not in came_in:
            newest = line[UUID]
        elif newest and line.get(PARENT) not in there:
            parent_of[line[UUID]] = newest
            newest = line[UUID]
    return [_with_parent(element, parent_of) for element in whole]


def _with_parent(element: Any, parent_of: Mapping[str, str]) -> Any:
    if not _is_line(element):
        return element
    line = element[0]
    parent = parent_of.get(line[UUID])
    if parent is None:
        return element
    return [{**line, PARENT: parent}]


def _last_session(elements: Sequence[Any]) -> str | None:
    for element in reversed(elements):
        if _has_session(element):
            session: str | None = element[0][SESSION]
            return session
    return None


def _in_session(element: Any, session: str | None) -> Any:
    if not session or not _has_session(element):
        return element
    line = element[0]
    if line[SESSION] == session:
        return element
    return [{**line, SESSION: session}]


def _has_session(element: Any) -> bool:
    return _is_object(element) and SESSION in element[0]


def _is_object(element: Any) -> bool:
    """Whether it is one object, as a line of a client is."""
    if not isinstance(element, list):
        return False
    return len(element) == 1 and isinstance(element[0], dict)


def _is_line(element: Any) -> bool:
    if not _is_object(element):
        return False
    return uuid_of(element[0]) is not None
