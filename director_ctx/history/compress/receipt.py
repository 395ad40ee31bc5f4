"""The receipt of a compression, made by comparing: every block that changed, where its original is,
and when it pays.
"""

from __future__ import annotations

from math import ceil

from director_ctx.base.hashing import shown
from director_ctx.base.record import Record, as_dict
from director_ctx.history.messages.message import ADDED, size
from director_ctx.history.messages.stubs import full_hash, locator
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Block, Message
    from director_ctx.history.messages.target import Aim


DROPPED, DIGESTED = "dropped", "digested"


class Cut(Record):
    """One block that is no longer as it was."""

    locator: str
    message: int
    block: int
    """Its number among the blocks of that message."""
    kind: str
    tool: str
    before: int
    after: int
    """Tokens; none if it was dropped."""
    action: str


class Receipt(Record):
    id: str
    """A whole hash."""
    format: str
    strategy: str
    counter: str
    target: int | None
    met: bool
    why_not: str
    tokens_in: int
    tokens_out: int
    cuts: tuple[Cut, ...]

    @property
    def short(self) -> str:
        """As people are shown its id."""
        return shown([self.id])[0]


def identity(named: str) -> str:
    """The same for the same compression."""
    return full_hash(named.encode())


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """As a receipt is printed and kept."""
    return {**as_dict(receipt), "cuts": [as_dict(cut) for cut in receipt.cuts]}


def cuts(before: Sequence[Message], after: Sequence[Message]) -> Iterator[Cut]:
    """What became of each block, in order, on both sides measured. What goes as a whole goes into a
    digest, if any.
    """
    has_digest = any(block.sources for message in after for block in message.blocks)
    gone = DIGESTED if has_digest else DROPPED
    kept = {message.index: message for message in after if message.index != ADDED}
    for message in before:
        now = kept.get(message.index)
        if now is message:
            continue
        blocks = now.blocks if now else []
        left = {block.at: block for block in blocks}
        dropped = gone if now is None else DROPPED
        for number, block in enumerate(message.blocks):
            block_now = left.get(block.at)
            if block_now is not block:
                yield _cut(message.index, number, block, block_now, dropped)


def _cut(message: int, number: int, block: Block, now: Block | None, dropped: str) -> Cut:
    tokens, action = 0, dropped
    if now:
        tokens, action = now.tokens, now.action or "changed"
    return Cut(
        locator(block),
        message,
        number,
        block.kind,
        block.tool,
        block.tokens,
        tokens,
        action,
    )


READ, WRITE = 0.1, 1.25
"""Of the price of a token that no cache knows: what a cached one costs, and one that goes into the
cache.
"""


def explain(
    before: Sequence[Message], after: Sequence[Message], aim: Aim, rows: Sequence[range]
) -> list[str]:
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
    """The request with which a cut has paid for itself, if the cache held everything; None if it
    never does.
    """
    saved = READ * (before - after)
    if saved <= 0:
        return None
    first = READ * prefix + WRITE * (after - prefix)
    return max(1, ceil((first - READ * after) / saved - 1e-9))


def pays(before: int, after: int, prefix: int) -> str:
    turns = break_even(before, after, prefix)
    if turns is None:
        return "It saves nothing."
    holds = "a provider's cache has to be made anew"
    if prefix:
        holds = f"a provider's cache holds for the first {prefix:,}"
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
    digests = len([message for message in after if message.index == ADDED])
    yield f"As they were: {whole:,} messages."
    if shorter:
        yield f"In place with less text: {shorter:,} messages."
    if gone and digests:
        yield f"Gone: {gone:,} messages; {digests:,} in their place stand for them."
    elif gone:
        yield f"Gone: {gone:,} messages."
