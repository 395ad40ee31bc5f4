"""What a compression changes of what the model reads, message by message."""

from __future__ import annotations

from director_ctx.base.text import plain, visible
from director_ctx.doors.cli.shared.output import put
from director_ctx.history.messages.message import ADDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.messages.message import Block, Message

_LONGEST = 5_000
"""Lines of a block from which on it is not compared line by line."""


def put_diff(before: Sequence[Message], after: Sequence[Message]) -> None:
    lines = list(_changes(before, after))
    put("".join(f"{line}\n" for line in lines))


def _changes(before: Sequence[Message], after: Sequence[Message]) -> Iterator[str]:
    """In the order of the conversation: what is new stands before what follows it."""
    left = {message.index: message for message in after if message.index != ADDED}
    new: dict[int, list[Message]] = {}
    waiting: list[Message] = []
    for message in after:
        if message.index == ADDED:
            waiting.append(message)
        elif waiting:
            new[message.index], waiting = waiting, []
    for message in before:
        yield from _added(new.get(message.index, ()))
        if left.get(message.index) is not message:
            yield from _message(message, left.get(message.index))
    yield from _added(waiting)


def _added(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        yield f"@@ new, {message.role}: {message.tokens:,} tokens @@"
        yield from (f"+{line}" for block in message.blocks for line in _lines(block))


def _message(message: Message, now: Message | None) -> Iterator[str]:
    found = {block.at: block for block in now.blocks} if now else {}
    for block in message.blocks:
        other = found.get(block.at)
        if other is block:
            continue
        what = plain(f"{block.kind} {block.tool}".rstrip())
        yield (
            f"@@ message {message.index + 1}, {message.role}, {what}: {block.tokens:,} to "
            f"{other.tokens if other else 0:,} tokens @@"
        )
        yield from _block(_lines(block), _lines(other) if other else [])


def _block(old: list[str], new: list[str]) -> Iterator[str]:
    if not new or len(old) > _LONGEST:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    from difflib import unified_diff

    for line in list(unified_diff(old, new, lineterm="", n=1))[2:]:
        yield "..." if line.startswith("@@") else line


def _lines(block: Block) -> list[str]:
    return visible(block.text).split("\n")
