"""One turn, from what the user says to what the model answers, as a sequence of steps; pure. Whoever carries
a step out gives back what came of it, in a thread or in an event loop, and decides nothing.

Everything is kept before the next thing is done, so a turn can end anywhere. What it left open, a call that
was not answered or words that were never sent, is put right at the beginning of the next one.
"""

from __future__ import annotations

from director_ctx.chat.compaction import (
    is_due,
    made_smaller,
    may_fit,
    plan_reset,
    reset,
    taken_back,
    with_room,
)
from director_ctx.chat.exchange import (
    BROKEN,
    KEEPS_NOTHING,
    REFUSAL,
    TOO_LARGE,
    UNFINISHED,
    UNKNOWN_ID,
    ExchangeFailure,
    Reply,
    ToolResult,
    TurnJob,
)
from director_ctx.chat.request import asked, size
from director_ctx.chat.state import (
    ASSISTANT,
    BEGUN,
    IN_INSTRUCTIONS,
    TURN,
    USER,
    WAITING,
    ChatState,
    answer_row,
    call_row,
    placed,
    stub_row,
    unanswered,
    verbatim,
)
from director_ctx.chat.steps import (
    CUT_OFF,
    FAILED,
    LIMITED,
    Ask,
    Keep,
    Poll,
    Tell,
    Turn,
    TurnStep,
    UseTools,
)
from director_ctx.memory.conversations.chat_records import ChatRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import Any

    from director_ctx.chat.compaction import Part

    Steps = Generator[TurnStep, Any, Turn]
    Answered = Reply | ExchangeFailure

TRIES = 3
"""Times that one request is put right and sent again."""
FRESH = {
    UNKNOWN_ID: "The provider no longer knows this conversation; it begins afresh, with what was said before.",
    KEEPS_NOTHING: "The provider keeps no conversations; everything is sent each time.",
    BROKEN: "The provider could not go on with what it had kept; it begins afresh.",
}
"""What is told to the user where a conversation goes on, but not from where it was."""
OVER_LIMIT = "This was not carried out: {limit}. Say what you know, and what is left to do."
GO_ON = "Say 'Go on.', and it goes on."
_TOO_LONG = ("The answer was cut off: it has as many tokens as an answer may have.", GO_ON)
_WHY_CUT = {
    "max_output_tokens": _TOO_LONG,
    "max_tokens": _TOO_LONG,
    "content_filter": (
        "The answer was cut off: a filter of the provider stopped it.",
        "Say it in other words.",
    ),
    REFUSAL: ("The model refused to answer.", "Say it in other words."),
    "pause_turn": ("The answer was cut off: the provider paused it.", GO_ON),
    "model_context_window_exceeded": (
        "The answer was cut off: the model's window is full.",
        "/compress makes the conversation smaller; so does a smaller chat.limit in dctx.yaml.",
    ),
}
"""By what providers say."""


def take_turn(state: ChatState, job: TurnJob, said: str) -> Steps:
    """The whole of a turn."""
    state = yield from _begun(state, job, said)
    begun = state
    if is_due(state, job) and may_fit(state, job):
        state = yield from reset(state, job, plan_reset(state, job))

    turn = Turn("")
    spent = 0.0
    for number in range(1, job.limits.rounds + 1):
        is_last = number == job.limits.rounds
        state, reply = yield from _answer(state, job, may_call=not is_last)
        if isinstance(reply, ExchangeFailure):
            state = yield from _after(reply, state, begun)
            turn = turn.replace(text=reply.heard or turn.text)
            return _ended(turn, state, FAILED, reply.why, reply.hint)
        turn = turn.replace(text=reply.text or turn.text, usage=turn.usage.plus(reply.usage))
        spent += reply.seconds
        state = yield _kept_answer(state, job, reply)
        if not reply.calls:
            why, hint = _why_incomplete(reply)
            return _ended(turn, state, CUT_OFF if why else turn.ended, why, hint)

        limit = ""
        if spent >= job.limits.seconds:
            limit = f"the turn took longer than {job.limits.seconds:,.0f} seconds"
        if is_last:
            limit = f"a turn has at most {job.limits.rounds} requests"
        if limit:
            text = OVER_LIMIT.format(limit=limit)
            refused = [ToolResult(use, text, is_error=True) for use in reply.calls]
            state = yield _kept_results(state, refused)
            return _ended(turn, state, LIMITED, f"It stopped: {limit}.", GO_ON)
        results, seconds = yield UseTools(reply.calls)
        state = yield _kept_results(state, results)
        turn = turn.replace(results=(*turn.results, *results))
        spent += seconds
    raise AssertionError("the last request ends a turn")


def _ended(turn: Turn, state: ChatState, ended: str, why: str, hint: str) -> Turn:
    return turn.replace(
        ended=ended, why=why, hint=hint, tokens=state.tokens, response=state.response
    )


def _why_incomplete(reply: Reply) -> tuple[str, str]:
    """A sentence and a hint; empty ones for an answer that is whole."""
    if reply.cut:
        unknown = (f"The answer was cut off: {reply.cut.replace('_', ' ')}.", GO_ON)
        why, hint = _WHY_CUT.get(reply.cut, unknown)
        if reply.lost_call:
            why += " A call of a tool was cut off with it, and was not carried out."
        return why, hint
    if not reply.text.strip():
        return "The model answered nothing.", "Say it again, or in other words."
    return "", ""


def _after(failure: ExchangeFailure, state: ChatState, begun: ChatState) -> Part:
    """What stays of a turn that is not answered to its end. `begun` is the chat at its beginning."""
    if failure.kind == TOO_LARGE:
        state = yield from taken_back(state, begun)
    elif failure.heard.strip():
        state = yield kept_heard(state, failure.heard)
    return state


def _begun(state: ChatState, job: TurnJob, said: str) -> Part:
    """What the last turn left open is closed, and what the user says now is kept."""
    if state.waiting:
        # The answer that an earlier program did not wait for.
        reply = yield Poll(state.response or "")
        if isinstance(reply, ExchangeFailure):
            yield Tell(f"An answer that was waited for did not come: {reply.why}")
            lost = state.at(until=0, held=0).replace(waiting=False, response=None)
            state = yield Keep(lost, kind=TURN)
        else:
            state = yield _kept_answer(state, job, reply)
    state = state.replace(thoughts={}, resets=(), others=())
    stubs = [stub_row(row) for row in unanswered(verbatim(state))]
    rows = [*stubs, ChatRow(0, USER, said)]
    # From its first point on a chat can be gone on with, also where it is never answered.
    state = yield Keep(state, placed(state, rows), kind=BEGUN)
    return state


def _answer(
    state: ChatState, job: TurnJob, may_call: bool
) -> Generator[TurnStep, Any, tuple[ChatState, Answered]]:
    """One answer; a request that cannot be made as it is, is made in another way."""
    reply: Answered = ExchangeFailure(TOO_LARGE, "")
    for _ in range(TRIES):
        state = yield from with_room(state, job)
        request = asked(state, job, may_call)
        tokens = size(request, state, job)
        if tokens > job.limit:
            return state, ExchangeFailure(
                TOO_LARGE,
                f"What is said in this turn alone has more than {job.limit:,} tokens.",
                "Say it in parts, or name a larger limit.",
            )
        reply = yield Ask(request)
        if isinstance(reply, Reply) and reply.status in UNFINISHED:
            waiting = state.at(missed=()).replace(response=reply.id, waiting=True)
            state = yield Keep(waiting, kind=WAITING)
            reply = yield Poll(reply.id)
        if isinstance(reply, Reply):
            # Our own number, where a provider gives none.
            usage = reply.usage.replace(input=reply.usage.input or tokens)
            return state, reply.replace(usage=usage)

        if reply.kind in FRESH and request.previous:
            yield Tell(FRESH[reply.kind])
            state = state.afresh()
            if reply.kind == KEEPS_NOTHING:
                state = state.replace(keeps=False)
        elif reply.kind == TOO_LARGE:
            smaller = yield from made_smaller(state, job)
            if smaller is state:
                return state, reply
            state = smaller
        else:
            if state.waiting:
                state = yield Keep(state.afresh(), kind=TURN)
            return state, reply
    return state, reply


def _kept_answer(state: ChatState, job: TurnJob, reply: Reply) -> Keep:
    """What the model said and wants; from here on the provider knows everything."""
    rows: list[ChatRow] = []
    if reply.text.strip():
        rows.append(ChatRow(0, ASSISTANT, reply.text, response=reply.id))
    rows += [call_row(use, reply.id) for use in reply.calls]
    if rows:
        rows[0] = rows[0].replace(usage=reply.usage.as_json())

    cursor = state.cursor
    known = state.at(
        until=state.next_place - 1 + len(rows),
        # Of an answer in the background somebody may have said something since it was asked for.
        missed=cursor.missed if state.waiting else (),
        context=False,
    ).replace(response=reply.id, tokens=reply.usage.input + reply.usage.output, waiting=False)
    if cursor.context and job.keeps and state.keeps:
        known = known.at(held=job.count(job.context()))
    if not reply.calls and cursor.told_in == IN_INSTRUCTIONS and cursor.told_for:
        # A summary in the instructions is told for one turn less.
        known = known.at(told_for=cursor.told_for - 1)
    if reply.lost_call:
        # The provider would wait for its result.
        known = known.at(until=cursor.since, held=0).replace(response=None)
    if reply.thoughts:
        known = known.replace(thoughts={**state.thoughts, reply.id: reply.thoughts})
    return Keep(known, placed(state, rows), kind=TURN)


def kept_heard(state: ChatState, text: str) -> Keep:
    """What was shown of an answer that was stopped, or broke off: no id of the provider stands for it."""
    return Keep(state, placed(state, [ChatRow(0, ASSISTANT, text)]))


def _kept_results(state: ChatState, results: Sequence[ToolResult]) -> Keep:
    return Keep(state, placed(state, list(map(answer_row, results))))
