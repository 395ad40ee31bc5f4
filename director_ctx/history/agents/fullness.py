"""How full a context is, and a line in the log each time that it gets fuller than it should be."""

from __future__ import annotations

from director_ctx.history.agents.originals import log
from director_ctx.history.strategies.limits import protected_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim
    from director_ctx.history.strategies.config import ContextConfig

RECENT = 20
"""Messages by which the size of the next one is judged."""
_CALM, _WARNED, _OVER = 0, 1, 2
"""Below what is warned of, above that, over the limit."""
_OVER_LIMIT = (
    "The context has %d tokens, over the limit of %d, and no strategy gets below it: "
    "%d tokens of the messages may not be touched."
)
_NEARLY_FULL = "The context has %d of %d tokens."


class Fullness:
    """What was warned of last: each level is, once each time that it is passed."""

    def __init__(self) -> None:
        self._level = _CALM

    def warn(
        self,
        messages: Sequence[Message],
        aim: Aim,
        total: int,
    ) -> None:
        """`messages` came in; so many tokens go out, with what is beside them."""
        config = aim.config
        before = self._level
        self._level = _level_of(total, config)
        if self._level <= before:
            return

        # Where nothing is cut, nothing was tried to get below the limit.
        if self._level == _OVER and config.enabled:
            stays = protected_tokens(messages, aim)
            log().warning(_OVER_LIMIT, total, config.limit, stays)
        else:
            log().warning(_NEARLY_FULL, total, config.limit)


def _level_of(total: int, config: ContextConfig) -> int:
    if total > config.limit:
        return _OVER
    if total >= config.warn_at:
        return _WARNED
    return _CALM


def next_size(messages: Sequence[Message]) -> int:
    """As large as the next message may well be: as the largest of the newest ones."""
    recent = messages[-RECENT:]
    return max((message.tokens for message in recent), default=0)
