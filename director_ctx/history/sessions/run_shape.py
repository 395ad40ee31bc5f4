"""The shape of a run: how much the model said in each turn, and how much came back to it; no words."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.messages.message import ASSISTANT, measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.history.messages.message import Message


class RunTurn(Record):
    """One request and what followed from it, in tokens."""

    answer: int
    """What the model said, its calls included."""
    results: int
    """What tools and the user said before the next request."""


class RunShape(Record):
    """One run from its first request on."""

    begin: int
    """Tokens of what was said before the model first answered."""
    turns: tuple[RunTurn, ...]


def run_shape(messages: Sequence[Message], count: Callable[[str], int]) -> RunShape:
    """Of a conversation. What clients write down as several messages of one answer is one turn."""
    measure(messages, count)
    begin = 0
    turns: list[RunTurn] = []
    group = ""
    is_answering = False
    for message in messages:
        if message.role != ASSISTANT:
            is_answering = False
            if turns:
                turns[-1] = _with_results(turns[-1], message.tokens)
            else:
                begin += message.tokens
            continue

        is_same_answer = message.group != "" and message.group == group
        if turns and (is_answering or is_same_answer):
            turns[-1] = _with_answer(turns[-1], message.tokens)
        else:
            turns.append(RunTurn(message.tokens, 0))
        group = message.group
        # Where nothing groups them, messages in a row are one answer.
        is_answering = not group
    return RunShape(begin, tuple(turns))


def _with_results(turn: RunTurn, tokens: int) -> RunTurn:
    return turn.replace(results=turn.results + tokens)


def _with_answer(turn: RunTurn, tokens: int) -> RunTurn:
    return turn.replace(answer=turn.answer + tokens)
