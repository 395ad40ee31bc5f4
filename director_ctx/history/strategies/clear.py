"""Old results go, and readings that were overtaken; calls stay. A stub names the call and says
where its result is.
"""

from __future__ import annotations

from director_ctx.history.formats.parts import NEST
from director_ctx.history.messages.message import IMAGE, RESULT, TOOL, size
from director_ctx.history.messages.stubs import called_before, image_stub, is_stub, result_stub
from director_ctx.history.results.images import described
from director_ctx.history.signals.files import look_back
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

    newest: set[int] = set()
    if keep:
        newest.update(holding[-keep:])
    old: list[int] = []
    for index in with_results:
        if index not in newest:
            old.append(index)
    return old


def _overtaken(messages: Sequence[Message], keep: int) -> set[int]:
    """The results that no longer hold among the newest, back to where enough are found that do; by
    their identities, as another of the same words may hold.
    """
    overtaken: set[int] = set()
    if not keep:
        return overtaken
    for result, holds in look_back(messages):
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
        is_long_result = block is result and len(block.text) > _SHORTEST
        if result.tool in excluded:
            blocks.append(block)
        elif is_long_result:
            blocks.append(_stub(block, call, aim))
        elif _is_image_of_result(block, message, aim):
            stub = image_stub(block, aim.count, call, described(block))
            blocks.append(stub)
        else:
            blocks.append(block)
    return message.with_blocks(blocks)


def _is_image_of_result(block: Block, message: Message, aim: Aim) -> bool:
    """Whether it is an image that may go, and one of a result: others are the user's."""
    if block.kind != IMAGE or aim.config.preserve_screenshots:
        return False
    is_of_tool = message.role == TOOL or block.at >= NEST
    # Where calls are not marked as such, what follows an answer is an observation.
    return is_of_tool or not aim.native


def _stub(block: Block, call: str, aim: Aim) -> Block:
    if is_stub(block.text):
        return block
    text = result_stub(block, before=call)
    stub = block.changed(text, "cleared", aim.count)
    if stub.tokens < block.tokens:
        return stub
    return block
