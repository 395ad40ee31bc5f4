"""One run of an agent, with its context given in one way: every request, and what the provider's cache
makes of it.

A request is everything so far. The cache knows what the request before it had, and keeps what is new.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.settings.prices import MILLION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.context.settings.prices import Price
    from director_ctx.history.sessions.run_shape import RunTurn


class Way(Record):
    """How a context reaches an agent, in tokens."""

    name: str
    first: int = 0
    """What it adds to the first request."""
    asking: tuple[RunTurn, ...] = ()
    """Turns before the work begins: a call, and what answers it."""
    each: int = 0
    """What it adds to every message."""
    stays: bool = True
    """Whether what came with a message is still there at the next one."""


NOTHING = Way("nothing")
"""The same run without any context, against which the others are held."""


class SentRequest(Record):
    """One request, by what it costs to send it, and its answer."""

    read: int
    """Known to the cache."""
    written: int
    """New, and kept by the cache."""
    plain: int
    """New, and taken out again before the next request."""
    answer: int

    @property
    def tokens(self) -> int:
        """What the model is sent."""
        return self.read + self.written + self.plain


def requests(way: Way, base: int, run: Sequence[RunTurn]) -> tuple[SentRequest, ...]:
    """Every request of a run. `base` is what each of them begins with, in whatever way: the client's own
    prompt and tools, and what the user said first.
    """
    sent: list[SentRequest] = []
    window = base + way.first
    known = 0
    for turn in (*way.asking, *run):
        passing = way.each
        if way.stays:
            window += way.each
            passing = 0
        sent.append(SentRequest(known, window - known, passing, turn.answer))
        known = window
        window += turn.answer + turn.results
    return tuple(sent)


def tokens_sent(sent: Sequence[SentRequest]) -> int:
    return sum(request.tokens for request in sent)


def cost(sent: Sequence[SentRequest], price: Price) -> float:
    """Dollars."""
    total = 0.0
    for request in sent:
        total += request.read * price.cache_read
        total += request.written * price.cache_write
        total += request.plain * price.input
        total += request.answer * price.output
    return total / MILLION
