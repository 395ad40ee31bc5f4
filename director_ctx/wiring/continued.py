"""What was cut once stays cut in the same way while a conversation goes on, so that a provider's cache holds."""

from __future__ import annotations

from director_ctx.history.message import ADDED
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.message import Message


MOST = 16
"""Conversations that one manager has at a time."""


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


def continued(cuts: Sequence[Cut], messages: Sequence[Message]) -> list[Message]:
    """The messages with their beginning as it was cut; as they are, if none of these conversations is theirs."""
    said = tuple(map(_said, messages)) if cuts else ()
    cut = max((one for one in cuts if said[: len(one.before)] == one.before), key=_length, default=None)
    if cut is None:
        return list(messages)
    return [*(messages[one] if isinstance(one, int) else one for one in cut.after), *messages[len(cut.before) :]]


def remembered(cuts: Sequence[Cut], new: Cut) -> tuple[Cut, ...]:
    """Newest first, one for each conversation; those that were cut longest ago are forgotten."""
    others = (one for one in cuts if new.before[: len(one.before)] != one.before)
    return (new, *others)[:MOST]


def _length(cut: Cut) -> int:
    return len(cut.before)


def _said(message: Message) -> int:
    return hash((message.role, *((block.kind, block.call, block.tool, block.text) for block in message.blocks)))
