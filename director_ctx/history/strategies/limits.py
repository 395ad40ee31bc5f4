"""What may go out at most. Where a strategy leaves more, others are tried: a limit holds wherever
it can be held.
"""

from __future__ import annotations

from itertools import chain

from director_ctx.base.record import Record
from director_ctx.history.messages.message import size
from director_ctx.history.strategies.config import STRATEGIES
from director_ctx.history.strategies.keep import protected
from director_ctx.history.strategies.shrink import AUTO, DEEP, shrink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim

HALVINGS = 6
"""So often its target is halved, where there are too many messages."""


class Limits(Record):
    """How much a model is to be given."""

    tokens: int
    messages: int = 0
    """None means: any number."""

    def with_room(self, tokens: int) -> Limits:
        """Where there has to be room for so many more."""
        return self.replace(tokens=self.tokens - tokens)

    def hold(self, messages: Sequence[Message]) -> bool:
        return self.count_holds(messages) and size(messages) <= self.tokens

    def count_holds(self, messages: Sequence[Message]) -> bool:
        return not self.messages or len(messages) <= self.messages


def within(
    messages: Sequence[Message],
    shortened: list[Message],
    aim: Aim,
    limits: Limits,
) -> list[Message]:
    """What was `shortened` as asked for, if that is little enough; else the first that is, or the
    smallest that there is.
    """
    if limits.hold(shortened):
        return shortened

    target = min(aim.target or limits.tokens, limits.tokens)
    other_results = chain(
        by_others(messages, aim, target, limits.tokens),
        by_halving(messages, aim, target, limits),
    )
    smallest = shortened
    for _, other in other_results:
        if limits.hold(other):
            return other
        if size(other) < size(smallest):
            smallest = other
    return smallest


def by_others(
    messages: Sequence[Message],
    aim: Aim,
    target: int,
    limit: int,
) -> Iterator[tuple[str, list[Message]]]:
    """What every strategy makes of it with a target, by its name, the likeliest first."""
    aim = aim.replace(target=target)
    # First, because it reaches a target if anything does.
    yield DEEP, shrink(messages, DEEP, aim)

    # What is protected stays with every strategy, so no other can hold the limit, either.
    if protected_tokens(messages, aim) > limit:
        return
    for name in STRATEGIES:
        if name not in (DEEP, AUTO):
            yield name, shrink(messages, name, aim)


def by_halving(
    messages: Sequence[Message],
    aim: Aim,
    target: int,
    limits: Limits,
) -> Iterator[tuple[str, list[Message]]]:
    """With smaller and smaller targets, where it is the number of messages that is too large."""
    if not limits.messages:
        return
    target = min(target, size(messages))
    for _ in range(HALVINGS):
        target = max(1, target // 2)
        smaller = aim.replace(target=target)
        yield DEEP, shrink(messages, DEEP, smaller)


def pays(now: int, left: int, limit: int, target: int) -> bool:
    """Whether a cut from `now` to `left` tokens is worth a provider's cache: whoever gets below a
    limit that is passed may cut; else a little less is not worth it.
    """
    rescues = left <= limit < now
    saves_enough = left <= now - step(limit, target)
    return rescues or saves_enough


def step(limit: int, target: int) -> int:
    """How much has to come before a cut that could not reach the target is tried again."""
    return max(1, min(limit // 8, (limit - target) // 4))


def protected_tokens(messages: Sequence[Message], aim: Aim) -> int:
    """Of what no strategy touches."""
    return size(messages[index] for index in protected(messages, aim))
