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
    stay, excluded = protected(messages, aim), frozenset(aim.config.exclude_tools)
    calls = called_before(messages)
    made = list(messages)
    for place in _old(messages, aim.config.keep_results):
        if place not in stay:
            made[place] = _cleared(messages[place], calls, excluded, aim)
    return made if size(messages) - size(made) >= aim.config.clear_at_least else list(messages)


def _old(messages: Sequence[Message], keep: int) -> list[int]:
    """The places of results, but for the newest ones that still hold; a message with several
    results is one place.
    """
    places, gone = _with_results(messages), _overtaken(messages, keep)
    holding = _with_results(messages, gone) if gone else places
    newest = set(holding[-keep:]) if keep else set()
    return [place for place in dict.fromkeys(places) if place not in newest]


def _with_results(messages: Sequence[Message], but: Collection[int] = ()) -> list[int]:
    """The place of each result, but for some, by their identities."""
    return [
        place
        for place, one in enumerate(messages)
        for block in one.blocks
        if block.kind == RESULT and id(block) not in but
    ]


def _overtaken(messages: Sequence[Message], keep: int) -> set[int]:
    """The results that no longer hold among the newest, back to where enough are found that do."""
    gone: set[int] = set()
    for result, holds in looked_back(messages) if keep else ():
        if not holds:
            gone.add(id(result))
        elif not (keep := keep - 1):
            break
    return gone


def _cleared(
    message: Message, calls: dict[int, str], excluded: Collection[str], aim: Aim
) -> Message:
    if len(message.blocks) == 1:
        return _alone(message, calls, excluded, aim)
    blocks = list(message.blocks)
    result = next(block for block in message.blocks if block.kind == RESULT)
    for number, block in enumerate(message.blocks):
        result = block if block.kind == RESULT else result
        if result.tool in excluded:
            continue
        if block is result and len(block.text) > _SHORTEST:
            blocks[number] = _stub(block, calls.get(id(block), ""), aim)
        elif _is_shown(block, message, aim):
            blocks[number] = image_stub(block, aim.count, calls.get(id(result), ""))
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


def _stub(block: Block, before: str, aim: Aim) -> Block:
    if is_stub(block.text):
        return block
    made = block.changed(result_stub(block, before=before), "cleared", aim.count)
    return made if made.tokens < block.tokens else block
