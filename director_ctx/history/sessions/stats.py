"""Where the tokens of a conversation are: by kind, by tool, in which blocks, and what was read more
than once.
"""

from __future__ import annotations

from heapq import nsmallest

from director_ctx.history.messages.message import CALL, RESULT, measure, size
from director_ctx.history.messages.turns import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
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
    # First, because it writes down the tokens of every block, by which all others count.
    total = measure(messages, count)
    turn_sizes = [size(messages[turn.start : turn.stop]) for turn in turns(messages)]
    blocks = [
        (index, number, block)
        for index, message in enumerate(messages)
        for number, block in enumerate(message.blocks)
    ]
    of_tools = [block for _, _, block in blocks if block.tool and block.kind in (CALL, RESULT)]
    # Of the same size the first, so that the order is the same each time.
    largest = nsmallest(_LARGEST, blocks, key=lambda place: (-place[2].tokens, *place[:2]))
    # What the client itself says counts: it knows of tools and prompts that no message has in it.
    percent = (used or total) * 100 / full
    return {
        "messages": len(messages),
        "turns": len(turn_sizes),
        "largest_turn": max(turn_sizes, default=0),
        "tokens": total,
        "used": used,
        "limit": full,
        "percent": round(percent, 1),
        "kinds": _sums((block.kind, block) for _, _, block in blocks),
        "tools": _sums((block.tool, block) for block in of_tools),
        "largest": [
            {
                "number": first + index,
                "message": index,
                "block": number,
                "kind": block.kind,
                "tool": block.tool,
                "tokens": block.tokens,
                "begins": " ".join(block.text[: 4 * _WORDS].split())[:_WORDS],
            }
            for index, number, block in largest
        ],
        "repeated": _repeated(block for _, _, block in blocks),
    }


def _sums(named_blocks: Iterable[tuple[str, Block]]) -> list[dict[str, Any]]:
    """By these names, the largest first."""
    sums: dict[str, dict[str, Any]] = {}
    for name, block in named_blocks:
        row = sums.setdefault(name, {"name": name, "blocks": 0, "tokens": 0})
        row["blocks"] += 1
        row["tokens"] += block.tokens
    return sorted(sums.values(), key=lambda row: (-row["tokens"], row["name"]))


def _repeated(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """Calls that were made again word for word, and what their earlier results take."""
    asked: dict[str, str] = {}
    sizes_of: dict[str, list[int]] = {}
    for block in blocks:
        if block.kind == CALL:
            asked[block.call] = f"{block.tool} {block.text}"
        elif block.kind == RESULT and block.call in asked:
            sizes_of.setdefault(asked[block.call], []).append(block.tokens)
    repeated = sorted(
        (-sum(sizes[:-1]), call, len(sizes)) for call, sizes in sizes_of.items() if len(sizes) > 1
    )
    return [
        {"call": " ".join(call.split())[:200], "times": times, "tokens": -minus_tokens}
        for minus_tokens, call, times in repeated[:_LARGEST]
    ]
