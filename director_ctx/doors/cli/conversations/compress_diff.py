"""What a compression changes of what the model reads, message by message."""

from __future__ import annotations

from director_ctx.base.text import plain, visible
from director_ctx.doors.cli.shared.output import put
from director_ctx.history.messages.message import ADDED, by_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.messages.message import Block, Message

_LONGEST = 5_000
"""Lines of a block from which on it is not compared line by line."""


def put_diff(before: Sequence[Message], after: Sequence[Message]) -> None:
    put("".join([f"{line}\n" for line in _changes(before, after)]))


def _changes(before: Sequence[Message], after: Sequence[Message]) -> Iterator[str]:
    """In the order of the conversation: what is new stands before what follows it."""
    left: dict[int, Message] = {}
    new_before: dict[int, list[Message]] = {}
    new: list[Message] = []
    for message in after:
        if message.index == ADDED:
            # It has no place of its own, and waits for the next message that has one.
            new.append(message)
        else:
            left[message.index] = message
            new_before[message.index], new = new, []

    for message in before:
        yield from _new_messages(new_before.get(message.index, ()))
        now = left.get(message.index)
        # What a strategy leaves alone is the same object.
        if now is not message:
            yield from _changed_message(message, now)
    yield from _new_messages(new)


def _new_messages(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        yield f"@@ new, {message.role}: {message.tokens:,} tokens @@"
        yield from (f"+{line}" for block in message.blocks for line in _lines(block))


def _changed_message(message: Message, now: Message | None) -> Iterator[str]:
    blocks_now = by_place(now.blocks if now else ())
    for block in message.blocks:
        block_now = blocks_now.get(block.at)
        if block_now is block:
            continue
        what = plain(f"{block.kind} {block.tool}".rstrip())
        tokens_now = block_now.tokens if block_now else 0
        yield (
            f"@@ message {message.index + 1}, {message.role}, {what}: "
            f"{block.tokens:,} to {tokens_now:,} tokens @@"
        )
        yield from _block_patch(_lines(block), _lines(block_now) if block_now else [])


def _block_patch(old: list[str], new: list[str]) -> Iterator[str]:
    if not new or len(old) > _LONGEST:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return

    # Blocks that are cut whole, as most are, need no comparison.
    from difflib import unified_diff

    patch = list(unified_diff(old, new, lineterm="", n=1))
    # Its first two lines name files, which there are none of.
    for line in patch[2:]:
        yield "..." if line.startswith("@@") else line


def _lines(block: Block) -> list[str]:
    return visible(block.text).split("\n")
