"""What a compression is to reach, and what it may not touch."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.history.messages.message import Count, Message
    from director_ctx.history.strategies.config import ContextConfig

    WriteSummary = Callable[[Sequence[Message], int], str]
    """A summary of these messages in at most so many tokens."""


def room(target: int, limit: int, beside: int) -> int:
    """Tokens of a conversation after a cut: the target, or half of what is left where tools need
    the room.
    """
    half_of_rest = (limit - beside) // 2
    return max(1, target - beside, min(target, half_of_rest))


class Aim(Record):
    """Everything a strategy is told beside the messages."""

    count: Count
    config: ContextConfig
    target: int | None = None
    """Tokens of the result, if one was asked for."""
    keep: Callable[[str], bool] | None = None
    """Whether the user wants a text kept as it is."""
    phase: str | None = None
    """The phase that the run is in, where somebody knows."""
    native: bool = True
    """Whether calls of tools are marked as such in this conversation."""
    since: int | None = None
    """The place of the first message of that phase."""
    write: WriteSummary | None = None
    """Who writes summaries, where the strategy wants one."""


def target_of(aim: Aim) -> int:
    """What a strategy with a target works to: the tokens that were asked for, else those of the
    settings.
    """
    if aim.target is not None:
        return aim.target
    return int(aim.config.target_tokens)
