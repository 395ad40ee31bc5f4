"""What stands for what: how a shortened list of elements came from a longer one, and the way back;
pure.

Elements are told apart by marks, so that a client may write its own things around a message without
harm.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from hashlib import sha256
from itertools import takewhile

from director_ctx.base.claude_code_lines import UUID, WRITTEN_ANEW, kind_of, message_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.base.json_bytes import History

    Ops = list[list[Any]]
    """How a shorter list came from a longer one, piece by piece: see `align`."""
    Marks = Sequence[str]
    Slices = list[tuple[int, int]]
    Expected = tuple[list[str], Slices]
    """The marks of a shortened list, and what of the longer one each brings back."""
    Indexes = dict[str, list[int]]
    """Where each mark is in a list, in rising order."""

MARK_DIGITS = 32
"""Somebody can make two texts that have 16 in common."""
_NAMED = ("messages", "history", "input", "traj", "conversations", "conversation")
"""Under these keys conversations stand; else it is the longest list."""
SAME = "="
FOR = "~"


def elements(history: History) -> tuple[list[Any] | None, str]:
    """The list that is the conversation, and the key that it is under."""
    value = history.value
    if isinstance(value, list):
        return value, ""
    # Definitions of tools are a list as well, but no conversation.
    lists = {key: below for key, below in value.items() if isinstance(below, list)}
    lists.pop("tools", None)
    for name in _NAMED:
        if name in lists:
            return lists[name], name
    if not lists:
        return None, ""
    longest = max(lists, key=lambda name: len(lists[name]))
    return lists[longest], longest


def with_elements(history: History, new_elements: list[Any]) -> History:
    _, key = elements(history)
    value = {**history.value, key: new_elements} if key else new_elements
    return history.replace(value=value)


def mark(element: Any) -> str:
    """Short, and the same for the same content."""
    return mark_of(content(element))


def hash_of(text: str) -> str:
    """The name of an original, or of a piece of one."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def mark_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:MARK_DIGITS]


def content(element: Any) -> str:
    """What an element says, without what a client writes around it."""
    inside = element[0] if isinstance(element, list) and len(element) == 1 else element
    if isinstance(inside, dict):
        # A line of Claude Code has what was said in `message`; all around it is of the client.
        message = message_of(inside)
        if UUID in inside and message is not None:
            inside = [kind_of(inside), message]
        else:
            inside = {key: value for key, value in inside.items() if key not in WRITTEN_ANEW}
    return json.dumps(inside, sort_keys=True, separators=(",", ":"))


def align(before: Marks, after: Marks) -> Ops:
    """From the marks of both: `["=", place, count]` for what stayed, `["~", mark, start, end]` for
    what stands for it.

    A mark that is empty stands for what was dropped without a word.
    """
    ops: Ops = []
    standing: list[str] = []
    next_index = 0
    matched = _matched(before, after)
    for index, name in zip(matched, after, strict=True):
        if index is None:
            standing.append(name)
            continue
        ops += _replacing(standing, next_index, index)
        standing = []
        next_index = index + 1
        if ops and ops[-1][0] == SAME and ops[-1][1] + ops[-1][2] == index:
            ops[-1][2] += 1
        else:
            ops.append([SAME, index, 1])
    ops += _replacing(standing, next_index, len(before))
    return ops


def _replacing(standing: list[str], start: int, end: int) -> Ops:
    """What stands for the elements from `start` to `end`: one for each, or the first for all."""
    if len(standing) == end - start:
        return [[FOR, name, index, index + 1] for index, name in enumerate(standing, start)]
    first, *others = standing or [""]
    return [[FOR, first, start, end], *([FOR, name, end, end] for name in others)]


def _matched(before: Marks, after: Marks) -> list[int | None]:
    """Where each of the shorter list was: from the front as long as they agree, then from the back."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    front = sum(1 for _ in alike)
    matched: list[int | None] = [*range(front), *[None] * (len(after) - front)]

    indexes_of = _indexes(before)
    limit = len(before)
    for index in range(len(after) - 1, front - 1, -1):
        # The last one of that mark that comes before everything matched so far.
        known = indexes_of.get(after[index], [])
        nearest = bisect_left(known, limit) - 1
        if nearest >= 0 and known[nearest] >= front:
            limit = matched[index] = known[nearest]
    return matched


def _indexes(names: Marks) -> Indexes:
    indexes_of: Indexes = {}
    for index, name in enumerate(names):
        indexes_of.setdefault(name, []).append(index)
    return indexes_of


def stand_ins(ops: Ops) -> list[str]:
    """The marks of what stands for something else."""
    return [op[1] for op in ops if op[0] == FOR and op[1]]


def likeness(expected: Expected, marks: Marks) -> float:
    """How much of that shortened list is in what was given. A single element may have been quoted
    in any conversation, which then is not to be filled with the other: it is the same one where
    most of its elements are there.
    """
    names = set(expected[0])
    return len(names.intersection(marks)) / max(1, len(names))


def undone(
    ops: Ops,
    expected: Expected,
    before: Sequence[Any],
    shortened: Sequence[Any],
    marks: Marks,
) -> tuple[list[Any], int]:
    """The shortened list, with everything that stands for something else put back; and how many of
    it were new.
    """
    names, slices = expected
    indexes_of = _indexes(names)
    standing = set(stand_ins(ops))
    limits = _limits(marks, indexes_of, standing, len(names))

    restored: list[Any] = []
    new = 0
    next_index = 0
    for element, name, limit in zip(shortened, marks, limits, strict=True):
        # The first one of that mark that comes behind everything recognised so far.
        known = indexes_of.get(name, [])
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
    marks: Marks,
    indexes_of: Indexes,
    standing: set[str],
    end: int,
) -> list[int]:
    """How far each may be taken to be: not beyond what stands for something else and comes later."""
    limits: list[int] = []
    limit = end
    for name in reversed(marks):
        if name in standing:
            known = indexes_of[name]
            nearest = bisect_left(known, limit) - 1
            if nearest >= 0:
                limit = known[nearest]
            limits.append(limit)
        else:
            limits.append(limit - 1 if limit < end else limit)
    return limits[::-1]


def expected(ops: Ops, before: Sequence[Any]) -> Expected:
    names: list[str] = []
    slices: Slices = []
    lead = 0
    """The end of what was dropped without a word before anything else."""
    for kind, *rest in ops:
        if kind == SAME:
            first, count = rest
            names += map(mark, before[first : first + count])
            slices += [(index, index + 1) for index in range(first, first + count)]
            continue

        name, start, end = rest
        if name:
            names.append(name)
            slices.append((start, end))
        elif slices:
            # What was dropped comes back with the one before it.
            first, _ = slices[-1]
            slices[-1] = (first, end)
        else:
            lead = end
    if lead and slices:
        _, end = slices[0]
        slices[0] = (0, end)
    return names, slices
