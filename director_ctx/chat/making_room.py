"""A chat made smaller before a request, as parts of a turn; pure. A small one is left as it is, and so is one that
would be too large all the same.
"""

from __future__ import annotations

from director_ctx.chat.beside import own_ranges
from director_ctx.chat.exchange import ToolUse
from director_ctx.chat.items import REFRESHED, shortened
from director_ctx.chat.reach import verbatim
from director_ctx.chat.request import asked, room, size
from director_ctx.chat.resets import (
    earlier_size,
    plan_last_turn,
    plan_reset,
    shorten_turn,
    smallest_size,
)
from director_ctx.chat.rows import answer_row, call_row, placed
from director_ctx.chat.steps import SHORTENED, TAKEN, UNDONE, Forget, Keep, SumUp, Tell, UseTools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from director_ctx.chat.job import TurnJob
    from director_ctx.chat.reach import ChatStanding, Reach
    from director_ctx.chat.resets import ResetPlan
    from director_ctx.chat.steps import TurnStep
    from director_ctx.memory.conversations.chat_records import ChatRow

    Part = Generator[TurnStep, Any, ChatStanding]

SMALL = 8
"""A chat is small where what was said before this turn has less than one in so many parts of the limit."""
_RESET_SAYS = {
    "summary": "The conversation had grown; it goes on with a summary of what was said before.",
    "refresh": "What the tools had answered was asked again, and takes the place of the old answers.",
    "checkpoint": "The conversation had grown; it goes on from a checkpoint.",
}


def with_room(standing: ChatStanding, job: TurnJob) -> Part:
    """The chat so that its next request stays below the limit, if that can be."""
    if fits(standing, job) or not may_fit(standing, job):
        return standing
    plan = plan_reset(standing, job)
    if _gains(plan, standing) and _is_worth_it(standing, job):
        standing = yield from reset(standing, job, plan)
    standing = yield from _only_last_turn(standing, job)
    while not fits(standing, job):
        reach = shorten_turn(standing)
        if reach is None:
            # There is no way left but this one, also where it gains little.
            standing = yield from _only_last_turn(standing, job)
            break
        standing = yield _kept_reset(standing, reach, SHORTENED)
    return standing


def _only_last_turn(standing: ChatStanding, job: TurnJob) -> Part:
    if fits(standing, job) or not _is_worth_it(standing, job):
        return standing
    plan = plan_last_turn(standing, job)
    if plan.summed:
        standing = yield from reset(standing, job, plan)
    return standing


def made_smaller(standing: ChatStanding, job: TurnJob) -> Part:
    """For a provider that takes less than the limit: one step smaller, or the same where there is none left."""
    turn = smallest_size(standing, job)
    if earlier_size(standing, job) * SMALL >= turn:
        for plan in (plan_reset(standing, job), plan_last_turn(standing, job)):
            if _gains(plan, standing):
                standing = yield from reset(standing, job, plan)
                return standing
    reach = shorten_turn(standing)
    if reach is not None:
        standing = yield _kept_reset(standing, reach, SHORTENED)
    return standing


def fits(standing: ChatStanding, job: TurnJob) -> bool:
    return size(asked(standing, job), standing, job) <= room(job)


def may_fit(standing: ChatStanding, job: TurnJob) -> bool:
    """Whether this turn has room by itself."""
    return smallest_size(standing, job) <= room(job)


def _is_worth_it(standing: ChatStanding, job: TurnJob) -> bool:
    """What was said before is left alone where it is little, unless there is no way without."""
    if earlier_size(standing, job) * SMALL >= job.limit:
        return True
    if shorten_turn(standing) is not None:
        return False
    return size(asked(standing, job), standing, job) > job.limit


def _gains(plan: ResetPlan, standing: ChatStanding) -> bool:
    return bool(plan.summed) or plan.reach.short > standing.reach.short


def reset(standing: ChatStanding, job: TurnJob, plan: ResetPlan) -> Part:
    standing = yield from _summed_up(standing, plan)
    summary = standing.reach.summary if plan.summed else ""
    standing = standing.replace(resets=(*standing.resets, summary))
    standing = yield _kept_reset(standing, standing.reach, plan.kind)
    if plan.asks_again and job.refreshing:
        standing = yield from _refreshed(standing, job)
    yield Tell(_RESET_SAYS[plan.kind])
    return standing


def _summed_up(standing: ChatStanding, plan: ResetPlan) -> Part:
    if not plan.summed:
        return standing.replace(reach=plan.reach)
    identity, text, locator = yield SumUp(standing.chat, plan.summed)
    reach = plan.reach.replace(summary=identity, before=locator)
    return standing.replace(reach=reach, summary=text)


def _kept_reset(standing: ChatStanding, reach: Reach, kind: str) -> Keep:
    nothing_told = reach.replace(until=reach.since, held=0)
    fresh = standing.replace(reach=nothing_told, response=None, tokens=0)
    rows = verbatim(fresh)
    texts = shortened(rows, reach.short)
    return Keep(fresh, kind=kind, originals=tuple(texts))


def _refreshed(standing: ChatStanding, job: TurnJob) -> Part:
    """The context tools, asked by us, as if the model had; as far as what they answer finds room."""
    uses: list[ToolUse] = []
    for number, (name, arguments) in enumerate(job.refreshing, 1):
        call = f"{REFRESHED}{standing.next_place}_{number}"
        uses.append(ToolUse(call, name, arguments))
    results, _ = yield UseTools(tuple(uses))

    calls = [call_row(use, "") for use in uses]
    answers = [answer_row(result) for result in results]
    rows: tuple[ChatRow, ...] = placed(standing, [*calls, *answers])
    if not fits(standing.replace(rows=(*standing.rows, *rows)), job):
        return standing
    standing = yield Keep(standing, rows)
    return standing


def taken_back(standing: ChatStanding, begun: ChatStanding) -> Part:
    """As if nothing had been said in this turn, which would be too large in every other one, too. `begun` is the
    chat with what the user said as its last row.
    """
    for summary in reversed(standing.resets):
        if summary:
            yield Forget(summary)
        standing = yield Keep(standing, kind=UNDONE)
    first = begun.next_place - 1
    taken = own_ranges(first, standing.next_place - 1, standing.others)
    reach = begun.reach.replace(taken=(*begun.reach.taken, *taken))
    before = begun.replace(
        rows=standing.rows, number=standing.number, reach=reach, keeps=standing.keeps
    )
    standing = yield Keep(before, kind=TAKEN)
    return standing
