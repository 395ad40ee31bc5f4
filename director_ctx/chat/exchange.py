"""What goes to a provider and what comes back, whichever provider it is; values."""

from __future__ import annotations

from director_ctx.base.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Item = dict[str, Any]
    """As the Responses API has them: a message, a call, what answers it."""

QUEUED, IN_PROGRESS, INCOMPLETE = "queued", "in_progress", "incomplete"
UNFINISHED = (QUEUED, IN_PROGRESS)

CACHE_HIT = "cache_hit"
"""As OpenAI says it."""

UNKNOWN_ID = "unknown id"
"""The provider does not know the answer that the request stands on."""
KEEPS_NOTHING = "keeps nothing"
"""The provider knows no such ids at all."""
TOO_LARGE = "too large"
NOT_HELD = "not held"
"""The provider holds something else than what is to be told now, so that it has to be told all of it."""
BROKEN = "broken"
"""What the provider has kept cannot be gone on with: a call without its result, or the like."""
LATER = "later"
"""It may go well another time: too many requests, an error of the server, a connection that broke."""
REFUSED = "refused"


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
            input=self.input + other.input,
            cached=self.cached + other.cached,
            written=self.written + other.written,
            output=self.output + other.output,
            requests=self.requests + other.requests,
        )

    def as_json(self) -> dict[str, int]:
        """What is not nothing."""
        return {name: count for name, count in as_dict(self).items() if count}


def usage_in(told: Mapping[str, int]) -> TurnUsage:
    """As it was written; what nobody of us wrote is left out."""
    usual = as_dict(TurnUsage())
    return TurnUsage(**{name: told.get(name, count) for name, count in usual.items()})


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
    editing: str = ""
    """What the provider itself is to do when there is much, and from how many tokens on."""
    editing_from: int = 0
    checks_cache: bool = False
    compared: str | None = None
    """The answer that its cache is to be compared with."""


class Reply(Record):
    """One answer."""

    id: str
    text: str
    calls: tuple[ToolUse, ...] = ()
    thoughts: tuple[Item, ...] = ()
    """As the provider wants them back, where it does, as long as the model is at work on the same turn; with what
    they led to, where that has to stay with them.
    """
    compaction: Item | None = None
    """What the provider put in the place of everything before."""
    cut: str = ""
    """Why it ended before its end, as the provider says it."""
    lost_call: bool = False
    """Whether a call of a tool was cut off with it, so that nobody can answer that."""
    cache: str = ""
    """Whether its cache knew the beginning, or why not; empty where it was not asked."""
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
