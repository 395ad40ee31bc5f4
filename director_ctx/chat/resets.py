"""The three ways in which a conversation that has grown gets small again; pure. What is told less of is in
the store and in its archive, so each can be taken back.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.chat.items import items_of, without_compactions
from director_ctx.chat.job import CHECKPOINT, REFRESH
from director_ctx.chat.pairs import in_pairs
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
    return _summary(standing, job, job.limit // KEPT_SHARE)


def plan_last_turn(standing: ChatStanding, job: TurnJob) -> ResetPlan:
    """Where that was not enough: of what was said, only this turn stays."""
    return _summary(standing, job, 0)


def _summary(standing: ChatStanding, job: TurnJob, tokens: int) -> ResetPlan:
    """Of the turns before this one those stay that have room in so many tokens."""
    reach = standing.reach.replace(told_in=IN_INPUT, told_for=0)
    if job.reset == CHECKPOINT:
        reach = standing.reach.replace(told_in=IN_INSTRUCTIONS, told_for=TOLD_FOR)
    rows = verbatim(standing)
    stay = _last_turns(rows, reach.short, job, tokens)
    summed = rows[: len(rows) - len(stay)]
    return ResetPlan(kind=job.reset, reach=_from(reach, summed), summed=tuple(summed))


def _refresh(standing: ChatStanding, job: TurnJob) -> ResetPlan:
    """Everything is told again with old answers shortened; only what finds no room then is summed up."""
    rows = verbatim(standing)
    before_it = last_turn_of(standing)[0].place - 1
    short = max(standing.reach.short, before_it)
    reach = standing.reach.replace(short=short)

    summed: list[ChatRow] = []
    if rows_size(rows, short, job) > job.limit // REFRESHED_SHARE:
        stay = _last_turns(rows, short, job, job.limit // KEPT_SHARE)
        summed = rows[: len(rows) - len(stay)]
    return ResetPlan(
        kind=REFRESH,
        reach=_from(reach, summed),
        summed=tuple(summed),
        asks_again=short > standing.reach.short,
    )


def _from(reach: Reach, summed: Sequence[ChatRow]) -> Reach:
    """From behind what is summed up."""
    if not summed:
        return reach
    return reach.replace(since=summed[-1].place)


def _last_turns(rows: Sequence[ChatRow], short: int, job: TurnJob, tokens: int) -> list[ChatRow]:
    """As many whole turns as find room, from the last one on; that one in any case."""
    *earlier, last = turns_of(rows)
    kept = last
    left = tokens - rows_size(last, short, job)
    for turn in reversed(earlier):
        left -= rows_size(turn, short, job)
        if left < 0:
            break
        kept = turn + kept
    return kept


def rows_size(rows: Sequence[ChatRow], short: int, job: TurnJob) -> int:
    told = in_pairs(without_compactions(rows))
    return job.count(dump(items_of(told, short)))


def last_turn_of(standing: ChatStanding) -> list[ChatRow]:
    *_, last_turn = turns_of(verbatim(standing))
    return last_turn


def smallest_size(standing: ChatStanding, job: TurnJob) -> int:
    """Tokens of the smallest request that this turn can be told in, before what stands for the others."""
    tools = dump(list(job.tools))
    beside = job.count(job.instructions) + job.count(tools)
    turn = last_turn_of(standing)
    return beside + rows_size(turn, turn[-1].place, job)


def earlier_size(standing: ChatStanding, job: TurnJob) -> int:
    """Tokens of what was said before this turn, as it is told now."""
    rows = verbatim(standing)
    before = len(rows) - len(last_turn_of(standing))
    if not before:
        return 0
    return rows_size(rows[:before], standing.reach.short, job)


def shorten_turn(standing: ChatStanding) -> Reach | None:
    """For a turn that is too large by itself: only its last answers of tools stay whole, or none of them.
    None where there is nothing left to shorten.
    """
    reach = standing.reach
    rows = verbatim(standing)
    answers = [row for row in rows if row.role == ANSWERED]
    if not answers:
        return None
    short = _place_before_last_calls(rows)
    if reach.short >= short:
        short = answers[-1].place
    if reach.short >= short:
        return None
    return reach.replace(short=short, until=0)


def _place_before_last_calls(rows: Sequence[ChatRow]) -> int:
    """Behind it are the calls of the model's last answer that has any; those of a refresh are nobody's answer."""
    calls = [row for row in rows if row.role == CALLED and row.response]
    if not calls:
        return 0
    first_of_last = next(row for row in calls if row.response == calls[-1].response)
    return first_of_last.place - 1


def is_due(standing: ChatStanding, job: TurnJob) -> bool:
    """Whether it is time for a refresh although there is room."""
    if job.reset != REFRESH or not job.refreshing:
        return False
    since = max(standing.reach.short, standing.reach.since)
    told = [row for row in verbatim(standing) if row.place > since]
    return len(turns_of(told)) > job.every
