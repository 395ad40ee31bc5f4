"""What was cut from a history before, put back: found by what stands in it, and by what the archive
knows of that.
"""

from __future__ import annotations

import os
import re

from director_ctx.base.claude_code_lines import PARENT, SESSION, UUID, uuid_of
from director_ctx.base.json_bytes import history_of, lines_written, style_of, written
from director_ctx.base.record import Record
from director_ctx.history.messages.stubs import DIGITS, MARK, PATTERN, is_cut
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
from director_ctx.memory.archive.originals import Damaged, readable
from director_ctx.memory.store.file import VARIABLE
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.base.json_bytes import History
    from director_ctx.history.compress.project_here import ProjectHere
    from director_ctx.history.messages.message import Count, Message
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
    known = known_by(store, sought)
    return _likeliest(store, [one for one in known if one not in receipts_before], marks)


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
        # Or one of the originals that are named here was kept with this compression.
        elif not likeliest and any(
            f"{MARK}{name[:DIGITS]}" in marks.locators for name in outline.get("kept") or ()
        ):
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


_CUT = re.compile(rf"\[\\+u2026 .{{0,1000}}?{PATTERN}\]")
"""What stands for something else, in an element as `alignment.content` has it."""


def locators_of_cut(text: str) -> list[str]:
    """Those in the content of an element that stands for something else; none in any other."""
    return LOCATOR.findall(text) if _CUT.search(text) else []


def keys_of(elements: Sequence[Any]) -> set[str]:
    """All keys that the elements of a history have."""
    objects = (one for one in map(_only_element, elements) if isinstance(one, dict))
    return {key for one in objects for key in one}


def mark_as_written(
    element: Any,
    written: Collection[str],
    keys: Collection[str],
) -> str | None:
    """Which of these marks it had before something was put around its words; None where its words
    were changed.
    """
    inside = _only_element(element)
    marks = (mark_of(content(variant)) for variant in _variants(inside, keys))
    return next((mark for mark in marks if mark in written), None)


def _only_element(element: Any) -> Any:
    if isinstance(element, list) and len(element) == 1:
        return element[0]
    return element


def _variants(inside: Any, keys: Collection[str]) -> Iterator[Any]:
    """What it may have been."""
    for variant in (inside, _without_blanks(inside)):
        yield variant
        if not isinstance(variant, dict):
            continue
        yield {key: value for key, value in variant.items() if key in keys}
        for extra in variant:
            yield {key: value for key, value in variant.items() if key != extra}


def _without_blanks(value: Any) -> Any:
    """Without blanks around texts that stand for something else."""
    if isinstance(value, str):
        return value.strip() if LOCATOR.search(value) else value
    if isinstance(value, list):
        return [_without_blanks(inside) for inside in value]
    if isinstance(value, dict):
        return {key: _without_blanks(inside) for key, inside in value.items()}
    return value


MOST = 2_000
"""Locators that are looked up."""
_SIZES = re.compile(r"(?:([\d,]+) of )?([\d,]+) characters(?: cut)?: (?:[a-z_ ]+ )?[^ ]+\Z")


def originals_in(store: Store, data: bytes) -> dict[str, str]:
    """Those originals of a shortened history that are there, by their locators. What it only
    mentions may be odd.
    """
    locators = sorted(locator.decode() for locator in set(LOCATED.findall(data)))
    return readable(store, locators[:MOST])


def cut_before(
    messages: Sequence[Message],
    known: Mapping[str, str],
    count: Count,
) -> int:
    """Tokens that are missing. Anybody can write a stub, so it counts once, and only where it fits
    its original.
    """
    if not known:
        return 0
    missing = 0
    counted: set[str] = set()
    for message in messages:
        for block in message.blocks:
            if not is_cut(block.text):
                continue
            locator = LOCATOR.findall(block.text)[-1]
            if locator not in known or locator in counted:
                continue
            if _fits(block.text, known[locator]):
                counted.add(locator)
                missing += max(0, count(known[locator]) - block.tokens)
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
    most = _number(whole) - _number(cut) if cut else 0
    left = len(before_stub) - before_stub.count("\n")
    return _number(whole) == len(original) and left <= most


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))


def adapted(restored: list[Any], shortened: list[Any]) -> list[Any]:
    """Lines that a client wrote behind a shortened history follow what is there again. Where it gave
    all lines the name of another session, those that come back get it, too.
    """
    # By identity: what came in is the same object still, and an original may be its equal.
    came_in = set(map(id, shortened))
    names = [element[0][SESSION] for element in shortened if _has_session(element)]
    whole: list[Any] = []
    for element in restored:
        is_renamed = names and id(element) not in came_in and _has_session(element)
        if is_renamed and element[0][SESSION] not in names:
            whole.append([{**element[0], SESSION: names[-1]}])
        else:
            whole.append(element)

    # A line without a parent stays one.
    there = {None, *(element[0][UUID] for element in whole if _is_line(element))}
    newest = ""
    for place, element in enumerate(whole):
        if not _is_line(element):
            continue
        line = element[0]
        if id(element) not in came_in:
            newest = line[UUID]
        elif newest and line.get(PARENT) not in there:
            whole[place] = [{**line, PARENT: newest}]
            newest = line[UUID]
    return whole


def _has_session(element: Any) -> bool:
    return _is_object(element) and isinstance(element[0].get(SESSION), str)


def _is_object(element: Any) -> bool:
    """Whether it is one object, as a line of a client is."""
    is_one = isinstance(element, list) and len(element) == 1
    return is_one and isinstance(element[0], dict)


def _is_line(element: Any) -> bool:
    return _is_object(element) and uuid_of(element[0]) is not None
