"""Where the tokens of a conversation are: by kind, by tool, in which blocks, and what was read more
than once.
"""

from __future__ import annotations

from heapq import nsmallest

from director_ctx.history.messages.message import CALL, RESULT, measure, size
from director_ctx.history.messages.turns import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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
    turn_sizes = _turn_sizes(messages)
    by_kind: list[tuple[str, Block]] = []
    by_tool: list[tuple[str, Block]] = []
    for message in messages:
        for block in message.blocks:
            by_kind.append((block.kind, block))
            if block.tool and block.kind in (CALL, RESULT):
                by_tool.append((block.tool, block))

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
        "kinds": _sums(by_kind),
        "tools": _sums(by_tool),
        "largest": _largest(messages, first),
        "repeated": _repeated(messages),
    }


def _turn_sizes(messages: Sequence[Message]) -> list[int]:
    sizes: list[int] = []
    for turn in turns(messages):
        turn_messages = messages[turn.start : turn.stop]
        sizes.append(size(turn_messages))
    return sizes


def _sums(named_blocks: list[tuple[str, Block]]) -> list[dict[str, Any]]:
    """By these names, the largest first."""
    blocks: dict[str, int] = {}
    tokens: dict[str, int] = {}
    for name, block in named_blocks:
        blocks[name] = blocks.get(name, 0) + 1
        tokens[name] = tokens.get(name, 0) + block.tokens

    rows: list[dict[str, Any]] = []
    for name in sorted(tokens, key=lambda name: (-tokens[name], name)):
        rows.append({"name": name, "blocks": blocks[name], "tokens": tokens[name]})
    return rows


def _largest(messages: Sequence[Message], first: int) -> list[dict[str, Any]]:
    # Of the same size the first, so that the order is the same each time.
    blocks: list[tuple[int, int, int]] = []
    for index, message in enumerate(messages):
        for number, block in enumerate(message.blocks):
            place = (-block.tokens, index, number)
            blocks.append(place)

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
    start = block.text[: 4 * _WORDS]
    return " ".join(start.split())[:_WORDS]


def _repeated(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Calls that were made again word for word, and what their earlier results take."""
    asked: dict[str, str] = {}
    sizes_of: dict[str, list[int]] = {}
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL:
                asked[block.call] = f"{block.tool} {block.text}"
            elif block.kind == RESULT and block.call in asked:
                call = asked[block.call]
                sizes_of.setdefault(call, []).append(block.tokens)

    repeated: list[tuple[int, str, int]] = []
    for call, sizes in sizes_of.items():
        if len(sizes) > 1:
            *all_but_last, _ = sizes
            repeated.append((-sum(all_but_last), call, len(sizes)))
    repeated.sort()

    rows: list[dict[str, Any]] = []
    for minus_tokens, call, times in repeated[:_LARGEST]:
        on_one_line = " ".join(call.split())
        row = {
            "call": on_one_line[:200],
            "times": times,
            "tokens": -minus_tokens,
        }
        rows.append(row)
    return rows
