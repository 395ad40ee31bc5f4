"""What goes to a provider and what comes back, whichever provider it is, and the settings of a turn; values."""

from __future__ import annotations

from director_ctx.base.record import Record, as_dict
from director_ctx.context.settings.budget import URGENT, count_chars
from director_ctx.context.settings.chat import SUMMARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Item = dict[str, Any]
    """As the Responses API has them: a message, a call, what answers it."""

INCOMPLETE = "incomplete"
UNFINISHED = ("queued", "in_progress")

# Kinds of failure.
UNKNOWN_ID = "unknown id"
"""The provider does not know the answer that the request stands on."""
KEEPS_NOTHING = "keeps nothing"
"""The provider knows no such ids at all."""
TOO_LARGE = "too large"
BROKEN = "broken"
"""What the provider has kept cannot be gone on with: a call without its result, or the like."""
LATER = "later"
"""It may go well another time: too many requests, an error of the server, a connection that broke."""
REFUSED = "refused"

REFUSAL = "refusal"
"""How both vendors name an answer in which the model says that it will not answer."""


class ToolUse(Record):
    """A tool that the model wants to be called."""

    call: str
    """The id that its result names."""
    name: str
    arguments: str
    """JSON, as the model wrote it."""


class ToolResult(Record):
    """What the model is answered."""

    use: ToolUse
    text: str
    is_error: bool = False


class TurnUsage(Record):
    """Tokens of one request, or of several together."""

    input: int = 0
    """All that was sent, whether the provider's cache knew it or not."""
    cached: int = 0
    """Of these, what the cache knew,"""
    written: int = 0
    """and what it was given to keep."""
    output: int = 0
    requests: int = 0

    def plus(self, other: TurnUsage) -> TurnUsage:
        return TurnUsage(
            *map(sum, zip(as_dict(self).values(), as_dict(other).values(), strict=True))
        )

    def as_json(self) -> dict[str, int]:
        """Without zeros."""
        return {name: count for name, count in as_dict(self).items() if count}


def usage_in(told: Mapping[str, int]) -> TurnUsage:
    """From a row of a store; unknown names are left out."""
    return TurnUsage(**{name: told[name] for name in as_dict(TurnUsage()) if name in told})


class Asked(Record):
    """One request, before it has the form of a provider."""

    model: str
    instructions: str
    items: tuple[Item, ...]
    tools: tuple[Item, ...]
    previous: str | None = None
    """The answer that it stands on, where the provider keeps answers."""
    store: bool = True
    background: bool = False
    may_call: bool = True
    """Whether the model may call tools, or has to come to an end."""


class Reply(Record):
    """One answer."""

    id: str
    text: str
    calls: tuple[ToolUse, ...] = ()
    thoughts: tuple[Item, ...] = ()
    """As the provider wants them back, where it does, as long as the model is at work on the same turn; with what
    they led to, where that has to stay with them.
    """
    cut: str = ""
    """Why it ended before its end, as the provider says it."""
    lost_call: bool = False
    """Whether a call of a tool was cut off with it, so that it cannot be answered."""
    usage: TurnUsage = TurnUsage()
    status: str = "completed"
    seconds: float = 0.0


class ExchangeFailure(Record):
    """Why there is no answer."""

    kind: str
    why: str
    hint: str = ""
    heard: str = ""
    """What was shown of it before."""
    seconds: float = 0.0


class TurnLimits(Record):
    """Where a turn ends although the model would go on."""

    rounds: int = 25
    """Requests; the last of them has to be answered in words."""
    seconds: float = 900.0


class TurnJob(Record):
    """Settings that stay the same from the beginning of a turn to its end."""

    model: str
    instructions: str
    tools: tuple[Item, ...] = ()
    keeps: bool = True
    """Whether the provider keeps what it answered, so that only what is new has to be sent."""
    background: bool = False
    reset: str = SUMMARY
    limit: int = URGENT
    """Tokens that no request may pass."""
    every: int = 20
    """Turns between two refreshes."""
    refreshing: tuple[tuple[str, str], ...] = ()
    """The calls of a refresh: the names of tools, and their arguments as JSON."""
    context: Callable[[], str] = str
    """A whole context as it is now, for the one time that it is told."""
    limits: TurnLimits = TurnLimits()
    count: Callable[[str], int] = count_chars
