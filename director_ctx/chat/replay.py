"""A recorded conversation, led again as a chat: what each request would have been, and what the model would still
be told at the end; pure. The model says and calls what it did, and tools answer what they did.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.chat.exchange import Reply, ToolResult, ToolUse, TurnUsage
from director_ctx.chat.items import REFRESHED, locator, transcript
from director_ctx.chat.job import RESETS
from director_ctx.chat.reach import USER, ChatStanding, verbatim
from director_ctx.chat.steps import UNDONE, Ask, Keep, SumUp, UseTools
from director_ctx.chat.turn import take_turn
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, TEXT, has_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.chat.exchange import Asked
    from director_ctx.chat.job import TurnJob
    from director_ctx.chat.steps import TurnStep
    from director_ctx.history.messages.message import Message
    from director_ctx.memory.conversations.chat_records import ChatRow

    SumUpRows = Callable[[Sequence[ChatRow]], str]

NO_ANSWER = "(no answer is recorded)"


class RecordedTurn(Record):
    """What the user said, and every answer of the model until the user spoke again."""

    said: str
    answers: tuple[Reply, ...]


class Replayed(Record):
    """What came of a conversation that was led again."""

    sizes: tuple[int, ...]
    """Tokens of each request, with all that it stood on."""
    usage: TurnUsage
    resets: int
    told: int
    """Of the turns, those that the model still reads word for word in the end."""
    failed: int = 0
    """Turns that are too large for the limit by themselves."""


def recorded_turns(messages: Sequence[Message]) -> tuple[list[RecordedTurn], dict[str, str]]:
    """The turns of a conversation, and what each call was answered, by its id."""
    results: dict[str, str] = {}
    turns: list[RecordedTurn] = []
    for number, message in enumerate(messages):
        for block in message.blocks:
            if block.kind == RESULT:
                results[block.call] = block.text

        if message.role == ASSISTANT:
            _add_answer(turns, message, number)
        elif message.role == USER and not has_kind(message.blocks, RESULT):
            said = _words_of(message)
            if said.strip():
                turns.append(RecordedTurn(said, ()))
    return turns, results


def _words_of(message: Message) -> str:
    return "\n".join(block.text for block in message.blocks if block.kind == TEXT)


def _add_answer(turns: list[RecordedTurn], message: Message, number: int) -> None:
    if not turns:
        return
    calls: list[ToolUse] = []
    for block in message.blocks:
        if block.kind == CALL:
            calls.append(ToolUse(block.call, block.tool, block.text))
    reply = Reply(f"recorded {number}", _words_of(message), tuple(calls))

    turn = turns.pop()
    turns.append(turn.replace(answers=(*turn.answers, reply)))


class Replay:
    """One conversation on its way through. Everything is in memory, and nothing is asked of anybody."""

    def __init__(self, job: TurnJob, results: dict[str, str], sum_up: SumUpRows) -> None:
        self._job = job
        self._results = results
        self._sum_up = sum_up
        self._standing = ChatStanding("replay")
        self._answers: list[Reply] = []
        """What the model still says in this turn."""
        self._sizes: list[int] = []
        self._usage = TurnUsage()
        self._resets = 0
        self._failed = 0

    def lead(self, turns: Sequence[RecordedTurn]) -> Replayed:
        for turn in turns:
            # What a model says without calls ends a turn: several in a row are one.
            self._answers = joined(turn.answers)
            self._take(turn.said)

        told = [row for row in verbatim(self._standing) if row.role == USER]
        return Replayed(tuple(self._sizes), self._usage, self._resets, len(told), self._failed)

    def _take(self, said: str) -> None:
        steps = take_turn(self._standing, self._job, said)
        came: object = None
        try:
            while True:
                came = self._carry_out(steps.send(came))
        except StopIteration as end:
            self._failed += end.value.ended == "failed"

    def _carry_out(self, step: TurnStep) -> object:
        if isinstance(step, Keep):
            return self._keep(step)
        if isinstance(step, Ask):
            return self._answer(step.asked)
        if isinstance(step, UseTools):
            return tuple(self._result(use) for use in step.uses), 0.0
        if isinstance(step, SumUp):
            return "replayed", self._sum_up(step.rows), locator(transcript(step.rows))
        return None

    def _keep(self, step: Keep) -> ChatStanding:
        self._resets += step.kind in RESETS
        self._resets -= step.kind == UNDONE
        rows = (*self._standing.rows, *step.rows)
        self._standing = step.standing.replace(rows=rows)
        return self._standing

    def _result(self, use: ToolUse) -> ToolResult:
        text = self._results.get(use.call, NO_ANSWER)
        if use.call.startswith(REFRESHED):
            text = self._job.context()
        return ToolResult(use, text)

    def _answer(self, asked: Asked) -> Reply:
        count = self._job.count
        new = count(dump(list(asked.items)))
        known = self._standing.tokens
        if not asked.previous:
            tools = dump(list(asked.tools))
            known = count(asked.instructions) + count(tools)
        # The first request of all is new to the cache.
        cached = known if self._sizes else 0

        reply = self._next_reply(asked)
        said = count(reply.text)
        for use in reply.calls:
            said += count(use.arguments)
        usage = TurnUsage(
            input=known + new,
            cached=cached,
            output=said,
            requests=1,
        )
        self._sizes.append(usage.input)
        self._usage = self._usage.plus(usage)
        return reply.replace(usage=usage, id=f"replay {len(self._sizes)}")

    def _next_reply(self, asked: Asked) -> Reply:
        reply = Reply("recorded end", NO_ANSWER)
        if self._answers:
            reply = self._answers.pop(0)
        if not asked.may_call:
            reply = reply.replace(calls=(), text=reply.text or NO_ANSWER)
        return reply


def joined(answers: Sequence[Reply]) -> list[Reply]:
    """Words before calls go with them, so that only the last answer has none."""
    joined: list[Reply] = []
    words = ""
    for reply in answers:
        words = "\n\n".join(filter(None, (words, reply.text)))
        if reply.calls:
            joined.append(reply.replace(text=words))
            words = ""
    return [*joined, Reply("recorded end", words or NO_ANSWER)]
