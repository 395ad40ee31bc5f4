"""Turns, which are never split. An assistant message with its results is one; any other is its own."""

from __future__ import annotations

from director_ctx.history.message import ASSISTANT, CALL, RESULT, TOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.message import Message


def turns(messages: Sequence[Message]) -> list[range]:
    """The places of each turn, in order. A message with results goes to the assistant's before it."""
    starts: list[int] = []
    inside = False
    group = ""
    for place, message in enumerate(messages):
        follows = inside and (message.role == TOOL or any(block.kind == RESULT for block in message.blocks))
        same = inside and message.role == ASSISTANT and bool(message.group) and message.group == group
        if not (follows or same):
            starts.append(place)
        if message.role == ASSISTANT:
            inside, group = True, message.group
        elif not follows:
            inside = False
    ends = [*starts[1:], len(messages)]
    return [range(start, end) for start, end in zip(starts, ends, strict=True)] if messages else []


def open_calls(messages: Sequence[Message]) -> set[str]:
    """The ids of calls that nothing has answered."""
    asked: set[str] = set()
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL:
                asked.add(block.call)
            elif block.kind == RESULT:
                asked.discard(block.call)
    return asked
