"""What stands for what: how a shortened list of elements came from a longer one, and the way back;
pure.

Elements are told apart by marks, so that a client may write its own things around a message without
harm.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from hashlib import sha256

from director_ctx.memory.archive.json_bytes import JSON, LINES, Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Ops = list[list[Any]]
    Expected = tuple[list[str], list[tuple[int, int]]]

ALL_DIGITS = (16, 32)
"""Of marks: those of earlier records, and those of today. Somebody can make two texts that have 16
in common.
"""
MARK_DIGITS = ALL_DIGITS[-1]
_NAMED = ("messages", "history", "input", "traj", "conversations", "conversation")
"""Under these keys conversations stand; else it is the longest list."""
_VOLATILE = frozenset(
    (
        "uuid",
        "parentUuid",
        "logicalParentUuid",
        "leafUuid",
        "sessionId",
        "timestamp",
        "version",
        "cwd",
        "gitBranch",
    )
)
"""What a client writes anew when it goes on with a session in another file."""
SAME, FOR = "=", "~"


def elements(document: Document) -> tuple[list[Any] | None, str]:
    """The list that is the conversation, and the key that it is under."""
    value = document.value
    if document.kind == LINES or isinstance(value, list):
        return value, ""
    if document.kind != JSON:
        return None, ""
    lists = {key: one for key, one in value.items() if isinstance(one, list) and key != "tools"}
    key = max(lists, key=lambda name: len(lists[name]), default="")
    named = next(
        (name for name in _NAMED if name in lists),
        key,
    )
    return (lists[named], named) if lists else (None, "")


def with_elements(document: Document, given: list[Any]) -> Document:
    _, key = elements(document)
    return document.replace(value={**document.value, key: given} if key else given)


def mark(element: Any) -> str:
    """Short, and the same for the same content."""
    return mark_of(content(element))


def mark_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:MARK_DIGITS]


def content(element: Any) -> str:
    """What an element says, without what a client writes around it."""
    inside = element[0] if isinstance(element, list) and len(element) == 1 else element
    if isinstance(inside, dict):
        if "uuid" in inside and isinstance(inside.get("message"), dict):
            inside = [inside.get("type"), inside["message"]]
        else:
            inside = {key: value for key, value in inside.items() if key not in _VOLATILE}
    return json.dumps(inside, sort_keys=True, separators=(",", ":"))


def as_recorded(marks: Iterable[str], ops: Ops) -> list[str]:
    """Marks of today as long as those of a record, which may be an earlier one."""
    digits = _digits(ops)
    return [mark[:digits] for mark in marks]


def _digits(ops: Ops) -> int:
    return next((len(op[1]) for op in ops if op[0] == FOR and op[1]), MARK_DIGITS)


def align(before: Sequence[str], after: Sequence[str]) -> Ops:
    """From the marks of both: `["=", place, count]` for what stayed, `["~", mark, start, end]` for
    what stands for it.

    A mark that is empty stands for what was dropped without a word.
    """
    places = _matched(before, after)
    ops: Ops = []
    standing: list[str] = []
    last = -1
    for found, name in [*zip(places, after, strict=True), (len(before), "")]:
        if found is None:
            standing.append(name)
            continue
        ops += _between(standing, last + 1, found)
        standing = []
        if found < len(before):
            if ops and ops[-1][0] == SAME and ops[-1][1] + ops[-1][2] == found:
                ops[-1][2] += 1
            else:
                ops.append([SAME, found, 1])
        last = found
    return ops


def _between(standing: list[str], start: int, end: int) -> Ops:
    if len(standing) == end - start:
        return [
            [FOR, name, start + place, start + place + 1] for place, name in enumerate(standing)
        ]
    if not standing:
        return [[FOR, "", start, end]]
    return [[FOR, standing[0], start, end], *([FOR, name, end, end] for name in standing[1:])]


def _matched(before: Sequence[str], after: Sequence[str]) -> list[int | None]:
    """Where each of the shorter list was: from the front as long as they agree, then from the back."""
    front = 0
    while front < min(len(before), len(after)) and before[front] == after[front]:
        front += 1
    where: dict[str, list[int]] = {}
    for place, name in enumerate(before):
        where.setdefault(name, []).append(place)
    found: list[int | None] = [*range(front), *([None] * (len(after) - front))]
    limit = len(before)
    for place in range(len(after) - 1, front - 1, -1):
        known = where.get(after[place], [])
        at = bisect_left(known, limit) - 1
        if at >= 0 and known[at] >= front:
            found[place] = limit = known[at]
    return found


def stand_ins(ops: Ops) -> list[str]:
    return [op[1] for op in ops if op[0] == FOR and op[1]]


def likeness(expected: Expected, marks: Sequence[str]) -> float:
    """How much of that shortened list is in what was given. A single element may have been quoted
    in any conversation, which then is not to be filled with the other: it is the same one where
    most of its elements are there.
    """
    names = set(expected[0])
    return len(names.intersection(marks)) / max(1, len(names))


def undone(
    ops: Ops, expected: Expected, before: Sequence[Any], given: Sequence[Any], marks: Sequence[str]
) -> tuple[list[Any], int]:
    """What was given, with everything that stands for something else put back; and how many of it
    were new.
    """
    names, slices = expected
    where: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        where.setdefault(name, []).append(place)
    limits = _limits(marks, where, set(stand_ins(ops)), len(names))
    made: list[Any] = []
    new = next_place = 0
    for element, name, limit in zip(given, marks, limits, strict=True):
        known = where.get(name, [])
        at = bisect_left(known, next_place)
        if at == len(known) or known[at] > limit:
            new += 1
            made.append(element)
            continue
        next_place = known[at] + 1
        start, end = slices[known[at]]
        made.extend(before[start:end])
    return made, new


def _limits(
    marks: Sequence[str], where: dict[str, list[int]], standing: set[str], end: int
) -> list[int]:
    """How far each may be taken to be: not beyond what stands for something else and comes later."""
    limits: list[int] = []
    limit = end
    for name in reversed(marks):
        if name in standing:
            known = where[name]
            at = bisect_left(known, limit) - 1
            limit = known[at] if at >= 0 else limit
            limits.append(limit)
        else:
            limits.append(limit - 1 if limit < end else limit)
    return limits[::-1]


def expected(ops: Ops, before: Sequence[Any]) -> Expected:
    """The marks of the shortened list, and what of the longer one each brings back."""
    names: list[str] = []
    slices: list[tuple[int, int]] = []
    lead, digits = 0, _digits(ops)
    for op in ops:
        if op[0] == SAME:
            names += [mark(before[place])[:digits] for place in range(op[1], op[1] + op[2])]
            slices += [(place, place + 1) for place in range(op[1], op[1] + op[2])]
        elif op[1]:
            names.append(op[1])
            slices.append((op[2], op[3]))
        elif slices:
            slices[-1] = (slices[-1][0], op[3])
        else:
            lead = op[3]
            continue
        if lead:
            slices[0], lead = (0, slices[0][1]), 0
    return names, slices
