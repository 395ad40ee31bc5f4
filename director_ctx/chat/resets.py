"""The three ways in which a conversation that has grown gets small again; pure. What is told less of is in
the store and in its archive, so each can be taken back.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.chat.items import items_of, without_compactions
from director_ctx.chat.job import CHECKPOINT, REFRESH
from director_ctx.chat.reach import ANSWERED, CALLED, IN_INPUT, IN_INSTRUCTIONS, turns_of, verbatim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.chat.job import TurnJob
    from director_ctx.chat.reach import ChatStanding, Reach
    from director_ctx.memory.conversations.chat_records import ChatRow

KEPT_SHARE = 4
"""One in so many parts of the limit is for what was said last, word for word."""
REFRESHED_SHARE = 2
"""A refresh has no summary as long as everything, with its answers shortened, finds room in this part."""
TOLD_FOR = 5
"""Turns for which a summary stands in the instructions."""


class ResetPlan(Record):
    """What a reset does."""

    kind: str
    reach: Reach
    """Without what stands for `summed`, which is written only then."""
    summed: tuple[ChatRow, ...] = ()
    """What a summary is to stand for."""
    asks_again: bool = False
    """Whether the tools of a refresh are called."""


def plan_reset(standing: ChatStanding, job: TurnJob) -> ResetPlan:
    """What the user said last, and what came since, always stays as it is."""
    if job.reset == REFRESH:
        return _refresh(standing, job)

    reach = standing.reach.replace(told_in=IN_INPUT, told_for=0)
    if job.reset == CHECKPOINT:
        reach = standing.reach.replace(told_in=IN_INSTRUCTIONS, told_for=TOLD_FOR)
    summed = _summed(standing, reach.short, job)
    return ResetPlan(
        kind=job.reset,
        reach=_from(reach, summed),
        summed=tuple(summed),
    )


def _refresh(standing: ChatStanding, job: TurnJob) -> ResetPlan:
    """Everything is told again with old answers shortened; only what finds no room then is summed up."""
    rows = verbatim(standing)
    *_, last_turn = turns_of(rows)
    before_it = last_turn[0].place - 1
    short = max(standing.reach.short, before_it)
    reach = standing.reach.replace(short=short)

    summed: list[ChatRow] = []
    if _size(rows, short, job) > job.limit // REFRESHED_SHARE:
        summed = _summed(standing, short, job)
    return ResetPlan(
        kind=REFRESH,
        reach=_from(reach, summed),
        summed=tuple(summed),
        asks_again=True,
    )


def _summed(standing: ChatStanding, short: int, job: TurnJob) -> list[ChatRow]:
    """Everything before the turns that stay."""
    rows = verbatim(standing)
    share = job.limit // KEPT_SHARE
    stay = _last_turns(rows, short, job, share)
    before = len(rows) - len(stay)
    return rows[:before]


def _from(reach: Reach, summed: Sequence[ChatRow]) -> Reach:
    """From behind what is summed up."""
    if not summed:
        return reach
    return reach.replace(since=summed[-1].place)


def _last_turns(rows: Sequence[ChatRow], short: int, job: TurnJob, tokens: int) -> list[ChatRow]:
    """As many whole turns as find room, from the last one on; that one in any case."""
    *earlier, last = turns_of(rows)
    kept = last
    left = tokens - _size(last, short, job)
    for turn in reversed(earlier):
        left -= _size(turn, short, job)
        if left < 0:
            break
        kept = turn + kept
    return kept


def _size(rows: Sequence[ChatRow], short: int, job: TurnJob) -> int:
    return job.count(dump(items_of(without_compactions(rows), short)))


def shorten_turn(standing: ChatStanding) -> Reach | None:
    """For a turn that is too large by itself: only its last answers of tools stay whole, or none of them.
    None where there is nothing left to shorten.
    """
    reach = standing.reach
    rows = verbatim(standing)
    answers = [row for row in rows if row.role == ANSWERED]
    if not answers:
        return None
    calls = [row for row in rows if row.role == CALLED]
    first_of_last = next(row for row in calls if row.response == calls[-1].response)
    short = first_of_last.place
    if reach.short >= short:
        short = answers[-1].place
    if reach.short >= short:
        return None
    return reach.replace(short=short, until=0)


def is_due(standing: ChatStanding, job: TurnJob) -> bool:
    """Whether it is time for a refresh although there is room."""
    if job.reset != REFRESH or not job.refreshing:
        return False
    since = max(standing.reach.short, standing.reach.since)
    told = [row for row in verbatim(standing) if row.place > since]
    return len(turns_of(told)) > job.every
