"""Turns, which are never split. An assistant message with its results is one; any other is its own."""

from __future__ import annotations

from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, SYSTEM, TOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message


def turns(messages: Sequence[Message]) -> list[range]:
    """The places of each turn, in order. A message with results goes to the assistant's before it,
    and one that answers an earlier call makes everything since then one turn: neither call nor
    result can stand alone.
    """
    starts: list[int] = []
    asked: dict[str, int] = {}
    inside = False
    group = ""
    for place, message in enumerate(messages):
        called = _called(message, place, asked)
        follows = inside and (message.role == TOOL or called is not None)
        same = (
            inside and message.role == ASSISTANT and bool(message.group) and message.group == group
        )
        if not (follows or same):
            starts.append(place)
        if called is not None and called < starts[-1]:
            while starts[-1] > called:
                starts.pop()
            inside = True
        elif message.role == ASSISTANT:
            inside, group = True, message.group
        elif not follows:
            inside = False
    ends = [*starts[1:], len(messages)]
    return [range(start, end) for start, end in zip(starts, ends, strict=True)] if messages else []


def _called(message: Message, place: int, asked: dict[str, int]) -> int | None:
    """Where the earliest call stands that this has a result of; its own place if nobody knows, None
    without results.

    `asked` are the calls that nothing has answered yet.
    """
    found: int | None = None
    for block in message.blocks:
        if block.kind == CALL and block.call:
            asked[block.call] = place
        elif block.kind == RESULT:
            found = min(asked.pop(block.call, place), place if found is None else found)
    return found


def rounds(messages: Sequence[Message]) -> list[range]:
    """Turns where each block is a message of its own: what is said before calls, the calls, and
    their results.
    """
    asked: dict[str, int] = {}
    begins = {row.start for row in turns(messages)}
    starts: list[int] = []
    for place, message in enumerate(messages):
        calls = [block.call for block in message.blocks if block.kind == CALL]
        said_before = (
            calls and place and messages[place - 1].role == ASSISTANT and message.role == ASSISTANT
        )
        if place in begins and not said_before:
            starts.append(place)
        for block in message.blocks:
            if block.kind == CALL:
                asked[block.call] = place
            elif block.kind == RESULT and block.call:
                while starts and starts[-1] > asked.get(block.call, place):
                    starts.pop()
    ends = [*starts[1:], len(messages)] if starts else []
    return [range(*both) for both in zip(starts, ends, strict=True)]


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


def open_loop(messages: Sequence[Message]) -> range:
    """The last answers, from what the user said last, if results are the last thing or nothing
    answers them yet.
    """
    end = len(messages)
    while end and messages[end - 1].role == SYSTEM:
        end -= 1
    if not end or not any(block.kind in (RESULT, CALL) for block in messages[end - 1].blocks):
        return range(0)
    start = end
    while start and (
        messages[start - 1].role in (ASSISTANT, TOOL)
        or any(b.kind == RESULT for b in messages[start - 1].blocks)
    ):
        start -= 1
    return range(start, end)
