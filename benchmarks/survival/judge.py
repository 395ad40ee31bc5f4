"""The verdict on each target: retained with its line, recoverable by a locator whose stub tells of
it, or lost.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.survival.items import PATH, Item, in_action
from benchmarks.survival.lines import LONG, Lines, of_call, of_text, place, words
from director_ctx.history.messages.message import ADDED, ASSISTANT, CALL, RESULT, THINKING
from director_ctx.history.messages.stubs import original

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.survival.targets import Target
    from director_ctx.history.messages.message import Block, Message

RETAINED, RECOVERABLE, LOST = "retained", "recoverable", "lost"
BOUND = 0.5
"""Words of an original line that must stand beside the item for it to have survived with its line.
"""
SAYING = 4
"""Letters of a file's name that tell it from others."""
_WORD = re.compile(r"\w+")


class Left(NamedTuple):
    """One original that is not there any more, and what tells of it."""

    whole: str
    lines: Lines
    stub: Lines
    call: tuple[str, ...]
    """The words of the call that produced it, and its tool."""
    files: tuple[str, ...]
    numbers: frozenset[int] = frozenset()
    """Its own and its call's, in the digest that stands for it."""


class Output:
    """What came out of a compression, as the model reads it."""

    def __init__(self, before: Sequence[Message], after: Sequence[Message]) -> None:
        self.lines = Lines(
            line for message in after for block in message.blocks for line in visible(block)
        )
        self.left = list(_left(before, after))

    def holds(self, item: Item) -> bool:
        return bool(self.lines.holding(item))

    def verdict(self, target: Target) -> str:
        if any(line in self.lines for line in target.lines) or self._bound(target):
            return RETAINED
        return RECOVERABLE if any(_tells(left, target.item) for left in self.left) else LOST

    def has_newest(self, target: Target) -> bool:
        """Whether the item survived with the line in which it stood last: the true one after an
        edit.
        """
        if target.newest in self.lines:
            return True
        visible = self.lines.holding(target.item)
        return any(_beside(target.item, target.newest, there) for there in visible)

    def _bound(self, target: Target) -> bool:
        visible = self.lines.holding(target.item)
        return any(_beside(target.item, line, there) for there in visible for line in target.lines)


def _beside(item: Item, line: str, there: str) -> bool:
    """A long line of an output does not count as one: only what is about as near as it was."""
    if len(there) > LONG:
        at, reach = place(there, item), max(len(line), LONG // 2)
        there = there[max(0, at - reach) : at + len(item.text) + reach]
    needed = words(line)
    return len(needed & words(there)) >= BOUND * len(needed)


def visible(block: Block) -> Iterator[str]:
    return of_call(block.tool, block.text) if block.kind == CALL else _unsplit(block.text)


def letters(messages: Sequence[Message]) -> int:
    """Characters that a reader sees: no thoughts, no pictures, and of calls the values alone."""
    return sum(
        len(line)
        for message in messages
        for block in message.blocks
        if block.kind != THINKING
        for line in (visible(block) if block.kind == CALL else (block.text,))
    )


def _unsplit(text: str) -> Iterator[str]:
    return (line for line in map(str.strip, text.splitlines()) if line)


def _left(before: Sequence[Message], after: Sequence[Message]) -> Iterator[Left]:
    """By comparing: every block that changed, if a locator that leads to it stands in its place or
    in a digest.
    """
    now = {message.index: message for message in after if message.index != ADDED}
    calls = {
        block.call: block for message in before for block in message.blocks if block.kind == CALL
    }
    told, turns = _digested(after), _calls_of_words(before)
    for message in before:
        found = now.get(message.index)
        stays = {block.at: block for block in found.blocks} if found else {}
        for block in () if found is message else message.blocks:
            stub = stays.get(block.at)
            if stub is block:
                continue
            if stub is not None and _leads(stub.text, original(block)):
                yield _shortened(block, stub, calls)
            elif id(block) in told:
                lines, number, numbers = told[id(block)]
                call = numbers.get(id(calls.get(block.call) or turns.get(id(block))), number)
                yield _of(block, lines, calls, frozenset({number, call}))


def _calls_of_words(before: Sequence[Message]) -> dict[int, Block]:
    """What an agent says before a call belongs to that call's turn."""
    found: dict[int, Block] = {}
    call: Block | None = None
    for message in reversed(before):
        for block in reversed(message.blocks):
            if block.kind == CALL:
                call = block
            elif message.role != ASSISTANT:
                call = None
            elif call is not None:
                found[id(block)] = call
    return found


def _leads(text: str, whole: bytes) -> bool:
    """Whether a text has the locator of these bytes. Computed here again: one that leads nowhere is
    found out.
    """
    return f"dctx:{sha256(whole).hexdigest()[:12]}" in text


def _digested(after: Sequence[Message]) -> dict[int, tuple[Lines, int, dict[int, int]]]:
    """For every block that a digest stands for: the digest's lines, the block's number, and those
    of the others.
    """
    found = {}
    for block in (block for message in after for block in message.blocks if block.sources):
        if not _leads(block.text, original(block)):
            continue
        lines = Lines(_unsplit(block.text))
        numbers = {id(one): number for number, one in enumerate(block.sources, 1)}
        found.update({one: (lines, number, numbers) for one, number in numbers.items()})
    return found


def _shortened(block: Block, stub: Block, calls: Mapping[str, Block]) -> Left:
    told = Lines(_unsplit(stub.text))
    if block.kind == RESULT and block.call in calls:
        told.add(visible(calls[block.call]))
    return _of(block, told, calls, frozenset())


def _of(block: Block, stub: Lines, calls: Mapping[str, Block], numbers: frozenset[int]) -> Left:
    call = block if block.kind == CALL else calls.get(block.call)
    lines = Lines(of_call(block.tool, block.text) if block.kind == CALL else of_text(block.text))
    if call is None:
        return Left(block.text, lines, stub, (), (), numbers)
    first = (
        next(of_call("", call.text), "") or call.tool
    )  # one without arguments is named by its tool
    files = tuple(item.text for item in in_action(call.text) if item.kind == PATH)
    named = tuple(_WORD.findall(f"{first} {call.tool}"))
    return Left(block.text, lines, stub, named, files, numbers)


def _tells(left: Left, item: Item) -> bool:
    """Whether the original holds the item, and its stub names the item, its file or the call that
    produced it.
    """
    if not left.lines.holding(item):
        return False
    return bool(left.stub.holding(item)) or any(_names(line, left) for line in left.stub.lines)


def _names(line: str, left: Left) -> bool:
    if any(place(line, Item(PATH, name)) >= 0 for path in left.files for name in _called(path)):
        return True
    if not left.call:
        return bool(_numbers(line) & left.numbers)
    if left.numbers and _numbers(line) & left.numbers:
        named = words(line.rpartition(": ")[0])
        return bool(named) and named <= set(left.call)
    return len(words(line) & set(left.call)) >= BOUND * len(set(left.call))


def _called(path: str) -> tuple[str, ...]:
    """A file by all of its path or by its name, if that says anything."""
    name = path.rpartition("/")[2]
    return (path, name) if len(name) >= SAYING else (path,)


def _numbers(line: str) -> set[int]:
    """Those at the end of a digest's line: `name: 3 5-9`."""
    end = line.rpartition(": ")[2].replace(",", " ").split()
    found: set[int] = set()
    for one in end:
        first, _, last = one.lstrip("#").partition("-")
        if first.isdigit() and (last.isdigit() or not last):
            found.update(range(int(first), int(last or first) + 1))
    return found
