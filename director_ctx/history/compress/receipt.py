"""The receipt of a compression, made by comparing: every block that changed, where its original is,
and when it pays.
"""

from __future__ import annotations

from math import ceil

from director_ctx.base.hashing import shown
from director_ctx.base.record import Record, as_dict
from director_ctx.history.messages.message import ADDED, by_place, size
from director_ctx.history.messages.stubs import full_hash, locator
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.compress.decide import Shrunk
    from director_ctx.history.messages.message import Block, Message
    from director_ctx.history.messages.target import Aim


DROPPED, DIGESTED = "dropped", "digested"
DISABLED = "The settings have enabled: false, so everything stays as it is."
_ABOUT, _STANDS = 1.1, 200
"""Beside what is protected, a result has a digest of the rest. What has more than that, the
strategy did not cut.
"""


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


def receipt_of(shrunk: Shrunk, tokens: int, counter: str) -> Receipt:
    """`tokens` are those of the original, counted by this counter."""
    target = shrunk.aim.target
    left = size(shrunk.after)
    is_met = target is None or left <= target
    original = full_hash(shrunk.original)
    data = full_hash(shrunk.data)
    return Receipt(
        id=identity(f"{original} {data} {shrunk.strategy} {target} {counter}"),
        format=shrunk.before.format,
        strategy=shrunk.strategy,
        counter=counter,
        target=target,
        met=is_met,
        why_not="" if is_met else why_not(shrunk),
        tokens_in=tokens,
        tokens_out=left,
        cuts=tuple(cuts(shrunk.before.messages, shrunk.after)),
    )


def why_not(shrunk: Shrunk) -> str:
    """Why a target was not met."""
    aim = shrunk.aim
    if not aim.config.enabled:
        return DISABLED
    messages = shrunk.before.messages
    whole = size(messages[index] for index in protected(messages, aim))
    left = size(shrunk.after)

    is_all_protected = left <= whole * _ABOUT + _STANDS
    is_too_much = whole > (aim.target or 0)
    if is_too_much and is_all_protected:
        return f"what is protected alone has {whole:,} tokens."
    return f"{shrunk.strategy} cannot cut more than to {left:,}; {whole:,} tokens are protected."


def identity(named: str) -> str:
    """The same for the same compression."""
    return full_hash(named.encode())


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """As a receipt is printed and kept."""
    document = as_dict(receipt)
    document["cuts"] = [as_dict(cut) for cut in receipt.cuts]
    return document


def cuts(before: Sequence[Message], after: Sequence[Message]) -> Iterator[Cut]:
    """What became of each block, in order, on both sides measured. What goes as a whole goes into a
    digest, if any.
    """
    # Strategies keep no books: what they left alone is the same object, so comparing misses nothing.
    has_digest = any(block.sources for message in after for block in message.blocks)
    of_whole_messages = DIGESTED if has_digest else DROPPED
    after_by_index = _by_index(after)
    for message in before:
        now = after_by_index.get(message.index)
        if now is message:
            continue
        left = by_place(now.blocks) if now else {}
        action = DROPPED if now else of_whole_messages
        for number, block in enumerate(message.blocks):
            block_now = left.get(block.at)
            if block_now is not block:
                yield _cut(message.index, number, block, block_now, action)


def _by_index(messages: Sequence[Message]) -> dict[int, Message]:
    """Those of the original, by their places in it."""
    return {message.index: message for message in messages if message.index != ADDED}


def _cut(
    message: int,
    number: int,
    block: Block,
    now: Block | None,
    dropped: str,
) -> Cut:
    return Cut(
        locator=locator(block),
        message=message,
        block=number,
        kind=block.kind,
        tool=block.tool,
        before=block.tokens,
        after=now.tokens if now else 0,
        action=(now.action or "changed") if now else dropped,
    )


READ, WRITE = 0.1, 1.25
"""Of the price of a token that no cache knows: what a cached one costs, and one that goes into the
cache.
"""


def explain(
    before: Sequence[Message],
    after: Sequence[Message],
    aim: Aim,
    rows: Sequence[range],
) -> list[str]:
    """A sentence for each thing that matters."""
    cached = before[: unchanged(before, after)]
    return [
        _protected(before, aim, rows),
        *_what_became(before, after),
        pays(size(before), size(after), size(cached)),
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
    # The first request after a cut reads what the cache still holds, and writes the rest into it.
    first = READ * prefix + WRITE * (after - prefix)
    requests = (first - READ * after) / saved
    # What is whole but for a rounding error is not rounded up.
    return max(1, ceil(requests - 1e-9))


def pays(before: int, after: int, prefix: int) -> str:
    turns = break_even(before, after, prefix)
    if turns is None:
        return "It saves nothing."
    holds = "a provider's cache has to be made anew"
    if prefix:
        holds = f"a provider's cache holds for the first {prefix:,}"
    return f"Each request reads {before - after:,} tokens less; {holds}: it has paid from request {turns} on."


def _protected(
    before: Sequence[Message],
    aim: Aim,
    rows: Sequence[range],
) -> str:
    places = protected(before, aim, rows)
    tokens = size(before[index] for index in places)
    return (
        f"Not touched: {len(places):,} of {len(before):,} messages, {tokens:,} tokens (system, first words of the user,"
        " last turn, open calls, the last open error, what is to be kept)."
    )


def _what_became(before: Sequence[Message], after: Sequence[Message]) -> Iterator[str]:
    after_by_index = _by_index(after)
    whole = sum(after_by_index.get(message.index) is message for message in before)
    shorter = len(after_by_index) - whole
    gone = len(before) - len(after_by_index)
    digests = len(after) - len(after_by_index)
    yield f"As they were: {whole:,} messages."
    if shorter:
        yield f"In place with less text: {shorter:,} messages."
    if gone and digests:
        yield f"Gone: {gone:,} messages; {digests:,} in their place stand for them."
    elif gone:
        yield f"Gone: {gone:,} messages."
