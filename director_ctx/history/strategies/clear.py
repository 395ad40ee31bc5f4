"""Old results go, and readings that were overtaken; calls stay. A stub names the call and says
where its result is.
"""

from __future__ import annotations

from director_ctx.history.formats.parts import NEST
from director_ctx.history.messages.message import IMAGE, RESULT, TOOL, size
from director_ctx.history.messages.stubs import called_before, image_stub, is_stub, result_stub
from director_ctx.history.signals.files import looked_back
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from director_ctx.history.messages.message import Block, Message
    from director_ctx.history.messages.target import Aim

_SHORTEST = 120
"""Characters of a result that is worth a stub."""


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    stay = protected(messages, aim)
    excluded = frozenset(aim.config.exclude_tools)
    calls = called_before(messages)
    cleared = list(messages)
    for index in _old(messages, aim.config.keep_results):
        if index not in stay:
            cleared[index] = _cleared(messages[index], calls, excluded, aim)

    saved = size(messages) - size(cleared)
    if saved < aim.config.clear_at_least:
        return list(messages)
    return cleared


def _old(messages: Sequence[Message], keep: int) -> list[int]:
    """The places of results, but for the newest ones that still hold; a message with several
    results is one place.
    """
    with_results = holding = _with_results(messages)
    overtaken = _overtaken(messages, keep)
    if overtaken:
        holding = _with_results(messages, overtaken)
    newest = set(holding[-keep:]) if keep else set()
    return [index for index in dict.fromkeys(with_results) if index not in newest]


def _with_results(messages: Sequence[Message], but: Collection[int] = ()) -> list[int]:
    """The place of each result, but for some, by their identities."""
    with_results: list[int] = []
    for index, message in enumerate(messages):
        for block in message.blocks:
            if block.kind == RESULT and id(block) not in but:
                with_results.append(index)
    return with_results


def _overtaken(messages: Sequence[Message], keep: int) -> set[int]:
    """The results that no longer hold among the newest, back to where enough are found that do."""
    gone: set[int] = set()
    if not keep:
        return gone
    for result, holds in looked_back(messages):
        if not holds:
            gone.add(id(result))
            continue
        keep -= 1
        if not keep:
            break
    return gone


def _cleared(
    message: Message, calls: dict[int, str], excluded: Collection[str], aim: Aim
) -> Message:
    if len(message.blocks) == 1:
        return _alone(message, calls, excluded, aim)
    blocks = list(message.blocks)
    # An image is of the result before it; one in front of all results is of the first.
    result = next(block for block in message.blocks if block.kind == RESULT)
    for index, block in enumerate(message.blocks):
        if block.kind == RESULT:
            result = block
        if result.tool in excluded:
            continue
        call = calls.get(id(result), "")
        if block is result and len(block.text) > _SHORTEST:
            blocks[index] = _stub(block, call, aim)
        elif _is_shown(block, message, aim):
            blocks[index] = image_stub(block, aim.count, call)
    return message.with_blocks(blocks)


def _alone(message: Message, calls: dict[int, str], excluded: Collection[str], aim: Aim) -> Message:
    """A result with nothing beside it, as most are."""
    (block,) = message.blocks
    if len(block.text) <= _SHORTEST or block.tool in excluded:
        return message
    return message.with_blocks([_stub(block, calls.get(id(block), ""), aim)])


def _is_shown(block: Block, message: Message, aim: Aim) -> bool:
    """Whether it is an image that may go, and one of a result: others are the user's."""
    if block.kind != IMAGE or aim.config.preserve_screenshots:
        return False
    return message.role == TOOL or block.at >= NEST or not aim.native


def _stub(block: Block, call: str, aim: Aim) -> Block:
    if is_stub(block.text):
        return block
    stub = block.changed(result_stub(block, before=call), "cleared", aim.count)
    return stub if stub.tokens < block.tokens else block
