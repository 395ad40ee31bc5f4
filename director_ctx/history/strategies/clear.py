"""Old results go, calls stay: a stub names the call and says where its result is."""

from __future__ import annotations

from director_ctx.history.message import CALL, RESULT, size
from director_ctx.history.protected import protected
from director_ctx.history.stubs import is_stub, result_stub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from director_ctx.history.aim import Aim
    from director_ctx.history.message import Block, Message

_SHORTEST = 120
"""Characters of a result that is worth a stub."""


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    stay, excluded = protected(messages, aim), frozenset(aim.config.exclude_tools)
    calls = {block.call: block.text for one in messages for block in one.blocks if block.kind == CALL}
    made = list(messages)
    for place in _old(messages, aim.config.keep_results):
        if place not in stay:
            made[place] = _cleared(messages[place], calls, excluded, aim)
    return made if size(messages) - size(made) >= aim.config.clear_at_least else list(messages)


def _old(messages: Sequence[Message], keep: int) -> list[int]:
    """The places of results, but for the newest ones; a message with several results is one place."""
    places = [place for place, one in enumerate(messages) for block in one.blocks if block.kind == RESULT]
    newest = set(places[-keep:]) if keep else set()
    return [place for place in dict.fromkeys(places) if place not in newest]


def _cleared(message: Message, calls: dict[str, str], excluded: Collection[str], aim: Aim) -> Message:
    blocks = [
        _stub(block, calls.get(block.call, ""), aim)
        if block.kind == RESULT and len(block.text) > _SHORTEST and block.tool not in excluded
        else block
        for block in message.blocks
    ]
    return message.with_blocks(blocks)


def _stub(block: Block, arguments: str, aim: Aim) -> Block:
    if is_stub(block.text):
        return block
    made = block.changed(result_stub(block, arguments), "cleared", aim.count)
    return made if made.tokens < block.tokens else block
