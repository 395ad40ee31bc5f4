"""Where the tokens of a conversation are: by kind, by tool, in which blocks, and what was read more
than once.
"""

from __future__ import annotations

from director_ctx.history.messages.message import CALL, RESULT, measure, size
from director_ctx.history.messages.turns import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Block, Message

_LARGEST = 10
_WORDS = 80


def stats(
    messages: Sequence[Message],
    count: Callable[[str], int],
    used: int | None,
    full: int,
    first: int = 1,
) -> dict[str, Any]:
    """`used` is what the client itself says, `full` what counts as full; `first` is the number of
    the first message, as `history show` counts.
    """
    total = measure(messages, count)
    sizes = [size(messages[row.start : row.stop]) for row in turns(messages)]
    return {
        "messages": len(messages),
        "turns": len(sizes),
        "largest_turn": max(sizes, default=0),
        "tokens": total,
        "used": used,
        "limit": full,
        "percent": round((used or total) * 100 / full, 1),
        "kinds": _sums((block.kind, block) for message in messages for block in message.blocks),
        "tools": _sums((block.tool, block) for block in _of_tools(messages)),
        "largest": _largest(messages, first),
        "repeated": _repeated(messages),
    }


def _of_tools(messages: Sequence[Message]) -> Iterator[Block]:
    for message in messages:
        for block in message.blocks:
            if block.tool and block.kind in (CALL, RESULT):
                yield block


def _sums(named: Iterator[tuple[str, Block]]) -> list[dict[str, Any]]:
    """By these names, the largest first."""
    sums: dict[str, dict[str, Any]] = {}
    for name, block in named:
        row = sums.setdefault(name, {"name": name, "blocks": 0, "tokens": 0})
        row["blocks"] += 1
        row["tokens"] += block.tokens
    return sorted(sums.values(), key=lambda row: (-row["tokens"], row["name"]))


def _largest(messages: Sequence[Message], first: int) -> list[dict[str, Any]]:
    from heapq import nsmallest

    blocks: list[tuple[int, int, int]] = []
    for index, message in enumerate(messages):
        for number, block in enumerate(message.blocks):
            blocks.append((-block.tokens, index, number))

    rows: list[dict[str, Any]] = []
    for _, index, number in nsmallest(_LARGEST, blocks):
        block = messages[index].blocks[number]
        row = {
            "number": first + index,
            "message": index,
            "block": number,
            "kind": block.kind,
            "tool": block.tool,
            "tokens": block.tokens,
            "begins": _begins(block),
        }
        rows.append(row)
    return rows


def _begins(block: Block) -> str:
    return " ".join(block.text[: 4 * _WORDS].split())[:_WORDS]


def _repeated(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Calls that were made again word for word, and what their earlier results take."""
    asked: dict[str, str] = {}
    sizes_of: dict[str, list[int]] = {}
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL:
                asked[block.call] = f"{block.tool} {block.text}"
            elif block.kind == RESULT and block.call in asked:
                sizes_of.setdefault(asked[block.call], []).append(block.tokens)

    repeated: list[tuple[int, str, int]] = []
    for call, sizes in sizes_of.items():
        if len(sizes) > 1:
            earlier = sum(sizes[:-1])
            repeated.append((-earlier, call, len(sizes)))
    repeated.sort()

    rows: list[dict[str, Any]] = []
    for tokens, call, times in repeated[:_LARGEST]:
        rows.append({"call": " ".join(call.split())[:200], "times": times, "tokens": -tokens})
    return rows
