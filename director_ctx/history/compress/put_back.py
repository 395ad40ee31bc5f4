"""What was cut from a history before, put back: found by what stands in it, and by what the archive
knows of that.
"""

from __future__ import annotations

import os
import re

from director_ctx.base.json_bytes import history_of, lines_written, style_of, written
from director_ctx.base.record import Record
from director_ctx.history.compress.changed_places import keys_of, locators_of_cut, mark_as_written
from director_ctx.history.compress.went_on import adapted
from director_ctx.history.messages.stubs import DIGITS, MARK, PATTERN
from director_ctx.memory.archive.alignment import (
    content,
    elements,
    expected,
    likeness,
    mark_of,
    undone,
    with_elements,
)
from director_ctx.memory.archive.compressions import by_id, known_by, outline_of
from director_ctx.memory.archive.originals import Damaged
from director_ctx.memory.store.file import VARIABLE
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.base.json_bytes import History
    from director_ctx.history.compress.project_here import ProjectHere
    from director_ctx.memory.archive.alignment import Ops
    from director_ctx.memory.store.store import Store


LOCATOR = re.compile(PATTERN)
LOCATED = re.compile(LOCATOR.pattern.encode())
_ROUNDS = 8
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
    missing: int = 0
    """Elements of what they were made of that nothing stands for any more."""
    like_it: str = ""
    """A compression that is most like it and may not have made it: nothing is put back then."""
    known: Mapping[str, str] = {}
    """Originals by their locators, where only these are known and not what was made of them."""


class _Marks(Record):
    """What the elements of a shortened history are known by."""

    elements: Sequence[Any]
    every: list[str]
    """Of each element."""
    located: list[str]
    """Of those in which a locator stands."""
    cut: set[str]
    """Of those that stand for something else."""
    locators: set[str]
    """In these."""


class _Compression(Record):
    """A compression that may have made a history."""

    receipt: str
    ops: Ops
    base: bytes
    """What it was made of."""
    history: History
    """The same, read."""
    elements: list[Any]
    """The elements of that."""
    marks: list[str]
    """Of the shortened history, as this compression wrote them."""


class _Step(Record):
    """A history with what one compression cut put back."""

    data: bytes | None
    """None where it went on, and is no original to the byte."""
    history: History
    receipt: str
    new: int
    missing: int


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
    shorter = history_of(data)
    # What was shortened again and again has to be put back as often.
    for _ in range(_ROUNDS):
        step = _put_back_once(store, shorter, history.receipts)
        if isinstance(step, str):
            history = history.replace(like_it=step)
            break
        shorter = step.history
        whole = step.data
        if whole is None:
            whole = _in_style(shorter, data)
        receipts = (*history.receipts, step.receipt)
        missing = history.missing + step.missing
        history = WholeHistory(whole, receipts, step.new, missing)
    return history


def _in_style(history: History, data: bytes) -> bytes:
    """In the style of what came in."""
    style = style_of(data)
    if data.isascii() and b"\\u" in data:
        style = style.replace(ascii_only=True)
    if history.is_lines:
        return lines_written(history, style)
    return written(history.value, style)


def _put_back_once(
    store: Store,
    shorter: History,
    receipts_before: Sequence[str],
) -> _Step | str:
    """What there is with one compression undone; else the one that nothing can be put back of, if
    any.
    """
    shortened, _ = elements(shorter)
    if shortened is None:
        return ""
    marks = _marks_of(shortened)
    if not marks.located:
        return ""

    # Of a long history the archive knows some marks alone, and those with a locator may not be among
    # them.
    located = [*marks.located, *marks.locators]
    made_by = _known_by(store, located, marks, receipts_before)
    if isinstance(made_by, str):
        made_by = _known_by(store, marks.every, marks, receipts_before) or made_by
    if isinstance(made_by, str):
        return made_by

    originals = made_by.elements
    result = expected(made_by.ops, originals)
    restored, new = undone(made_by.ops, result, originals, shortened, made_by.marks)
    missing = len(originals) - (len(restored) - new)
    if new == 0 and missing == 0:
        return _Step(made_by.base, made_by.history, made_by.receipt, 0, 0)
    whole = with_elements(shorter, adapted(restored, shortened))
    known = {**shorter.texts, **made_by.history.texts}
    # Only of what is in it: the id() of anything else may become that of another line.
    texts = {id(line): known[id(line)] for line in whole.value if id(line) in known}
    return _Step(None, whole.replace(texts=texts), made_by.receipt, new, missing)


def _marks_of(shortened: Sequence[Any]) -> _Marks:
    marks = _Marks(shortened, [], [], set(), set())
    for element in shortened:
        text = content(element)
        mark = mark_of(text)
        marks.every.append(mark)
        if LOCATOR.search(text):
            marks.located.append(mark)
        locators = locators_of_cut(text)
        if locators:
            marks.cut.add(mark)
            marks.locators.update(locators)
    return marks


def _known_by(
    store: Store,
    sought: Sequence[str],
    marks: _Marks,
    receipts_before: Sequence[str],
) -> _Compression | str:
    candidates: list[str] = []
    for receipt in known_by(store, sought):
        if receipt not in receipts_before:
            candidates.append(receipt)
    return _likeliest(store, candidates, marks)


def _likeliest(
    store: Store,
    candidates: Sequence[str],
    marks: _Marks,
) -> _Compression | str:
    """The compression that made this: the one of which all is there, else the one of which most is.

    One that does not know everything that is cut here did not make it, however much both have in
    common; or its words were changed since. Then it is only named.
    """
    most_alike = _SAME_ONE
    likeliest: _Compression | str = ""
    for receipt in candidates[:_CANDIDATES]:
        outline = recorded(store, receipt)
        if outline is None:
            continue
        base = outline["alike"] or outline["original"]
        history = history_of(base)
        originals = elements(history)[0] or []
        ops = outline["ops"]
        names, _ = result = expected(ops, originals)
        like = likeness(result, marks.every)
        if like == 1:
            return _Compression(receipt, ops, base, history, originals, marks.every)
        if like <= most_alike:
            continue

        as_written = _as_written(marks, set(names), originals)
        if as_written is not None:
            most_alike = like
            likeliest = _Compression(receipt, ops, base, history, originals, as_written)
        elif not likeliest and _has_kept(outline, marks):
            likeliest = receipt
    return likeliest


def _as_written(
    marks: _Marks,
    written: set[str],
    originals: Sequence[Any],
) -> list[str] | None:
    """The marks that the elements had when they were written; None where something is cut here that
    this compression did not write.
    """
    keys = keys_of(originals)
    as_written: list[str] = []
    for element, mark in zip(marks.elements, marks.every, strict=True):
        if mark not in marks.cut or mark in written:
            as_written.append(mark)
            continue
        before = mark_as_written(element, written, keys)
        if before is None:
            return None
        as_written.append(before)
    return as_written


def _has_kept(outline: Mapping[str, Any], marks: _Marks) -> bool:
    """Whether one of the originals that are named here was kept with this compression."""
    names: Sequence[str] = outline.get("kept") or ()
    return any(f"{MARK}{name[:DIGITS]}" in marks.locators for name in names)


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
