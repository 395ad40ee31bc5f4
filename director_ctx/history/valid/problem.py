"""What is wrong with a conversation, as it is told."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.messages.message import Block

WHOLE_MESSAGE = -1
"""In the place of a block, where the whole message is meant."""


class Problem(Record):
    """Something that a provider would reject, and what to do about it."""

    message: int
    """Its place among the messages."""
    block: int
    """Its number among the blocks of that message; -1 if it is the whole message."""
    rule: str
    text: str
    hint: str = ""


def described(call: Block) -> str:
    """A call by its tool and its id, as far as it has them."""
    if call.tool and call.call:
        return f"{call.tool} ({call.call})"
    return call.tool or call.call or "without a name"
