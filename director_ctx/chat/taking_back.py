"""Turns and resets taken back, and a chat that leaves another one; pure but for what is looked up."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.chat.job import RESETS
from director_ctx.chat.reach import ChatStanding, Reach, reach_of, turns_of, verbatim
from director_ctx.chat.steps import UNDONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.memory.conversations.chat_records import ChatPoint

LEFT, BY_HAND = "fork", "compression"


def without_last_turn(standing: ChatStanding, points: Sequence[ChatPoint]) -> ChatStanding:
    """As it was before the user spoke last."""
    rows = verbatim(standing)
    if not rows:
        raise DctxError("There is no turn to take back.", "Nothing was said since the beginning.")

    *_, last_turn = turns_of(rows)
    first = last_turn[0].place
    taken = (first, standing.next_place - 1)
    reach = standing.reach.replace(taken=(*standing.reach.taken, taken))
    point = _last_answer_before(first, reach, points)
    earlier = reach_of(point.reach) if point else reach.replace(until=reach.since, held=0)
    # A whole context that went with what is taken back is told again.
    goes_again = reach.context or bool(reach.held and not earlier.held)
    reach = reach.replace(
        until=earlier.until, missed=earlier.missed, held=earlier.held, context=goes_again
    )
    return standing.replace(
        reach=reach,
        response=point.response if point else None,
        tokens=point.tokens if point else 0,
    )


def _last_answer_before(place: int, reach: Reach, points: Sequence[ChatPoint]) -> ChatPoint | None:
    """With an id to go on from, and since the same reset."""
    for point in reversed(points):
        earlier = reach_of(point.reach)
        is_same_stretch = earlier.since == reach.since and earlier.short == reach.short
        if is_same_stretch and earlier.until < place and point.response:
            return point
    return None


def before_last_reset(
    standing: ChatStanding, points: Sequence[ChatPoint]
) -> tuple[ChatStanding, ChatPoint]:
    """As if the last reset had not been: everything is told again, as it was said. And the point of that."""
    number = _last_reset(points)
    earlier = points[number - 1] if number else None
    before = reach_of(earlier.reach) if earlier else Reach()
    # The reset may be of the chat that this one left.
    own = standing.reach
    reach = before.replace(taken=own.taken, parent=own.parent, left_at=own.left_at, context=False)
    if earlier is None or earlier.response is None:
        reach = reach.replace(until=reach.since)
    put_back = standing.replace(
        reach=reach,
        response=earlier.response if earlier else None,
        tokens=earlier.tokens if earlier else 0,
    )
    return put_back, points[number]


def _last_reset(points: Sequence[ChatPoint]) -> int:
    """The place of the last one that was not taken back already."""
    undone = 0
    for number in range(len(points) - 1, -1, -1):
        kind = points[number].kind
        if kind == UNDONE:
            undone += 1
        elif kind in (*RESETS, BY_HAND):
            if not undone:
                return number
            undone -= 1
    raise DctxError("There is no reset to take back.", "This chat was never shortened.")


def left(standing: ChatStanding, chat: str) -> ChatStanding:
    """Another chat that goes on from here, while this one stays as it is."""
    reach = standing.reach.replace(parent=standing.chat, left_at=standing.next_place - 1)
    return standing.replace(chat=chat, reach=reach, number=0)
