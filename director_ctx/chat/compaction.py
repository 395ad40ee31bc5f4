"""A chat made smaller before a request, as parts of a turn; pure. What is told less of is in the store and in its
archive, so each reset can be taken back.

A chat in which little was said before is left as it is, and so is one that would be too large all the same.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.chat.exchange import ToolUse, TurnJob
from director_ctx.chat.request import REFRESHED, asked, items_of, room, shortened, size
from director_ctx.chat.state import (
    ANSWERED,
    CALLED,
    IN_INPUT,
    IN_INSTRUCTIONS,
    SHORTENED,
    TAKEN,
    UNDONE,
    ChatCursor,
    ChatState,
    answer_row,
    call_row,
    in_pairs,
    own_ranges,
    placed,
    turns_of,
    verbatim,
)
from director_ctx.chat.steps import Forget, Keep, SumUp, Tell, TurnStep, UseTools
from director_ctx.context.settings.chat import CHECKPOINT, REFRESH, SUMMARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import Any

    from director_ctx.memory.conversations.chat_records import ChatRow

    Part = Generator[TurnStep, Any, ChatState]

SMALL = 8
"""A chat is small where what was said before this turn has less than one in so many parts of the limit."""
KEPT_SHARE = 4
"""One in so many parts of the limit is for what was said last, word for word."""
REFRESHED_SHARE = 2
"""A refresh has no summary as long as everything, with its answers shortened, finds room in this part."""
TOLD_FOR = 5
"""Turns for which a summary stands in the instructions."""
_RESET_SAYS = {
    SUMMARY: "The conversation had grown; it goes on with a summary of what was said before.",
    REFRESH: "What the tools had answered was asked again, and takes the place of the old answers.",
    CHECKPOINT: "The conversation had grown; it goes on from a checkpoint.",
}


class ResetPlan(Record):
    """What a reset does."""

    kind: str
    cursor: ChatCursor
    """Without what stands for `summed`, which is written only then."""
    summed: tuple[ChatRow, ...] = ()
    """What a summary is to stand for."""
    asks_again: bool = False
    """Whether the tools of a refresh are called."""


# What a turn asks for


def with_room(state: ChatState, job: TurnJob) -> Part:
    """The chat so that its next request stays below the limit, if that can be."""
    if fits(state, job) or not may_fit(state, job):
        return state
    plan = plan_reset(state, job)
    if _gains(plan, state) and _is_worth_it(state, job):
        state = yield from reset(state, job, plan)
    state = yield from _only_last_turn(state, job)
    while not fits(state, job):
        cursor = shorten_turn(state)
        if cursor is None:
            # There is no way left but this one, also where it gains little.
            return (yield from _only_last_turn(state, job))
        state = yield _kept_reset(state, cursor, SHORTENED)
    return state


def _only_last_turn(state: ChatState, job: TurnJob) -> Part:
    if fits(state, job) or not _is_worth_it(state, job):
        return state
    plan = _plan_summary(state, job, 0)
    if plan.summed:
        state = yield from reset(state, job, plan)
    return state


def made_smaller(state: ChatState, job: TurnJob) -> Part:
    """For a provider that takes less than the limit: one step smaller, or the same where there is none left."""
    if _earlier_size(state, job) * SMALL >= _smallest_size(state, job):
        for plan in (plan_reset(state, job), _plan_summary(state, job, 0)):
            if _gains(plan, state):
                return (yield from reset(state, job, plan))
    cursor = shorten_turn(state)
    if cursor is not None:
        state = yield _kept_reset(state, cursor, SHORTENED)
    return state


def fits(state: ChatState, job: TurnJob) -> bool:
    return size(asked(state, job), state, job) <= room(job)


def may_fit(state: ChatState, job: TurnJob) -> bool:
    """Whether this turn has room by itself."""
    return _smallest_size(state, job) <= room(job)


def is_due(state: ChatState, job: TurnJob) -> bool:
    """Whether it is time for a refresh although there is room."""
    if job.reset != REFRESH or not job.refreshing:
        return False
    since = max(state.cursor.short, state.cursor.since)
    return len(turns_of(row for row in verbatim(state) if row.place > since)) > job.every


def _is_worth_it(state: ChatState, job: TurnJob) -> bool:
    """What was said before is left alone where it is little, unless there is no way without."""
    if _earlier_size(state, job) * SMALL >= job.limit:
        return True
    if shorten_turn(state) is not None:
        return False
    return size(asked(state, job), state, job) > job.limit


def _gains(plan: ResetPlan, state: ChatState) -> bool:
    return bool(plan.summed) or plan.cursor.short > state.cursor.short


def reset(state: ChatState, job: TurnJob, plan: ResetPlan) -> Part:
    state = state.replace(cursor=plan.cursor)
    summary = ""
    if plan.summed:
        summary, text, locator = yield SumUp(state.chat, plan.summed)
        state = state.at(summary=summary, before=locator).replace(summary=text)
    state = state.replace(resets=(*state.resets, summary))
    state = yield _kept_reset(state, state.cursor, plan.kind)
    if plan.asks_again and job.refreshing:
        state = yield from _refreshed(state, job)
    yield Tell(_RESET_SAYS[plan.kind])
    return state


def _kept_reset(state: ChatState, cursor: ChatCursor, kind: str) -> Keep:
    fresh = state.replace(cursor=cursor).afresh()
    texts = shortened(verbatim(fresh), cursor.short)
    return Keep(fresh, kind=kind, originals=tuple(texts))


def _refreshed(state: ChatState, job: TurnJob) -> Part:
    """The context tools, asked by us, as if the model had; as far as what they answer finds room."""
    uses: list[ToolUse] = []
    for number, (name, arguments) in enumerate(job.refreshing, 1):
        call = f"{REFRESHED}{state.next_place}_{number}"
        uses.append(ToolUse(call, name, arguments))
    results, _ = yield UseTools(tuple(uses))
    calls = [call_row(use, "") for use in uses]
    rows = placed(state, [*calls, *map(answer_row, results)])
    if fits(state.replace(rows=(*state.rows, *rows)), job):
        state = yield Keep(state, rows)
    return state


def taken_back(state: ChatState, begun: ChatState) -> Part:
    """As if nothing had been said in this turn, which would be too large in every other one, too. `begun` is the
    chat with what the user said as its last row.
    """
    for summary in reversed(state.resets):
        if summary:
            yield Forget(summary)
        state = yield Keep(state, kind=UNDONE)
    taken = own_ranges(begun.next_place - 1, state.next_place - 1, state.others)
    before = begun.at(taken=(*begun.cursor.taken, *taken)).replace(
        rows=state.rows, number=state.number, keeps=state.keeps
    )
    state = yield Keep(before, kind=TAKEN)
    return state


# What a reset leaves


def plan_reset(state: ChatState, job: TurnJob) -> ResetPlan:
    """What the user said last, and what came since, always stays as it is."""
    if job.reset != REFRESH:
        return _plan_summary(state, job, job.limit // KEPT_SHARE)
    # Everything is told again with old answers shortened; only what finds no room then is summed up.
    rows = verbatim(state)
    before = state.cursor.short
    short = max(before, turns_of(rows)[-1][0].place - 1)
    summed: list[ChatRow] = []
    if _rows_size(rows, short, job) > job.limit // REFRESHED_SHARE:
        summed = _but_last_turns(rows, short, job, job.limit // KEPT_SHARE)
    cursor = _from(state.cursor.replace(short=short), summed)
    return ResetPlan(REFRESH, cursor, tuple(summed), asks_again=short > before)


def _plan_summary(state: ChatState, job: TurnJob, tokens: int) -> ResetPlan:
    """Of the turns before this one those stay that have room in so many tokens."""
    cursor = state.cursor.replace(told_in=IN_INPUT, told_for=0)
    if job.reset == CHECKPOINT:
        cursor = cursor.replace(told_in=IN_INSTRUCTIONS, told_for=TOLD_FOR)
    summed = _but_last_turns(verbatim(state), cursor.short, job, tokens)
    return ResetPlan(job.reset, _from(cursor, summed), tuple(summed))


def _from(cursor: ChatCursor, summed: Sequence[ChatRow]) -> ChatCursor:
    """From behind what is summed up."""
    return cursor.replace(since=summed[-1].place) if summed else cursor


def _but_last_turns(
    rows: Sequence[ChatRow], short: int, job: TurnJob, tokens: int
) -> list[ChatRow]:
    """Without as many whole turns as find room, from the last one on; that one in any case."""
    turns = turns_of(rows)
    left = tokens - _rows_size(turns.pop(), short, job)
    while turns:
        left -= _rows_size(turns[-1], short, job)
        if left < 0:
            break
        turns.pop()
    return [row for turn in turns for row in turn]


def _rows_size(rows: Sequence[ChatRow], short: int, job: TurnJob) -> int:
    return job.count(dump(items_of(in_pairs(rows), short)))


def _smallest_size(state: ChatState, job: TurnJob) -> int:
    """Tokens of the smallest request that this turn can be told in, before what stands for the others."""
    beside = job.count(job.instructions) + job.count(dump(list(job.tools)))
    turn = turns_of(verbatim(state))[-1]
    return beside + _rows_size(turn, turn[-1].place, job)


def _earlier_size(state: ChatState, job: TurnJob) -> int:
    """Tokens of what was said before this turn, as it is told now."""
    *earlier, _ = turns_of(verbatim(state))
    rows = [row for turn in earlier for row in turn]
    return _rows_size(rows, state.cursor.short, job) if rows else 0


def shorten_turn(state: ChatState) -> ChatCursor | None:
    """For a turn that is too large by itself: only its last answers of tools stay whole, or none of them.
    None where there is nothing left to shorten.
    """
    before = state.cursor.short
    rows = verbatim(state)
    answers = [row.place for row in rows if row.role == ANSWERED]
    # The calls of the model's last answer that has any; those of a refresh are of no answer.
    calls = [row for row in rows if row.role == CALLED and row.response]
    last = [row.place - 1 for row in calls if row.response == calls[-1].response]
    for short in (*last[:1], *answers[-1:]):
        if answers and short > before:
            return state.cursor.replace(short=short)
    return None
