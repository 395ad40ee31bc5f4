"""A JSON value in pieces, each kept once under its hash: long texts, and long lists in groups;
pure.

What a conversation and its earlier, shorter self have in common is then kept once: their groups are
the same.
"""

from __future__ import annotations

import json
from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    Pieces = dict[str, str]
    """Their texts by their hashes."""
    GetPieces = Callable[[Iterable[str]], Mapping[str, str]]
    """The same of those names that are there."""
    Known = dict[str, Any]
    """Pieces by their hashes: texts, and groups of elements or of further names."""
    Needs = Iterator[tuple[str, int]]
    """The names of pieces, with how many levels of lists are below each."""

LONG = 200
"""Characters from which on a text is a piece of its own."""
GROUP = 64
"""Elements in a piece of a list."""
SIGN = "$"
"""The key of what stands for something else. An object that has this key itself is put in another.
"""
_TEXT = "text"
"""Before the hash of a text."""
_LIST = "list"
"""Before how many levels of names are above the elements, and the names of the uppermost."""
_SELF = "self"
"""Before an object that has the key itself."""
_dumps = json.JSONEncoder(separators=(",", ":")).encode


def hash_of(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return sha256(data).hexdigest()


def fold(value: Any, pieces: Pieces) -> Any:
    """What stands for the value; its pieces are added to the others, by their hashes."""
    if isinstance(value, str):
        if len(value) < LONG:
            return value
        name = _add_piece(value, pieces)
        return {SIGN: [_TEXT, name]}

    if isinstance(value, list):
        if len(value) > GROUP:
            return _fold_groups(value, pieces)
        return [fold(item, pieces) for item in value]

    if isinstance(value, dict):
        folded: dict[str, Any] = {}
        for key, inner in value.items():
            folded[key] = fold(inner, pieces)
        if SIGN in folded:
            return {SIGN: [_SELF, folded]}
        return folded
    return value


def _add_piece(text: str, pieces: Pieces) -> str:
    name = hash_of(text)
    pieces.setdefault(name, text)
    return name


def _fold_groups(value: list[Any], pieces: Pieces) -> Any:
    """A group after the other, so that never all of a long list is there folded."""
    names: list[str] = []
    for group in _groups(value):
        folded = [fold(item, pieces) for item in group]
        text = _dumps(folded)
        names.append(_add_piece(text, pieces))

    # A list that grows keeps all of its names but the last ones, so these are grouped as well.
    levels = 1
    while len(names) > GROUP:
        above: list[str] = []
        for group in _groups(names):
            text = _dumps(group)
            above.append(_add_piece(text, pieces))
        names = above
        levels += 1
    return {SIGN: [_LIST, levels, names]}


def _groups(value: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(value), GROUP):
        end = start + GROUP
        yield value[start:end]


def unfold(folded: Any, get: GetPieces) -> Any:
    """The value again; a piece that is gone is a `KeyError`."""
    pieces = _pieces_in(folded, get)
    return _unfold_with(folded, pieces)


def piece_names(folded: Any, get: GetPieces) -> set[str]:
    """The hashes of all the pieces that it is made of."""
    pieces = _pieces_in(folded, get)
    return set(pieces)


def _pieces_in(folded: Any, get: GetPieces) -> Known:
    """All its pieces: those of lists are read for further ones, a level at a time."""
    pieces: Known = {}
    needed = dict(_needs(folded))
    while needed:
        texts = get(needed)
        further: dict[str, int] = {}
        for name, levels in needed.items():
            text = texts[name]
            if not levels:
                pieces[name] = text
                continue
            group = json.loads(text)
            pieces[name] = group
            further.update(_needs_of_group(group, levels))

        needed = {}
        for name, levels in further.items():
            if name not in pieces:
                needed[name] = levels
    return pieces


def _needs_of_group(group: list[Any], levels: int) -> Needs:
    if levels <= 1:
        yield from _needs(group)
        return
    for name in group:
        yield name, levels - 1


def _needs(folded: Any) -> Needs:
    """The pieces that stand in it."""
    if isinstance(folded, list):
        yield from _needs_inside(folded)
        return
    if not isinstance(folded, dict):
        return

    sign = folded.get(SIGN)
    if sign is None:
        yield from _needs_inside(folded.values())
        return

    kind = sign[0]
    if kind == _TEXT:
        name = sign[1]
        yield name, 0
    elif kind == _LIST:
        levels, names = sign[1:]
        for name in names:
            yield name, levels
    else:
        own = sign[1]
        yield from _needs_inside(own.values())


def _needs_inside(values: Iterable[Any]) -> Needs:
    for value in values:
        # Numbers and texts are told apart here: a generator for each of them is dear.
        if isinstance(value, list | dict):
            yield from _needs(value)


def _unfold_with(folded: Any, pieces: Known) -> Any:
    if isinstance(folded, list):
        return [_unfold_with(item, pieces) for item in folded]
    if not isinstance(folded, dict):
        return folded

    sign = folded.get(SIGN)
    if sign is None:
        return _unfold_values(folded, pieces)
    kind = sign[0]
    if kind == _TEXT:
        name = sign[1]
        return pieces[name]
    if kind == _SELF:
        own = sign[1]
        return _unfold_values(own, pieces)

    # A list: a level of names after the other, until the names are elements.
    levels, elements = sign[1:]
    for _ in range(levels):
        below: list[Any] = []
        for name in elements:
            below += pieces[name]
        elements = below
    return [_unfold_with(element, pieces) for element in elements]


def _unfold_values(folded: dict[str, Any], pieces: Known) -> dict[str, Any]:
    unfolded = {}
    for key, inner in folded.items():
        unfolded[key] = _unfold_with(inner, pieces)
    return unfolded
