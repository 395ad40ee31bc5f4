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

    Get = Callable[[Iterable[str]], Mapping[str, str]]

LONG = 200
"""Characters from which on a text is a piece of its own."""
GROUP = 64
"""Elements in a piece of a list."""
SIGN = "$"
"""The key of what stands for something else. An object that has this key itself is put in another.
"""
_TEXT, _LIST, _SELF = "text", "list", "self"
_dumps = json.JSONEncoder(separators=(",", ":")).encode


def hash_of(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def fold(value: Any, pieces: dict[str, str]) -> Any:
    """What stands for the value; its pieces are added to the others, by their hashes."""
    if isinstance(value, str):
        if len(value) < LONG:
            return value
        return {SIGN: [_TEXT, _put(value, pieces)]}
    if isinstance(value, list):
        return _groups(value, pieces)
    if isinstance(value, dict):
        folded = {key: fold(inner, pieces) for key, inner in value.items()}
        if SIGN in folded:
            return {SIGN: [_SELF, folded]}
        return folded
    return value


def _put(text: str, pieces: dict[str, str]) -> str:
    name = hash_of(text)
    pieces.setdefault(name, text)
    return name


def _groups(value: list[Any], pieces: dict[str, str]) -> Any:
    """A group after the other, so that never all of a long list is there folded."""
    if len(value) <= GROUP:
        return [fold(item, pieces) for item in value]

    names: list[str] = []
    for group in _parts(value):
        folded = [fold(item, pieces) for item in group]
        names.append(_put(_dumps(folded), pieces))
    depth = 1
    while len(names) > GROUP:
        names = [_put(_dumps(group), pieces) for group in _parts(names)]
        depth += 1
    return {SIGN: [_LIST, depth, names]}


def _parts(value: list[Any]) -> Iterator[list[Any]]:
    return (value[start : start + GROUP] for start in range(0, len(value), GROUP))


def unfold(folded: Any, get: Get) -> Any:
    """The value again; a piece that is gone is a `KeyError`."""
    return _value(folded, _gathered(folded, get))


def names(folded: Any, get: Get) -> set[str]:
    """The hashes of all the pieces that it is made of."""
    return set(_gathered(folded, get))


def _gathered(folded: Any, get: Get) -> dict[str, Any]:
    """All its pieces: those of lists are read for further ones, a level at a time."""
    known: dict[str, Any] = {}
    wanted = dict(_needs(folded))
    while wanted:
        texts = get(wanted)
        further: dict[str, int] = {}
        for name, depth in wanted.items():
            if not depth:
                known[name] = texts[name]
                continue
            known[name] = json.loads(texts[name])
            further.update(_inside(known[name], depth))
        wanted = {name: depth for name, depth in further.items() if name not in known}
    return known


def _inside(group: list[Any], depth: int) -> Iterator[tuple[str, int]]:
    if depth > 1:
        for name in group:
            yield name, depth - 1
    else:
        yield from _needs(group)


def _needs(folded: Any) -> Iterator[tuple[str, int]]:
    """The pieces that stand in it, with how many levels of lists are below each."""
    if isinstance(folded, list):
        for item in folded:
            # Asked here as well, since a generator for each number and text is dear.
            if isinstance(item, list | dict):
                yield from _needs(item)
    elif isinstance(folded, dict):
        sign = folded.get(SIGN)
        if sign is None:
            for inner in folded.values():
                if isinstance(inner, list | dict):
                    yield from _needs(inner)
            return
        kind = sign[0]
        if kind == _TEXT:
            yield sign[1], 0
        elif kind == _LIST:
            for name in sign[2]:
                yield name, sign[1]
        else:
            for inner in sign[1].values():
                yield from _needs(inner)


def _value(folded: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(folded, list):
        return [_value(item, known) for item in folded]
    if not isinstance(folded, dict):
        return folded
    sign = folded.get(SIGN)
    if sign is None:
        return {key: _value(inner, known) for key, inner in folded.items()}

    kind = sign[0]
    if kind == _TEXT:
        return known[sign[1]]
    if kind == _SELF:
        return {key: _value(inner, known) for key, inner in sign[1].items()}
    # A list: a level of names after the other, until the names are elements.
    elements: list[Any] = sign[2]
    for _ in range(sign[1]):
        below: list[Any] = []
        for name in elements:
            below += known[name]
        elements = below
    return [_value(element, known) for element in elements]
