"""What was decided, and when it pays: a provider reads its cache at a tenth of the price, and writing costs more."""

from __future__ import annotations

from math import ceil

from director_ctx.history.messages.message import ADDED, size
from director_ctx.history.strategies.protected import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim

READ, WRITE = 0.1, 1.25
"""Of the price of a token that no cache knows: what a cached one costs, and one that goes into the cache."""


def explain(before: Sequence[Message], after: Sequence[Message], aim: Aim, rows: Sequence[range]) -> list[str]:
    """A sentence for each thing that matters."""
    return [
        _protected(before, aim, rows),
        *_kept(before, after),
        pays(size(before), size(after), size(before[: unchanged(before, after)])),
    ]


def unchanged(before: Sequence[Message], after: Sequence[Message]) -> int:
    """How many messages at the start are as they were."""
    same = 0
    for old, new in zip(before, after, strict=False):
        if old is not new:
            break
        same += 1
    return same


def break_even(before: int, after: int, prefix: int) -> int | None:
    """The request with which a cut has paid for itself, if the cache held everything; None if it never does."""
    saved = READ * (before - after)
    if saved <= 0:
        return None
    first = READ * prefix + WRITE * (after - prefix)
    return max(1, ceil((first - READ * after) / saved - 1e-9))


def pays(before: int, after: int, prefix: int) -> str:
    turns = break_even(before, after, prefix)
    if turns is None:
        return "It saves nothing."
    holds = f"a provider's cache holds for the first {prefix:,}" if prefix else "a provider's cache has to be made anew"
    return f"Each request reads {before - after:,} tokens less; {holds}: it has paid from request {turns} on."


def _protected(before: Sequence[Message], aim: Aim, rows: Sequence[range]) -> str:
    safe = protected(before, aim, rows)
    tokens = size(before[place] for place in safe)
    return (
        f"Not touched: {len(safe):,} of {len(before):,} messages, {tokens:,} tokens (system, first words of the user,"
        " last turn, open calls, the last open error, what is to be kept)."
    )


def _kept(before: Sequence[Message], after: Sequence[Message]) -> Iterator[str]:
    there = {message.index: message for message in after if message.index != ADDED}
    whole = sum(there.get(message.index) is message for message in before)
    shorter = len(there) - whole
    gone = len(before) - len(there)
    digests = sum(message.index == ADDED for message in after)
    yield f"As they were: {whole:,} messages."
    if shorter:
        yield f"In place with less text: {shorter:,} messages."
    if gone:
        yield f"Gone: {gone:,} messages" + (f"; {digests:,} in their place stand for them." if digests else ".")
