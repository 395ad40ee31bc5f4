"""Old results go, and readings that were overtaken; calls stay. A stub names the call and says
where its result is.
"""

from __future__ import annotations

from director_ctx.history.formats.parts import NEST
from director_ctx.history.messages.message import IMAGE, RESULT, TOOL, size
from director_ctx.history.messages.stubs import called_before, image_stub, is_stub, result_stub
from director_ctx.history.results.images import described
from director_ctx.history.signals.files import results_newest_first
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
        if index in stay:
            continue
        message = messages[index]
        cleared[index] = _cleared(message, calls, excluded, aim)

    # A cut that brings little costs more than it saves: the provider's cache has to be made anew.
    saved = size(messages) - size(cleared)
    if saved < aim.config.clear_at_least:
        return list(messages)
    return cleared


def _old(messages: Sequence[Message], keep: int) -> list[int]:
    """The places of results, but for the newest ones that still hold; a message with several
    results is one place.
    """
    overtaken = _overtaken(messages, keep)
    with_results: dict[int, None] = {}
    holding: list[int] = []
    for index, message in enumerate(messages):
        for block in message.blocks:
            if block.kind != RESULT:
                continue
            with_results[index] = None
            if id(block) not in overtaken:
                holding.append(index)

    newest = set(holding[-keep:] if keep else ())
    return [index for index in with_results if index not in newest]


def _overtaken(messages: Sequence[Message], keep: int) -> set[int]:
    """The results that no longer hold among the newest, back to where enough are found that do; by
    their identities, as another of the same words may hold.
    """
    overtaken: set[int] = set()
    if not keep:
        return overtaken
    for result, holds in results_newest_first(messages):
        if not holds:
            overtaken.add(id(result))
            continue
        keep -= 1
        if not keep:
            break
    return overtaken


def _cleared(
    message: Message,
    calls: dict[int, str],
    excluded: Collection[str],
    aim: Aim,
) -> Message:
    blocks: list[Block] = []
    # An image is of the result before it; one in front of all results is of the first.
    results = [block for block in message.blocks if block.kind == RESULT]
    result = results[0]
    for block in message.blocks:
        if block.kind == RESULT:
            result = block
        call = calls.get(id(result), "")
        may_go = block.kind == IMAGE and not aim.config.preserve_screenshots
        now = block
        if result.tool in excluded:
            pass
        elif block is result and len(block.text) > _SHORTEST:
            if not is_stub(block.text):
                stub = block.changed(result_stub(block, before=call), "cleared", aim.count)
                now = stub if stub.tokens < block.tokens else block
        elif may_go and (message.role == TOOL or block.at >= NEST or not aim.native):
            # Other images than those of results are the user's. Where calls are not marked as such,
            # what follows an answer is an observation.
            now = image_stub(block, aim.count, call, described(block))
        blocks.append(now)
    return message.with_blocks(blocks)
