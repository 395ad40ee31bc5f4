"""A recorded conversation, led again as an agent's loop whose messages a `ContextManager` makes shorter before each
request. The model says and calls what it did, and tools answer what they did.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.chat.exchange import TurnUsage
from director_ctx.chat.replay import NO_ANSWER, Replayed, joined
from director_ctx.history.agents.manager import ContextManager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.chat.exchange import Reply
    from director_ctx.chat.job import TurnJob
    from director_ctx.chat.replay import RecordedTurn
    from director_ctx.history.strategies.config import ContextConfig

    Json = dict[str, Any]


class ManagedReplay:
    """One conversation on its way through, in the form of Chat Completions. Nothing is asked of anybody, and nothing
    is written.
    """

    def __init__(self, job: TurnJob, results: Mapping[str, str], config: ContextConfig) -> None:
        self._count = job.count
        self._results = results
        tools = dump(list(job.tools))
        self._beside = job.count(job.instructions) + job.count(tools)
        """Tokens of what goes along with each request."""
        self._manager = ContextManager(config, count=job.count, archive=False)
        self._limit = int(config.limit)

        self._whole: list[Json] = []
        """All messages, before any of them is made shorter."""
        self._sent: list[Json] = []
        """The messages of the last request."""
        self._sizes: list[int] = []
        self._usage = TurnUsage()
        self._cuts = 0

    def lead(self, turns: Sequence[RecordedTurn]) -> Replayed:
        failed = 0
        for turn in turns:
            self._whole.append({"role": "user", "content": turn.said})
            asked_before = len(self._sizes)
            for reply in joined(turn.answers):
                self._ask(reply)
            largest = max(self._sizes[asked_before:])
            if largest > self._limit:
                failed += 1

        said = [turn.said for turn in turns]
        told = 0
        for message in _of_user(self._sent):
            if message["content"] in said:
                told += 1
        return Replayed(tuple(self._sizes), self._usage, self._cuts, told, failed)

    def _ask(self, reply: Reply) -> None:
        fitted = self._manager.process_messages(list(self._whole), beside=self._beside)
        sent = [dict(message) for message in fitted]
        known = _common(self._sent, sent)
        if known < len(self._sent):
            self._cuts += 1

        tokens = self._beside + self._manager.tokens
        answer = _answer(reply)
        usage = TurnUsage(
            input=tokens,
            cached=self._cached(sent, known) if self._sizes else 0,
            output=self._count(dump(answer)),
            requests=1,
        )
        self._sizes.append(usage.input)
        self._usage = self._usage.plus(usage)
        self._sent = sent
        self._whole += [answer, *_results(reply, self._results)]

    def _cached(self, sent: Sequence[Json], known: int) -> int:
        """Of the manager's own number, the share of the messages that were sent before."""
        if not sent:
            return self._beside
        every = dump(list(sent))
        before = dump(list(sent[:known]))
        share = len(before) / len(every)
        return self._beside + int(self._manager.tokens * share)


def _common(before: Sequence[Json], now: Sequence[Json]) -> int:
    """So many messages at the beginning are the same, and a cache knows them."""
    number = 0
    for earlier, message in zip(before, now, strict=False):
        if earlier != message:
            break
        number += 1
    return number


def _of_user(messages: Sequence[Json]) -> list[Json]:
    return [message for message in messages if message["role"] == "user"]


def _answer(reply: Reply) -> Json:
    calls: list[Json] = []
    for use in reply.calls:
        function = {"name": use.name, "arguments": use.arguments}
        calls.append({"id": use.call, "type": "function", "function": function})
    answer: Json = {"role": "assistant", "content": reply.text}
    if calls:
        answer["tool_calls"] = calls
    return answer


def _results(reply: Reply, results: Mapping[str, str]) -> list[Json]:
    answered: list[Json] = []
    for use in reply.calls:
        text = results.get(use.call, NO_ANSWER)
        answered.append({"role": "tool", "tool_call_id": use.call, "content": text})
    return answered
