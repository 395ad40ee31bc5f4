"""What a turn is carried out with: settings that stay the same from its beginning to its end; values."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.settings.budget import URGENT, count_chars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.chat.exchange import Item

SUMMARY, REFRESH, CHECKPOINT = "summary", "refresh", "checkpoint"
RESETS = (SUMMARY, REFRESH, CHECKPOINT)
"""What is done when a conversation grows: it begins anew with a summary; what tools answered is asked again and
takes the place of the old answers; or it goes on from a checkpoint, with the summary in its instructions.
"""


CLEAR, COMPACT = "clear", "compact"
EDITINGS = (CLEAR, COMPACT)
"""What Anthropic itself does when asked for it: old results of tools left out, or everything summed up."""
CLIENT, PROVIDER = "client", "provider"
HOLDERS = (CLIENT, PROVIDER)
"""Who holds what was said, so that it has not to be sent again."""


class TurnLimits(Record):
    """Where a turn ends although the model would go on."""

    rounds: int = 25
    """Requests; the last of them has to be answered in words."""
    seconds: float = 900.0


class TurnJob(Record):
    model: str
    instructions: str
    tools: tuple[Item, ...] = ()
    keeps: bool = True
    """Whether the provider keeps what it answered, so that only what is new has to be sent."""
    background: bool = False
    editing: str = ""
    """One of EDITINGS; empty for none."""
    checks_cache: bool = False
    """Whether the provider is asked if its cache knew the beginning of each request."""
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
