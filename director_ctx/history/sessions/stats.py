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
    return (
        block
        for message in messages
        for block in message.blocks
        if block.tool and block.kind in (CALL, RESULT)
    )


def _sums(named: Iterator[tuple[str, Block]]) -> list[dict[str, Any]]:
    sums: dict[str, list[int]] = {}
    for name, block in named:
        found = sums.setdefault(name, [0, 0])
        found[0] += 1
        found[1] += block.tokens
    rows = sorted(sums.items(), key=lambda item: (-item[1][1], item[0]))
    return [{"name": name, "blocks": blocks, "tokens": tokens} for name, (blocks, tokens) in rows]


def _largest(messages: Sequence[Message], first: int) -> list[dict[str, Any]]:
    from heapq import nlargest

    blocks = (
        (block.tokens, -place, -number, block)
        for place, message in enumerate(messages)
        for number, block in enumerate(message.blocks)
    )
    found = nlargest(_LARGEST, blocks, key=lambda one: one[:3])
    return [
        {"number": first - place, "message": -place, "block": -number, "kind": block.kind, "tool": block.tool,
         "tokens": tokens, "begins": _begins(block)}
        for tokens, place, number, block in found
    ]  # fmt: skip


def _begins(block: Block) -> str:
    return " ".join(block.text[: 4 * _WORDS].split())[:_WORDS]


def _repeated(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Calls that were made again word for word, and what their earlier results take."""
    asked: dict[str, str] = {}
    results: dict[str, list[int]] = {}
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL:
                asked[block.call] = f"{block.tool} {block.text}"
            elif block.kind == RESULT and block.call in asked:
                results.setdefault(asked[block.call], []).append(block.tokens)
    found = [
        (sum(sizes[:-1]), len(sizes), call) for call, sizes in results.items() if len(sizes) > 1
    ]
    rows = sorted(found, key=lambda one: (-one[0], one[2]))[:_LARGEST]
    return [
        {"call": " ".join(call.split())[:200], "times": times, "tokens": tokens}
        for tokens, times, call in rows
    ]
