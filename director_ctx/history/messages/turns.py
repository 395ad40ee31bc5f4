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
    for index, message in enumerate(messages):
        called = _called(message, index, asked)
        is_answer = message.role == ASSISTANT
        follows = inside and (message.role == TOOL or called is not None)
        goes_on = inside and is_answer and bool(message.group) and message.group == group
        if not (follows or goes_on):
            starts.append(index)

        if called is not None and called < starts[-1]:
            while starts[-1] > called:
                starts.pop()
            inside = True
        elif is_answer:
            inside = True
            group = message.group
        elif not follows:
            inside = False
    return _ranges(starts, len(messages))


def _ranges(starts: Sequence[int], end: int) -> list[range]:
    """Each from its start up to the next one."""
    ends = [*starts[1:], end]
    return [range(start, stop) for start, stop in zip(starts, ends, strict=False)]


def _called(message: Message, index: int, asked: dict[str, int]) -> int | None:
    """Where the earliest call stands that this has a result of; its own place if nobody knows, None
    without results.

    `asked` are the calls that nothing has answered yet.
    """
    earliest: int | None = None
    for block in message.blocks:
        if block.kind == CALL and block.call:
            asked[block.call] = index
        elif block.kind == RESULT:
            call = asked.pop(block.call, index)
            earliest = call if earliest is None else min(call, earliest)
    return earliest


def rounds(messages: Sequence[Message]) -> list[range]:
    """Turns where each block is a message of its own: what is said before calls, the calls, and
    their results.
    """
    asked: dict[str, int] = {}
    begins = {row.start for row in turns(messages)}
    starts: list[int] = []
    for index, message in enumerate(messages):
        if index in begins and not _was_announced(messages, index):
            starts.append(index)
        for block in message.blocks:
            if block.kind == CALL:
                asked[block.call] = index
            elif block.kind == RESULT and block.call:
                # It belongs to the round of its call.
                while starts and starts[-1] > asked.get(block.call, index):
                    starts.pop()
    return _ranges(starts, len(messages))


def _was_announced(messages: Sequence[Message], index: int) -> bool:
    """Whether a message has calls, and what the model said before them stands in the one before."""
    message = messages[index]
    if not index or message.role != ASSISTANT or messages[index - 1].role != ASSISTANT:
        return False
    return any(block.kind == CALL for block in message.blocks)


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
    while start and _is_worked_on(messages[start - 1]):
        start -= 1
    return range(start, end)


def _is_worked_on(message: Message) -> bool:
    """Whether it is an answer, or has results for one."""
    if message.role in (ASSISTANT, TOOL):
        return True
    return any(block.kind == RESULT for block in message.blocks)
