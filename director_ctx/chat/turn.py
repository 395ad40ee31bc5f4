"""One turn, from what the user says to what the model answers, as a sequence of steps; pure. Whoever carries
a step out gives back what came of it, in a thread or in an event loop, and decides nothing.

Everything is kept before the next thing is done, so a turn can end anywhere. What it left open, a call that
nobody answered or words that were never sent, is put right at the beginning of the next one.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.chat.endings import GO_ON, why_incomplete
from director_ctx.chat.exchange import (
    BROKEN,
    KEEPS_NOTHING,
    NOT_HELD,
    TOO_LARGE,
    UNFINISHED,
    UNKNOWN_ID,
    ExchangeFailure,
    Reply,
    ToolResult,
    TurnUsage,
)
from director_ctx.chat.making_room import made_smaller, may_fit, reset, taken_back, with_room
from director_ctx.chat.reach import ASSISTANT, IN_INSTRUCTIONS, USER, unanswered, verbatim
from director_ctx.chat.request import asked, size
from director_ctx.chat.resets import is_due, plan_reset
from director_ctx.chat.rows import (
    answer_row,
    call_row,
    compaction_row,
    heard_row,
    placed,
    refused,
    stub_row,
)
from director_ctx.chat.steps import (
    ANSWERED_WELL,
    BEGUN,
    CUT_OFF,
    FAILED,
    LIMITED,
    TURN,
    WAITING,
    Ask,
    Keep,
    Poll,
    Tell,
    Turn,
    UseTools,
)
from director_ctx.memory.conversations.chat_records import ChatRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import Any

    from director_ctx.chat.job import TurnJob
    from director_ctx.chat.reach import ChatStanding, Reach
    from director_ctx.chat.steps import TurnStep

    Steps = Generator[TurnStep, Any, Turn]
    Part = Generator[TurnStep, Any, ChatStanding]

TRIES = 3
"""Times that one request is put right and sent again."""
FRESH = {
    UNKNOWN_ID: "The provider no longer knows this conversation; it begins afresh, with what was said before.",
    NOT_HELD: "",
    KEEPS_NOTHING: "The provider keeps no conversations; everything is sent each time.",
    BROKEN: "The provider could not go on with what it had kept; it begins afresh.",
}
"""What is told to the user where a conversation goes on, but not from where it was."""


class _Spent(Record):
    """What a turn has used up so far."""

    usage: TurnUsage = TurnUsage()
    seconds: float = 0.0
    results: tuple[ToolResult, ...] = ()
    text: str = ""
    cache: tuple[str, ...] = ()


def take_turn(standing: ChatStanding, job: TurnJob, said: str) -> Steps:
    """The whole of a turn."""
    standing = yield from _begun(standing, job, said)
    begun = standing
    if is_due(standing, job) and may_fit(standing, job):
        plan = plan_reset(standing, job)
        standing = yield from reset(standing, job, plan)

    spent = _Spent()
    for number in range(1, job.limits.rounds + 1):
        is_last = number == job.limits.rounds
        standing, reply = yield from _answer(standing, job, may_call=not is_last)
        if isinstance(reply, ExchangeFailure):
            standing = yield from _after(reply, standing, begun)
            spent = spent.replace(text=reply.heard or spent.text)
            return _turn(standing, job, spent, FAILED, reply.why, reply.hint)
        spent = spent.replace(
            usage=spent.usage.plus(reply.usage),
            seconds=spent.seconds + reply.seconds,
            text=reply.text or spent.text,
            cache=(*spent.cache, reply.cache) if reply.cache else spent.cache,
        )
        standing = yield _kept_answer(standing, job, reply)
        if not reply.calls:
            why, hint = why_incomplete(reply)
            ended = CUT_OFF if why else ANSWERED_WELL
            return _turn(standing, job, spent, ended, why, hint)

        limit = ""
        if spent.seconds >= job.limits.seconds:
            limit = f"the turn took longer than {job.limits.seconds:,.0f} seconds"
        if is_last:
            limit = f"a turn has at most {job.limits.rounds} requests"
        if limit:
            standing = yield _kept_results(standing, refused(reply.calls, limit))
            return _turn(standing, job, spent, LIMITED, f"It stopped: {limit}.", GO_ON)
        results, seconds = yield UseTools(reply.calls)
        standing = yield _kept_results(standing, results)
        spent = spent.replace(results=(*spent.results, *results), seconds=spent.seconds + seconds)
    raise AssertionError("the last request ends a turn")


def _after(failure: ExchangeFailure, standing: ChatStanding, begun: ChatStanding) -> Part:
    """What stays of a turn that nobody answers to its end. `begun` is the chat at its beginning."""
    if failure.kind == TOO_LARGE:
        standing = yield from taken_back(standing, begun)
    elif failure.heard.strip():
        standing = yield kept_heard(standing, failure.heard)
    return standing


def _begun(standing: ChatStanding, job: TurnJob, said: str) -> Part:
    """What the last turn left open is closed, and what the user says now is kept."""
    if standing.waiting:
        standing = yield from _waited_for(standing, job)
    standing = standing.replace(thoughts={}, resets=(), others=())
    stubs = [stub_row(row) for row in unanswered(verbatim(standing))]
    rows = [*stubs, ChatRow(0, USER, said)]
    # From its first point on a chat can be gone on with, also where nobody ever answers.
    standing = yield Keep(standing, placed(standing, rows), kind=BEGUN)
    return standing


def _waited_for(standing: ChatStanding, job: TurnJob) -> Part:
    """The answer that a program did not wait for which is gone."""
    reply = yield Poll(standing.response or "")
    if isinstance(reply, ExchangeFailure):
        yield Tell(f"An answer that was waited for did not come: {reply.why}")
        lost = standing.replace(waiting=False, response=None)
        lost = lost.replace(reach=standing.reach.replace(until=0, held=0))
        standing = yield Keep(lost, kind=TURN)
        return standing
    standing = yield _kept_answer(standing, job, reply)
    return standing


def _answer(
    standing: ChatStanding, job: TurnJob, may_call: bool
) -> Generator[TurnStep, Any, tuple[ChatStanding, Reply | ExchangeFailure]]:
    """One answer; a request that cannot be made as it is, is made in another way."""
    reply: Reply | ExchangeFailure = ExchangeFailure(TOO_LARGE, "")
    for _ in range(TRIES):
        standing = yield from with_room(standing, job)
        request = asked(standing, job, may_call)
        if size(request, standing, job) > job.limit:
            return standing, _too_large(job)
        reply = yield Ask(request)
        if isinstance(reply, Reply) and reply.status in UNFINISHED:
            reach = standing.reach.replace(missed=())
            waiting = standing.replace(response=reply.id, waiting=True, reach=reach)
            standing = yield Keep(waiting, kind=WAITING)
            reply = yield Poll(reply.id)
        if isinstance(reply, Reply):
            return standing, _counted(reply, size(request, standing, job))

        if reply.kind in FRESH and request.previous:
            if FRESH[reply.kind]:
                yield Tell(FRESH[reply.kind])
            standing = _afresh(standing)
            if reply.kind == KEEPS_NOTHING:
                standing = standing.replace(keeps=False)
        elif reply.kind == TOO_LARGE:
            smaller = yield from made_smaller(standing, job)
            if smaller is standing:
                return standing, reply
            standing = smaller
        else:
            if standing.waiting:
                standing = yield Keep(_afresh(standing), kind=TURN)
            return standing, reply
    return standing, reply


def _afresh(standing: ChatStanding) -> ChatStanding:
    """The same, for a provider that knows nothing of it."""
    reach = standing.reach.replace(until=standing.reach.since, held=0)
    return standing.replace(response=None, tokens=0, reach=reach, waiting=False)


def _counted(reply: Reply, tokens: int) -> Reply:
    """With our own number of tokens, where a provider gives none."""
    usage = reply.usage
    if usage.input:
        return reply
    return reply.replace(usage=usage.replace(input=tokens))


def _kept_answer(standing: ChatStanding, job: TurnJob, reply: Reply) -> Keep:
    """What the model said and wants; from here on the provider knows everything."""
    rows: list[ChatRow] = []
    if reply.compaction:
        rows.append(compaction_row(reply.compaction, reply.id))
    if reply.text.strip():
        said = ChatRow(0, ASSISTANT, reply.text, response=reply.id)
        rows.append(said)
    for use in reply.calls:
        rows.append(call_row(use, reply.id))
    if rows:
        rows[0] = rows[0].replace(usage=reply.usage.as_json())

    known = standing.replace(
        reach=_reach_behind(standing, job, reply, len(rows)),
        response=reply.id,
        tokens=reply.usage.input + reply.usage.output,
        waiting=False,
    )
    if reply.lost_call:
        # The provider would wait for its result.
        reach = known.reach.replace(until=known.reach.since, held=0)
        known = known.replace(response=None, reach=reach)
    if reply.thoughts:
        thoughts = {**standing.thoughts, reply.id: reply.thoughts}
        known = known.replace(thoughts=thoughts)
    return Keep(known, placed(standing, rows), kind=TURN)


def _reach_behind(standing: ChatStanding, job: TurnJob, reply: Reply, rows: int) -> Reach:
    """Up to the last of an answer's rows. A summary in the instructions is told for one turn less."""
    last = standing.next_place - 1 + rows
    # Of an answer in the background somebody may have said something since it was asked for.
    missed = standing.reach.missed if standing.waiting else ()
    held = standing.reach.held
    if standing.reach.context and job.keeps and standing.keeps:
        held = job.count(job.context())
    reach = standing.reach.replace(until=last, missed=missed, context=False, held=held)
    ends_turn = not reply.calls
    if ends_turn and reach.told_in == IN_INSTRUCTIONS and reach.told_for:
        reach = reach.replace(told_for=reach.told_for - 1)
    return reach


def kept_heard(standing: ChatStanding, text: str) -> Keep:
    """What was shown of an answer that was stopped, or broke off."""
    return Keep(standing, placed(standing, [heard_row(text)]))


def _kept_results(standing: ChatStanding, results: Sequence[ToolResult]) -> Keep:
    rows = [answer_row(result) for result in results]
    return Keep(standing, placed(standing, rows))


def _too_large(job: TurnJob) -> ExchangeFailure:
    return ExchangeFailure(
        TOO_LARGE,
        f"What is said in this turn alone has more than {job.limit:,} tokens.",
        "Say it in parts, or name a larger limit.",
    )


def _turn(  # noqa: PLR0913, PLR0917 (an argument for each thing that may end a turn)
    standing: ChatStanding,
    job: TurnJob,
    spent: _Spent,
    ended: str = ANSWERED_WELL,
    why: str = "",
    hint: str = "",
) -> Turn:
    return Turn(
        text=spent.text,
        ended=ended,
        why=why,
        hint=hint,
        usage=spent.usage,
        tokens=standing.tokens,
        results=spent.results,
        cache=spent.cache,
        response=standing.response,
    )
