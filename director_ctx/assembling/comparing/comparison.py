"""The ways of one context side by side, and what follows from the numbers."""

from __future__ import annotations

from director_ctx.assembling.comparing.ways import (
    NOTHING,
    Way,
    cost,
    requests,
    tokens_sent,
)
from director_ctx.base.record import Record
from director_ctx.context.settings.prices import MILLION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.assembling.comparing.ways import SentRequest
    from director_ctx.context.settings.prices import Price
    from director_ctx.history.sessions.run_shape import RunTurn

PUSH = "push"
PULL = "pull"
ALL = "pull all"
HYBRID = "hybrid"
EVERY = "every message"
REPLACED = "replaced"
MEANINGS = {
    PUSH: "the whole context before the first message",
    PULL: "a short prompt; the agent asks for what it says there",
    ALL: "the same prompt; the agent asks for the whole context",
    HYBRID: "the prompt with task, decisions and instructions; the agent asks for the notes",
    EVERY: "the context again with each message, and all of them stay",
    REPLACED: "the context again with each message, and only the newest stays",
}


class ContextSizes(Record):
    """What there is to push and to ask for, in tokens."""

    pushed: int
    prompt: int
    """The prompt that names the tools."""
    with_task: int | None
    """The same with the little that is pushed where both ways are used; None for an agent that has none
    of it.
    """
    tools: int
    """The tools, as the client shows them in the first request."""
    parts: tuple[RunTurn, ...]
    whole: tuple[RunTurn, ...]
    rest: tuple[RunTurn, ...]
    """What is asked for, and answered."""


class WayOutcome(Record):
    """One way over a whole run."""

    way: Way
    sent: tuple[SentRequest, ...]
    added: int
    """Tokens that it sends beside those of the same run without a context."""
    dollars: float | None

    @property
    def tokens(self) -> int:
        return tokens_sent(self.sent)

    @property
    def work(self) -> tuple[SentRequest, ...]:
        """The requests after those in which it only asks."""
        return self.sent[len(self.way.asking) :]


class ContextComparison(Record):
    """All ways, on one run."""

    sizes: ContextSizes
    base: int
    run: tuple[RunTurn, ...]
    price: Price | None
    outcomes: tuple[WayOutcome, ...]

    def of(self, name: str) -> WayOutcome:
        for outcome in self.outcomes:
            if outcome.way.name == name:
                return outcome
        raise LookupError(name)


def compared(
    sizes: ContextSizes, base: int, run: tuple[RunTurn, ...], price: Price | None
) -> ContextComparison:
    """Every way, judged on the same run."""
    bare = tokens_sent(requests(NOTHING, base, run))
    outcomes = []
    for way in ways(sizes):
        sent = requests(way, base, run)
        added = tokens_sent(sent) - bare
        outcomes.append(WayOutcome(way, sent, added, _dollars(sent, price)))
    return ContextComparison(sizes, base, run, price, tuple(outcomes))


def ways(sizes: ContextSizes) -> tuple[Way, ...]:
    pulled = sizes.prompt + sizes.tools
    asking = [Way(PULL, pulled, sizes.parts), Way(ALL, pulled, sizes.whole)]
    if sizes.with_task is not None:
        hybrid = sizes.with_task + sizes.tools
        asking.append(Way(HYBRID, hybrid, sizes.rest))
    return (
        Way(PUSH, sizes.pushed),
        *asking,
        Way(EVERY, each=sizes.pushed),
        Way(REPLACED, each=sizes.pushed, stays=False),
    )


def _dollars(sent: Sequence[SentRequest], price: Price | None) -> float | None:
    if price is None:
        return None
    return cost(sent, price)


def weight(sent: Sequence[SentRequest], price: Price | None) -> float:
    """What requests are judged by: dollars, or tokens where no price is known."""
    if price is None:
        return tokens_sent(sent)
    return cost(sent, price)


def cheaper_from(comparison: ContextComparison, name: str, other: str) -> int | None:
    """The turn from which on one way has cost less than the other, to the end; None where it has not."""
    spent = _spent_by_turn(comparison.of(name), comparison.price)
    spent_by_other = _spent_by_turn(comparison.of(other), comparison.price)
    since: int | None = None
    for turn, (own, others) in enumerate(zip(spent, spent_by_other, strict=True), 1):
        if own >= others:
            since = None
        elif since is None:
            since = turn
    return since


def _spent_by_turn(outcome: WayOutcome, price: Price | None) -> list[float]:
    """After each turn of the work, with everything that was asked before."""
    asked = len(outcome.way.asking)
    spent = weight(outcome.sent[:asked], price)
    after: list[float] = []
    for request in outcome.work:
        spent += weight((request,), price)
        after.append(spent)
    return after


def break_even(comparison: ContextComparison) -> int:
    """Tokens of a pushed context from which on it costs more than to ask for the same parts as here."""

    def of_push(size: int) -> float:
        sent = requests(Way(PUSH, size), comparison.base, comparison.run)
        return weight(sent, comparison.price)

    nothing = of_push(0)
    # What a push costs grows evenly with its size.
    of_many = of_push(MILLION) - nothing
    if of_many <= 0:
        return 0
    pulled = weight(comparison.of(PULL).sent, comparison.price)
    size = (pulled - nothing) * MILLION / of_many
    return max(0, round(size))


def saved(less: float, more: float) -> float:
    """The share by which one is less than the other, in percent; negative where it is more."""
    if not more:
        return 0.0
    return round((1 - less / more) * 100, 1)
