"""What stands for what: how a shortened list of elements came from a longer one, and the way back;
pure.

Elements are told apart by marks, so that a client may write its own things around a message without
harm.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from hashlib import sha256

from director_ctx.base.claude_code_lines import UUID, WRITTEN_ANEW, kind_of, message_of
from director_ctx.memory.archive.json_bytes import JSON, LINES, JsonBytes

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
SAME, FOR = "=", "~"


def elements(document: JsonBytes) -> tuple[list[Any] | None, str]:
    """The list that is the conversation, and the key that it is under."""
    value = document.value
    if document.kind == LINES or isinstance(value, list):
        return value, ""
    if document.kind != JSON:
        return None, ""

    lists: dict[str, list[Any]] = {}
    for key, below in value.items():
        if isinstance(below, list) and key != "tools":
            lists[key] = below
    for name in _NAMED:
        if name in lists:
            return lists[name], name
    if not lists:
        return None, ""
    longest = max(lists, key=lambda name: len(lists[name]))
    return lists[longest], longest


def with_elements(document: JsonBytes, given: list[Any]) -> JsonBytes:
    _, key = elements(document)
    if not key:
        return document.replace(value=given)
    return document.replace(value={**document.value, key: given})


def mark(element: Any) -> str:
    """Short, and the same for the same content."""
    return mark_of(content(element))


def mark_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:MARK_DIGITS]


def content(element: Any) -> str:
    """What an element says, without what a client writes around it."""
    inside = element
    if isinstance(element, list) and len(element) == 1:
        inside = element[0]
    if isinstance(inside, dict):
        message = message_of(inside)
        if UUID in inside and message is not None:
            inside = [kind_of(inside), message]
        else:
            inside = {key: value for key, value in inside.items() if key not in WRITTEN_ANEW}
    return json.dumps(inside, sort_keys=True, separators=(",", ":"))


def as_recorded(marks: Iterable[str], ops: Ops) -> list[str]:
    """Marks of today as long as those of a record, which may be an earlier one."""
    digits = _digits(ops)
    return [mark[:digits] for mark in marks]


def _digits(ops: Ops) -> int:
    """How long the marks of a record are."""
    for op in ops:
        if op[0] == FOR and op[1]:
            return len(op[1])
    return MARK_DIGITS


def align(before: Sequence[str], after: Sequence[str]) -> Ops:
    """From the marks of both: `["=", place, count]` for what stayed, `["~", mark, start, end]` for
    what stands for it.

    A mark that is empty stands for what was dropped without a word.
    """
    ops: Ops = []
    standing: list[str] = []
    last = -1
    for index, name in zip(_matched(before, after), after, strict=True):
        if index is None:
            standing.append(name)
            continue
        ops += _between(standing, last + 1, index)
        standing = []
        last = index

        follows = bool(ops) and ops[-1][0] == SAME and ops[-1][1] + ops[-1][2] == index
        if follows:
            ops[-1][2] += 1
        else:
            ops.append([SAME, index, 1])
    ops += _between(standing, last + 1, len(before))
    return ops


def _between(standing: list[str], start: int, end: int) -> Ops:
    """What stands for the elements from `start` to `end`: one for each, or the first for all."""
    if len(standing) == end - start:
        return [[FOR, name, index, index + 1] for index, name in enumerate(standing, start)]
    if not standing:
        return [[FOR, "", start, end]]
    first, *others = standing
    return [[FOR, first, start, end], *([FOR, name, end, end] for name in others)]


def _matched(before: Sequence[str], after: Sequence[str]) -> list[int | None]:
    """Where each of the shorter list was: from the front as long as they agree, then from the back."""
    front = 0
    while front < min(len(before), len(after)) and before[front] == after[front]:
        front += 1

    matched: list[int | None] = [None] * len(after)
    matched[:front] = range(front)
    where = _indexes(before)
    limit = len(before)
    for index in range(len(after) - 1, front - 1, -1):
        # The last one of that mark that comes before everything matched so far.
        known = where.get(after[index], [])
        nearest = bisect_left(known, limit) - 1
        if nearest >= 0 and known[nearest] >= front:
            limit = known[nearest]
            matched[index] = limit
    return matched


def _indexes(names: Sequence[str]) -> dict[str, list[int]]:
    """Where each mark is in a list, in rising order."""
    where: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        where.setdefault(name, []).append(index)
    return where


def stand_ins(ops: Ops) -> list[str]:
    """The marks of what stands for something else."""
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
    where = _indexes(names)
    limits = _limits(marks, where, set(stand_ins(ops)), len(names))

    restored: list[Any] = []
    new = 0
    next_index = 0
    for element, name, limit in zip(given, marks, limits, strict=True):
        # The first one of that mark that comes behind everything recognised so far.
        known = where.get(name, [])
        nearest = bisect_left(known, next_index)
        if nearest == len(known) or known[nearest] > limit:
            new += 1
            restored.append(element)
            continue
        index = known[nearest]
        next_index = index + 1
        start, end = slices[index]
        restored.extend(before[start:end])
    return restored, new


def _limits(
    marks: Sequence[str], where: dict[str, list[int]], standing: set[str], end: int
) -> list[int]:
    """How far each may be taken to be: not beyond what stands for something else and comes later."""
    limits: list[int] = []
    limit = end
    for name in reversed(marks):
        if name in standing:
            known = where[name]
            nearest = bisect_left(known, limit) - 1
            if nearest >= 0:
                limit = known[nearest]
            limits.append(limit)
        elif limit < end:
            limits.append(limit - 1)
        else:
            limits.append(limit)
    return limits[::-1]


def expected(ops: Ops, before: Sequence[Any]) -> Expected:
    """The marks of the shortened list, and what of the longer one each brings back."""
    digits = _digits(ops)
    names: list[str] = []
    slices: list[tuple[int, int]] = []
    lead = 0
    """The end of what was dropped without a word before anything else."""
    for op in ops:
        if op[0] == SAME:
            start, count = op[1], op[2]
            for index in range(start, start + count):
                names.append(mark(before[index])[:digits])
                slices.append((index, index + 1))
        elif op[1]:
            names.append(op[1])
            slices.append((op[2], op[3]))
        elif slices:
            # What was dropped comes back with the one before it.
            slices[-1] = (slices[-1][0], op[3])
        else:
            lead = op[3]
    if lead and slices:
        slices[0] = (0, slices[0][1])
    return names, slices
