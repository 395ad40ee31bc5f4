"""What a comparison says: as JSON, and in sentences."""

from __future__ import annotations

from director_ctx.assembling.comparing.comparison import (
    ALL,
    EVERY,
    HYBRID,
    MEANINGS,
    PULL,
    PUSH,
    REPLACED,
    break_even,
    cheaper_from,
    saved,
)
from director_ctx.assembling.comparing.tool_lists import MEASURED
from director_ctx.base.record import Record, as_dict
from director_ctx.base.text import counted
from director_ctx.context.settings.pulled import PULL_OPTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.assembling.comparing.asked import Asked, AskedCalls
    from director_ctx.assembling.comparing.comparison import ContextComparison, WayOutcome
    from director_ctx.assembling.comparing.tool_lists import ToolList
    from director_ctx.context.settings.budget import Counter

    Object = dict[str, Any]


TIE = 0.5
"""Percent. Who asks for a little more or less makes a larger difference."""


class ComparisonReport(Record):
    """One comparison, and everything that it is of."""

    agent: str
    task: Object | None
    client: ToolList
    run: str
    """The name of the recorded run, or of a session."""
    model: str
    window: int | None
    """The model's, where it is known."""
    prices_read: str
    """When the table was compared with the provider's page; empty where the price is the user's own."""
    priced: tuple[str, ...]
    """The models whose price is known."""
    counter: Counter
    asked: AskedCalls
    comparison: ContextComparison

    @property
    def turns(self) -> int:
        return len(self.comparison.run)

    def as_json(self) -> Object:
        """The shape of `dctx compare --json`."""
        comparison = self.comparison
        price = None
        if comparison.price:
            price = {
                **as_dict(comparison.price),
                "model": self.model,
                "read": self.prices_read or None,
            }
        return {
            "agent": self.agent,
            "task": self.task,
            "client": _client_json(self.client),
            "run": {"name": self.run, "turns": self.turns},
            "counter": as_dict(self.counter),
            "price": price,
            "context_tokens": comparison.sizes.pushed,
            "tools_tokens": comparison.sizes.tools,
            "base_tokens": comparison.base,
            "ways": [self._way_json(outcome) for outcome in comparison.outcomes],
            "pull_is_cheaper_from_turn": cheaper_from(comparison, PULL, PUSH),
            "pull_is_cheaper_from_context_tokens": break_even(comparison),
            "says": self.sentences(),
        }

    def _way_json(self, outcome: WayOutcome) -> Object:
        return {
            "way": outcome.way.name,
            "means": MEANINGS[outcome.way.name],
            "asks": [[name, dict(given)] for name, given in self.calls(outcome.way.name)],
            "first_request": outcome.sent[0].tokens,
            "after_turn": [request.tokens for request in outcome.work],
            "requests": len(outcome.sent),
            "tokens_sent": outcome.tokens,
            "tokens_added": outcome.added,
            "dollars": outcome.dollars,
        }

    def calls(self, way: str) -> tuple[Asked, ...]:
        """What an agent asks for before it works."""
        by_way = {PULL: self.asked.parts, ALL: self.asked.whole, HYBRID: self.asked.rest}
        return tuple(by_way.get(way, ()))

    def sentences(self) -> list[str]:
        """When pull wins here, when it does not, and what of the seed's claim is true here."""
        return [self._push_or_pull(), self._cheapest(), self._size(), self._every_message()]

    def _push_or_pull(self) -> str:
        push = self.comparison.of(PUSH)
        pull = self.comparison.of(PULL)
        less = saved(_spent(pull), _spent(push))
        over = f"over {counted(self.turns, 'turn')}"
        if self.comparison.price is None:
            fewer = _less(pull.tokens, push.tokens)
            return (
                f"Only tokens are compared, without a price: pull sends {fewer} than push {over}."
            )
        if abs(less) < TIE:
            return f"Here push and pull cost the same {over}, within {TIE}%."
        turn = cheaper_from(self.comparison, PULL, PUSH)
        if turn is None:
            return f"Here push is cheaper: pull costs {-less:.1f}% more {over}, for the requests in which it asks."
        return f"Here pull is cheaper from turn {turn} on: by {less:.1f}% {over}."

    def _cheapest(self) -> str:
        push = self.comparison.of(PUSH)
        least = min(self.comparison.outcomes, key=_spent)
        if least.way.name == PUSH:
            return "No other way is cheaper here than push."
        less = saved(_spent(least), _spent(push))
        if least.dollars is None:
            return f"The fewest tokens here are sent by {least.way.name}: {less:.1f}% fewer than by push."
        return (
            f"The cheapest here is {least.way.name}: {less:.1f}% less than push{self._how(least)}."
        )

    def _how(self, least: WayOutcome) -> str:
        """The command for a way that no option is called after."""
        if least.way.name != HYBRID:
            return ""
        command = f"dctx assemble {self.agent} {PULL_OPTIONS}"
        return f"; `{command}`"

    def _size(self) -> str:
        size = break_even(self.comparison)
        pushed = self.comparison.sizes.pushed
        return (
            f"On this run pull {_is_better(self)} once the context is larger than {size:,} tokens, if the agent asks"
            f" for no more than it does here; this context has {pushed:,}."
        )

    def _every_message(self) -> str:
        pull = self.comparison.of(PULL)
        every = self.comparison.of(EVERY)
        replaced = self.comparison.of(REPLACED)
        added = _less(pull.added, every.added)
        whole = _less(pull.tokens, every.tokens)
        against_replaced = _less(pull.added, replaced.added)
        return (
            f"Against a context in every message, pull sends {added} tokens of context, and {whole} of"
            f" everything. Against a context that replaces the one before it, pull sends {against_replaced}"
            " tokens of context."
        )

    def remarks(self) -> list[str]:
        """How far the numbers are to be trusted."""
        client = self.client
        if client.version:
            measured = f"{client.title} {client.version}, measured {MEASURED}."
        else:
            measured = (
                f"{client.title} was not measured: it is taken to show all tools to the model."
            )
        asked = "; ".join(_call(call) for call in self.asked.parts)
        lines = [f"Pull asks: {asked}.", measured]
        if self.comparison.price is None:
            model = self.model or "a model"
            lines.append(
                f"No price of {model} is known: name a --model of these, or give --prices."
            )
            lines.append(f"Known models: {', '.join(self.priced)}.")
        elif self.prices_read:
            lines.append(
                f"Prices of {self.model}, read {self.prices_read}; `dctx profiles --prices`."
            )
        else:
            lines.append(f"Prices of {self.model}: your own.")
        return [*lines, *self._outgrown()]

    def _outgrown(self) -> list[str]:
        """The ways in which no model could have gone on."""
        if self.window is None:
            return []
        lines = []
        for outcome in self.comparison.outcomes:
            sizes = [request.tokens for request in outcome.work]
            if sizes[-1] > self.window:
                turns = sum(size <= self.window for size in sizes)
                name = outcome.way.name.capitalize()
                lines.append(
                    f"{name}: the window of {self.window:,} tokens is full after turn {turns}."
                )
        return lines


def _is_better(report: ComparisonReport) -> str:
    if report.comparison.price is None:
        return "sends fewer tokens"
    return "is cheaper"


def _less(tokens: int, others: int) -> str:
    """By how much there are fewer, or more."""
    percent = saved(tokens, others)
    if percent < 0:
        return f"{-percent:.0f}% more"
    # Rounded down: of much, a little is always left.
    return f"{int(percent)}% fewer"


def _spent(outcome: WayOutcome) -> float:
    if outcome.dollars is None:
        return outcome.tokens
    return outcome.dollars


def _call(call: Asked) -> str:
    name, given = call
    sections = given.get("sections")
    if sections:
        return f"{name} ({', '.join(sections)})"
    return name


def _client_json(client: ToolList) -> Object:
    shown: Object = {"name": client.client, "version": None, "measured": None}
    if client.version:
        shown["version"] = client.version
        shown["measured"] = MEASURED
    return {**shown, "deferred": client.deferred}
