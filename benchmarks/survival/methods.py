"""Ways to make a conversation shorter: ours, and the simple ones that everybody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from director_ctx.history.messages.message import RESULT, SYSTEM, USER, measure, size
from director_ctx.history.messages.target import Aim
from director_ctx.history.messages.turns import turns
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.history.messages.message import Block, Message

    Method = Callable[[Sequence[Message], int], list[Message]]
    """From messages and a number of tokens to messages; a simple method does not care for the
    number.
    """


def count(text: str) -> int:
    return -(-len(text) // 4)


def hybrid(messages: Sequence[Message], target: int, native: bool = True) -> list[Message]:
    return shrink(
        messages, "hybrid", Aim(count=count, config=ContextConfig(), target=target, native=native)
    )


def last_15(messages: Sequence[Message], target: int) -> list[Message]:
    return list(messages[-15:])


WORDS = ("error", "logged in", "cart updated", "order completed")


def substring_rule(messages: Sequence[Message], target: int) -> list[Message]:
    """The last 15, the first words of the user, and whatever has one of the words anywhere in it."""
    start = len(messages) - 15
    first = next((place for place, one in enumerate(messages) if one.role == USER), 0)
    return [
        one
        for place, one in enumerate(messages)
        if place >= start or place == first or any(word in _text(one) for word in WORDS)
    ]


def _text(message: Message) -> str:
    return "\n".join(block.text for block in message.blocks).lower()


def clear_but_3(messages: Sequence[Message], target: int) -> list[Message]:
    """Every result but the last three is a placeholder; calls stay."""
    results = [block for message in messages for block in message.blocks if block.kind == RESULT]
    recent = set(map(id, results[-3:]))
    return _each(
        messages,
        lambda block: (
            block if id(block) in recent else block.changed("[cleared]", "cleared", count)
        ),
    )


def head_and_tail(messages: Sequence[Message], target: int) -> list[Message]:
    """Every result keeps its first and its last 500 characters."""

    def cut(block: Block) -> Block:
        text = block.text
        if len(text) <= 1100:
            return block
        return block.changed(
            f"{text[:500]}\n[{len(text) - 1000} characters]\n{text[-500:]}", "shortened", count
        )

    return _each(messages, cut)


def _each(messages: Sequence[Message], change: Callable[[Block], Block]) -> list[Message]:
    made = []
    for message in messages:
        blocks = [change(block) if block.kind == RESULT else block for block in message.blocks]
        made.append(
            message.with_blocks(blocks)
            if any(a is not b for a, b in zip(blocks, message.blocks, strict=True))
            else message
        )
    return made


def tail(messages: Sequence[Message], target: int) -> list[Message]:
    """The system's and the first user's words, and as much of the end as there is room for."""
    first = next((place for place, one in enumerate(messages) if one.role == USER), 0)
    kept = {place for place, one in enumerate(messages) if one.role == SYSTEM or place == first}
    used = sum(messages[place].tokens for place in kept)
    for place in range(len(messages) - 1, first, -1):
        used += messages[place].tokens
        if used > target:
            break
        kept.add(place)
    return [messages[place] for place in sorted(kept)]


def to_size(method: Method) -> Method:
    """The same, then without its oldest turns, until it has the size."""

    def cut(messages: Sequence[Message], target: int) -> list[Message]:
        made = method(messages, target)
        measure(made, count)
        first = next((place for place, one in enumerate(made) if one.role == USER), 0)
        left = size(made)
        gone: set[int] = set()
        for row in turns(made)[:-1]:
            if left <= target:
                break
            places = [place for place in row if made[place].role != SYSTEM and place != first]
            gone.update(places)
            left -= size(made[place] for place in places)
        return [one for place, one in enumerate(made) if place not in gone]

    return cut


SIMPLE: dict[str, Method] = {
    "last 15 messages": last_15,
    "last 15 + first + words": substring_rule,
    "clear all but 3 results": clear_but_3,
    "results head + tail 1,000": head_and_tail,
}
CLEARED, CLIPPED = "clear all but 3 results", "results head + tail 1,000"
AT_RATIO: dict[str, Method] = {
    "keep the tail": tail,
    "clear, then the tail": to_size(clear_but_3),
    "head + tail, then the tail": to_size(head_and_tail),
}
