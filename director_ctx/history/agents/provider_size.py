"""How a provider counts in a conversation, by what it said of its own answers: they are in it."""

from __future__ import annotations

from director_ctx.context.tokens.by_provider import as_counted, as_provider, factor_of
from director_ctx.history.agents.originals import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message

ANSWERS = 8
"""So many of the newest are asked. The largest factor counts, so that a limit holds."""
TELLING = 0.25
"""How much a factor has to change before it is said again."""


class ProviderCount:
    """How the provider counts in the conversation that was seen last."""

    def __init__(self, counter: str) -> None:
        self._counter = counter
        self._told = 1.0
        self.factor = 1.0
        """Its tokens for each of our counter."""

    def learn(self, messages: Sequence[Message], beside: int, since: int) -> None:
        """From answers among these messages; said once it makes a difference."""
        self.factor = factor_in(messages, beside, since)
        if abs(self.factor - self._told) > TELLING * self._told:
            self._told = self.factor
            log().info(
                "The provider counts %.2f tokens for each of %s.", self.factor, self._counter
            )

    def as_provider(self, tokens: int) -> int:
        return as_provider(tokens, self.factor)

    def as_counted(self, tokens: int) -> int:
        return as_counted(tokens, self.factor)


def factor_in(messages: Sequence[Message], beside: int, since: int) -> float:
    """The provider's tokens for each of our counter; 1 where no answer says. `messages` are as they
    go out, and were sent like that since the place `since` of the original.
    """
    newest = list(_factors(messages, beside, since))[-ANSWERS:]
    return max(newest, default=1.0)


def _factors(messages: Sequence[Message], beside: int, since: int) -> Iterator[float]:
    counted = beside
    for message in messages:
        by_provider = _input_tokens(message.raw)
        # What an answer before a cut was made from is not what goes out now.
        if by_provider and message.index >= since:
            factor = factor_of(by_provider, counted)
            if factor is not None:
                yield factor
        for block in message.blocks:
            counted += block.tokens


def _input_tokens(raw: Any) -> int:
    """What an answer of LangChain says of the request that it answers."""
    usage = getattr(raw, "usage_metadata", None)
    if not isinstance(usage, dict):
        return 0
    tokens = usage.get("input_tokens")
    if isinstance(tokens, int):
        return tokens
    return 0
