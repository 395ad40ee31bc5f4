"""Neighbours that say nearly the same: the earlier one is cut to a stub that points to the next."""

from __future__ import annotations

from director_ctx.history.messages.message import RESULT, TEXT
from director_ctx.history.messages.stubs import is_cut, stub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from director_ctx.history.messages.message import Block, Count, Message

_ALIKE = 0.8
"""The share of lines that both have."""
_SHORTEST = 200


def merged(messages: Sequence[Message], stay: Collection[int], count: Count) -> list[Message]:
    """The messages, with what the next one of its kind nearly repeats cut; `stay` are places not to touch."""
    made = list(messages)
    later: dict[tuple[str, str, str], Block] = {}
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        blocks = [
            block if place in stay else _merged(block, later.get(_kind(message, block)), count)
            for block in message.blocks
        ]
        made[place] = message.with_blocks(blocks)
        later.update((_kind(message, block), block) for block in message.blocks)
    return made


def _kind(message: Message, block: Block) -> tuple[str, str, str]:
    return message.role, block.kind, block.tool


def _merged(block: Block, after: Block | None, count: Count) -> Block:
    if (
        after is None
        or block.kind not in (RESULT, TEXT)
        or len(block.text) < _SHORTEST
        or not _alike(block.text, after.text)
    ):
        return block
    of = f" of {block.tool}" if block.tool else ""
    made = block.changed(stub(f"nearly the same as the next{of}", block), "merged", count)
    return made if made.tokens < block.tokens else block


def _alike(one: str, other: str) -> bool:
    if not len(one) * 0.7 < len(other) < len(one) * 1.4 or is_cut(one) or is_cut(other):
        return False
    if one == other:
        return True
    lines, others = set(one.split("\n")), set(other.split("\n"))
    return len(lines & others) >= _ALIKE * len(lines | others)
