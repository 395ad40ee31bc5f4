"""What was cut once stays cut in the same way while a conversation goes on, so that a provider's cache holds."""

from __future__ import annotations

from director_ctx.history.message import ADDED
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.message import Message


class Cut(Record):
    """A beginning of a conversation, and what was made of it."""

    before: tuple[int, ...]
    """What each message of it says."""
    after: tuple[int | Message, ...]
    """The place of a message that stayed as it was, or what we wrote."""


def cut_of(before: Sequence[Message], after: Sequence[Message]) -> Cut:
    own = {message.index: place for place, message in enumerate(before)}
    kept = tuple(own[one.index] if one.index != ADDED and before[own[one.index]] is one else one for one in after)
    return Cut(tuple(_said(one) for one in before), kept)


def continued(cut: Cut | None, messages: Sequence[Message]) -> list[Message]:
    """The messages with their beginning as it was cut; as they are, if they begin otherwise."""
    length = len(cut.before) if cut else 0
    if cut is None or len(messages) < length or tuple(map(_said, messages[:length])) != cut.before:
        return list(messages)
    return [*(messages[one] if isinstance(one, int) else one for one in cut.after), *messages[length:]]


def _said(message: Message) -> int:
    return hash((message.role, *((block.kind, block.call, block.tool, block.text) for block in message.blocks)))
