"""Turns, which are never split. An assistant message with its results is one; any other is its own."""

from __future__ import annotations

from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, SYSTEM, TOOL, has_kind

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
    open_call_at: dict[str, int] = {}
    is_in_answer = False
    answer = ""
    for index, message in enumerate(messages):
        earliest_call = _earliest_call(message, index, open_call_at)
        is_answer = message.role == ASSISTANT
        is_result = message.role == TOOL or earliest_call is not None
        # Some clients write one answer as several messages.
        is_same_answer = is_answer and message.group != "" and message.group == answer
        if not (is_in_answer and (is_result or is_same_answer)):
            starts.append(index)

        if earliest_call is not None and earliest_call < starts[-1]:
            _drop_behind(earliest_call, starts)
            is_in_answer = True
        elif is_answer:
            is_in_answer = True
            answer = message.group
        elif not is_in_answer or not is_result:
            is_in_answer = False
    return _ranges(starts, len(messages))


def _ranges(starts: Sequence[int], end: int) -> list[range]:
    """Each from its start up to the next one."""
    return list(map(range, starts, [*starts[1:], end]))


def _earliest_call(message: Message, index: int, open_call_at: dict[str, int]) -> int | None:
    """Where the earliest call stands that this has a result of; its own place if nobody knows, None
    without results.

    `open_call_at` are the calls that nothing has answered yet.
    """
    earliest: int | None = None
    for block in message.blocks:
        if block.kind == CALL and block.call:
            open_call_at[block.call] = index
        elif block.kind == RESULT:
            # Taken out, as ids may be used again for a later call.
            call_at = open_call_at.pop(block.call, index)
            if earliest is None or call_at < earliest:
                earliest = call_at
    return earliest


def rounds(messages: Sequence[Message]) -> list[range]:
    """Turns where each block is a message of its own: what is said before calls, the calls, and
    their results.
    """
    call_at: dict[str, int] = {}
    first_of_turns = {turn.start for turn in turns(messages)}
    starts: list[int] = []
    for index, message in enumerate(messages):
        if index in first_of_turns and not _was_announced(messages, index):
            starts.append(index)
        for block in message.blocks:
            if block.kind == CALL:
                call_at[block.call] = index
            elif block.kind == RESULT and block.call:
                # It belongs to the round of its call.
                _drop_behind(call_at.get(block.call, index), starts)
    return _ranges(starts, len(messages))


def _drop_behind(index: int, starts: list[int]) -> None:
    """Makes everything since then one with what stands there."""
    while starts and starts[-1] > index:
        starts.pop()


def _was_announced(messages: Sequence[Message], index: int) -> bool:
    """Whether a message has calls, and what the model said before them stands in the one before."""
    both = messages[index - 1 : index + 1] if index else ()
    is_answer = bool(both) and all(one.role == ASSISTANT for one in both)
    return is_answer and has_kind(messages[index].blocks, CALL)


def open_calls(messages: Sequence[Message]) -> set[str]:
    """The ids of calls that nothing has answered."""
    still_open: set[str] = set()
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL:
                still_open.add(block.call)
            elif block.kind == RESULT:
                still_open.discard(block.call)
    return still_open


def open_loop(messages: Sequence[Message]) -> range:
    """The last answers, from what the user said last, if results are the last thing or nothing
    answers them yet.
    """
    last = len(messages) - 1
    # What a client puts in as the system does not end the model's work.
    while last >= 0 and messages[last].role == SYSTEM:
        last -= 1
    if last < 0 or not has_kind(messages[last].blocks, RESULT, CALL):
        return range(0)

    before = last
    while before >= 0 and _is_at_work(messages[before]):
        before -= 1
    return range(before + 1, last + 1)


def _is_at_work(message: Message) -> bool:
    """Whether it is an answer, or has results for one."""
    return message.role in (ASSISTANT, TOOL) or has_kind(message.blocks, RESULT)
