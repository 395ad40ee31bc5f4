"""A chat that several go on with at once, in threads or in processes: what each of them says stays, and who did not
know of it tells it to the provider with the next request; pure.
"""

from __future__ import annotations

from director_ctx.chat.reach import USER, unanswered, verbatim
from director_ctx.chat.rows import placed, stub_row
from director_ctx.chat.steps import BEGUN, TURN, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.reach import ChatStanding
    from director_ctx.chat.steps import Keep
    from director_ctx.memory.conversations.chat_records import ChatRow


def beside(step: Keep, current: ChatStanding) -> Keep:
    """The same, behind what somebody else has said meanwhile; `current` is the chat as it is now."""
    if step.kind == BEGUN:
        return _begun(step, current)
    own = step.standing
    others = [row.place for row in _others(own, current)]
    taken = dict.fromkeys((*current.reach.taken, *own.reach.taken))
    reach = own.reach.replace(taken=tuple(taken))
    if step.kind in (TURN, WAITING):
        # The provider has answered without knowing of these.
        reach = reach.replace(missed=(*reach.missed, *others))
    merged = own.replace(
        rows=current.rows,
        number=current.number,
        others=(*own.others, *others),
    )
    rows = placed(merged, step.rows)
    if step.kind == TURN:
        reach = reach.replace(until=merged.next_place - 1 + len(rows))
    return step.replace(standing=merged.replace(reach=reach), rows=rows)


def _begun(step: Keep, current: ChatStanding) -> Keep:
    """Nothing is asked yet, so the turn goes on from there."""
    said = [row for row in step.rows if row.role == USER]
    stubs = [stub_row(row) for row in unanswered(verbatim(current))]
    begun = current.replace(keeps=step.standing.keeps)
    return step.replace(standing=begun, rows=placed(begun, [*stubs, *said]))


def _others(own: ChatStanding, current: ChatStanding) -> list[ChatRow]:
    known = {row.id for row in own.rows}
    return [row for row in current.rows if row.id not in known]


def own_ranges(first: int, last: int, others: tuple[int, ...]) -> list[tuple[int, int]]:
    """The places from `first` to `last`, without those of somebody else."""
    ranges: list[tuple[int, int]] = []
    begins = first
    for place in sorted(others):
        if begins <= place <= last:
            if begins < place:
                ranges.append((begins, place - 1))
            begins = place + 1
    if begins <= last:
        ranges.append((begins, last))
    return ranges
